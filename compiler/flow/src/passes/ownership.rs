//! Adds `Retain` and `Release`, so that on every path each owned value is consumed exactly once.
//!
//! Idea: lowering writes code as if values could be copied freely. A position of an instruction either *consumes* what it is
//! given or *borrows* it ([`crate::role`]); this pass makes the two agree with how often a local is read. A counted local owns
//! its value exactly while it is live, so only two places need an instruction:
//!
//! - a consuming use of a local that is read again later takes an owner of its own: `Retain` before it;
//! - a local whose last use borrows, or that is live on one way out of a block and not on the other, is released where it stops
//!   being live: after the instruction, or on the edge.
//!
//! Everything else is moved. A last use that consumes costs nothing and leaves the object with one owner, which is what lets
//! the runtime change lists, maps and strings in place:
//!
//! ```text
//! let more = names + ["c"]    // `names` is read below: retained, and `list_concat` copies
//! log("${names.len()} ${more.len()}")    // the last borrows: both are released after it
//! ```
//!
//! Invariants, which [`crate::verify`] proves afterwards: all ways into a block agree on what is owned; no value is consumed
//! twice, overwritten while it is owned, or left where the function ends. An edge that needs releases and leads to a block
//! with other predecessors goes by way of blocks that release (`way_out`).
//!
//! Liveness is the usual backward analysis over bit sets ([`crate::passes::liveness`]). The scheme is that of "Counting
//! Immutable Beans" (Ullrich, de Moura 2019) with owned parameters, placed by liveness as in "Perceus" (Reinking et al. 2021).

#[cfg(test)]
mod tests;
mod way_out;

use gsw_abi::types::TypeTable;

use crate::ir::{Block, Function, Instruction, LocalId, Operand, Terminator};
use crate::passes::liveness::{LocalSet, counted_locals, live_after_terminator, live_at_start};
use crate::passes::ownership::way_out::WaysOut;
use crate::role::{Role, edges, instruction_operands, instruction_written, terminator_operands};

/// Makes the ownership of `function` explicit.
///
/// A terminator must write locals of which no other value is still needed on any of its edges; lowering gives each a local
/// of its own.
pub fn make_ownership_explicit(function: &mut Function, types: &TypeTable) {
    // First, because it adds locals, which the sets below are as large as.
    separate_borrowed_results(function, types);
    let counted = counted_locals(function, types);
    let starts = live_at_start(function, &counted);
    let mut entry_releases = vec![Vec::new(); function.blocks.len()];
    for parameter in (0..function.parameters).map(LocalId) {
        // The callee owns its arguments, so one that is never read is released at once.
        if counted.has(parameter) && !starts[0].has(parameter) {
            entry_releases[0].push(parameter);
        }
    }
    let predecessors = predecessor_counts(function);
    let mut ways_out = WaysOut::default();
    for index in 0..function.blocks.len() {
        // Blocks are independent: all of them are judged by the liveness from before, which the new instructions do not change.
        let mut block = std::mem::replace(&mut function.blocks[index], unreachable());
        let mut plan = EdgePlan {
            predecessors: &predecessors,
            entry_releases: &mut entry_releases,
            ways_out: &mut ways_out,
        };
        own_terminator(index, &mut block, &starts, &counted, &mut plan);
        function.blocks[index] = block;
    }
    for (block, releases) in function.blocks.iter_mut().zip(entry_releases) {
        let releases = releases.into_iter().map(Instruction::Release);
        block.instructions.splice(0..0, releases);
    }
    ways_out.write(function);
}

/// What is needed to put releases on an edge.
struct EdgePlan<'a> {
    predecessors: &'a [usize],
    entry_releases: &'a mut Vec<Vec<LocalId>>,
    ways_out: &'a mut WaysOut,
}

/// `x = call(borrow x)` would lose the old value before it is released: it is moved to a local of its own before.
fn separate_borrowed_results(function: &mut Function, types: &TypeTable) {
    let counted = counted_locals(function, types);
    let Function { locals, blocks, .. } = function;
    for block in blocks {
        let mut instructions = Vec::with_capacity(block.instructions.len());
        for mut instruction in std::mem::take(&mut block.instructions) {
            let written = instruction_written(&instruction).filter(|it| counted.has(*it));
            if let (
                Some(written),
                Instruction::Runtime {
                    call, arguments, ..
                },
            ) = (written, &mut instruction)
            {
                let borrows = call
                    .parameters()
                    .iter()
                    .zip(arguments.iter())
                    .any(|(kind, it)| {
                        *kind == gsw_abi::call::Parameter::Borrow && *it == Operand::Local(written)
                    });
                if borrows {
                    let old = LocalId(locals.len() as u32);
                    locals.push(locals[written.0 as usize].clone());
                    instructions.push(Instruction::Move {
                        to: old,
                        from: written,
                    });
                    for argument in arguments
                        .iter_mut()
                        .filter(|it| **it == Operand::Local(written))
                    {
                        *argument = Operand::Local(old);
                    }
                }
            }
            if let Some((old, written)) = loads_over_itself(&instruction, locals, &counted) {
                instructions.push(Instruction::Move {
                    to: old,
                    from: written,
                });
                replace_source(&mut instruction, old);
            }
            instructions.push(instruction);
        }
        block.instructions = instructions;
    }
}

