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

/// An index into [`Module::constants`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConstantIndex(pub u32);

/// An immortal object in the image; holds no addresses.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// A string; `ty` is `string`, a literal union, `bytes` or `secret`.
    String {
        /// Its type.
        ty: TypeId,
        /// Its text.
        text: String,
    },
    /// An object with only a header: a variant without payload of an enum that is not inline, an error without fields has a
    /// trace and is none of these.
    Header {
        /// Its type.
        ty: TypeId,
        /// Its `extra`.
        extra: u32,
    },
    /// A box that holds an inline word: `none`-less optional constants, `json` null, bools and numbers.
    Word {
        /// Its type.
        ty: TypeId,
        /// Its `extra`.
        extra: u32,
        /// Its one field.
        word: u64,
    },
    /// A closure without captures.
    Closure {
        /// Its closure type.
        ty: TypeId,
        /// Its code.
        function: FunctionIndex,
    },
    /// A list of values that are held inline. Nobody owns it alone, so every growth copies it.
    List {
        /// Its type.
        ty: TypeId,
        /// Its elements.
        words: Vec<u64>,
    },
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    /// How it is called.
    pub colour: Colour,
    /// The first so many locals are the parameters.
    pub parameters: u32,
    /// All locals.
    pub locals: Vec<Local>,
    /// Block 0 is where it starts.
    pub blocks: Vec<Block>,
    /// The declaration, for traces of faults that have no other place.
    pub span: SpanIndex,
}

/// A local variable; holds a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its type; tells whether it is counted. Raw words (frames, scope numbers) have type `int`.
    pub ty: TypeId,
    /// Its name in source, for showing a suspended program.
    pub name: Option<String>,
}

/// A local variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// Straight-line code and where it goes.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub instructions: Vec<Instruction>,
    /// The end.
    pub terminator: Terminator,
}

/// A local or a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A local's value.
    Local(LocalId),
    /// A word: numbers, type ids, indices, 0 for `none`.
    Word(u64),
}

/// What cannot raise and cannot wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Instruction {
    /// A number, bool, duration, inline variant, `()`, 0.
    Word {
        /// Written.
        to: LocalId,
        /// The word.
        word: u64,
    },
    /// The address of a constant.
    Constant {
        /// Written.
        to: LocalId,
        /// Which.
        constant: ConstantIndex,
    },
    /// Takes the value over. When the source is used again later, the ownership pass retains it before.
    Move {
        /// Written.
        to: LocalId,
        /// Read.
        from: LocalId,
    },
    /// Arithmetic and comparison that cannot raise.
    Operation {
        /// Written.
        to: LocalId,
        /// What.
        operation: Operation,
        /// Left.
        left: Operand,
        /// Right; without meaning for an operation of one operand.
        right: Operand,
    },
    /// A fresh object with these fields after the header: records, tuples, payload variants, boxes, `json`. An error has
    /// `Operand::Word(0)` as its first field, the trace.
    Object {
        /// Written.
        to: LocalId,
        /// Its type.
        ty: TypeId,
        /// Its `extra`.
        extra: u32,
        /// Its words.
        fields: Vec<Operand>,
    },
    /// A fresh closure.
    Closure {
        /// Written.
        to: LocalId,
        /// Its closure type.
        ty: TypeId,
        /// Its code; parameter 0 of it is the closure itself.
        function: FunctionIndex,
        /// The captured words.
        captures: Vec<Operand>,
    },
    /// Word `index` after the header of an object (of an error: the trace is 0, its fields start at 1).
    Load {
        /// Written.
        to: LocalId,
        /// The object.
        from: LocalId,
        /// Which word.
        index: u32,
    },
    /// Captured word `index` of a closure.
    Capture {
        /// Written.
        to: LocalId,
        /// The closure.
        from: LocalId,
        /// Which.
        index: u32,
    },
    /// An object's `extra`: a variant, a `json` tag.
    LoadExtra {
        /// Written.
        to: LocalId,
        /// The object.
        from: LocalId,
    },
    /// An object's type: which kind of error.
    LoadType {
        /// Written.
        to: LocalId,
        /// The object.
        from: LocalId,
    },
    /// A fresh cell.
    CellNew {
        /// Written.
        to: LocalId,
        /// Its cell type.
        ty: TypeId,
        /// Its first value.
        value: Operand,
    },
    /// A cell's value.
    CellGet {
        /// Written.
        to: LocalId,
        /// The cell.
        cell: LocalId,
    },
    /// A cell's value, which leaves 0 behind; a `CellSet` follows with no wait or raise between. For in-place updates.
    CellTake {
        /// Written.
        to: LocalId,
        /// The cell.
        cell: LocalId,
    },
    /// Replaces a cell's value, releasing the old one.
    CellSet {
        /// The cell.
        cell: LocalId,
        /// The new value.
        value: Operand,
    },
    /// A runtime call of kind `plain`.
    Runtime {
        /// Written; `None` when it gives nothing of use.
        to: Option<LocalId>,
        /// Which.
        call: RuntimeCall,
        /// One per parameter of the row, type ids included.
        arguments: Vec<Operand>,
    },
    /// A fresh frame of a function with its parameters set, for `task_spawn`, which takes it over.
    Frame {
        /// Written; a raw word.
        to: LocalId,
        /// A resumable function.
        function: FunctionIndex,
        /// Its parameters.
        arguments: Vec<Operand>,
    },
    /// One more owner of what the local holds. Only the ownership pass writes it.
    Retain(LocalId),
    /// One owner less. Only the ownership pass writes it.
    Release(LocalId),
}

