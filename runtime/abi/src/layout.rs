//! Sizes and offsets of everything in memory that compiled code touches by itself.
//!
//! A *word* is 64 bits. `int`, `time` and `duration` (nanoseconds) are an `i64`, `float` its IEEE bits, `bool` 0 or 1,
//! an enum whose variants all lack a payload its variant's index, `()` is 0. Every other value is the address of an
//! *object*. `T?` of a type that is held inline is a box (an object of one word), or 0 for `none`; `T?` of any other
//! type is the object's own address, or 0.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

/// The front of every object.
#[repr(C)]
#[derive(Debug)]
pub struct Header {
    /// How many owners it has. With [`IMMORTAL`] set it is never counted and never freed.
    pub count: u64,
    /// What it is: an index into the program's type table. Objects describe themselves.
    pub ty: u32,
    /// An enum's variant, a `json`'s tag, the words before a list's first element, otherwise 0.
    pub extra: u32,
}

/// The bit of [`Header::count`] that is set for constants; tested before every change, so read-only memory is never written.
pub const IMMORTAL: u64 = 1 << 63;
pub const COUNT: i32 = 0;
pub const TYPE: i32 = 8;
pub const EXTRA: i32 = 12;
/// Size of [`Header`]; the first field of a record, tuple, variant, box, cell or closure is here.
pub const HEADER: i32 = 16;

/// Offset of field `index` of a record, tuple, variant payload, box or cell.
#[must_use]
pub const fn field(index: usize) -> i32 {
    HEADER + 8 * index as i32
}

/// Closure: the function's index, then the captured words.
pub const CLOSURE_FUNCTION: i32 = HEADER;
/// Offset of a closure's captured word `index`.
#[must_use]
pub const fn capture(index: usize) -> i32 {
    HEADER + 8 + 8 * index as i32
}

/// Error object: a word that belongs to the runtime (the trace, 0 when empty), then the fields.
pub const ERROR_TRACE: i32 = HEADER;
/// Offset of an error's field `index`.
#[must_use]
pub const fn error_field(index: usize) -> i32 {
    HEADER + 8 + 8 * index as i32
}

/// List: length, capacity, as many unused words as [`Header::extra`] says, then the elements.
///
/// What is taken off the front of a list with one owner leaves its word unused, so that a list is a queue without moving the rest.
pub const LIST_LENGTH: i32 = HEADER;
/// Offset of a list's capacity: how many elements have room from the first one on.
pub const LIST_CAPACITY: i32 = HEADER + 8;
/// Offset of the first word of a list that an element may be in.
pub const LIST_ELEMENTS: i32 = HEADER + 16;

/// String (also `secret` and `bytes`): length in bytes, number of Unicode scalar values, capacity in bytes, then the bytes.
///
/// A string is ASCII exactly when both numbers are equal. For `bytes` the second equals the first.
pub const STRING_LENGTH: i32 = HEADER;
/// Offset of the number of Unicode scalar values.
pub const STRING_SCALARS: i32 = HEADER + 8;
/// Offset of the capacity in bytes.
pub const STRING_CAPACITY: i32 = HEADER + 16;
/// Offset of the first byte.
pub const STRING_BYTES: i32 = HEADER + 24;

/// Tags of a `json` object, in [`Header::extra`]; its one field holds the payload.
pub mod json {
    /// `null`, whose payload is 0.
    pub const NULL: u32 = 0;
    /// The payload is 0 or 1.
    pub const BOOL: u32 = 1;
    /// The payload is an `i64`.
    pub const INT: u32 = 2;
    /// The payload is a float's bits.
    pub const FLOAT: u32 = 3;
    /// The payload is a string.
    pub const STRING: u32 = 4;
    /// The payload is a `[json]`.
    pub const LIST: u32 = 5;
    /// The payload is a `{string: json}`.
    pub const OBJECT: u32 = 6;
    /// Joined to a tag: it comes from a `@secret` field or a secret, and observers see `***`.
    pub const CONFIDENTIAL: u32 = 1 << 8;
}

/// The front of the frame of a function that can wait. Its slots follow; the first ones are the parameters.
#[repr(C)]
#[derive(Debug)]
pub struct Frame {
    /// The frame that waits for this one's result; null at the bottom of a task.
    pub parent: *mut Frame,
    /// The function, as an index into the table of functions.
    pub function: u32,
    /// Where to resume; 0 at first.
    pub state: u32,
    /// When `resume` returned `Done`: the result. When resumed after a wait: the value waited for.
    pub value: u64,
    /// When `resume` returned `Raised`: the error. When resumed after a wait: the error it ended with, or 0.
    pub error: u64,
}

