//! The tree of a run: one node per workflow, step, task, iteration, prompt and so on.
//!
//! A node's identity is its parent's, its kind and name, and how many of that name came before it under the same
//! parent (an iteration: its index). Text is made of it only on demand. Inputs and outputs are kept as JSON text up to a
//! cap; beyond it those of the nodes that finished first are forgotten.

mod note;
mod query;
mod record;
mod totals;
mod whole;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::site::{NodePath, Site};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::class::Class;
use crate::event::LogLine;
use crate::name::{NameId, Names};

pub use query::Answer;
pub use record::{NodeRecord, OutputRecord};
pub use totals::{Spent, Totals};

/// The most bytes of inputs and outputs that a tree keeps.
const KEPT_BYTES: usize = 64 << 20;
/// The most nodes that a path names; of longer ones the middle is left out.
const LONGEST_PATH: usize = 64;
/// The most lines of the log that a tree keeps.
const KEPT_LINES: usize = 1_000;
/// The most lines of the log that an error takes along.
const LINES_OF_ERROR: usize = 20;

/// A node of the run. The root is 0; ids are given in order of start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NodeId(pub u32);

impl NodeId {
    /// No node, such as the parent of the root.
    pub const NONE: Self = Self(u32::MAX);
    /// The run itself, which holds the workflow that was started.
    pub const ROOT: Self = Self(0);
}

/// How far a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Made, and waiting for its turn to begin.
    Idle,
    /// Begun, and not ended yet.
    Running,
    /// Ended with a value as its result.
    Completed,
    /// Ended with an error that nothing in it caught.
    Failed,
    /// Ended because it was cancelled.
    Cancelled,
}

impl Status {
    /// Its word in JSON and in texts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing can change it any more.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A node as the tree keeps it.
#[derive(Debug)]
pub struct Node {
    /// `NONE` for the root, which is the run.
    pub parent: NodeId,
    /// `NONE` where it has no children.
    pub first_child: NodeId,
    last_child: NodeId,
    /// The child of the same parent that started next.
    pub next_sibling: NodeId,
    /// Its name; of iterations and tasks it is only the kind's.
    pub name: NameId,
    /// The name that its path is made of: an earlier one where the program says what it was called.
    identity: NameId,
    /// How many of this kind and identity came before it, or the iteration's index.
    pub index: u32,
    pub kind: NodeKind,
    pub status: Status,
    /// Whether its input and output were forgotten to save memory.
    pub is_evicted: bool,
    /// Whether a model in it has begun a tool call that must not be repeated.
    pub has_begun_once: bool,
    /// Whether something was asked for in it that may have changed the outside.
    pub has_acted: bool,
    /// What effects in it may count as at most, because of the tools that it lies in.
    pub at_most: Class,
    /// Its path once something has asked for it; the root's path until then.
    path: NodePath,
    /// When it began, in nanoseconds since 1970.
    pub start: i64,
    /// When it ended, in nanoseconds since 1970.
    pub end: i64,
    /// What went in, as JSON.
    pub input: Option<Arc<str>>,
    /// What came out, as JSON; of a failed node the error's kind and what it says.
    pub output: Option<Arc<str>>,
    /// What it and what has ended below it spent; none for nothing.
    pub spent: Option<Box<Spent>>,
    /// How many nodes lie in it, attempts and blocks of modifiers not counted but what is in them.
    pub children: u32,
    /// How many nodes it lies in, counted likewise.
    pub depth: u32,
    /// How often it was tried; of a prompt, its requests.
    pub attempts: u32,
    /// How many effects it has requested itself.
    effects: u32,
}

/// The place of an effect in the program, and how often it may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectSite {
    /// Identifies the effect; it is equal in every life of the run.
    pub site: Site,
    /// What the effect may count as at most, because of the tools that it lies in.
    pub at_most: Class,
}

impl Node {
    /// The bytes that a node counts for in the memory of a run. Not its size in this build: the same program is to reach its
    /// limit at the same place in every one.
    pub const CHARGE: usize = 192;
}

