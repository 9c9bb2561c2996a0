//! Flow IR: small, typed, explicit. Basic blocks over mutable locals; every raise and every wait is a terminator.
//!
//! Lowering writes it without counting references; the ownership pass adds `Retain` and `Release`; the verifier proves that
//! on every path each owned value is consumed exactly once. Codegen knows no notion of the language beyond this.
//!
//! Ownership, by operand position: *consumed* positions take the value over, *borrowed* ones leave it. Consumed are:
//! the fields of `Object`, the captures of `Closure`, the value of `CellNew` and `CellSet`, the arguments of `Call`,
//! `CallValue` and `Frame` (the callee owns its parameters), the operands of `Return` and `Raise`, `own` parameters of
//! runtime calls, and the source of `Move`. Everything else is borrowed. A local that is written owns what it is given;
//! `Load`, `Capture` and `CellGet` give a value of their own (codegen retains it). The closure word of `CallValue` is borrowed
//! by the call itself and passed, retained, as the callee's parameter 0, which owns it.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::{Colour, FunctionIndex, Program, SpanIndex};
use gsw_abi::types::TypeId;

/// A whole program before code generation.
#[derive(Clone, Debug)]
pub struct Module {
    /// The tables; of each function all but `offset`, `slots` and `owned`, which codegen fills in.
    pub program: Program,
    /// By [`FunctionIndex`].
    pub functions: Vec<Function>,
    /// By [`ConstantIndex`].
    pub constants: Vec<Constant>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConstantIndex(pub u32);

/// An immortal object in the image; holds no addresses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// A string; `ty` is `string`, a literal union, `bytes` or `secret`.
    String {
        ty: TypeId,
        text: String,
    },
    /// An object with only a header: a variant without payload of an enum that is not inline, an error without fields has a
    /// trace and is none of these.
    Header {
        ty: TypeId,
        extra: u32,
    },
    /// A box that holds an inline word: `none`-less optional constants, `json` null, bools and numbers.
    Word {
        ty: TypeId,
        extra: u32,
        word: u64,
    },
    Closure {
        ty: TypeId,
        function: FunctionIndex,
    },
    /// A list of values that are held inline. It has no single owner, so every growth copies it.
    List {
        ty: TypeId,
        words: Vec<u64>,
    },
}

#[derive(Clone, Debug)]
pub struct Function {
    pub colour: Colour,
    /// The first this many locals are the parameters.
    pub parameters: u32,
    pub locals: Vec<Local>,
    /// Block 0 is where it starts.
    pub blocks: Vec<Block>,
    /// The declaration, for traces of faults that have no other place.
    pub span: SpanIndex,
}

/// A local variable; holds a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its type, which says whether it is counted. Raw words (frames, scope numbers) have type `int`.
    pub ty: TypeId,
    /// Its name in source, for showing a suspended program.
    pub name: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// Straight-line code and where it goes.
#[derive(Clone, Debug)]
pub struct Block {
    pub instructions: Vec<Instruction>,
    pub terminator: Terminator,
}

/// A local or a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Local(LocalId),
    /// A word: numbers, type ids, indices, 0 for `none`.
    Word(u64),
}

