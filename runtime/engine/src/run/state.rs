//! The `state` variables of workflows, as observers and `context` see them.
//!
//! A variable lives in a cell that the program and this table share. Its JSON is made from the cell when somebody looks, so
//! that a change costs no more than its event, and what grows at its end sends only what is new. The table holds no share in
//! the value itself: that would make every change in place a copy.

use std::sync::Arc;

use gsw_abi::types::{Type, TypeId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::codec;
use crate::event::{EventKind, JsonText, State, StateChange};
use crate::heap::Heap;
use crate::node::NodeId;
use crate::run::Run;
use crate::value::{field, list, string};

/// All `state` variables of a run.
#[derive(Debug, Default)]
pub(crate) struct States {
    by_workflow: FxHashMap<NodeId, IndexMap<Arc<str>, Kept>>,
    /// By the address of the cell, in which `by_workflow` has a share.
    by_cell: FxHashMap<u64, Variable>,
}

/// Where the value of a variable is.
#[derive(Debug)]
enum Kept {
    /// In this cell, which is shared with the program.
    Cell { ty: TypeId, cell: u64 },
    /// Here: its workflow has ended.
    Text(JsonText),
}

/// What is known of a variable that is in use.
#[derive(Clone, Debug)]
struct Variable {
    workflow: NodeId,
    name: Arc<str>,
    ty: TypeId,
    /// Elements of a list or bytes of a string at the last change; 0 for other values.
    length: usize,
}

impl States {
    fn insert(&mut self, cell: u64, variable: Variable) -> Option<Kept> {
        let kept = Kept::Cell {
            ty: variable.ty,
            cell,
        };
        let of_workflow = self.by_workflow.entry(variable.workflow).or_default();
        let old = of_workflow.insert(Arc::clone(&variable.name), kept);
        if let Some(Kept::Cell { cell, .. }) = old {
            self.by_cell.remove(&cell);
        }
        self.by_cell.insert(cell, variable);
        old
    }
}

impl Run {
    /// A `state` variable of the current workflow begins, in this cell, which is borrowed.
    pub(crate) fn begin_state(&mut self, ty: TypeId, name: &str, cell: u64) {
        let node = self.current_node();
        let variable = Variable {
            workflow: self.tree.workflow_of(node).unwrap_or(node),
            name: name.into(),
            ty,
            length: length(&self.heap, ty, field(cell, 0)),
        };
        self.heap.retain(cell);
        // Another attempt of a workflow declares its variables again.
        if let Some(Kept::Cell { cell, .. }) = self.states.insert(cell, variable) {
            self.heap.release(cell);
        }
        self.change_state(cell);
    }

    /// The `state` variable in this cell has another value.
    pub(crate) fn change_state(&mut self, cell: u64) {
        if let Some((variable, _)) = self.changed_variable(cell) {
            let value = rendered(&self.heap, variable.ty, cell);
            self.tell_change(variable, StateChange::Set, value);
        }
    }

    /// The `state` variable in this cell, a list or a string, has more at its end than before.
    pub(crate) fn extend_state(&mut self, cell: u64) {
        if let Some((variable, from)) = self.changed_variable(cell) {
            let value = end_of(&self.heap, variable.ty, field(cell, 0), from);
            self.tell_change(variable, StateChange::Append, value);
        }
    }

    /// The variable in a cell, and the length that it had before, for whoever is told of its change; `None` when nobody is, or its
    /// workflow has ended or begun anew.
    fn changed_variable(&mut self, cell: u64) -> Option<(Variable, usize)> {
        let is_heard = self.is_heard();
        let variable = self.states.by_cell.get_mut(&cell)?;
        let before = variable.length;
        variable.length = length(&self.heap, variable.ty, field(cell, 0));
        if is_heard {
            return Some((variable.clone(), before));
        }
        self.skip_event();
        None
    }

    fn tell_change(&mut self, variable: Variable, op: StateChange, value: JsonText) {
        let kind = EventKind::StateChanged {
            name: variable.name,
            path: Vec::new(),
            op,
            value,
        };
        self.tell(variable.workflow, kind);
    }

    /// The state of a workflow as it is now, or was when the workflow ended.
    pub(crate) fn state_of(&self, workflow: NodeId) -> State {
        let kept = self.states.by_workflow.get(&workflow).into_iter().flatten();
        kept.map(|(name, kept)| {
            let value = match kept {
                Kept::Cell { ty, cell } => rendered(&self.heap, *ty, *cell),
                Kept::Text(text) => text.clone(),
            };
            (Arc::clone(name), value)
        })
        .collect()
    }

    /// A workflow has ended: what goes on below it must not change what its state was.
    pub(crate) fn close_state(&mut self, workflow: NodeId) {
        let Some(variables) = self.states.by_workflow.get_mut(&workflow) else {
            return;
        };
        for kept in variables.values_mut() {
            if let Kept::Cell { ty, cell } = *kept {
                *kept = Kept::Text(rendered(&self.heap, ty, cell));
                self.states.by_cell.remove(&cell);
                self.heap.release(cell);
            }
        }
    }

    /// Gives the cells back: the run has ended.
    pub(crate) fn release_states(&mut self) {
        for cell in std::mem::take(&mut self.states).by_cell.into_keys() {
            self.heap.release(cell);
        }
    }
}

/// The JSON of the value in a cell, as observers see it.
fn rendered(heap: &Heap, ty: TypeId, cell: u64) -> JsonText {
    codec::encode_redacted(heap, ty, field(cell, 0)).into()
}

/// How long a value is, where it can grow at its end.
fn length(heap: &Heap, ty: TypeId, word: u64) -> usize {
    match heap.types().get(heap.types().base(ty)) {
        Type::List(_) => list::len(word),
        Type::String | Type::Literals(_) => string::bytes(word).len(),
        _ => 0,
    }
}

/// The JSON of what a list or a string has from this length on; of any other value, of all of it.
fn end_of(heap: &Heap, ty: TypeId, word: u64, from: usize) -> JsonText {
    match heap.types().get(heap.types().base(ty)) {
        Type::List(of) => {
            let added = list::words(word).get(from..).unwrap_or_default();
            codec::encode_elements_redacted(heap, *of, added).into()
        }
        Type::String | Type::Literals(_) => {
            let added = string::text(word).get(from..).unwrap_or_default();
            JsonText::from(&serde_json::Value::from(added))
        }
        _ => codec::encode_redacted(heap, ty, word).into(),
    }
}
