//! What code may change that other code sees: variables that closures share, the tree of the run, its log.

use gsw_abi::call::RuntimeCall;

use crate::compare::item::{Calls, Cursor, Item, RuntimeCalled, item};
use crate::compare::reach::Side;
use crate::ir::{Function, Instruction, LocalId, Operand};

/// The `what` of `context_query` that asks for lines of the log, as `std/context` numbers it.
const LINES: u64 = 10;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Touched {
    /// Variables, queues and places that are shared.
    has_cells: bool,
    /// What `context` shows of nodes.
    has_tree: bool,
    has_log: bool,
}

impl Touched {
    const NOTHING: Self = Self {
        has_cells: false,
        has_tree: false,
        has_log: false,
    };
    pub(super) const CELLS: Self = Self {
        has_cells: true,
        ..Self::NOTHING
    };

    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            has_cells: self.has_cells || other.has_cells,
            has_tree: self.has_tree || other.has_tree,
            has_log: self.has_log || other.has_log,
        }
    }

    /// What a call changes when it is given something else.
    pub(super) fn by_call(call: RuntimeCall) -> Self {
        let name = call.name();
        let is_place = name.starts_with("place_") && name != "place_get" && name != "place_length";
        let of_cells = [
            RuntimeCall::queue_new,
            RuntimeCall::queue_push,
            RuntimeCall::queue_close,
            RuntimeCall::task_cancel,
            RuntimeCall::constant_keep,
            RuntimeCall::state_revised,
        ];
        let of_tree = [
            RuntimeCall::node_enter,
            RuntimeCall::node_complete,
            RuntimeCall::node_fail,
        ];
        Self {
            has_cells: is_place || of_cells.contains(&call),
            has_tree: name.starts_with("state_") || of_tree.contains(&call),
            has_log: call == RuntimeCall::log,
        }
    }

    /// Whether a call may return something else after this was touched.
    pub(super) fn is_seen_by(self, call: RuntimeCall, arguments: &[Operand]) -> bool {
        let reads_cells = matches!(
            call,
            RuntimeCall::queue_pop
                | RuntimeCall::queue_first_when_full
                | RuntimeCall::constant_kept
        ) || call.name().starts_with("place_");
        if call != RuntimeCall::context_query {
            return reads_cells && self.has_cells;
        }
        match arguments.get(1) {
            Some(Operand::Word(LINES)) => self.has_log,
            // A node's `state` is what cells hold.
            Some(Operand::Word(_)) => self.has_tree || self.has_cells,
            Some(Operand::Local(_)) | None => self != Self::NOTHING,
        }
    }

    /// Whether a shared variable may hold something else.
    pub(super) const fn is_seen_in_cells(self) -> bool {
        self.has_cells
    }
}

impl Side<'_> {
    /// What an item changes.
    pub(super) fn touched_by(&self, item: &Item<'_>) -> Touched {
        if let Item::Instruction(Instruction::CellSet { .. }) = item {
            return Touched::CELLS;
        }
        match item.calls(self.module) {
            Calls::Function(it) | Calls::Later(it) => self.touched(it),
            Calls::Value => self.touched_by_values,
            Calls::Runtime(it) => Touched::by_call(it.call),
            Calls::Nothing => Touched::NOTHING,
        }
    }

    /// What a function changes from a place on that others see: not the variables that are its own.
    pub(super) fn touched_from(&self, function: &Function, from: Cursor) -> Touched {
        let mut touched = Touched::default();
        for at in self.reachable(function, from) {
            let item = item(function, at);
            if !self.changes_own(function, &item) {
                touched = touched.and(self.touched_by(&item));
            }
        }
        touched
    }

    /// Whether all that an item changes is a variable that the function itself has made. A closure that has it as well is a
    /// function of its own.
    fn changes_own(&self, function: &Function, item: &Item<'_>) -> bool {
        let cell = if let Item::Instruction(Instruction::CellSet { cell, .. }) = item {
            *cell
        } else {
            let Calls::Runtime(RuntimeCalled {
                call, arguments, ..
            }) = item.calls(self.module)
            else {
                return false;
            };
            let is = |calls: &[RuntimeCall]| calls.contains(&call);
            // A constant has the same value for all; a new object is not shared yet. The others return places, which
            // `place_set` changes.
            if is(&[
                RuntimeCall::constant_keep,
                RuntimeCall::queue_new,
                RuntimeCall::place_whole,
                RuntimeCall::place_field,
                RuntimeCall::place_element,
                RuntimeCall::place_entry,
                RuntimeCall::place_take,
            ]) {
                return true;
            }
            match arguments.first() {
                Some(Operand::Local(cell))
                    if is(&[RuntimeCall::place_set, RuntimeCall::place_insert]) =>
                {
                    *cell
                }
                Some(_) | None => return false,
            }
        };
        is_made_in(function, cell)
    }
}

fn is_made_in(function: &Function, cell: LocalId) -> bool {
    let mut instructions = function.blocks.iter().flat_map(|it| &it.instructions);
    instructions.any(|it| matches!(it, Instruction::CellNew { to, .. } if *to == cell))
}
