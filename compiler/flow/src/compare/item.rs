//! What is at a place of a function: an instruction or a terminator, its shape, and what it calls.

use gsw_abi::call::RuntimeCall;
use gsw_abi::program::FunctionIndex;

use crate::ir::{
    BlockId, Checked, Constant, Function, Handler, Instruction, LocalId, Module, Operand,
    Operation, Terminator,
};

/// A place in a function: an index after the last instruction is the terminator's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Cursor {
    pub(super) block: usize,
    pub(super) index: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a> {
    Instruction(&'a Instruction),
    Terminator(&'a Terminator),
}

/// What is compared first: two items of one shape are about the same thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Word,
    Constant,
    Move,
    Operation(Operation),
    Object(usize),
    Closure(usize),
    Load,
    Capture,
    LoadExtra,
    LoadType,
    CellNew,
    CellGet,
    CellTake,
    CellSet,
    Plain(RuntimeCall),
    Frame(usize),
    Counting,
    Jump,
    Loop,
    Branch,
    Switch,
    Return,
    Raise,
    Checked(Checked),
    Fault(u32),
    Call(usize),
    CallValue(usize),
    Raising(RuntimeCall),
    Suspend(RuntimeCall),
    Unreachable,
}

/// What an item calls, by itself or through what it makes.
pub(super) enum Calls<'a> {
    Function(FunctionIndex),
    /// A function value; which function it holds is not known.
    Value,
    /// A function value or a frame is made of this function; its receiver may call it.
    Later(FunctionIndex),
    Runtime(RuntimeCalled<'a>),
    Nothing,
}

pub(super) struct RuntimeCalled<'a> {
    pub(super) call: RuntimeCall,
    pub(super) arguments: &'a [Operand],
    pub(super) to: Option<LocalId>,
}

impl Cursor {
    pub(super) const fn start(block: BlockId) -> Self {
        Self {
            block: block.0 as usize,
            index: 0,
        }
    }

    pub(super) const fn next(self) -> Self {
        Self {
            block: self.block,
            index: self.index + 1,
        }
    }
}

/// What is at a place.
pub(super) fn item(function: &Function, at: Cursor) -> Item<'_> {
    let block = &function.blocks[at.block];
    match block.instructions.get(at.index) {
        Some(instruction) => Item::Instruction(instruction),
        None => Item::Terminator(&block.terminator),
    }
}

/// The next place from here on at which something is done: jumps are followed, counting is passed over.
pub(super) fn settle(function: &Function, mut at: Cursor) -> Cursor {
    // A cycle of jumps alone waits for nothing and is no program.
    for _ in 0..=function.blocks.len() {
        match item(function, at) {
            Item::Instruction(Instruction::Retain(_) | Instruction::Release(_)) => at = at.next(),
            Item::Terminator(Terminator::Jump(to)) => {
                at = Cursor::start(*to);
                continue;
            }
            Item::Instruction(_) | Item::Terminator(_) => return at,
        }
        while let Item::Instruction(Instruction::Retain(_) | Instruction::Release(_)) =
            item(function, at)
        {
            at = at.next();
        }
    }
    at
}

