//! Which nodes of a run take something back: events about their beginning and end call them steps.

use gsw_abi::call::NodeKind;
use gsw_tree::event::{Event, EventKind};
use gsw_tree::node::NodeId;
use rustc_hash::FxHashSet;

/// The undos that have not ended.
#[derive(Default)]
pub(crate) struct Undos(FxHashSet<NodeId>);

/// What an event about a step is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stepping {
    Step,
    Undo,
}

impl Undos {
    /// What an event is about, if it is about a step. Each event is to be shown to this, in order.
    pub(crate) fn see(&mut self, event: &Event) -> Stepping {
        if let EventKind::ChildAttached {
            kind: NodeKind::Undo,
            ..
        } = event.kind
        {
            self.0.insert(event.node);
        }
        let is_undo = if let EventKind::StepEnd { .. } = event.kind {
            self.0.remove(&event.node)
        } else {
            self.0.contains(&event.node)
        };
        match is_undo {
            true => Stepping::Undo,
            false => Stepping::Step,
        }
    }
}
