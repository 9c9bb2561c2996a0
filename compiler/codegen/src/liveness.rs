//! Which locals are still needed at the start of each block: backward data flow over sets of bits.

use gsw_flow::ir::{BlockId, Function, LocalId, Terminator};

use crate::operands::{handler, reads, successors, terminator_reads, written};

/// A set of locals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LocalSet(Vec<u64>);

impl LocalSet {
    fn new(locals: usize) -> Self {
        Self(vec![0; locals.div_ceil(64)])
    }

    fn insert(&mut self, local: LocalId) {
        self.0[local.0 as usize / 64] |= 1 << (local.0 % 64);
    }

    fn remove(&mut self, local: LocalId) {
        self.0[local.0 as usize / 64] &= !(1 << (local.0 % 64));
    }

    fn add_all(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// The locals in it, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = LocalId> {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| LocalId(index as u32 * 64 + bit))
        })
    }
}

/// By block: the locals that are needed when it starts.
pub(crate) struct Liveness {
    starts: Vec<LocalSet>,
    locals: usize,
}

impl Liveness {
    pub(crate) fn of(function: &Function) -> Self {
        let locals = function.locals.len();
        let mut it = Self {
            starts: vec![LocalSet::new(locals); function.blocks.len()],
            locals,
        };
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..function.blocks.len()).rev() {
                let block = &function.blocks[index];
                let mut live = it.across(&block.terminator);
                terminator_reads(&block.terminator, |local| live.insert(local));
                for instruction in block.instructions.iter().rev() {
                    if let Some(local) = written(instruction) {
                        live.remove(local);
                    }
                    reads(instruction, |local| live.insert(local));
                }
                if live != it.starts[index] {
                    it.starts[index] = live;
                    changed = true;
                }
            }
        }
        it
    }

    /// What is needed after the terminator and is not written by it.
    pub(crate) fn across(&self, terminator: &Terminator) -> LocalSet {
        let mut live = LocalSet::new(self.locals);
        let handler = handler(terminator).map(|handler| (handler.block, Some(handler.error)));
        for (block, written) in successors(terminator).into_iter().chain(handler) {
            live.add_all(&self.needed(block, written));
        }
        live
    }

    fn needed(&self, block: BlockId, written: Option<LocalId>) -> LocalSet {
        let mut live = self.starts[block.0 as usize].clone();
        if let Some(local) = written {
            live.remove(local);
        }
        live
    }
}