impl<'a> Item<'a> {
    pub(super) fn calls(&self, module: &Module) -> Calls<'a> {
        match *self {
            Self::Instruction(it) => called_by_instruction(it, module),
            Self::Terminator(it) => called_by_terminator(it),
        }
    }

    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Instruction(it) => shape_of_instruction(it),
            Self::Terminator(it) => shape_of_terminator(it),
        }
    }

    /// Where a raised error goes.
    pub(super) const fn handler(&self) -> Option<&Handler> {
        match self {
            Self::Instruction(_) => None,
            Self::Terminator(it) => match it {
                Terminator::Loop { stop: handler, .. }
                | Terminator::Checked { handler, .. }
                | Terminator::Fault { handler, .. }
                | Terminator::Call { handler, .. }
                | Terminator::CallValue { handler, .. }
                | Terminator::Runtime { handler, .. }
                | Terminator::Suspend { handler, .. } => Some(handler),
                Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::Return(_)
                | Terminator::Raise(_)
                | Terminator::Unreachable => None,
            },
        }
    }

    /// Where it continues when nothing is raised, if that is one place.
    pub(super) const fn follows(&self, at: Cursor) -> Option<Cursor> {
        match self {
            Self::Instruction(_) => Some(at.next()),
            Self::Terminator(it) => match it {
                Terminator::Jump(next)
                | Terminator::Loop { head: next, .. }
                | Terminator::Checked { next, .. }
                | Terminator::Call { next, .. }
                | Terminator::CallValue { next, .. }
                | Terminator::Runtime { next, .. }
                | Terminator::Suspend { next, .. } => Some(Cursor::start(*next)),
                Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::Return(_)
                | Terminator::Raise(_)
                | Terminator::Fault { .. }
                | Terminator::Unreachable => None,
            },
        }
    }

    /// The local that it writes when it does not raise.
    pub(super) const fn writes(&self) -> Option<LocalId> {
        match self {
            Self::Instruction(it) => match it {
                Instruction::Word { to, .. }
                | Instruction::Constant { to, .. }
                | Instruction::Move { to, .. }
                | Instruction::Operation { to, .. }
                | Instruction::Object { to, .. }
                | Instruction::Closure { to, .. }
                | Instruction::Load { to, .. }
                | Instruction::Capture { to, .. }
                | Instruction::LoadExtra { to, .. }
                | Instruction::LoadType { to, .. }
                | Instruction::CellNew { to, .. }
                | Instruction::CellGet { to, .. }
                | Instruction::CellTake { to, .. }
                | Instruction::Frame { to, .. } => Some(*to),
                Instruction::Runtime { to, .. } => *to,
                Instruction::CellSet { .. } | Instruction::Retain(_) | Instruction::Release(_) => {
                    None
                }
            },
            Self::Terminator(it) => match it {
                Terminator::Checked { to, .. }
                | Terminator::Call { to, .. }
                | Terminator::CallValue { to, .. }
                | Terminator::Runtime { to, .. }
                | Terminator::Suspend { to, .. } => Some(*to),
                Terminator::Jump(_)
                | Terminator::Loop { .. }
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::Return(_)
                | Terminator::Raise(_)
                | Terminator::Fault { .. }
                | Terminator::Unreachable => None,
            },
        }
    }
}

fn called_by_instruction<'a>(instruction: &'a Instruction, module: &Module) -> Calls<'a> {
    match instruction {
        Instruction::Closure { function, .. } | Instruction::Frame { function, .. } => {
            Calls::Later(*function)
        }
        Instruction::Constant { constant, .. } => match module.constants.get(constant.0 as usize) {
            Some(Constant::Closure { function, .. }) => Calls::Later(*function),
            Some(
                Constant::String { .. }
                | Constant::Header { .. }
                | Constant::Word { .. }
                | Constant::List { .. },
            )
            | None => Calls::Nothing,
        },
        Instruction::Runtime {
            to,
            call,
            arguments,
        } => Calls::Runtime(RuntimeCalled {
            call: *call,
            arguments,
            to: *to,
        }),
        Instruction::Word { .. }
        | Instruction::Move { .. }
        | Instruction::Operation { .. }
        | Instruction::Object { .. }
        | Instruction::Load { .. }
        | Instruction::Capture { .. }
        | Instruction::LoadExtra { .. }
        | Instruction::LoadType { .. }
        | Instruction::CellNew { .. }
        | Instruction::CellGet { .. }
        | Instruction::CellTake { .. }
        | Instruction::CellSet { .. }
        | Instruction::Retain(_)
        | Instruction::Release(_) => Calls::Nothing,
    }
}

