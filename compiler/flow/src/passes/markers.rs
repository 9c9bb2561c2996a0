//! What the code of a program for a debugger has besides: where each function begins and ends, and at each statement only those
//! variables that hold something on every way there.

use gsw_abi::call::RuntimeCall;
use gsw_abi::program::{FunctionIndex, SpanIndex};

use crate::ir::{Function, Instruction, LocalId, Module, Operand, Terminator};
use crate::passes::liveness::LocalSet;
use crate::role::{edges, instruction_written};

/// Where the value is among the arguments of `debug_variable`.
const VALUE: usize = 2;

/// Completes the markers that lowering has written into a function. Comes after pruning and before ownership.
pub fn complete_markers(function: &mut Function, index: FunctionIndex) {
    drop_unwritten(function);
    let enter = marker(
        RuntimeCall::debug_enter,
        &[u64::from(index.0), u64::from(function.span.0)],
    );
    function.blocks[0].instructions.insert(0, enter);
    for block in &mut function.blocks {
        if matches!(
            block.terminator,
            Terminator::Return(_) | Terminator::Raise(_)
        ) {
            block
                .instructions
                .push(marker(RuntimeCall::debug_leave, &[]));
        }
    }
}

fn marker(call: RuntimeCall, words: &[u64]) -> Instruction {
    Instruction::Runtime {
        to: None,
        call,
        arguments: words.iter().copied().map(Operand::Word).collect(),
    }
}

/// Where a debugger may stop: the places of all statements.
#[must_use]
pub fn marked_places(module: &Module) -> Vec<SpanIndex> {
    let blocks = module.functions.iter().flat_map(|it| &it.blocks);
    let instructions = blocks.flat_map(|it| &it.instructions);
    let places = instructions.filter_map(|it| match (it, arguments(it)) {
        (
            Instruction::Runtime {
                call: RuntimeCall::debug_statement,
                ..
            },
            [Operand::Word(span)],
        ) => u32::try_from(*span).ok().map(SpanIndex),
        _ => None,
    });
    places.collect()
}

fn arguments(instruction: &Instruction) -> &[Operand] {
    match instruction {
        Instruction::Runtime { arguments, .. } => arguments,
        Instruction::Word { .. }
        | Instruction::Constant { .. }
        | Instruction::Move { .. }
        | Instruction::Operation { .. }
        | Instruction::Object { .. }
        | Instruction::Closure { .. }
        | Instruction::Load { .. }
        | Instruction::Capture { .. }
        | Instruction::LoadExtra { .. }
        | Instruction::LoadType { .. }
        | Instruction::CellNew { .. }
        | Instruction::CellGet { .. }
        | Instruction::CellTake { .. }
        | Instruction::CellSet { .. }
        | Instruction::Frame { .. }
        | Instruction::Retain(_)
        | Instruction::Release(_) => &[],
    }
}

/// Lowering knows which names are in scope, and scopes of arms of a `match` are wider there than in the source: what another arm
/// has bound is written on no way that leads here.
fn drop_unwritten(function: &mut Function) {
    let starts = written_at_start(function);
    for (block, start) in function.blocks.iter_mut().zip(starts) {
        let Some(mut written) = start else { continue };
        block.instructions.retain(|it| {
            let is_known = match shown_variable(it) {
                Some(local) => written.has(local),
                None => true,
            };
            if let Some(local) = instruction_written(it) {
                written.insert(local);
            }
            is_known
        });
    }
}

/// The local that a marker shows.
fn shown_variable(instruction: &Instruction) -> Option<LocalId> {
    let Instruction::Runtime {
        call: RuntimeCall::debug_variable,
        arguments,
        ..
    } = instruction
    else {
        return None;
    };
    match arguments.get(VALUE) {
        Some(Operand::Local(local)) => Some(*local),
        Some(Operand::Word(_)) | None => None,
    }
}

/// By block, the locals that are written on every way to its start; `None` for one that no way leads to.
fn written_at_start(function: &Function) -> Vec<Option<LocalSet>> {
    let mut starts: Vec<Option<LocalSet>> = vec![None; function.blocks.len()];
    let mut entry = LocalSet::new(function.locals.len());
    for parameter in 0..function.parameters {
        entry.insert(LocalId(parameter));
    }
    starts[0] = Some(entry);
    let mut work = vec![0];
    while let Some(index) = work.pop() {
        let Some(mut written) = starts[index].clone() else {
            continue;
        };
        let block = &function.blocks[index];
        for local in block.instructions.iter().filter_map(instruction_written) {
            written.insert(local);
        }
        for edge in edges(&block.terminator) {
            let mut there = written.clone();
            if let Some(local) = edge.written {
                there.insert(local);
            }
            let target = edge.target.0 as usize;
            let is_less = match &mut starts[target] {
                Some(known) => known.keep(&there),
                none => {
                    *none = Some(there);
                    true
                }
            };
            if is_less {
                work.push(target);
            }
        }
    }
    starts
}