/// What a node is made from.
#[derive(Debug)]
pub struct NewNode<'a> {
    /// Under which it is mounted.
    pub parent: NodeId,
    pub kind: NodeKind,
    pub name: &'a str,
    /// Its index, when it is given and not counted.
    pub index: Option<u32>,
    /// `Idle` when it is to begin later, else `Running`.
    pub status: Status,
    /// The JSON text of what it begins with.
    pub input: Option<Arc<str>>,
}

/// All nodes of a run, kept as they happen.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    names: Names,
    occurrences: FxHashMap<(NodeId, NodeKind, NameId), u32>,
    finished: VecDeque<NodeId>,
    kept: usize,
    totals: Totals,
    logs: VecDeque<LogLine>,
    /// The steps and prompts that gave something, in the order of their ends.
    gave: Vec<NodeId>,
    /// The keys of the cache under which a prompt has put an answer or found one.
    cache_keys: HashSet<Arc<str>>,
    /// The prompts whose answers were revised, each with the one that has taken its place.
    revised: FxHashMap<NodeId, NodeId>,
}

impl Tree {
    /// Adds a node below its parent.
    pub fn enter(&mut self, new: NewNode<'_>, now: i64) -> NodeId {
        let identity = new.name;
        self.enter_as(new, identity, now)
    }

    /// Like [`Self::enter`], for a node that earlier versions of the program gave another name, which stays its
    /// identity.
    pub fn enter_as(&mut self, new: NewNode<'_>, identity: &str, now: i64) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let name = self.names.intern(new.name);
        let identity = self.names.intern(identity);
        let index = new.index.unwrap_or_else(|| {
            let next = self
                .occurrences
                .entry((new.parent, new.kind, identity))
                .or_default();
            *next += 1;
            *next - 1
        });
        self.kept += new.input.as_ref().map_or(0, |it| it.len());
        self.totals.nodes += 1;
        self.totals.count_in(new.status);
        let at_most = self
            .nodes
            .get(new.parent.0 as usize)
            .map_or(Class::Once, |it| it.at_most);
        self.nodes.push(Node {
            parent: new.parent,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            next_sibling: NodeId::NONE,
            name,
            identity,
            index,
            kind: new.kind,
            status: new.status,
            is_evicted: false,
            has_begun_once: false,
            has_acted: false,
            at_most,
            path: NodePath::ROOT,
            start: now,
            end: 0,
            input: new.input,
            output: None,
            spent: None,
            children: 0,
            depth: 0,
            attempts: u32::from(!matches!(new.kind, NodeKind::Prompt | NodeKind::Attempt)),
            effects: 0,
        });
        self.attach(new.parent, id);
        self.count_in_parents(id);
        id
    }

    fn count_in_parents(&mut self, id: NodeId) {
        if self.node(id).kind == NodeKind::Attempt {
            let tried = self.node(id).parent;
            let attempts = self.node(id).index + 1;
            self.node_mut(tried).attempts = attempts;
        }
        if let Some(parent) = self.shown_parent(id)
            && self.is_shown(id)
        {
            let depth = self.node(parent).depth + 1;
            self.node_mut(id).depth = depth;
            self.node_mut(parent).children += 1;
        }
    }

    fn attach(&mut self, parent: NodeId, child: NodeId) {
        if parent == NodeId::NONE {
            return;
        }
        let last = std::mem::replace(&mut self.node_mut(parent).last_child, child);
        if last == NodeId::NONE {
            self.node_mut(parent).first_child = child;
        } else {
            self.node_mut(last).next_sibling = child;
        }
    }

    /// An idle node begins; says whether it did.
    pub fn begin(&mut self, id: NodeId, now: i64) -> bool {
        if self.node(id).status != Status::Idle {
            return false;
        }
        self.totals.count_out(Status::Idle);
        self.totals.count_in(Status::Running);
        let node = self.node_mut(id);
        node.status = Status::Running;
        node.start = now;
        true
    }