/// For `x = load x.0`: a new local for the old `x`, and `x`.
fn loads_over_itself(
    instruction: &Instruction,
    locals: &mut Vec<crate::ir::Local>,
    counted: &LocalSet,
) -> Option<(LocalId, LocalId)> {
    let (Instruction::Load { to, from, .. }
    | Instruction::Capture { to, from, .. }
    | Instruction::CellGet { to, cell: from }
    | Instruction::CellTake { to, cell: from }) = instruction
    else {
        return None;
    };
    if to != from || !counted.has(*from) {
        return None;
    }
    let old = LocalId(locals.len() as u32);
    locals.push(locals[from.0 as usize].clone());
    Some((old, *from))
}

fn replace_source(instruction: &mut Instruction, by: LocalId) {
    if let Instruction::Load { from, .. }
    | Instruction::Capture { from, .. }
    | Instruction::CellGet { cell: from, .. }
    | Instruction::CellTake { cell: from, .. } = instruction
    {
        *from = by;
    }
}

fn own_terminator(
    index: usize,
    block: &mut Block,
    starts: &[LocalSet],
    counted: &LocalSet,
    plan: &mut EdgePlan<'_>,
) {
    let live_after = live_after_terminator(block, starts, counted);
    let uses = count_uses(&terminator_operands(&block.terminator), counted);
    // What is owned when the terminator has read its operands: what some successor reads, and what it only borrowed.
    let mut owned = live_after.clone();
    let mut retains = Vec::new();
    let mut live = live_after.clone();
    for (local, count) in uses {
        live.insert(local);
        let kept = live_after.has(local) || count.borrowed > 0;
        if kept {
            owned.insert(local);
        }
        let needed = count.consumed - usize::from(!kept && count.consumed > 0);
        retains.extend(std::iter::repeat_n(Instruction::Retain(local), needed));
    }
    // Releases after a borrowing terminator can only be on its edges: in the block itself they would come before the call.
    place_edge_releases(index, &block.terminator, &owned, starts, counted, plan);
    own_instructions(block, live, counted);
    block.instructions.extend(retains);
}

fn place_edge_releases(
    block: usize,
    terminator: &Terminator,
    owned: &LocalSet,
    starts: &[LocalSet],
    counted: &LocalSet,
    plan: &mut EdgePlan<'_>,
) {
    for (number, edge) in edges(terminator).into_iter().enumerate() {
        let mut releases = owned.clone();
        if let Some(written) = edge.written.filter(|it| counted.has(*it)) {
            releases.insert(written);
        }
        let target = edge.target.0 as usize;
        releases.subtract(&starts[target]);
        if releases.is_empty() {
            continue;
        }
        if plan.predecessors[target] == 1 {
            // The only edge into the block, so its start is on the edge. Nothing is overwritten: each block has one such edge, and the
            // entry block has none.
            plan.entry_releases[target] = releases.iter().collect();
            continue;
        }
        plan.ways_out.add(edge.target, block, number, releases);
    }
}

/// Walks the instructions backwards; `live` is what is live after the last one.
fn own_instructions(block: &mut Block, mut live: LocalSet, counted: &LocalSet) {
    let mut reversed = Vec::with_capacity(block.instructions.len() * 2);
    for instruction in std::mem::take(&mut block.instructions).into_iter().rev() {
        let written = instruction_written(&instruction).filter(|it| counted.has(*it));
        if let Some(written) = written
            // A result that is never read is released where it is written.
            && !live.remove(written)
        {
            reversed.push(Instruction::Release(written));
        }
        let mut before = Vec::new();
        for (local, count) in count_uses(&instruction_operands(&instruction), counted) {
            // Operands of one instruction are counted together: of two consuming uses of a local at most one can move it.
            let lives_on = live.has(local);
            // An instruction that both consumes and borrows a local must not give away the owner that it borrows from.
            let kept = lives_on || count.borrowed > 0;
            let needed = count.consumed - usize::from(!kept && count.consumed > 0);
            before.extend(std::iter::repeat_n(Instruction::Retain(local), needed));
            if !lives_on && count.borrowed > 0 {
                reversed.push(Instruction::Release(local));
            }
            live.insert(local);
        }
        reversed.push(instruction);
        reversed.append(&mut before);
    }
    reversed.reverse();
    block.instructions = reversed;
}

/// How often one instruction uses a local.
#[derive(Clone, Copy, Default)]
struct Uses {
    consumed: usize,
    borrowed: usize,
}

fn count_uses(operands: &[(Operand, Role)], counted: &LocalSet) -> Vec<(LocalId, Uses)> {
    let mut uses: Vec<(LocalId, Uses)> = Vec::new();
    for (operand, role) in operands {
        let Operand::Local(local) = operand else {
            continue;
        };
        if !counted.has(*local) {
            continue;
        }
        let index = uses
            .iter()
            .position(|(it, _)| it == local)
            .unwrap_or_else(|| {
                uses.push((*local, Uses::default()));
                uses.len() - 1
            });
        match role {
            Role::Consumed => uses[index].1.consumed += 1,
            Role::Borrowed => uses[index].1.borrowed += 1,
        }
    }
    uses
}

fn predecessor_counts(function: &Function) -> Vec<usize> {
    let mut counts = vec![0; function.blocks.len()];
    // The entry has the caller before it.
    counts[0] = 1;
    for block in &function.blocks {
        for edge in edges(&block.terminator) {
            counts[edge.target.0 as usize] += 1;
        }
    }
    counts
}

fn unreachable() -> Block {
    Block {
        instructions: Vec::new(),
        terminator: Terminator::Unreachable,
    }
}
