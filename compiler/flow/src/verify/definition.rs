//! Whether every local is written before it is read.

use crate::ir::{Function, LocalId, Operand};
use crate::passes::liveness::LocalSet;
use crate::role::{edges, instruction_operands, instruction_written, terminator_operands};

/// Reads of locals that some path does not write before.
pub fn problems(function: &Function) -> Vec<String> {
    let count = function.locals.len();
    let mut all = LocalSet::new(count);
    for local in 0..count {
        all.insert(LocalId(local as u32));
    }
    let mut starts: Vec<Option<LocalSet>> = vec![None; function.blocks.len()];
    let mut entry = LocalSet::new(count);
    for parameter in 0..function.parameters {
        entry.insert(LocalId(parameter));
    }
    starts[0] = Some(entry);
    let mut work = vec![0];
    while let Some(index) = work.pop() {
        let block = &function.blocks[index];
        let mut defined = starts[index]
            .clone()
            .expect("only reached blocks are queued");
        for written in block.instructions.iter().filter_map(instruction_written) {
            defined.insert(written);
        }
        for edge in edges(&block.terminator) {
            let mut there = defined.clone();
            if let Some(written) = edge.written {
                there.insert(written);
            }
            let target = edge.target.0 as usize;
            let met = match &starts[target] {
                Some(known) => intersection(known, &there, &all),
                None => there,
            };
            if starts[target].as_ref() != Some(&met) {
                starts[target] = Some(met);
                work.push(target);
            }
        }
    }
    undefined_reads(function, &starts)
}

fn undefined_reads(function: &Function, starts: &[Option<LocalSet>]) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        let Some(mut defined) = starts[index].clone() else {
            continue;
        };
        let mut read = |defined: &LocalSet, operands: Vec<(Operand, crate::role::Role)>| {
            for (operand, _) in operands {
                if let Operand::Local(local) = operand
                    && !defined.has(local)
                {
                    problems.push(format!(
                        "block {index} reads {local:?} before it is written"
                    ));
                }
            }
        };
        for instruction in &block.instructions {
            read(&defined, instruction_operands(instruction));
            if let Some(written) = instruction_written(instruction) {
                defined.insert(written);
            }
        }
        read(&defined, terminator_operands(&block.terminator));
    }
    problems
}

fn intersection(left: &LocalSet, right: &LocalSet, all: &LocalSet) -> LocalSet {
    let mut met = all.clone();
    for local in all.iter() {
        if !left.has(local) || !right.has(local) {
            met.remove(local);
        }
    }
    met
}