pub const FRAME_PARENT: i32 = 0;
pub const FRAME_FUNCTION: i32 = 8;
pub const FRAME_STATE: i32 = 12;
pub const FRAME_VALUE: i32 = 16;
pub const FRAME_ERROR: i32 = 24;
/// Offset of a frame's slot `index`.
#[must_use]
pub const fn slot(index: usize) -> i32 {
    32 + 8 * index as i32
}

/// What `resume` and every waiting call return.
pub mod status {
    /// The frame's value is set.
    pub const DONE: u64 = 0;
    /// The frame's error is set.
    pub const RAISED: u64 = 1;
    /// The runtime will resume the frame; the native stack unwinds by returning this.
    pub const WAITING: u64 = 2;
}

/// What a plain function and a raising runtime call return: in two registers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The result; without meaning when `error` is set.
    pub value: u64,
    /// 0, or the error object, owned by the caller.
    pub error: u64,
}

/// A function as the machine sees it; [`Context::functions`] points at one per function of the program.
#[repr(C)]
#[derive(Debug)]
pub struct FunctionEntry {
    /// `extern "C" fn(*mut Context, u64, …) -> Outcome`, or null for a function that can wait.
    pub plain: *const u8,
    /// `extern "C" fn(*mut Context, *mut Frame) -> u64`, or null for a plain one.
    pub resume: *const u8,
    /// How many slots its frame has.
    pub slots: u32,
    /// How many of these are parameters.
    pub parameters: u32,
}

pub const FUNCTION_ENTRY: i32 = 24;
pub const ENTRY_PLAIN: i32 = 0;
pub const ENTRY_RESUME: i32 = 8;

pub mod stop {
    /// A cancellation of the run waits to be taken.
    pub const CANCEL: u32 = 1;
    /// The memory is used up.
    pub const MEMORY: u32 = 2;
    /// The run is to end at once, whatever it is doing.
    pub const KILL: u32 = 4;
    /// The run is cancelled, and the current task is to unwind.
    pub const UNWIND: u32 = 8;
}

/// What compiled code gets as its first argument. It is an allocation of its own, because other threads set the two
/// words that are polled while a turn has the run.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    pub table: *const crate::call::Table,
    /// Below this address of the native stack a function must raise `StackOverflow`.
    pub stack_limit: AtomicU64,
    /// Not 0 when loops must stop, as [`stop`] says; polled on their back edges.
    pub stop: AtomicU32,
    /// Keeps the next field aligned.
    pub reserved: u32,
    /// The functions of the program.
    pub functions: *const FunctionEntry,
    /// The first byte of the image's constants.
    pub constants: *const u8,
    /// The runtime's own state of the run, set whenever compiled code is entered; compiled code does not read it.
    pub run: AtomicPtr<u8>,
}

pub const CONTEXT_TABLE: i32 = 0;
pub const CONTEXT_STACK_LIMIT: i32 = 8;
pub const CONTEXT_STOP: i32 = 16;
pub const CONTEXT_FUNCTIONS: i32 = 24;
pub const CONTEXT_CONSTANTS: i32 = 32;

#[cfg(test)]
mod tests {
    use super::{Context, Frame, FunctionEntry, Header};
    use std::mem::{offset_of, size_of};

    #[test]
    fn offsets_agree_with_the_structs() {
        assert_eq!(size_of::<Header>() as i32, super::HEADER);
        assert_eq!(offset_of!(Header, ty) as i32, super::TYPE);
        assert_eq!(offset_of!(Header, extra) as i32, super::EXTRA);
        assert_eq!(size_of::<Frame>() as i32, super::slot(0));
        assert_eq!(offset_of!(Frame, state) as i32, super::FRAME_STATE);
        assert_eq!(offset_of!(Frame, value) as i32, super::FRAME_VALUE);
        assert_eq!(offset_of!(Frame, error) as i32, super::FRAME_ERROR);
        assert_eq!(size_of::<FunctionEntry>() as i32, super::FUNCTION_ENTRY);
        assert_eq!(offset_of!(Context, stop) as i32, super::CONTEXT_STOP);
        assert_eq!(
            offset_of!(Context, functions) as i32,
            super::CONTEXT_FUNCTIONS
        );
        assert_eq!(
            offset_of!(Context, constants) as i32,
            super::CONTEXT_CONSTANTS
        );
    }
}
