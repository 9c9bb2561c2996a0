//! The `state` variables of workflows, as observers and `context` see them.
//!
//! A variable lives in a cell that the program and this table share. Its JSON is made from the cell when it is read, so that
//! a change costs no more than its event, and what grows at its end sends only what is new. The table holds no share in the
//! value itself: that would make every change in place a copy.

use std::sync::Arc;

use gsw_abi::types::{Secrecy, Type, TypeId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::codec;
use crate::event::{EventKind, JsonText, PathStep, State, StateChange};
use crate::heap::Heap;
use crate::node::NodeId;
use crate::run::progress::Progress;
use crate::value::{field, list, map, place, string, type_of};

/// All `state` variables of a run.
#[derive(Debug, Default)]
pub(crate) struct States {
    by_workflow: FxHashMap<NodeId, IndexMap<Arc<str>, Kept>>,
    /// By the address of the cell, in which `by_workflow` has a share.
    by_cell: FxHashMap<u64, Variable>,
    /// The way to the part of a variable that is being changed, while an observer is attached.
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

/// A part of a variable that has changed.
pub(crate) struct ChangedPart {
    /// The cell that holds the variable.
    pub cell: u64,
    pub ty: TypeId,
    pub place: u64,
    /// How many elements or bytes it had, when it has more at its end; `None` for another value.
    pub from: Option<usize>,
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

/// A variable that has changed.
struct Changed {
    variable: Variable,
    before: usize,
}

pub(crate) struct NewState<'a> {
    pub node: NodeId,
    pub ty: TypeId,
    pub name: &'a str,
    pub cell: u64,
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

    /// A `state` variable of the workflow around `node` begins, in this cell, which is borrowed.
    pub(crate) fn begin(&mut self, heap: &mut Heap, progress: &mut Progress, new: NewState<'_>) {
        let NewState {
            node,
            ty,
            name,
            cell,
        } = new;
        // By the workflow and not by the node: steps inside of it change the same variables.
        let variable = Variable {
            workflow: progress.tree().workflow_of(node).unwrap_or(node),
            name: name.into(),
            ty,
            length: length(heap, ty, field(cell, 0)),
        };
        // A share in the cell, not in its value: the value keeps one owner and can be changed in place.
        heap.retain(cell);
        // Another attempt of a workflow declares its variables again.
        if let Some(Kept::Cell { cell, .. }) = self.insert(cell, variable) {
            heap.release(cell);
        }
        self.change(heap, progress, cell);
    }

    /// The variable in this cell has another value.
    pub(crate) fn change(&mut self, heap: &Heap, progress: &mut Progress, cell: u64) {
        if let Some(Changed { variable, .. }) = self.changed(heap, progress, cell) {
            let value = rendered(heap, variable.ty, cell);
            emit_change(progress, variable, Vec::new(), StateChange::Set, value);
        }
    }

    /// The variable in this cell, a list or a string, has more at its end than before.
    pub(crate) fn extend(&mut self, heap: &Heap, progress: &mut Progress, cell: u64) {
        if let Some(Changed { variable, before }) = self.changed(heap, progress, cell) {
            let value = end_of(heap, variable.ty, field(cell, 0), before);
            emit_change(progress, variable, Vec::new(), StateChange::Append, value);
        }
    }

    /// A part of the variable in a cell, at the end of the trail, has another value or more at its end.
    pub(crate) fn change_part(&mut self, heap: &Heap, progress: &mut Progress, part: ChangedPart) {
        let ChangedPart {
            cell,
            ty,
            place,
            from,
        } = part;
        // Also without an observer: the length has to be current when one attaches.
        let Some(Changed { variable, .. }) = self.changed(heap, progress, cell) else {
            return;
        };
        // No trail: an observer attached after the change had begun, and the next event is the first that it gets whole.
        let Some(Trail { path, secrecy, .. }) = self.trail.take() else {
            return;
        };
        let word = place::get(place);
        let (op, value) = match (secrecy, from) {
            (Secrecy::Redacted, _) => {
                let hidden = serde_json::Value::from(codec::places::REDACTED);
                (StateChange::Set, JsonText::from(&hidden))
            }
            (Secrecy::Shown, Some(from)) => (StateChange::Append, end_of(heap, ty, word, from)),
            (Secrecy::Shown, None) => {
                let value = codec::encode_redacted(heap, ty, word);
                (StateChange::Set, value.into())
            }
        };
        emit_change(progress, variable, path, op, value);
    }

    /// A part of the variable whose value is at this place is about to change.
    pub(crate) fn begin_trail(&mut self, progress: &Progress, place: u64) {
        // Without a listener the way to a part is not recorded, so assignments to parts cost nothing more.
        self.trail = progress.wants_events().then(|| Trail {
            path: Vec::new(),
            place,
            secrecy: Secrecy::Shown,
        });
    }

    /// The trail, if it has come to this place.
    fn trail_at(&self, place: u64) -> Option<&Trail> {
        // Calls on the way to an index may walk through other values; only what continues the trail belongs to it.
        self.trail.as_ref().filter(|it| it.place == place)
    }

    /// Whether the way to the part that is changed is needed. It hardly ever is, and loops fill lists by place.
    #[inline]
    pub(crate) fn has_trail(&self) -> bool {
        self.trail.is_some()
    }

    /// Extends the trail from the record or tuple at `place` to a part of it.
    pub(crate) fn follow_field(&mut self, heap: &Heap, place: u64, index: usize, part: u64) {
        if self.trail_at(place).is_none() {
            return;
        }
        let types = heap.types();
        let (step, secrecy) =
            if let Type::Record(record) = types.get(types.base(type_of(place::get(place)))) {
                let field = &record.fields[index];
                (PathStep::Key(field.wire.as_str().into()), field.secrecy)
            } else {
                (PathStep::Index(index as u64), Secrecy::Shown)
            };
        self.follow(Some(step), part);
        if let Some(trail) = &mut self.trail
            && secrecy == Secrecy::Redacted
        {
            trail.secrecy = secrecy;
        }
    }

    /// Extends the trail from a list to an element.
    pub(crate) fn follow_element(&mut self, place: u64, index: u64, part: u64) {
        if self.trail_at(place).is_some() {
            self.follow(Some(PathStep::Index(index)), part);
        }
    }

    /// The step from the map at `place` to what is under a key; `None` when no trail has come there.
    pub(crate) fn key_step(&self, heap: &Heap, place: u64, key: u64) -> Option<PathStep> {
        self.trail_at(place)?;
        let (of, _) = map::types(heap, type_of(place::get(place)));
        let types = heap.types();
        let of = types.get(types.base(of));
        Some(PathStep::Key(if *of == Type::Int {
            (key as i64).to_string().into()
        } else if let Type::Enum(it) = of {
            it.variants[key as usize].wire.as_str().into()
        } else {
            string::text(key).into()
        }))
    }

    /// Extends the trail by a step to a part.
    pub(crate) fn follow(&mut self, step: Option<PathStep>, part: u64) {
        if let (Some(trail), Some(step)) = (&mut self.trail, step) {
            // Which part of a secret changes is as secret as that.
            if trail.secrecy == Secrecy::Shown {
                trail.path.push(step);
            }
            trail.place = part;
        }
    }

    /// The variable in a cell that has changed; `None` when no observer is attached, or its workflow has ended or begun
    /// anew.
    fn changed(&mut self, heap: &Heap, progress: &mut Progress, cell: u64) -> Option<Changed> {
        let variable = self.by_cell.get_mut(&cell)?;
        let before = variable.length;
        // Before the question whether anybody listens, since the next event may need it.
        variable.length = length(heap, variable.ty, field(cell, 0));
        if progress.wants_events() {
            let variable = variable.clone();
            return Some(Changed { variable, before });
        }
        progress.skip_event();
        None
    }

    /// The state of a workflow as it is now, or was when the workflow ended.
    pub(crate) fn of_workflow(&self, heap: &Heap, workflow: NodeId) -> State {
        let kept = self.by_workflow.get(&workflow).into_iter().flatten();
        kept.map(|(name, kept)| {
            let value = match kept {
                Kept::Cell { ty, cell } => rendered(heap, *ty, *cell),
                Kept::Text(text) => text.clone(),
            };
            (Arc::clone(name), value)
        })
        .collect()
    }

    /// A workflow has ended: what still runs below it must not change what its state was.
    pub(crate) fn close(&mut self, heap: &mut Heap, workflow: NodeId) {
        let Some(variables) = self.by_workflow.get_mut(&workflow) else {
            return;
        };
        for kept in variables.values_mut() {
            if let Kept::Cell { ty, cell } = *kept {
                // Rendered at the end of the workflow, which is when its state is final and the cell can be given back.
                *kept = Kept::Text(rendered(heap, ty, cell));
                self.by_cell.remove(&cell);
                heap.release(cell);
            }
        }
    }

    /// Releases the cells, because the run has ended.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for cell in std::mem::take(self).by_cell.into_keys() {
            heap.release(cell);
        }
    }
}

