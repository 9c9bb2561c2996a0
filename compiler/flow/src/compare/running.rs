//! Which tasks may still be running at a place of a function: they may ask for operations while the function continues.
//!
//! A task ends at the latest where the node around it waits for its tasks, so what is not awaited is known to be over only
//! there.

use std::collections::BTreeSet;

use gsw_abi::call::RuntimeCall;

use crate::compare::item::{Calls, Cursor, Item, RuntimeCalled, item};
use crate::compare::reach::Side;
use crate::ir::{Function, Instruction, LocalId, Operand, Terminator};

/// By what a task is reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Handle {
    /// A task, or a list of tasks.
    Local(LocalId),
    Lost,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Task {
    handle: Handle,
    /// How many nodes of the function are around it.
    depth: usize,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct State {
    /// How many nodes of the function are around the place.
    depth: usize,
    tasks: BTreeSet<Task>,
}

/// The tasks of a function that may be running, by block; `None` for an unreachable block.
pub(super) struct Running {
    at_start: Vec<Option<State>>,
}

impl Running {
    pub(super) fn of(side: &Side<'_>, function: &Function) -> Self {
        let mut at_start = vec![None; function.blocks.len()];
        let spawns = |it: &Cursor| side.may_spawn(&item(function, *it));
        if !crate::compare::reach::places(function).any(|it| spawns(&it)) {
            return Self { at_start };
        }
        let mut left = vec![(0, State::default())];
        while let Some((block, state)) = left.pop() {
            let known: &mut Option<State> = &mut at_start[block];
            let joined = match known {
                Some(known) => known.joined(&state),
                None => state,
            };
            if known.as_ref() == Some(&joined) {
                continue;
            }
            *known = Some(joined.clone());
            let after = advance(side, function, joined, block, usize::MAX);
            let terminator = &function.blocks[block].terminator;
            let next = side.successors(terminator).into_iter();
            left.extend(next.map(|it| (it, after.clone())));
        }
        Self { at_start }
    }

    /// Whether any may be running right before a place.
    pub(super) fn any(&self, side: &Side<'_>, function: &Function, at: Cursor) -> bool {
        self.at_start[at.block].as_ref().is_some_and(|state| {
            let state = advance(side, function, state.clone(), at.block, at.index);
            !state.tasks.is_empty()
        })
    }

    /// Whether any may be left when the function ends.
    pub(super) fn are_left(&self, side: &Side<'_>, function: &Function) -> bool {
        let ends = function.blocks.iter().enumerate().filter(|(_, it)| {
            matches!(it.terminator, Terminator::Return(_) | Terminator::Raise(_))
        });
        let mut places = ends.map(|(block, it)| Cursor {
            block,
            index: it.instructions.len(),
        });
        places.any(|at| self.any(side, function, at))
    }
}

impl State {
    fn joined(&self, other: &Self) -> Self {
        Self {
            depth: self.depth.min(other.depth),
            tasks: self.tasks.union(&other.tasks).copied().collect(),
        }
    }

    fn begin(&mut self, handle: Handle) {
        if let Handle::Local(local) = handle {
            self.lose(local);
        }
        let depth = self.depth;
        self.tasks.insert(Task { handle, depth });
    }

    /// What the local held is reached by it no longer.
    fn lose(&mut self, local: LocalId) {
        self.rename(local, Handle::Lost);
    }

    fn rename(&mut self, from: LocalId, to: Handle) {
        let of = |it: &Task| it.handle == Handle::Local(from);
        let renamed: Vec<Task> = self.tasks.iter().copied().filter(of).collect();
        for task in renamed {
            self.tasks.remove(&task);
            self.tasks.insert(Task { handle: to, ..task });
        }
    }

    fn called(
        &mut self,
        side: &Side<'_>,
        function: &Function,
        at: Cursor,
        called: &RuntimeCalled<'_>,
    ) {
        let RuntimeCalled {
            call,
            arguments,
            to,
        } = called;
        let handle = to.map_or(Handle::Lost, Handle::Local);
        let is = |calls: &[RuntimeCall]| calls.contains(call);
        if is(&[RuntimeCall::task_spawn, RuntimeCall::stream_start])
            && side.spawned_asks(function, at, arguments.last())
        {
            self.begin(handle);
        }
        // What they start is found when they run.
        if is(&[RuntimeCall::workflow_start, RuntimeCall::spawn_requested]) {
            self.begin(handle);
        }
        if is(&[RuntimeCall::task_await, RuntimeCall::task_await_all])
            && let Some(Operand::Local(awaited)) = arguments.last()
        {
            self.tasks.retain(|it| it.handle != Handle::Local(*awaited));
        }
        // A list of tasks is awaited as a whole.
        if is(&[RuntimeCall::list_push]) {
            for argument in *arguments {
                if let Operand::Local(local) = argument {
                    self.rename(*local, handle);
                }
            }
        }
        if is(&[RuntimeCall::node_enter]) {
            self.depth += 1;
        }
        if is(&[RuntimeCall::node_join, RuntimeCall::node_abort]) {
            let depth = self.depth;
            self.tasks.retain(|it| it.depth < depth);
        }
        if is(&[RuntimeCall::node_complete, RuntimeCall::node_fail]) {
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

impl Side<'_> {
    /// Whether a task on this frame, which is made right before, asks for anything.
    fn spawned_asks(&self, function: &Function, at: Cursor, frame: Option<&Operand>) -> bool {
        let before = function.blocks[at.block].instructions.iter().take(at.index);
        let made = before.rev().find_map(|it| {
            if let Instruction::Frame { to, function, .. } = it
                && frame == Some(&Operand::Local(*to))
            {
                return Some(*function);
            }
            None
        });
        made.is_none_or(|it| self.asks(it))
    }

    /// Whether an item may leave tasks running.
    fn may_spawn(&self, item: &Item<'_>) -> bool {
        match item.calls(self.module) {
            Calls::Runtime(it) => begins_task(it.call),
            Calls::Function(it) => self.leaves_tasks(it),
            Calls::Value => self.values_leave_tasks,
            Calls::Later(_) | Calls::Nothing => false,
        }
    }
}

const fn begins_task(call: RuntimeCall) -> bool {
    matches!(
        call,
        RuntimeCall::task_spawn
            | RuntimeCall::stream_start
            | RuntimeCall::workflow_start
            | RuntimeCall::spawn_requested
    )
}

/// The tasks that may be running after the first `until` items of a block.
fn advance(
    side: &Side<'_>,
    function: &Function,
    mut state: State,
    block: usize,
    until: usize,
) -> State {
    let instructions = &function.blocks[block].instructions;
    for index in 0..until.min(instructions.len() + 1) {
        let at = Cursor { block, index };
        let item = item(function, at);
        if let Item::Instruction(Instruction::Move { to, from }) = item {
            state.rename(*from, Handle::Local(*to));
        }
        match item.calls(side.module) {
            Calls::Runtime(it) => state.called(side, function, at, &it),
            Calls::Function(_) | Calls::Value if side.may_spawn(&item) => {
                state.begin(Handle::Lost);
            }
            Calls::Function(_) | Calls::Value | Calls::Later(_) | Calls::Nothing => {}
        }
    }
    state
}
