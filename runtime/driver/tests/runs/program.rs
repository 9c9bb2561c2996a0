//! Programs made of Rust functions that behave as compiled code does, and a way to run them.

use std::alloc::Layout;
use std::sync::Arc;

use gsw_abi::builtin::{self, BuiltinError, INT};
use gsw_abi::call::Table;
use gsw_abi::layout::{
    self, Context, Frame, FunctionEntry, Header, IMMORTAL, Outcome, STRING_BYTES, STRING_CAPACITY,
    STRING_LENGTH, STRING_SCALARS, slot, status,
};
use gsw_abi::program::{Colour, Function, FunctionIndex, Program, Slot};
use gsw_abi::types::{Type, TypeId, TypeTable};
use gsw_driver::scripted::{Around, Entry, Report, Script, run};
use gsw_engine::load::Loaded;
use gsw_engine::run::RunResult;
use gsw_tree::event::EventKind;
use gsw_tree::observe::{Observers, Replay};

/// One suspension in a millisecond.
pub const MS: u64 = 1_000_000;

/// A resumable function.
pub type Resume = unsafe extern "C" fn(*mut Context, *mut Frame) -> u64;
/// A plain function value of one parameter.
pub type Plain = unsafe extern "C" fn(*mut Context, u64, u64) -> Outcome;

/// A function of a program.
#[derive(Clone, Copy)]
pub enum Code {
    /// With so many slots, all of them ints; the first ones are parameters.
    Resume(Resume, u32, u32),
    /// Takes the closure and a word.
    Plain(Plain),
}

/// The types of test programs, after the fixed ones.
pub mod types {
    use gsw_abi::builtin;
    use gsw_abi::types::TypeId;

    fn own(index: u32) -> TypeId {
        TypeId(builtin::type_table().types.len() as u32 + index)
    }
    /// `Task<int>`
    pub fn task() -> TypeId {
        own(0)
    }
    /// `[Task<int>]`
    pub fn tasks() -> TypeId {
        own(1)
    }
    /// A function value that captures nothing.
    pub fn closure() -> TypeId {
        own(2)
    }
    /// `Result<int>`
    pub fn result() -> TypeId {
        own(3)
    }
    /// `[Result<int>]`
    pub fn results() -> TypeId {
        own(4)
    }
    /// `(int, string)`
    pub fn pair() -> TypeId {
        own(5)
    }
    /// `[fn() -> int]`
    pub fn closures() -> TypeId {
        own(6)
    }
}

fn type_table() -> TypeTable {
    let mut table = builtin::type_table();
    let field = |name: &str, ty: TypeId| gsw_abi::types::Field {
        name: name.into(),
        wire: name.into(),
        docs: None,
        ty,
        default: None,
        check: None,
        secrecy: gsw_abi::types::Secrecy::Shown,
        trust: gsw_abi::types::Trust::Any,
    };
    let variant = |name: &str, fields| gsw_abi::types::Variant {
        name: name.into(),
        wire: name.into(),
        docs: None,
        fields,
    };
    table.types.extend([
        Type::Task(INT),
        Type::List(types::task()),
        Type::Closure(vec![]),
        Type::Enum(gsw_abi::types::Enum {
            name: "Result<int>".into(),
            docs: None,
            variants: vec![
                variant("Ok", vec![field("value", INT)]),
                variant("Err", vec![field("error", builtin::ERROR)]),
            ],
        }),
        Type::List(types::result()),
        Type::Tuple(vec![INT, builtin::STRING]),
        Type::List(types::closure()),
    ]);
    table
}

/// A loaded program of these functions; function 0 is where it begins.
pub fn load(functions: &[Code]) -> Arc<Loaded> {
    Arc::new(load_with(functions, |_| {}))
}

/// Like [`load`], with more in its tables.
pub fn load_with(functions: &[Code], complete: impl FnOnce(&mut Program)) -> Loaded {
    let mut entries = Vec::new();
    let mut described = Vec::new();
    for (index, code) in functions.iter().enumerate() {
        let (plain, resume, slots, parameters) = match *code {
            Code::Resume(resume, slots, parameters) => {
                (std::ptr::null(), resume as *const u8, slots, parameters)
            }
            Code::Plain(plain) => (plain as *const u8, std::ptr::null(), 0, 2),
        };
        entries.push(FunctionEntry {
            plain,
            resume,
            slots,
            parameters,
        });
        described.push(Function {
            name: format!("f{index}"),
            offset: 0,
            colour: if plain.is_null() {
                Colour::Resumable
            } else {
                Colour::Plain
            },
            parameters,
            slots: (0..slots)
                .map(|_| Slot {
                    name: None,
                    ty: INT,
                })
                .collect(),
            owned: vec![],
        });
    }
    let mut program = Program {
        functions: described,
        ..Program::empty("test", type_table())
    };
    complete(&mut program);
    Loaded::from_parts(program, entries).expect("the tables are right")
}

