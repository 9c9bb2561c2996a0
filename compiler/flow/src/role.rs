//! Which locals an instruction or terminator reads and writes, and whether it consumes what it reads.

use gsw_abi::call::{Parameter, RuntimeCall};

use crate::ir::{BlockId, Handler, Instruction, LocalId, Operand, Terminator};

/// What a use does to the ownership of the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Consumed,
    Borrowed,
}

/// One way out of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub target: BlockId,
    /// The local that is written on the way.
    pub written: Option<LocalId>,
}

/// All operands of an instruction with their roles.
#[must_use]
pub fn instruction_operands(instruction: &Instruction) -> Vec<(Operand, Role)> {
    use Role::{Borrowed, Consumed};
    let local = |it: &LocalId, role| vec![(Operand::Local(*it), role)];
    match instruction {
        Instruction::Word { .. } | Instruction::Constant { .. } => Vec::new(),
        Instruction::Move { from, .. } => local(from, Consumed),
        Instruction::Operation { left, right, .. } => vec![(*left, Borrowed), (*right, Borrowed)],
        Instruction::Object { fields: all, .. }
        | Instruction::Closure { captures: all, .. }
        | Instruction::Frame { arguments: all, .. } => all_of(all, Consumed),
        Instruction::Load { from, .. }
        | Instruction::Capture { from, .. }
        | Instruction::LoadExtra { from, .. }
        | Instruction::LoadType { from, .. } => local(from, Borrowed),
        Instruction::CellNew { value, .. } => vec![(*value, Consumed)],
        Instruction::CellGet { cell, .. } | Instruction::CellTake { cell, .. } => {
            local(cell, Borrowed)
        }
        Instruction::CellSet { cell, value } => {
            vec![(Operand::Local(*cell), Borrowed), (*value, Consumed)]
        }
        Instruction::Runtime {
            call, arguments, ..
        } => runtime_operands(*call, arguments),
        Instruction::Retain(it) => local(it, Borrowed),
        Instruction::Release(it) => local(it, Consumed),
    }
}

/// The local that an instruction writes.
#[must_use]
pub fn instruction_written(instruction: &Instruction) -> Option<LocalId> {
    match instruction {
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
        Instruction::CellSet { .. } | Instruction::Retain(_) | Instruction::Release(_) => None,
    }
}

/// All operands of a terminator with their roles.
#[must_use]
pub fn terminator_operands(terminator: &Terminator) -> Vec<(Operand, Role)> {
    use Role::{Borrowed, Consumed};
    match terminator {
        Terminator::Jump(_)
        | Terminator::Loop { .. }
        | Terminator::Fault { .. }
        | Terminator::Unreachable => Vec::new(),
        Terminator::Branch { condition, .. } => vec![(*condition, Borrowed)],
        Terminator::Switch { value, .. } => vec![(*value, Borrowed)],
        Terminator::Return(value) => vec![(*value, Consumed)],
        Terminator::Raise(error) => vec![(Operand::Local(*error), Consumed)],
        Terminator::Checked { left, right, .. } => vec![(*left, Borrowed), (*right, Borrowed)],
        Terminator::Call { arguments, .. } => all_of(arguments, Consumed),
        Terminator::CallValue {
            closure, arguments, ..
        } => {
            let mut all = vec![(Operand::Local(*closure), Borrowed)];
            all.extend(all_of(arguments, Consumed));
            all
        }
        Terminator::Runtime {
            call, arguments, ..
        }
        | Terminator::Suspend {
            call, arguments, ..
        } => runtime_operands(*call, arguments),
    }
}

/// All ways out of a block, in a fixed order.
#[must_use]
pub fn edges(terminator: &Terminator) -> Vec<Edge> {
    let plain = |target: &BlockId| Edge {
        target: *target,
        written: None,
    };
    match terminator {
        Terminator::Jump(target) => vec![plain(target)],
        Terminator::Loop { head, stop } => vec![plain(head), error_edge(stop)],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![plain(then), plain(otherwise)],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|(_, target)| plain(target))
            .chain([plain(default)])
            .collect(),
        Terminator::Return(_) | Terminator::Raise(_) | Terminator::Unreachable => Vec::new(),
        Terminator::Fault { handler, .. } => vec![error_edge(handler)],
        Terminator::Checked {
            to, next, handler, ..
        }
        | Terminator::Call {
            to, next, handler, ..
        }
        | Terminator::CallValue {
            to, next, handler, ..
        }
        | Terminator::Runtime {
            to, next, handler, ..
        }
        | Terminator::Suspend {
            to, next, handler, ..
        } => vec![
            Edge {
                target: *next,
                written: Some(*to),
            },
            error_edge(handler),
        ],
    }
}

/// The targets of a terminator, in the order of [`edges`].
#[must_use]
pub fn targets_mut(terminator: &mut Terminator) -> Vec<&mut BlockId> {
    match terminator {
        Terminator::Jump(target) => vec![target],
        Terminator::Loop { head, stop } => vec![head, &mut stop.block],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![then, otherwise],
        Terminator::Switch { cases, default, .. } => cases
            .iter_mut()
            .map(|(_, target)| target)
            .chain([default])
            .collect(),
        Terminator::Return(_) | Terminator::Raise(_) | Terminator::Unreachable => Vec::new(),
        Terminator::Fault { handler, .. } => vec![&mut handler.block],
        Terminator::Checked { next, handler, .. }
        | Terminator::Call { next, handler, .. }
        | Terminator::CallValue { next, handler, .. }
        | Terminator::Runtime { next, handler, .. }
        | Terminator::Suspend { next, handler, .. } => vec![next, &mut handler.block],
    }
}

fn error_edge(handler: &Handler) -> Edge {
    Edge {
        target: handler.block,
        written: Some(handler.error),
    }
}

fn all_of(operands: &[Operand], role: Role) -> Vec<(Operand, Role)> {
    operands.iter().map(|it| (*it, role)).collect()
}

fn runtime_operands(call: RuntimeCall, arguments: &[Operand]) -> Vec<(Operand, Role)> {
    let roles = call.parameters().iter().map(|it| match it {
        Parameter::Own => Role::Consumed,
        Parameter::Borrow | Parameter::Word | Parameter::Result | Parameter::Ty => Role::Borrowed,
    });
    arguments.iter().copied().zip(roles).collect()
}
