//! Plans the frame of a function that can wait: its states, and a slot for every local that lives across a wait.
//!
//! Idea: a resumable function is a native function `resume(context, frame) -> status` over a record on the heap. It runs on the
//! machine's stack until it waits; then its live locals are in the frame, the stack is given back, and ten thousand waiting
//! tasks cost ten thousand frames and no thread.
//!
//! State 0 is the start. Every `Suspend`, every call of a resumable function and every call of a function value is a state
//! of its own, numbered in the order of the blocks:
//!
//! ```text
//! let page = fetch(url)       // state 1: keeps `title`, which is read after it; `url` is not
//! log("${title}: ${page.len()}")
//! ```
//!
//! Before such a call the locals that live across it are stored in their slots; `resume` begins with a switch over the frame's
//! state, loads them again and continues after the call. A call that is done at once continues without leaving: the stores are
//! all that it costs.
//!
//! A local that lives across more waits than there are places that name it is not moved at all: its slot is its home, which is
//! read and written at those places. Else a function that asks for a hundred things, and needs them all at its end, would have
//! code in proportion to the square of that.
//!
//! Invariants:
//!
//! - the parameters have the first slots, in order, since the maker of a frame writes them there;
//! - a local has the same slot in all states;
//! - `owned` of a state lists exactly the slots that hold an object which the frame owns while it waits there. Dropping a
//!   waiting frame, as a cancelled run does, releases these and no others; in every other moment the registers own them.
//!
//! The liveness is that of the ownership pass, over all locals instead of the counted ones.

use gsw_abi::program::{Colour, Program, Slot};
use gsw_flow::ir::{BlockId, Function, LocalId, Operand, Terminator};
use gsw_flow::passes::liveness::{LocalSet, live_after_terminator, live_at_start};
use gsw_flow::role::{edges, instruction_operands, instruction_written, terminator_operands};
use rustc_hash::FxHashMap;

/// A place where a function can wait.
pub(crate) struct Wait {
    /// What the frame's state is while it waits here.
    pub(crate) state: u32,
    /// The locals that are put into their slots before and read from there after, ascending.
    pub(crate) moved: Vec<LocalId>,
}

/// The frame of a function that can wait.
pub(crate) struct FramePlan {
    pub(crate) slots: Vec<Slot>,
    /// By state: the slots that own an object.
    pub(crate) owned: Vec<Vec<u32>>,
    /// By block: the wait at its end.
    pub(crate) waits: FxHashMap<BlockId, Wait>,
    slot_of: Vec<Option<u32>>,
    at_home: LocalSet,
}

impl FramePlan {
    pub(crate) fn of(function: &Function, program: &Program) -> Self {
        let mut plan = Self {
            slots: Vec::new(),
            owned: Vec::new(),
            waits: FxHashMap::default(),
            slot_of: vec![None; function.locals.len()],
            at_home: LocalSet::new(function.locals.len()),
        };
        let parameters: Vec<_> = (0..function.parameters).map(LocalId).collect();
        for &parameter in &parameters {
            plan.assign_slot(parameter, function);
        }
        // State 0 owns the parameters: a frame that is dropped before it is started still has them.
        plan.add_state(&parameters, function, program);
        let all = all_locals(function);
        let starts = live_at_start(function, &all);
        for (index, block) in function.blocks.iter().enumerate() {
            if !can_wait(&block.terminator, program) {
                continue;
            }
            // After the terminator: its arguments are the callee's from here on, and its result is not there before it returns.
            let kept: Vec<_> = live_after_terminator(block, &starts, &all).iter().collect();
            for &local in &kept {
                plan.assign_slot(local, function);
            }
            let state = plan.owned.len() as u32;
            plan.add_state(&kept, function, program);
            let moved = kept;
            plan.waits
                .insert(BlockId(index as u32), Wait { state, moved });
        }
        plan.settle(function);
        plan
    }

    /// The slot of a local that lives across a wait.
    pub(crate) fn slot(&self, local: LocalId) -> usize {
        self.slot_of[local.0 as usize].expect("every kept local has got a slot") as usize
    }

    /// The slot of a local that is always read and written there.
    pub(crate) fn home(&self, local: LocalId) -> Option<usize> {
        self.at_home.has(local).then(|| self.slot(local))
    }

    /// Decides which locals have their slot as their home: those that so make less code.
    fn settle(&mut self, function: &Function) {
        let mut waits = vec![0; function.locals.len()];
        for local in self.waits.values().flat_map(|it| &it.moved) {
            waits[local.0 as usize] += 1;
        }
        let named = times_named(function);
        for (index, (waits, named)) in waits.into_iter().zip(named).enumerate() {
            if waits > named {
                self.at_home.insert(LocalId(index as u32));
            }
        }
        for wait in self.waits.values_mut() {
            wait.moved.retain(|it| !self.at_home.has(*it));
        }
    }

    fn assign_slot(&mut self, local: LocalId, function: &Function) {
        let slot = &mut self.slot_of[local.0 as usize];
        if slot.is_none() {
            // One slot for a local in all states, instead of packing them by state: a frame is then readable as variables, and a store
            // that is still right need not move.
            *slot = Some(self.slots.len() as u32);
            let described = &function.locals[local.0 as usize];
            self.slots.push(Slot {
                name: described.name.clone(),
                ty: described.ty,
            });
        }
    }

    /// The next state: `locals` are kept while it waits.
    fn add_state(&mut self, locals: &[LocalId], function: &Function, program: &Program) {
        let owned = locals
            .iter()
            .filter(|local| {
                program
                    .types
                    .is_reference(function.locals[local.0 as usize].ty)
            })
            .map(|&local| self.slot(local) as u32)
            .collect();
        self.owned.push(owned);
    }
}

/// By local: how often it is read or written.
fn times_named(function: &Function) -> Vec<usize> {
    let mut times = vec![0; function.locals.len()];
    let mut count = |local: LocalId| times[local.0 as usize] += 1;
    let mut read = Vec::new();
    for block in &function.blocks {
        for instruction in &block.instructions {
            instruction_written(instruction).map(&mut count);
            read.extend(instruction_operands(instruction));
        }
        for edge in edges(&block.terminator) {
            edge.written.map(&mut count);
        }
        read.extend(terminator_operands(&block.terminator));
    }
    for (operand, _) in read {
        if let Operand::Local(local) = operand {
            count(local);
        }
    }
    times
}

fn all_locals(function: &Function) -> LocalSet {
    let count = function.locals.len();
    let mut all = LocalSet::new(count);
    for index in 0..count as u32 {
        all.insert(LocalId(index));
    }
    all
}

/// Whether a function that can wait may do so at this terminator.
pub(crate) fn can_wait(terminator: &Terminator, program: &Program) -> bool {
    match terminator {
        // What a function value does is known only when it is called, so each call of one is a place to wait.
        Terminator::Suspend { .. } | Terminator::CallValue { .. } => true,
        Terminator::Call { function, .. } => {
            program.functions[function.0 as usize].colour == Colour::Resumable
        }
        Terminator::Jump(_)
        | Terminator::Loop { .. }
        | Terminator::Branch { .. }
        | Terminator::Switch { .. }
        | Terminator::Return(_)
        | Terminator::Raise(_)
        | Terminator::Checked { .. }
        | Terminator::Fault { .. }
        | Terminator::Runtime { .. }
        | Terminator::Unreachable => false,
    }
}
