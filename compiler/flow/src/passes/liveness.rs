//! Which counted locals are read later, before they are written again.

use gsw_abi::types::TypeTable;

use crate::ir::{Block, Function, LocalId, Operand};
use crate::role::{edges, instruction_operands, instruction_written, terminator_operands};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalSet(Vec<u64>);

impl LocalSet {
    /// The empty set over `count` locals.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Whether `local` is in it.
    #[must_use]
    pub fn has(&self, local: LocalId) -> bool {
        self.0[local.0 as usize / 64] & (1 << (local.0 % 64)) != 0
    }

    /// Puts `local` in; whether it was not there.
    pub fn insert(&mut self, local: LocalId) -> bool {
        let word = &mut self.0[local.0 as usize / 64];
        let old = *word;
        *word |= 1 << (local.0 % 64);
        *word != old
    }

    /// Takes `local` out; whether it was there.
    pub fn remove(&mut self, local: LocalId) -> bool {
        let word = &mut self.0[local.0 as usize / 64];
        let old = *word;
        *word &= !(1 << (local.0 % 64));
        *word != old
    }

    /// Adds all of `other`; whether anything was new.
    pub fn extend(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            grew |= *more & !*word != 0;
            *word |= more;
        }
        grew
    }

    /// Takes out what is not in `other`; whether anything was.
    pub fn keep(&mut self, other: &Self) -> bool {
        let mut shrank = false;
        for (word, kept) in self.0.iter_mut().zip(&other.0) {
            shrank |= *word & !*kept != 0;
            *word &= kept;
        }
        shrank
    }

    /// Takes out all of `other`.
    pub fn subtract(&mut self, other: &Self) {
        for (word, gone) in self.0.iter_mut().zip(&other.0) {
            *word &= !*gone;
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|it| *it == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.0.iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors((word != 0).then_some(word), |rest| {
                let fewer = rest & (rest - 1);
                (fewer != 0).then_some(fewer)
            })
            .map(move |rest| LocalId(index as u32 * 64 + rest.trailing_zeros()))
        })
    }
}

/// By local, whether it is counted.
#[must_use]
pub fn counted_locals(function: &Function, types: &TypeTable) -> LocalSet {
    let mut counted = LocalSet::new(function.locals.len());
    for (index, local) in function.locals.iter().enumerate() {
        if types.is_reference(local.ty) {
            counted.insert(LocalId(index as u32));
        }
    }
    counted
}

/// By block, the counted locals that are live where it starts.
#[must_use]
pub fn live_at_start(function: &Function, counted: &LocalSet) -> Vec<LocalSet> {
    backwards(
        function,
        LocalSet::new(function.locals.len()),
        |block, starts| {
            let mut now = live_before_terminator(block, starts, counted);
            for instruction in block.instructions.iter().rev() {
                // Written first, read second, since the walk goes backwards: `x = x + 1` keeps `x` live before it.
                if let Some(written) = instruction_written(instruction) {
                    now.remove(written);
                }
                add_operands(&mut now, &instruction_operands(instruction), counted);
            }
            now
        },
    )
}

/// By block, what holds where it starts, which `at_start` finds from what holds where its successors start; it grows from `none`
/// until nothing changes.
pub(super) fn backwards(
    function: &Function,
    none: LocalSet,
    at_start: impl Fn(&Block, &[LocalSet]) -> LocalSet,
) -> Vec<LocalSet> {
    let mut starts = vec![none; function.blocks.len()];
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate() {
        for edge in edges(&block.terminator) {
            predecessors[edge.target.0 as usize].push(index);
        }
    }
    // Popped from the end: blocks are numbered in the order of a walk, so successors mostly come first and few blocks are
    // visited twice.
    let mut work: Vec<usize> = (0..function.blocks.len()).collect();
    let mut queued = vec![true; function.blocks.len()];
    while let Some(index) = work.pop() {
        queued[index] = false;
        let now = at_start(&function.blocks[index], &starts);
        if starts[index].extend(&now) {
            for &before in &predecessors[index] {
                if !std::mem::replace(&mut queued[before], true) {
                    work.push(before);
                }
            }
        }
    }
    starts
}

/// The counted locals that are live after a block's last instruction.
#[must_use]
pub fn live_before_terminator(block: &Block, starts: &[LocalSet], counted: &LocalSet) -> LocalSet {
    let mut now = live_after_terminator(block, starts, counted);
    add_operands(&mut now, &terminator_operands(&block.terminator), counted);
    now
}

/// The counted locals that some successor of a block reads and that are not written on the way there.
#[must_use]
pub fn live_after_terminator(block: &Block, starts: &[LocalSet], counted: &LocalSet) -> LocalSet {
    let mut now = counted.clone();
    now.0.fill(0);
    for edge in edges(&block.terminator) {
        let mut there = starts[edge.target.0 as usize].clone();
        // A terminator writes on its edges: the result on the one, the error on the other.
        if let Some(written) = edge.written {
            there.remove(written);
        }
        now.extend(&there);
    }
    now
}

fn add_operands(set: &mut LocalSet, operands: &[(Operand, crate::role::Role)], counted: &LocalSet) {
    for (operand, _) in operands {
        if let Operand::Local(local) = operand
            && counted.has(*local)
        {
            set.insert(*local);
        }
    }
}