    /// Ends a node; one that has ended stays as it is. Says whether it did.
    pub fn finish(
        &mut self,
        id: NodeId,
        status: Status,
        output: Option<Arc<str>>,
        now: i64,
    ) -> bool {
        debug_assert!(status.is_final(), "a node ends with a status of ends");
        let before = self.node(id).status;
        if before.is_final() {
            return false;
        }
        self.totals.count_out(before);
        self.totals.count_in(status);
        self.kept += output.as_ref().map_or(0, |it| it.len());
        let node = self.node_mut(id);
        if before == Status::Idle {
            node.start = now;
        }
        node.status = status;
        node.end = now;
        node.output = output;
        if node.output.is_some() || node.input.is_some() {
            self.finished.push_back(id);
        }
        if gives_something(self.node(id)) {
            self.gave.push(id);
        }
        if self.node(id).kind == NodeKind::Tool {
            let call = Spent {
                tool_calls: 1,
                ..Spent::default()
            };
            self.charge(id, &call);
        }
        self.hand_up(id);
        while self.kept > KEPT_BYTES {
            let Some(oldest) = self.finished.pop_front() else {
                break;
            };
            self.evict(oldest);
        }
        true
    }

    /// What a node spent counts for its parent, too.
    fn hand_up(&mut self, id: NodeId) {
        let node = self.node(id);
        let parent = node.parent;
        let Some(spent) = node.spent.as_deref().copied() else {
            return;
        };
        if parent == NodeId::NONE {
            return;
        }
        self.spend(parent, &spent);
    }

    fn spend(&mut self, id: NodeId, spent: &Spent) {
        self.node_mut(id).spent.get_or_insert_default().add(spent);
    }

    /// A node itself spends this; it counts for what is above when the node ends.
    pub fn charge(&mut self, id: NodeId, spent: &Spent) {
        self.totals.spent.add(spent);
        self.spend(id, spent);
    }

    fn evict(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        let bytes = [node.input.take(), node.output.take()];
        node.is_evicted = true;
        self.kept -= bytes.iter().flatten().map(|it| it.len()).sum::<usize>();
    }

    /// The node with this id, which is of this tree.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The site of the next effect of a node. Each is asked for once.
    pub fn next_effect(&mut self, id: NodeId) -> EffectSite {
        let path = self.node_path(id);
        let node = self.node_mut(id);
        let occurrence = node.effects;
        node.effects += 1;
        EffectSite {
            site: Site { path, occurrence },
            at_most: node.at_most,
        }
    }

    /// Effects in a node, which has no children yet, count as this at most.
    pub fn limit_effects(&mut self, id: NodeId, most: Class) {
        let node = self.node_mut(id);
        node.at_most = node.at_most.min(most);
    }

    /// Something under this node has begun that must not be repeated: nothing around it is tried again.
    pub fn forbid_repeats(&mut self, id: NodeId) {
        let mut next = id;
        while next != NodeId::NONE {
            let node = self.node_mut(next);
            if std::mem::replace(&mut node.has_begun_once, true) {
                return;
            }
            next = node.parent;
        }
    }

    /// Something under this node was asked for that may change the outside.
    pub fn note_act(&mut self, id: NodeId) {
        let mut next = id;
        while next != NodeId::NONE {
            let node = self.node_mut(next);
            if std::mem::replace(&mut node.has_acted, true) {
                return;
            }
            next = node.parent;
        }
    }

    /// A node was tried so often; a prompt has made so many requests.
    pub fn set_attempts(&mut self, id: NodeId, attempts: u32) {
        self.node_mut(id).attempts = attempts;
    }

    /// What goes into a node that was entered before it was known.
    pub fn set_input(&mut self, id: NodeId, input: Option<Arc<str>>) {
        let length = |it: &Option<Arc<str>>| it.as_ref().map_or(0, |it| it.len());
        self.kept += length(&input);
        let before = std::mem::replace(&mut self.node_mut(id).input, input);
        self.kept -= length(&before);
    }

