//! Whether each owned value is consumed exactly once on every path.

use gsw_abi::types::TypeTable;
use rustc_hash::FxHashMap;

use crate::ir::{Block, Function, Instruction, LocalId, Operand, Terminator};
use crate::passes::liveness::{LocalSet, counted_locals};
use crate::role::{Role, edges, instruction_operands, instruction_written, terminator_operands};

/// Values that are lost, consumed twice or read after they are gone.
pub fn problems(function: &Function, types: &TypeTable) -> Vec<String> {
    let counted = counted_locals(function, types);
    let mut entry = LocalSet::new(function.locals.len());
    for parameter in (0..function.parameters).map(LocalId) {
        // The callee owns its arguments.
        if counted.has(parameter) {
            entry.insert(parameter);
        }
    }
    let mut starts: Vec<Option<LocalSet>> = vec![None; function.blocks.len()];
    starts[0] = Some(entry);
    let mut problems = Vec::new();
    let mut work = vec![0];
    while let Some(index) = work.pop() {
        let mut state = State {
            owned: starts[index]
                .clone()
                .expect("only reached blocks are queued"),
            extra: FxHashMap::default(),
            counted: &counted,
            problems: Vec::new(),
        };
        let block = &function.blocks[index];
        state.walk(block);
        state.finish(&block.terminator);
        for edge in edges(&block.terminator) {
            let mut there = state.owned.clone();
            if let Some(written) = edge.written.filter(|it| counted.has(*it))
                && !there.insert(written)
            {
                state
                    .problems
                    .push(format!("{written:?} is written over on an edge"));
            }
            let target = edge.target.0 as usize;
            match &starts[target] {
                // A block is visited once, with what the first path owns. A fixpoint is not needed: paths that differ are an error.
                None => {
                    starts[target] = Some(there);
                    work.push(target);
                }
                Some(known) if *known != there => state.problems.push(format!(
                    "the paths into block {target} do not agree: {:?} and {:?} are owned",
                    known.iter().collect::<Vec<_>>(),
                    there.iter().collect::<Vec<_>>()
                )),
                Some(_) => {}
            }
        }
        problems.extend(
            state
                .problems
                .into_iter()
                .map(|it| format!("block {index}: {it}")),
        );
    }
    problems
}

/// What is owned at one point; `extra` counts the owners that `Retain` added.
struct State<'a> {
    owned: LocalSet,
    extra: FxHashMap<LocalId, u32>,
    counted: &'a LocalSet,
    problems: Vec<String>,
}

impl State<'_> {
    fn walk(&mut self, block: &Block) {
        for instruction in &block.instructions {
            if let Instruction::Retain(local) = instruction {
                self.borrow(*local);
                // Added owners are counted apart from the set, and must be used up before the block ends.
                *self.extra.entry(*local).or_default() += 1;
                continue;
            }
            self.operands(&instruction_operands(instruction));
            if let Some(written) =
                instruction_written(instruction).filter(|it| self.counted.has(*it))
                && !self.owned.insert(written)
            {
                self.problems
                    .push(format!("{written:?} is written over while it owns"));
            }
        }
    }

    fn finish(&mut self, terminator: &Terminator) {
        self.operands(&terminator_operands(terminator));
        if self.extra.values().any(|&count| count != 0) {
            self.problems
                .push("a retained value is not consumed in its block".to_owned());
        }
        let ends = matches!(terminator, Terminator::Return(_) | Terminator::Raise(_));
        // One is named: the others are mostly lost for the same reason.
        if ends && let Some(local) = self.owned.iter().next() {
            self.problems
                .push(format!("{local:?} is still owned where the function ends"));
        }
    }

    /// Borrows are checked first: an instruction reads all its operands before it takes any over.
    fn operands(&mut self, operands: &[(Operand, Role)]) {
        for role in [Role::Borrowed, Role::Consumed] {
            for (operand, _) in operands.iter().filter(|(_, it)| *it == role) {
                let Operand::Local(local) = operand else {
                    continue;
                };
                if !self.counted.has(*local) {
                    continue;
                }
                match role {
                    Role::Borrowed => self.borrow(*local),
                    Role::Consumed => self.consume(*local),
                }
            }
        }
    }

    fn borrow(&mut self, local: LocalId) {
        if !self.owned.has(local) {
            self.problems
                .push(format!("{local:?} is read but not owned"));
        }
    }

    fn consume(&mut self, local: LocalId) {
        let extra = self.extra.entry(local).or_default();
        // Added owners first, so that after them the set says whether the local itself still owns.
        if *extra > 0 {
            *extra -= 1;
        } else if !self.owned.remove(local) {
            self.problems
                .push(format!("{local:?} is consumed but not owned"));
        }
    }
}