/// What cannot raise and cannot wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// A number, bool, duration, inline variant, `()`, 0.
    Word {
        to: LocalId,
        word: u64,
    },
    /// The address of a constant.
    Constant {
        to: LocalId,
        constant: ConstantIndex,
    },
    /// Takes the value over. When the source is used again later, the ownership pass retains it before.
    Move {
        to: LocalId,
        from: LocalId,
    },
    /// Arithmetic and comparison that cannot raise.
    Operation {
        to: LocalId,
        operation: Operation,
        left: Operand,
        /// Right; without meaning for an operation of one operand.
        right: Operand,
    },
    /// A fresh object with these fields after the header: records, tuples, payload variants, boxes, `json`. An error has
    /// `Operand::Word(0)` as its first field, the trace.
    Object {
        to: LocalId,
        ty: TypeId,
        extra: u32,
        fields: Vec<Operand>,
    },
    Closure {
        to: LocalId,
        ty: TypeId,
        /// Its code; parameter 0 of it is the closure itself.
        function: FunctionIndex,
        captures: Vec<Operand>,
    },
    /// Word `index` after the header of an object (of an error: the trace is 0, its fields start at 1).
    Load {
        to: LocalId,
        from: LocalId,
        index: u32,
    },
    /// Captured word `index` of a closure.
    Capture {
        to: LocalId,
        from: LocalId,
        index: u32,
    },
    /// An object's `extra`: a variant, a `json` tag.
    LoadExtra {
        to: LocalId,
        from: LocalId,
    },
    /// An object's type: which kind of error.
    LoadType {
        to: LocalId,
        from: LocalId,
    },
    CellNew {
        to: LocalId,
        ty: TypeId,
        value: Operand,
    },
    CellGet {
        to: LocalId,
        cell: LocalId,
    },
    /// Takes the value out of a cell and leaves 0; a `CellSet` follows with no wait or raise between. For in-place updates.
    CellTake {
        to: LocalId,
        cell: LocalId,
    },
    /// Replaces a cell's value, releasing the old one.
    CellSet {
        cell: LocalId,
        value: Operand,
    },
    /// A runtime call of kind `plain`.
    Runtime {
        /// The local that is written; `None` when the result is not used.
        to: Option<LocalId>,
        call: RuntimeCall,
        /// One per parameter of the row, type ids included.
        arguments: Vec<Operand>,
    },
    /// A fresh frame of a function with its parameters set, for `task_spawn`, which takes it over.
    Frame {
        to: LocalId,
        function: FunctionIndex,
        arguments: Vec<Operand>,
    },
    /// One more owner of what the local holds. Only the ownership pass writes it.
    Retain(LocalId),
    /// One owner less. Only the ownership pass writes it.
    Release(LocalId),
}

/// Operations that cannot raise. Comparisons result in 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    IntEqual,
    IntNotEqual,
    IntLess,
    IntLessEqual,
    IntGreater,
    IntGreaterEqual,
    /// Without check: only where it cannot overflow (induction variables).
    IntAddUnchecked,
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    FloatDivide,
    FloatNegate,
    FloatEqual,
    FloatNotEqual,
    FloatLess,
    FloatLessEqual,
    FloatGreater,
    FloatGreaterEqual,
    BoolNot,
    BoolAnd,
    BoolOr,
}

/// Integer arithmetic that raises `Overflow` or `DivisionByZero`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Checked {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    /// The right operand is 0.
    Negate,
}

/// Where a raised error goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    pub error: LocalId,
    pub block: BlockId,
    /// Appended to the error's trace.
    pub span: SpanIndex,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    Jump(BlockId),
    /// Goes back to the head of a loop, after looking at the context's stop flag; when it is set the handler gets an unwinding.
    Loop {
        head: BlockId,
        /// When the run is to stop.
        stop: Handler,
    },
    Branch {
        /// 0 or 1, or for optionals any word: taken when not 0.
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        /// No value occurs twice.
        cases: Vec<(u64, BlockId)>,
        default: BlockId,
    },
    Return(Operand),
    /// Ends the function with an error.
    Raise(LocalId),
    Checked {
        /// Written when it does not raise.
        to: LocalId,
        operation: Checked,
        left: Operand,
        right: Operand,
        next: BlockId,
        handler: Handler,
    },
    /// Raises a fault without fields.
    Fault {
        fault: BuiltinError,
        handler: Handler,
    },
    /// A call of a known function. A plain function may call only plain ones.
    Call {
        /// Written when it does not raise.
        to: LocalId,
        function: FunctionIndex,
        arguments: Vec<Operand>,
        next: BlockId,
        handler: Handler,
    },
    /// A call of a function value. In a plain function the value's code is plain too.
    CallValue {
        /// Written when it does not raise.
        to: LocalId,
        closure: LocalId,
        /// All parameters but the closure.
        arguments: Vec<Operand>,
        next: BlockId,
        handler: Handler,
    },
    /// A runtime call of kind `raising`.
    Runtime {
        /// Written when it does not raise.
        to: LocalId,
        call: RuntimeCall,
        /// One per parameter of the row.
        arguments: Vec<Operand>,
        next: BlockId,
        handler: Handler,
    },
    /// A runtime call of kind `waiting`; only in a resumable function.
    Suspend {
        /// Written when it does not raise.
        to: LocalId,
        call: RuntimeCall,
        /// One per parameter of the row.
        arguments: Vec<Operand>,
        next: BlockId,
        handler: Handler,
    },
    /// Cannot be reached; running into it is a fault of ours.
    Unreachable,
}
