//! The tree of one run and the questions that it answers. What an event costs does not grow with it, but for the start of a node
//! of which something was recorded before: that looks through those that were mounted beside it.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_tree::node::{NodeId, Spent, Status, Totals};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::node::Node;

/// How much a tree keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    #[default]
    All,
    /// Only what the nodes are and how they ended; enough to show a run while it runs.
    Shape,
}

/// The tree of one run.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) run: Arc<str>,
    pub(crate) keep: Keep,
    pub(crate) nodes: FxHashMap<NodeId, Box<Node>>,
    pub(crate) totals: Totals,
    /// The times of the first and the latest event.
    pub(crate) span: Option<(i64, i64)>,
    /// Events that contradict what was recorded before, and were left out.
    pub(crate) contradictions: u64,
    /// Nodes that have failed, those aside in which another failed before.
    pub(crate) failures: u64,
    /// Nodes that were cancelled, those aside in which another one was.
    pub(crate) cancellations: u64,
}

impl Tree {
    /// A run of which nothing has been recorded.
    #[must_use]
    pub fn new(run: Arc<str>, keep: Keep) -> Self {
        let root = Box::new(Node::new(NodeId::ROOT, None));
        Self {
            run,
            keep,
            nodes: std::iter::once((NodeId::ROOT, root)).collect(),
            totals: Totals::default(),
            span: None,
            contradictions: 0,
            failures: 0,
            cancellations: 0,
        }
    }

    /// The id of the run.
    #[must_use]
    pub const fn run(&self) -> &Arc<str> {
        &self.run
    }

    /// The run itself, which holds the workflow that was started.
    #[must_use]
    pub fn root(&self) -> &Node {
        self.nodes
            .get(&NodeId::ROOT)
            .expect("the root is made with the tree and never forgotten")
    }

