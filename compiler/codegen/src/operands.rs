//! Which locals instructions and terminators read and write, and where control goes on.

use gsw_flow::ir::{BlockId, Handler, Instruction, LocalId, Operand, Terminator};

/// Calls `read` for every local that the instruction reads.
pub(crate) fn reads(instruction: &Instruction, mut read: impl FnMut(LocalId)) {
    match instruction {
        Instruction::Word { .. } | Instruction::Constant { .. } => {}
        Instruction::Move { from, .. }
        | Instruction::Load { from, .. }
        | Instruction::Capture { from, .. }
        | Instruction::LoadExtra { from, .. }
        | Instruction::LoadType { from, .. } => read(*from),
        Instruction::Operation { left, right, .. } => read_all(&[*left, *right], read),
        Instruction::Object { fields, .. } => read_all(fields, read),
        Instruction::Closure { captures, .. } => read_all(captures, read),
        Instruction::CellNew { value, .. } => read_all(&[*value], read),
        Instruction::CellGet { cell, .. } | Instruction::CellTake { cell, .. } => read(*cell),
        Instruction::CellSet { cell, value } => {
            read(*cell);
            read_all(&[*value], read);
        }
        Instruction::Runtime { arguments, .. } | Instruction::Frame { arguments, .. } => {
            read_all(arguments, read);
        }
        Instruction::Retain(local) | Instruction::Release(local) => read(*local),
    }
}

/// The local that the instruction writes.
pub(crate) fn written(instruction: &Instruction) -> Option<LocalId> {
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

/// Calls `read` for every local that the terminator reads.
pub(crate) fn terminator_reads(terminator: &Terminator, mut read: impl FnMut(LocalId)) {
    match terminator {
        Terminator::Jump(_)
        | Terminator::Loop { .. }
        | Terminator::Fault { .. }
        | Terminator::Unreachable => {}
        Terminator::Branch { condition, .. } => read_all(&[*condition], read),
        Terminator::Switch { value, .. } => read_all(&[*value], read),
        Terminator::Return(value) => read_all(&[*value], read),
        Terminator::Raise(error) => read(*error),
        Terminator::Checked { left, right, .. } => read_all(&[*left, *right], read),
        Terminator::CallValue {
            closure, arguments, ..
        } => {
            read(*closure);
            read_all(arguments, read);
        }
        Terminator::Call { arguments, .. }
        | Terminator::Runtime { arguments, .. }
        | Terminator::Suspend { arguments, .. } => read_all(arguments, read),
    }
}

/// Where control goes on without an error, each with the local that is written on the way there.
pub(crate) fn successors(terminator: &Terminator) -> Vec<(BlockId, Option<LocalId>)> {
    match terminator {
        Terminator::Jump(block) => vec![(*block, None)],
        Terminator::Loop { head, .. } => vec![(*head, None)],
        Terminator::Branch {
            then, otherwise, ..
        } => vec![(*then, None), (*otherwise, None)],
        Terminator::Switch { cases, default, .. } => cases
            .iter()
            .map(|(_, block)| (*block, None))
            .chain([(*default, None)])
            .collect(),
        Terminator::Checked { to, next, .. }
        | Terminator::Call { to, next, .. }
        | Terminator::CallValue { to, next, .. }
        | Terminator::Runtime { to, next, .. }
        | Terminator::Suspend { to, next, .. } => vec![(*next, Some(*to))],
        Terminator::Return(_)
        | Terminator::Raise(_)
        | Terminator::Fault { .. }
        | Terminator::Unreachable => Vec::new(),
    }
}

/// Where control goes on with an error.
pub(crate) fn handler(terminator: &Terminator) -> Option<&Handler> {
    match terminator {
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
    }
}

fn read_all(operands: &[Operand], mut read: impl FnMut(LocalId)) {
    for operand in operands {
        if let Operand::Local(local) = operand {
            read(*local);
        }
    }
}