/// Reports what a variable has become.
fn emit_change(
    progress: &mut Progress,
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
    progress.emit(variable.workflow, kind);
}

/// The JSON of the value in a cell, as observers see it.
fn rendered(heap: &Heap, ty: TypeId, cell: u64) -> JsonText {
    codec::encode_redacted(heap, ty, field(cell, 0)).into()
}

/// A value that can grow at its end.
enum Growable {
    List(TypeId),
    Text,
}

impl Growable {
    fn of(heap: &Heap, ty: TypeId) -> Option<Self> {
        match heap.types().get(heap.types().base(ty)) {
            Type::List(of) => Some(Self::List(*of)),
            Type::String | Type::Literals(_) => Some(Self::Text),
            Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::Bytes
            | Type::Time
            | Type::Duration
            | Type::Json
            | Type::Secret
            | Type::Media
            | Type::Error
            | Type::Optional(_)
            | Type::Map { .. }
            | Type::Set { .. }
            | Type::Tuple(_)
            | Type::Record(_)
            | Type::Enum(_)
            | Type::ErrorKind(_)
            | Type::Checked { .. }
            | Type::Closure(_)
            | Type::Function
            | Type::Cell(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Session => None,
        }
    }
}

/// How many elements or bytes a value has; 0 where it cannot grow at its end.
pub(crate) fn length(heap: &Heap, ty: TypeId, word: u64) -> usize {
    match Growable::of(heap, ty) {
        Some(Growable::List(_)) => list::len(word),
        Some(Growable::Text) => string::bytes(word).len(),
        None => 0,
    }
}

/// The JSON of what a value has from this length on; of all of it where it cannot grow at its end.
fn end_of(heap: &Heap, ty: TypeId, word: u64, from: usize) -> JsonText {
    match Growable::of(heap, ty) {
        Some(Growable::List(of)) => {
            let added = list::words(word).get(from..).unwrap_or_default();
            codec::encode_elements_redacted(heap, of, added).into()
        }
        Some(Growable::Text) => {
            let added = string::text(word).get(from..).unwrap_or_default();
            JsonText::from(&serde_json::Value::from(added))
        }
        None => codec::encode_redacted(heap, ty, word).into(),
    }
}