    /// The node with this id.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id).map(|it| &**it)
    }

    /// The children of a node in order of start; none of one that is not there.
    pub fn children(&self, id: NodeId) -> impl DoubleEndedIterator<Item = &Node> {
        let ids = self.get(id).map_or(&[][..], |it| &it.children);
        ids.iter().filter_map(|it| self.get(*it))
    }

    /// The children of a node as people want to see them: an attempt that was the only one says nothing of its own.
    #[must_use]
    pub fn shown_children(&self, id: NodeId) -> Vec<&Node> {
        let mut children: Vec<_> = self.children(id).collect();
        if let [only] = children[..]
            && only.kind == Some(NodeKind::Attempt)
        {
            children = self.children(only.id).collect();
        }
        children
    }

    /// What a node is in, nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        let parent = |it: &Node| self.get(it.parent?);
        std::iter::successors(self.get(id).and_then(parent), move |it| parent(it))
    }

    /// All nodes but the run itself, each before what is below it, children in order of start.
    pub fn walk(&self) -> impl Iterator<Item = &Node> {
        let mut waiting: Vec<&Node> = self.children(NodeId::ROOT).rev().collect();
        std::iter::from_fn(move || {
            let next = waiting.pop()?;
            waiting.extend(self.children(next.id).rev());
            Some(next)
        })
    }

    /// The counts of the whole tree, without the run itself.
    #[must_use]
    pub const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// How many nodes have failed, without those that failed because of another one inside of them.
    #[must_use]
    pub const fn failures(&self) -> u64 {
        self.failures
    }

    /// How many nodes were cancelled, without those around another one that was.
    #[must_use]
    pub const fn cancellations(&self) -> u64 {
        self.cancellations
    }

    /// The times of the first and the latest event, in nanoseconds since 1970; `None` before the first.
    #[must_use]
    pub const fn span(&self) -> Option<(i64, i64)> {
        self.span
    }

    /// How many events contradicted what was recorded before, and were left out.
    #[must_use]
    pub const fn contradictions(&self) -> u64 {
        self.contradictions
    }

    /// How the run ended; `Running` when its end was not recorded.
    #[must_use]
    pub fn outcome(&self) -> Status {
        let root = self.root();
        if root.status.is_final() {
            return root.status;
        }
        let mut worst = None;
        for child in self.children(NodeId::ROOT) {
            worst = match (child.status, worst) {
                (Status::Idle | Status::Running, _) => return Status::Running,
                (Status::Failed, _) | (_, Some(Status::Failed)) => Some(Status::Failed),
                (Status::Cancelled, _) | (_, Some(Status::Cancelled)) => Some(Status::Cancelled),
                (Status::Completed, _) => Some(Status::Completed),
            };
        }
        worst.unwrap_or(Status::Running)
    }

    /// Called when no more events come: the run itself, which has no events of its own, has ended when and how what is
    /// below it has.
    pub(crate) fn close(&mut self) {
        let (outcome, span) = (self.outcome(), self.span);
        let root = self.node_mut(NodeId::ROOT);
        root.start = span.map(|it| it.0);
        if outcome.is_final() {
            root.status = outcome;
            root.end = span.map(|it| it.1);
        }
    }

    /// The path of a node for people: `main > review a.rs > find_bugs#2`.
    #[must_use]
    pub fn path(&self, id: NodeId) -> String {
        let Some(node) = self.get(id) else {
            return String::new();
        };
        let mut parts: Vec<String> = std::iter::once(node)
            .chain(self.ancestors(id))
            .filter(|it| it.parent.is_some())
            .map(Node::segment)
            .collect();
        parts.reverse();
        parts.join(" > ")
    }

    /// The node with this path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&Node> {
        let mut at = self.root();
        let mut rest = path.trim();
        // Names may hold the separator, so the longest name that fits is taken.
        while !rest.is_empty() {
            let fitting = self.children(at.id).filter_map(|child| {
                let after = rest.strip_prefix(&child.segment())?.trim_start();
                let after = match after.strip_prefix('>') {
                    Some(after) => after.trim_start(),
                    None if after.is_empty() => after,
                    None => return None,
                };
                Some((child, after))
            });
            (at, rest) = fitting.min_by_key(|it| it.1.len())?;
        }
        (at.id != NodeId::ROOT).then_some(at)
    }

    /// Forgets the children of a node except the latest `kept` that have failed, which the reader will ask for.
    pub fn forget_below(&mut self, id: NodeId, kept: usize) {
        let is_failed = |it: &&Node| it.status == Status::Failed;
        let failed: Vec<NodeId> = self
            .children(id)
            .filter(is_failed)
            .map(|it| it.id)
            .collect();
        let stays = &failed[failed.len().saturating_sub(kept)..];
        let all = self.children(id).map(|it| it.id);
        let gone = all.filter(|it| !stays.contains(it)).collect();
        self.forget_children(id, gone);
    }

    /// Forgets the children of a node that have ended, but for the latest so many that have failed and as many others.
    pub fn forget_ended(&mut self, id: NodeId, kept: usize) {
        let ended = self.children(id).filter(|it| it.status.is_final());
        let (failed, others): (Vec<&Node>, Vec<&Node>) =
            ended.partition(|it| it.status == Status::Failed);
        let gone = [failed, others].into_iter().flat_map(|mut it| {
            it.truncate(it.len().saturating_sub(kept));
            it
        });
        let gone = gone.map(|it| it.id).collect();
        self.forget_children(id, gone);
    }

    fn forget_children(&mut self, id: NodeId, gone: Vec<NodeId>) {
        let set: FxHashSet<NodeId> = gone.iter().copied().collect();
        if let Some(node) = self.nodes.get_mut(&id) {
            node.children.retain(|it| !set.contains(it));
        }
        self.forget(id, gone);
    }

    fn forget(&mut self, id: NodeId, mut waiting: Vec<NodeId>) {
        let (mut spent, mut forgotten) = (Spent::default(), 0);
        while let Some(next) = waiting.pop() {
            if let Some(mut node) = self.nodes.remove(&next) {
                waiting.append(&mut node.children);
                spent.add(&node.spent);
                forgotten += 1 + node.forgotten;
            }
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            node.spent.add(&spent);
            node.forgotten += forgotten;
        }
    }
}
