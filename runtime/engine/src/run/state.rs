//! The `state` variables of workflows, as observers and `context` see them.
//!
//! A variable lives in a cell that the program and this table share. Its JSON is made from the cell when somebody looks, so
//! that a change costs no more than its event, and what grows at its end sends only what is new. The table holds no share in
//! the value itself: that would make every change in place a copy.

use std::sync::Arc;

use gsw_abi::types::{Secrecy, Type, TypeId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::codec;
use crate::event::{EventKind, JsonText, PathStep, State, StateChange};
use crate::heap::Heap;
use crate::node::NodeId;
use crate::run::Run;
use crate::value::{field, list, map, place, string, type_of};

/// All `state` variables of a run.
#[derive(Debug, Default)]
pub(crate) struct States {
    by_workflow: FxHashMap<NodeId, IndexMap<Arc<str>, Kept>>,
    /// By the address of the cell, in which `by_workflow` has a share.
    by_cell: FxHashMap<u64, Variable>,
    /// The way to the part of a variable that is being changed, while somebody is told of changes.
    trail: Option<Trail>,
}

/// The way from a `state` variable to a part of it.
#[derive(Debug)]
struct Trail {
    path: Vec<PathStep>,
    /// Where it has come to.
    place: u64,
    /// Whether it leads through a `@secret` field.
    secrecy: Secrecy,
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
            self.tell_change(variable, Vec::new(), StateChange::Set, value);
        }
    }

    /// The `state` variable in this cell, a list or a string, has more at its end than before.
    pub(crate) fn extend_state(&mut self, cell: u64) {
        if let Some((variable, from)) = self.changed_variable(cell) {
            let value = end_of(&self.heap, variable.ty, field(cell, 0), from);
            self.tell_change(variable, Vec::new(), StateChange::Append, value);
        }
    }

    /// The part at a place in this cell has another value, or more at its end than `from` elements or bytes.
    pub(crate) fn change_state_part(
        &mut self,
        cell: u64,
        ty: TypeId,
        place: u64,
        from: Option<usize>,
    ) {
        let Some((variable, _)) = self.changed_variable(cell) else {
            return;
        };
        let Some(Trail { path, secrecy, .. }) = self.states.trail.take() else {
            return;
        };
        let word = place::get(place);
        let (op, value) = match (secrecy, from) {
            (Secrecy::Redacted, _) => {
                let hidden = serde_json::Value::from(codec::places::REDACTED);
                (StateChange::Set, JsonText::from(&hidden))
            }
            (Secrecy::Shown, Some(from)) => {
                (StateChange::Append, end_of(&self.heap, ty, word, from))
            }
            (Secrecy::Shown, None) => {
                let value = codec::encode_redacted(&self.heap, ty, word);
                (StateChange::Set, value.into())
            }
        };
        self.tell_change(variable, path, op, value);
    }

    /// A part of the `state` variable whose value is at this place is about to change.
    pub(crate) fn begin_trail(&mut self, place: u64) {
        self.states.trail = self.is_heard().then(|| Trail {
            path: Vec::new(),
            place,
            secrecy: Secrecy::Shown,
        });
    }

    /// The trail, if it has come to this place.
    fn trail_at(&mut self, place: u64) -> Option<&mut Trail> {
        let trail = self.states.trail.as_mut();
        trail.filter(|it| it.place == place)
    }

    /// The trail goes on from the record or tuple at `place` to a part of it.
    pub(crate) fn follow_field(&mut self, place: u64, index: usize, part: u64) {
        if self.trail_at(place).is_none() {
            return;
        }
        let types = Arc::clone(self.heap.types());
        let (step, secrecy) = match types.get(types.base(type_of(place::get(place)))) {
            Type::Record(record) => {
                let field = &record.fields[index];
                (PathStep::Key(field.wire.as_str().into()), field.secrecy)
            }
            _ => (PathStep::Index(index as u64), Secrecy::Shown),
        };
        self.follow(Some(step), part);
        if let Some(trail) = self.trail_at(part)
            && secrecy == Secrecy::Redacted
        {
            trail.secrecy = secrecy;
        }
    }

    /// The same from a list to an element.
    pub(crate) fn follow_element(&mut self, place: u64, index: u64, part: u64) {
        if self.trail_at(place).is_some() {
            self.follow(Some(PathStep::Index(index)), part);
        }
    }

    /// The step from the map at `place` to what is under a key; `None` when no trail has come there.
    pub(crate) fn key_step(&mut self, place: u64, key: u64) -> Option<PathStep> {
        self.trail_at(place)?;
        let (of, _) = map::types(&self.heap, type_of(place::get(place)));
        let types = self.heap.types();
        Some(PathStep::Key(match types.get(types.base(of)) {
            Type::Int => (key as i64).to_string().into(),
            Type::Enum(it) => it.variants[key as usize].wire.as_str().into(),
            _ => string::text(key).into(),
        }))
    }

    /// The trail goes on by a step to a part.
    pub(crate) fn follow(&mut self, step: Option<PathStep>, part: u64) {
        if let (Some(trail), Some(step)) = (&mut self.states.trail, step) {
            // Which part of a secret changes is as secret as that.
            if trail.secrecy == Secrecy::Shown {
                trail.path.push(step);
            }
            trail.place = part;
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

    fn tell_change(
        &mut self,
        variable: Variable,
        path: Vec<PathStep>,
        op: StateChange,
        value: JsonText,
    ) {
        let kind = EventKind::StateChanged {
            name: variable.name,
            path,
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
pub(crate) fn length(heap: &Heap, ty: TypeId, word: u64) -> usize {
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