    /// The counts of the whole tree, without the run itself.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let mut totals = self.totals;
        if let Some(root) = self.nodes.first() {
            totals.nodes -= 1;
            totals.count_out(root.status);
        }
        totals
    }

    /// Keeps a line of the log; beyond a thousand the oldest goes.
    pub fn keep_line(&mut self, line: LogLine) {
        self.totals.logs += 1;
        if self.logs.len() == KEPT_LINES {
            self.logs.pop_front();
        }
        self.logs.push_back(line);
    }

    /// The kept lines of the log, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &LogLine> {
        self.logs.iter()
    }

    /// The latest lines of a node and what is below it, oldest first.
    #[must_use]
    pub fn lines_below(&self, id: NodeId) -> Vec<LogLine> {
        let latest = self.logs.iter().rev().take(5 * LINES_OF_ERROR);
        let mut lines: Vec<LogLine> = latest
            .filter(|line| self.is_below(line.node, id))
            .take(LINES_OF_ERROR)
            .cloned()
            .collect();
        lines.reverse();
        lines
    }

    /// Whether a node is another one or lies in it.
    #[must_use]
    pub fn is_below(&self, id: NodeId, above: NodeId) -> bool {
        // What lies in a node started after it.
        let mut lineage = self.lineage(id).take_while(|it| *it >= above);
        lineage.any(|it| it == above)
    }

    /// The path of a node, which is the same in every life of the run. It is worked out once for a node and what it lies in.
    pub fn node_path(&mut self, id: NodeId) -> NodePath {
        let mut unknown = Vec::new();
        let mut at = id;
        let mut path = NodePath::ROOT;
        while at != NodeId::NONE && at != NodeId::ROOT {
            let node = self.node(at);
            if node.path != NodePath::ROOT {
                path = node.path;
                break;
            }
            unknown.push(at);
            at = node.parent;
        }
        for at in unknown.into_iter().rev() {
            let node = self.node(at);
            path = path.child(node.kind, self.names.text(node.identity), node.index);
            self.node_mut(at).path = path;
        }
        path
    }

    /// The innermost workflow around a node, itself included.
    #[must_use]
    pub fn workflow_of(&self, id: NodeId) -> Option<NodeId> {
        self.lineage(id)
            .find(|it| self.node(*it).kind == NodeKind::Workflow)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing has run yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The name of a node.
    #[must_use]
    pub fn name(&self, id: NodeId) -> &Arc<str> {
        self.names.text(self.node(id).name)
    }

    /// The node and what it lies in, nearest first.
    pub fn lineage(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors((id != NodeId::NONE).then_some(id), |it| {
            let parent = self.node(*it).parent;
            (parent != NodeId::NONE).then_some(parent)
        })
    }

    /// The children of a node in order of start.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let first = self.node(id).first_child;
        std::iter::successors((first != NodeId::NONE).then_some(first), |it| {
            let next = self.node(*it).next_sibling;
            (next != NodeId::NONE).then_some(next)
        })
    }

    /// The path of a node for people: `main > review a.rs > find_bugs#2`. The run itself is left out, and the middle of a
    /// path that is very long.
    #[must_use]
    pub fn path(&self, id: NodeId) -> String {
        let mut lineage: Vec<NodeId> = self.lineage(id).collect();
        lineage.retain(|it| *it != NodeId::ROOT);
        lineage.reverse();
        let mut left_out = None;
        if lineage.len() > LONGEST_PATH {
            let middle = LONGEST_PATH / 2..lineage.len() - LONGEST_PATH / 2;
            left_out = Some((middle.start, format!("… {} more …", middle.len())));
            lineage.drain(middle);
        }
        let mut parts: Vec<String> = lineage.iter().map(|it| self.segment(*it)).collect();
        if let Some((at, text)) = left_out {
            parts.insert(at, text);
        }
        parts.join(" > ")
    }

    /// What a node is called in a path.
    #[must_use]
    pub fn segment(&self, id: NodeId) -> String {
        let node = self.node(id);
        match (node.kind, node.index) {
            (NodeKind::Iteration | NodeKind::Task, index) => format!("{}[{index}]", self.name(id)),
            (NodeKind::Attempt, index) => format!("attempt {}", index + 1),
            (_, 0) => self.name(id).to_string(),
            (_, index) => format!("{}#{}", self.name(id), index + 1),
        }
    }
}

/// Whether a node that has ended is one of those whose outputs are asked for.
fn gives_something(node: &Node) -> bool {
    matches!(
        node.kind,
        NodeKind::Step | NodeKind::Prompt | NodeKind::Human | NodeKind::External
    ) && node.status == Status::Completed
        && node.output.is_some()
}

#[cfg(test)]
mod tests;