/// What cannot raise. Comparisons give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
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
#[allow(missing_docs, reason = "the names say it")]
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
    /// Gets the error, owned.
    pub error: LocalId,
    /// Goes on here.
    pub block: BlockId,
    /// Appended to the error's trace.
    pub span: SpanIndex,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Goes on.
    Jump(BlockId),
    /// Goes back to the head of a loop, after looking at the context's stop flag; when it is set the handler gets an unwinding.
    Loop {
        /// The head.
        head: BlockId,
        /// When the run is to stop.
        stop: Handler,
    },
    /// On a bool.
    Branch {
        /// 0 or 1, or for optionals any word: taken when not 0.
        condition: Operand,
        /// When not 0.
        then: BlockId,
        /// When 0.
        otherwise: BlockId,
    },
    /// On a word.
    Switch {
        /// The word.
        value: Operand,
        /// Distinct.
        cases: Vec<(u64, BlockId)>,
        /// For all others.
        default: BlockId,
    },
    /// Ends the function.
    Return(Operand),
    /// Ends the function with an error.
    Raise(LocalId),
    /// Checked integer arithmetic.
    Checked {
        /// Written when it does not raise.
        to: LocalId,
        /// What.
        operation: Checked,
        /// Left.
        left: Operand,
        /// Right.
        right: Operand,
        /// Goes on here.
        next: BlockId,
        /// When it raises.
        handler: Handler,
    },
    /// Raises a fault without fields.
    Fault {
        /// Which.
        fault: BuiltinError,
        /// Where it goes.
        handler: Handler,
    },
    /// A call of a known function. A plain function may call only plain ones.
    Call {
        /// Written when it does not raise.
        to: LocalId,
        /// Which.
        function: FunctionIndex,
        /// All parameters.
        arguments: Vec<Operand>,
        /// Goes on here.
        next: BlockId,
        /// When it raises.
        handler: Handler,
    },
    /// A call of a function value. In a plain function the value's code is plain too.
    CallValue {
        /// Written when it does not raise.
        to: LocalId,
        /// The function value.
        closure: LocalId,
        /// All parameters but the closure.
        arguments: Vec<Operand>,
        /// Goes on here.
        next: BlockId,
        /// When it raises.
        handler: Handler,
    },
    /// A runtime call of kind `raising`.
    Runtime {
        /// Written when it does not raise.
        to: LocalId,
        /// Which.
        call: RuntimeCall,
        /// One per parameter of the row.
        arguments: Vec<Operand>,
        /// Goes on here.
        next: BlockId,
        /// When it raises.
        handler: Handler,
    },
    /// A runtime call of kind `waiting`; only in a resumable function.
    Suspend {
        /// Written when it does not raise.
        to: LocalId,
        /// Which.
        call: RuntimeCall,
        /// One per parameter of the row.
        arguments: Vec<Operand>,
        /// Goes on here.
        next: BlockId,
        /// When it raises.
        handler: Handler,
    },
    /// Cannot be reached; running into it is a fault of ours.
    Unreachable,
}
