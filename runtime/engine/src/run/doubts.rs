//! Operations that were given up in flight: they may have been done, and the run cannot know.
//!
//! A time limit that gives such an operation up ends with `OutcomeUnknown` instead of its own error: a program that catches
//! `Timeout` and tries again must not do it twice. A cancelled task catches nothing, so there it is a warning.
//!
//! So does the time limit in the head of a `once` tool that has asked for anything which may change the outside, also where that was
//! done: half of what it does is not known to be half, and a model that is told of a time limit calls again.

use rustc_hash::FxHashMap;

use gsw_abi::call::NodeKind;
use gsw_notation::calendar::rfc3339;
use gsw_tree::class::Class;

use crate::node::{NodeId, Tree};
use crate::operation::{OperationId, Request};
use crate::run::nodes::effects_of_tool;
use crate::run::{Run, raise};
use crate::scope::{Scope, ScopeId};

/// How the warning about what was cancelled begins.
pub const CANCELLED: &str = "what was cancelled here may have been done: ";

#[derive(Debug, Default)]
pub(crate) struct Doubts {
    /// What is on its way and must not happen twice, as text.
    on_the_way: FxHashMap<OperationId, String>,
    /// What was given up, in order.
    given_up: Vec<Doubt>,
}

#[derive(Clone, Debug)]
struct Doubt {
    node: NodeId,
    what: String,
}

impl Doubts {
    /// Something is asked for at this time.
    pub(crate) fn begins(&mut self, id: OperationId, request: &Request, class: Class, now: i64) {
        if class == Class::Once && request.is_out_of_sight() {
            let what = format!("{}, asked for at {}", request.summary(), rfc3339(now));
            self.on_the_way.insert(id, what);
        }
    }

    /// Its outcome is known, or it never began.
    pub(crate) fn ends(&mut self, id: OperationId) {
        self.on_the_way.remove(&id);
    }

    /// A run that is part of this one had this many, and may have more now: those are given up here, too.
    pub(crate) fn join(&mut self, part: &Self, had: usize) {
        self.given_up
            .extend(part.given_up.iter().skip(had).cloned());
    }

    /// How many there have been.
    pub(crate) fn count(&self) -> usize {
        self.given_up.len()
    }

    /// What was given up inside of a scope since its time ran out.
    fn of(&self, tree: &Tree, scope: &Scope) -> Option<String> {
        let since = self.given_up.get(scope.doubts_before?..)?;
        let within = since.iter().filter(|it| lies_in(tree, it.node, scope.node));
        let all: Vec<&str> = within.map(|it| &*it.what).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

fn lies_in(tree: &Tree, mut node: NodeId, around: NodeId) -> bool {
    while node != around && node != NodeId::ROOT {
        node = tree.node(node).parent;
    }
    node == around
}

impl Run {
    /// Notes that a task gives up an operation without waiting for its end.
    pub(super) fn doubt(&mut self, node: NodeId, id: OperationId) {
        let Some(what) = self.doubts.on_the_way.remove(&id) else {
            return;
        };
        // Requested in this turn, it has not left the run.
        if self.operations.is_held(id) {
            return;
        }
        let what = self.heap.shown_summary(&what);
        let message = format!("{CANCELLED}{what}");
        self.progress.warn(node, message);
        self.doubts.given_up.push(Doubt { node, what });
    }

    /// `OutcomeUnknown`, when the end of a scope's time has given up what may have been done.
    pub(crate) fn unknown_in(&mut self, id: ScopeId) -> Option<u64> {
        let scope = self.scopes.get(id)?;
        let what = self.doubts.of(self.progress.tree(), scope)?;
        Some(raise::outcome_unknown(&mut self.heap, &what))
    }

    /// `OutcomeUnknown` where its own time limit has cut off a `once` tool that had begun to act.
    pub(crate) fn unknown_tool(&mut self, node: NodeId, after: i64) -> Option<u64> {
        let tree = self.progress.tree();
        let (tool, name) = (tree.node(node), tree.name(node));
        let is_once = || effects_of_tool(&self.loaded.program, name) == Some(Class::Once);
        if tool.kind != NodeKind::Tool || !tool.has_acted || !is_once() {
            return None;
        }
        let limit = gsw_notation::duration::text(after);
        let what = format!("`{name}` had begun to act when its time limit of {limit} ran out");
        Some(raise::outcome_unknown(&mut self.heap, &what))
    }

    /// `OutcomeUnknown` where a scope is left with an error, if that is the unwinding to it.
    pub(crate) fn unknown_after(&mut self, id: ScopeId, raised: u64) -> Option<u64> {
        raise::is_unwind_of(raised, id)
            .then(|| self.unknown_in(id))
            .flatten()
    }
}
