//! Where each local of a function is while the function is translated.
//!
//! Cranelift's builder makes values of variables that are written in several places: it keeps a table over all blocks for each of
//! them, and passes each on at every block where ways meet. In a function of thousands of blocks and locals these are
//! gigabytes. So a local is a variable only where it must be, and in a large function it is memory on the stack instead, which
//! locals that are never alive in the same block share.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{StackSlot, StackSlotData, StackSlotKind, Value};
use cranelift_frontend::{FunctionBuilder, Variable};
use gsw_flow::ir::{Block, Function, LocalId, Operand};
use gsw_flow::passes::liveness::{LocalSet, live_at_start};
use gsw_flow::role::{edges, instruction_operands, instruction_written, terminator_operands};

use crate::frame::FramePlan;

/// Up to so many entries all tables of variables together take little (16 MB), and registers are worth them; a guess.
const FEW_ENTRIES: usize = 1 << 22;

/// Bytes of a word, and by which power of two it is aligned.
const WORD: u32 = 8;
const WORD_ALIGNMENT: u8 = 3;

/// Where a local is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// Always in this slot of the frame.
    Slot(usize),
    /// In one block alone, by an instruction: its value, once it is written.
    Value(Option<Value>),
    Variable(Variable),
    Stack(StackSlot),
}

/// By local, where it is.
pub(crate) fn places(
    function: &Function,
    plan: Option<&FramePlan>,
    builder: &mut FunctionBuilder<'_>,
) -> Vec<Place> {
    let mut places = Vec::with_capacity(function.locals.len());
    let mut open = Vec::new();
    for (index, span) in named_spans(function).into_iter().enumerate() {
        let local = LocalId(index as u32);
        if let Some(slot) = plan.and_then(|it| it.home(local)) {
            places.push(Place::Slot(slot));
            continue;
        }
        if !span.is_inside() {
            open.push(local);
        }
        // Where it is open, replaced below.
        places.push(Place::Value(None));
    }
    if open.len() * function.blocks.len() <= FEW_ENTRIES {
        for local in open {
            places[local.0 as usize] = Place::Variable(builder.declare_var(I64));
        }
    } else {
        share(function, &open, builder, &mut places);
    }
    places
}

/// The blocks from the first to the last one that has something to do with a local.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
    /// Whether something besides an instruction of one block writes it.
    is_given: bool,
}

impl Span {
    const NOWHERE: Self = Self {
        first: usize::MAX,
        last: 0,
        is_given: false,
    };

    fn add(&mut self, block: usize) {
        self.first = self.first.min(block);
        self.last = self.last.max(block);
    }

    /// Whether one block has it all. Then it is written there before it is read, as every local is.
    fn is_inside(self) -> bool {
        self.first >= self.last && !self.is_given
    }
}

/// By local: the blocks that name it.
fn named_spans(function: &Function) -> Vec<Span> {
    let mut spans = vec![Span::NOWHERE; function.locals.len()];
    for parameter in &mut spans[..function.parameters as usize] {
        parameter.is_given = true;
    }
    for (index, block) in function.blocks.iter().enumerate() {
        for local in named(block) {
            spans[local.0 as usize].add(index);
        }
        for local in edges(&block.terminator).iter().filter_map(|it| it.written) {
            spans[local.0 as usize].add(index);
            spans[local.0 as usize].is_given = true;
        }
    }
    spans
}

/// What the instructions of a block name, and what its terminator reads.
fn named(block: &Block) -> impl Iterator<Item = LocalId> {
    let written = block.instructions.iter().filter_map(instruction_written);
    let read = block.instructions.iter().flat_map(instruction_operands);
    let read = read.chain(terminator_operands(&block.terminator));
    written.chain(read.filter_map(|(operand, _)| match operand {
        Operand::Local(local) => Some(local),
        Operand::Word(_) => None,
    }))
}

/// Gives words of the stack to `open`, the same one to locals of which one's blocks come after the other's: a linear scan.
fn share(
    function: &Function,
    open: &[LocalId],
    builder: &mut FunctionBuilder<'_>,
    places: &mut [Place],
) {
    let mut spans = named_spans(function);
    let mut sought = LocalSet::new(function.locals.len());
    for &local in open {
        sought.insert(local);
    }
    for (index, live) in live_at_start(function, &sought).iter().enumerate() {
        for local in live.iter() {
            spans[local.0 as usize].add(index);
        }
    }
    let mut order = open.to_vec();
    order.sort_by_key(|it| spans[it.0 as usize].first);
    // By the last block: what is in use.
    let mut used: BinaryHeap<Reverse<(usize, StackSlot)>> = BinaryHeap::new();
    for local in order {
        let Span { first, last, .. } = spans[local.0 as usize];
        let is_free = |Reverse((end, _)): &&Reverse<(usize, StackSlot)>| *end < first;
        let slot = if let Some(&Reverse((_, slot))) = used.peek().filter(is_free) {
            used.pop();
            slot
        } else {
            let word = StackSlotData::new(StackSlotKind::ExplicitSlot, WORD, WORD_ALIGNMENT);
            builder.create_sized_stack_slot(word)
        };
        used.push(Reverse((last, slot)));
        places[local.0 as usize] = Place::Stack(slot);
    }
}