fn called_by_terminator(terminator: &Terminator) -> Calls<'_> {
    match terminator {
        Terminator::Call { function, .. } => Calls::Function(*function),
        Terminator::CallValue { .. } => Calls::Value,
        Terminator::Runtime {
            to,
            call,
            arguments,
            ..
        }
        | Terminator::Suspend {
            to,
            call,
            arguments,
            ..
        } => Calls::Runtime(RuntimeCalled {
            call: *call,
            arguments,
            to: Some(*to),
        }),
        Terminator::Jump(_)
        | Terminator::Loop { .. }
        | Terminator::Branch { .. }
        | Terminator::Switch { .. }
        | Terminator::Return(_)
        | Terminator::Raise(_)
        | Terminator::Checked { .. }
        | Terminator::Fault { .. }
        | Terminator::Unreachable => Calls::Nothing,
    }
}

const fn shape_of_instruction(instruction: &Instruction) -> Shape {
    match instruction {
        Instruction::Word { .. } => Shape::Word,
        Instruction::Constant { .. } => Shape::Constant,
        Instruction::Move { .. } => Shape::Move,
        Instruction::Operation { operation, .. } => Shape::Operation(*operation),
        Instruction::Object { fields, .. } => Shape::Object(fields.len()),
        Instruction::Closure { captures, .. } => Shape::Closure(captures.len()),
        Instruction::Load { .. } => Shape::Load,
        Instruction::Capture { .. } => Shape::Capture,
        Instruction::LoadExtra { .. } => Shape::LoadExtra,
        Instruction::LoadType { .. } => Shape::LoadType,
        Instruction::CellNew { .. } => Shape::CellNew,
        Instruction::CellGet { .. } => Shape::CellGet,
        Instruction::CellTake { .. } => Shape::CellTake,
        Instruction::CellSet { .. } => Shape::CellSet,
        Instruction::Runtime { call, .. } => Shape::Plain(*call),
        Instruction::Frame { arguments, .. } => Shape::Frame(arguments.len()),
        Instruction::Retain(_) | Instruction::Release(_) => Shape::Counting,
    }
}

const fn shape_of_terminator(terminator: &Terminator) -> Shape {
    match terminator {
        Terminator::Jump(_) => Shape::Jump,
        Terminator::Loop { .. } => Shape::Loop,
        Terminator::Branch { .. } => Shape::Branch,
        Terminator::Switch { .. } => Shape::Switch,
        Terminator::Return(_) => Shape::Return,
        Terminator::Raise(_) => Shape::Raise,
        Terminator::Checked { operation, .. } => Shape::Checked(*operation),
        Terminator::Fault { fault, .. } => Shape::Fault(*fault as u32),
        Terminator::Call { arguments, .. } => Shape::Call(arguments.len()),
        Terminator::CallValue { arguments, .. } => Shape::CallValue(arguments.len()),
        Terminator::Runtime { call, .. } => Shape::Raising(*call),
        Terminator::Suspend { call, .. } => Shape::Suspend(*call),
        Terminator::Unreachable => Shape::Unreachable,
    }
}

/// The text that an operand holds at a place, when a constant of the same block says so.
pub(super) fn text_of<'a>(
    module: &'a Module,
    function: &Function,
    at: Cursor,
    operand: &Operand,
) -> Option<&'a str> {
    let Operand::Local(local) = operand else {
        return None;
    };
    let before = function.blocks[at.block].instructions.iter().take(at.index);
    let written = before
        .rev()
        .find(|it| Item::Instruction(it).writes() == Some(*local));
    let Some(Instruction::Constant { constant, .. }) = written else {
        return None;
    };
    text(module, *constant)
}

/// The text of a constant that is one.
pub(super) fn text(module: &Module, constant: crate::ir::ConstantIndex) -> Option<&str> {
    match module.constants.get(constant.0 as usize)? {
        Constant::String { text, .. } => Some(text),
        Constant::Header { .. }
        | Constant::Word { .. }
        | Constant::Closure { .. }
        | Constant::List { .. } => None,
    }
}