/// Runs function 0 with the result type `int`.
pub fn go(functions: &[Code]) -> Report {
    go_with(functions, INT, Script::default()).0
}

/// Runs function 0 and gives what was logged, too.
pub fn go_with(functions: &[Code], result: TypeId, script: Script) -> (Report, Vec<String>) {
    let observers = Arc::new(Observers::default());
    let mut around = Around::default();
    around.receivers.observers = observers;
    go_on(&load(functions), around, result, script)
}

/// Runs function 0 of a program with this around it, and gives what was logged, too.
pub fn go_on(
    loaded: &Arc<Loaded>,
    around: Around,
    result: TypeId,
    script: Script,
) -> (Report, Vec<String>) {
    let observers = Arc::clone(&around.receivers.observers);
    let entry = Entry::Function {
        function: FunctionIndex(0),
        result,
    };
    let report = run(loaded, &around, entry, script).expect("it does not hang");
    let history = observers.history(Replay::All);
    let log = history.iter().filter_map(|event| match &event.kind {
        EventKind::Log { message, .. } => Some(message.to_string()),
        _ => None,
    });
    (report, log.collect())
}

/// The run's value, after a look at its memory.
pub fn value(report: &Report) -> &str {
    assert_eq!(
        report.finished.live_objects, 0,
        "{:?}",
        report.finished.result
    );
    match &report.finished.result {
        RunResult::Value(text) => text,
        other => panic!("no value, but {other:?}"),
    }
}

/// The name and message of the run's error, after a look at its memory.
pub fn raised(report: &Report) -> (String, String) {
    assert_eq!(
        report.finished.live_objects, 0,
        "{:?}",
        report.finished.result
    );
    match &report.finished.result {
        RunResult::Raised(error) => (error.error.clone(), error.message.clone()),
        other => panic!("no error, but {other:?}"),
    }
}

// What compiled code does by itself, as functions.

pub fn table<'a>(context: *mut Context) -> &'a Table {
    unsafe { &*(*context).table }
}
/// The state of a frame.
pub fn state(frame: *mut Frame) -> u32 {
    unsafe { (*frame).state }
}
/// Sets the state in which it is resumed.
pub fn set_state(frame: *mut Frame, state: u32) {
    unsafe { (*frame).state = state };
}
/// The outcome of what it waited for.
pub fn got(frame: *mut Frame) -> Result<u64, u64> {
    unsafe {
        if (*frame).error == 0 {
            Ok((*frame).value)
        } else {
            Err((*frame).error)
        }
    }
}
pub fn get(frame: *mut Frame, index: usize) -> u64 {
    unsafe {
        *frame
            .cast::<u8>()
            .offset(slot(index) as isize)
            .cast::<u64>()
    }
}
pub fn set(frame: *mut Frame, index: usize, word: u64) {
    unsafe {
        *frame
            .cast::<u8>()
            .offset(slot(index) as isize)
            .cast::<u64>() = word
    };
}
/// Ends with a value.
pub fn done(frame: *mut Frame, word: u64) -> u64 {
    unsafe { (*frame).value = word };
    status::DONE
}
/// Ends with an error.
pub fn raise(frame: *mut Frame, error: u64) -> u64 {
    unsafe { (*frame).error = error };
    status::RAISED
}
/// A string, as constants of an image are: it is neither counted nor freed.
pub fn text(text: &str) -> u64 {
    let bytes = STRING_BYTES as usize + text.len();
    let layout = Layout::from_size_align(bytes, 16).expect("a text is no larger than memory");
    unsafe {
        let address = std::alloc::alloc_zeroed(layout);
        address.cast::<Header>().write(Header {
            count: IMMORTAL,
            ty: builtin::STRING.0,
            extra: 0,
        });
        let write = |offset: i32, word: usize| {
            address
                .offset(offset as isize)
                .cast::<u64>()
                .write(word as u64);
        };
        write(STRING_LENGTH, text.len());
        write(STRING_SCALARS, text.chars().count());
        write(STRING_CAPACITY, text.len());
        let first = address.offset(STRING_BYTES as isize);
        std::ptr::copy_nonoverlapping(text.as_ptr(), first, text.len());
        address as u64
    }
}
/// What a string holds.
fn read(string: u64) -> String {
    let first = (string as *const u8).wrapping_offset(STRING_BYTES as isize);
    let bytes = unsafe { std::slice::from_raw_parts(first, word(string, STRING_LENGTH) as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
fn word(object: u64, offset: i32) -> u64 {
    unsafe { *(object as *const u8).offset(offset as isize).cast::<u64>() }
}
/// A fresh object with these words.
fn object(context: *mut Context, ty: TypeId, words: &[u64]) -> u64 {
    unsafe {
        let object = (table(context).object_new)(context, u64::from(ty.0), 0, words.len() as u64);
        let first = (object as *mut u8).offset(layout::field(0) as isize);
        std::ptr::copy_nonoverlapping(words.as_ptr(), first.cast(), words.len());
        object
    }
}
/// `Failed(message)`
pub fn failed(context: *mut Context, message: &str) -> u64 {
    let no_trace = 0;
    object(
        context,
        BuiltinError::Failed.ty(),
        &[no_trace, text(message)],
    )
}
pub fn log(context: *mut Context, message: &str) {
    let message = text(message);
    unsafe { (table(context).log)(context, 1, message, 0) };
}
/// Spawns a task of a function with one parameter, and gives its handle.
pub fn spawn(context: *mut Context, function: u64, argument: u64) -> u64 {
    unsafe {
        let frame = (table(context).frame_new)(context, function);
        set(frame as *mut Frame, 0, argument);
        (table(context).task_spawn)(context, u64::from(types::task().0), frame).value
    }
}
/// A list of these words.
pub fn list_of(context: *mut Context, ty: TypeId, words: &[u64]) -> u64 {
    let calls = table(context);
    let empty = unsafe { (calls.list_new)(context, u64::from(ty.0), words.len() as u64) };
    let push = |list, &word| unsafe { (calls.list_push)(context, list, word) };
    words.iter().fold(empty, push)
}
/// A function value.
pub fn closure(context: *mut Context, function: u64) -> u64 {
    object(context, types::closure(), &[function])
}
/// One owner less.
pub fn release(context: *mut Context, word: u64) {
    let header = word as *mut Header;
    unsafe {
        if (*header).count & IMMORTAL != 0 {
            return;
        }
        (*header).count -= 1;
        if (*header).count == 0 {
            (table(context).object_free)(context, word);
        }
    }
}
/// One owner more.
pub fn retain(word: u64) -> u64 {
    let header = word as *mut Header;
    unsafe {
        if (*header).count & IMMORTAL == 0 {
            (*header).count += 1;
        }
    }
    word
}
/// The kind of an error, and its message; it is given up.
pub fn take_error(context: *mut Context, raised: u64) -> String {
    let ty = TypeId(unsafe { (*(raised as *const Header)).ty });
    let Type::ErrorKind(kind) = builtin::type_table().types.swap_remove(ty.0 as usize) else {
        panic!("an error is of an error's kind")
    };
    let message = unsafe { (table(context).error_message)(context, raised) };
    let text = format!("{}: {}", kind.name, read(message));
    release(context, message);
    release(context, raised);
    text
}

/// A function with one parameter: sleeps so many milliseconds and gives them, or raises for an odd number.
pub unsafe extern "C" fn sleep_then_give(context: *mut Context, frame: *mut Frame) -> u64 {
    loop {
        match state(frame) {
            0 => {
                set_state(frame, 1);
                let status = unsafe { (table(context).sleep)(context, frame, get(frame, 0) * MS) };
                if status == status::WAITING {
                    return status;
                }
            }
            _ => {
                return match got(frame) {
                    Err(error) => raise(frame, error),
                    Ok(_) if get(frame, 0) % 2 == 1 => {
                        let error = failed(context, &format!("{} is odd", get(frame, 0)));
                        raise(frame, error)
                    }
                    Ok(_) => done(frame, get(frame, 0)),
                };
            }
        }
    }
}
/// As an entry of a program.
pub const SLEEP_THEN_GIVE: Code = Code::Resume(sleep_then_give, 1, 1);

/// `sleep` as a function value: the closure is its first parameter.
pub unsafe extern "C" fn closure_sleep(context: *mut Context, frame: *mut Frame) -> u64 {
    loop {
        match state(frame) {
            0 => {
                set_state(frame, 1);
                release(context, get(frame, 0));
                let status = unsafe { (table(context).sleep)(context, frame, get(frame, 1) * MS) };
                if status == status::WAITING {
                    return status;
                }
            }
            _ => {
                return match got(frame) {
                    Err(error) => raise(frame, error),
                    Ok(_) if get(frame, 1) % 2 == 1 => {
                        let error = failed(context, &format!("{} is odd", get(frame, 1)));
                        raise(frame, error)
                    }
                    Ok(_) => done(frame, get(frame, 1)),
                };
            }
        }
    }
}
/// As an entry of a program.
pub const CLOSURE_SLEEP: Code = Code::Resume(closure_sleep, 2, 2);
