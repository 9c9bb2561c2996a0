//! Questions about a tree while it grows and afterwards. Attempts and blocks of modifiers are not shown: what they hold is
//! held by the node around them.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use serde_json::{Value, json};

use crate::event::JsonText;
use crate::node::{Node, NodeId, NodeRecord, OutputRecord, Status, Tree};

/// The most nodes of an answer.
pub const MOST_NODES: usize = 10_000;
/// The most bytes of inputs and outputs in an answer.
pub const MOST_BYTES: usize = 10 << 20;

/// Gathers an answer, and leaves inputs and outputs out once it is large enough.
#[derive(Debug)]
pub struct Answer<'a> {
    tree: &'a Tree,
    now: i64,
    bytes: usize,
}

impl<'a> Answer<'a> {
    /// An answer of what is known of a tree at this time.
    #[must_use]
    pub const fn new(tree: &'a Tree, now: i64) -> Self {
        Self {
            tree,
            now,
            bytes: 0,
        }
    }

    /// A node as a record.
    pub fn node(&mut self, id: NodeId) -> NodeRecord {
        let (tree, node) = (self.tree, self.tree.node(id));
        let has_failed = node.status == Status::Failed;
        let bytes = length(&node.input) + length(&node.output);
        let is_left_out = self.bytes + bytes > MOST_BYTES;
        if !is_left_out {
            self.bytes += bytes;
        }
        let shown = |text: &Option<Arc<str>>| text.clone().filter(|_| !is_left_out);
        let output = shown(&node.output);
        let (output, error) = if has_failed {
            (None, output)
        } else {
            (output, None)
        };
        let spent = node.spent.as_deref().copied().unwrap_or_default();
        NodeRecord {
            id,
            kind: node.kind,
            name: Arc::clone(tree.name(id)),
            path: tree.path(id),
            status: node.status,
            parent: tree.shown_parent(id),
            workflow: tree.workflow_of(id),
            depth: node.depth,
            children: node.children,
            attempts: node.attempts,
            start: node.start,
            end: node.status.is_final().then_some(node.end),
            duration: self.duration(node),
            input: shown(&node.input).map(JsonText::from),
            output: output.map(JsonText::from),
            error,
            evicted: node.is_evicted || is_left_out,
            revised_by: tree.revised_by(id),
            usage: spent.usage,
            cost_usd: spent.cost_usd,
            requests: spent.requests,
            tool_calls: spent.tool_calls,
        }
    }

    /// Nodes as records, at most this many.
    pub fn nodes(&mut self, ids: impl Iterator<Item = NodeId>, most: usize) -> Vec<NodeRecord> {
        ids.take(most.min(MOST_NODES))
            .map(|id| self.node(id))
            .collect()
    }

    /// What steps and prompts gave, the latest first, at most this many.
    pub fn outputs(&mut self, most: usize) -> Vec<OutputRecord> {
        let latest = self.tree.results().take(most.min(MOST_NODES));
        latest.map(|id| self.output(id)).collect()
    }

    fn output(&mut self, id: NodeId) -> OutputRecord {
        let (tree, node) = (self.tree, self.tree.node(id));
        let bytes = length(&node.output);
        let is_left_out = self.bytes + bytes > MOST_BYTES;
        if !is_left_out {
            self.bytes += bytes;
        }
        let value = node.output.clone().filter(|_| !is_left_out);
        OutputRecord {
            id,
            kind: node.kind,
            name: Arc::clone(tree.name(id)),
            path: tree.path(id),
            value: value.map(JsonText::from),
            evicted: node.is_evicted || is_left_out,
        }
    }

    /// What one node gave, as `std/introspect.gsw` has it; a failed one gave nothing.
    pub fn given(&mut self, id: NodeId) -> Value {
        let record = self.output(id);
        let has_failed = self.tree.node(id).status == Status::Failed;
        let output = record.value.filter(|_| !has_failed);
        json!({ "id": id, "name": record.name, "kind": record.kind, "output": output })
    }

    fn duration(&self, node: &Node) -> i64 {
        match node.status {
            Status::Idle => 0,
            Status::Running => self.now - node.start,
            Status::Completed | Status::Failed | Status::Cancelled => node.end - node.start,
        }
    }
}

fn length(text: &Option<Arc<str>>) -> usize {
    text.as_ref().map_or(0, |it| it.len())
}

impl Tree {
    /// Whether a node is shown. What is started outermost is, whatever it is; the run itself is not.
    #[must_use]
    pub fn is_shown(&self, id: NodeId) -> bool {
        let node = self.node(id);
        let is_outermost = node.parent == NodeId::ROOT;
        id != NodeId::ROOT
            && (is_outermost || !matches!(node.kind, NodeKind::Attempt | NodeKind::Region))
    }

    /// The innermost shown node around a node, itself included.
    #[must_use]
    pub fn shown(&self, id: NodeId) -> Option<NodeId> {
        self.lineage(id).find(|it| self.is_shown(*it))
    }

    /// The shown node that a node is in.
    #[must_use]
    pub fn shown_parent(&self, id: NodeId) -> Option<NodeId> {
        self.shown(self.node(id).parent)
    }

    /// The prompt whose answer has taken the place of this one's.
    #[must_use]
    pub fn revised_by(&self, id: NodeId) -> Option<NodeId> {
        self.revised.get(&id).copied()
    }

    /// The last prompt directly in a node that has an answer which counts.
    #[must_use]
    pub fn last_prompt(&self, of: NodeId) -> Option<NodeId> {
        let counts = |it: &NodeId| {
            let node = self.node(*it);
            node.kind == NodeKind::Prompt
                && node.status == Status::Completed
                && self.revised_by(*it).is_none()
        };
        self.shown_children(of).filter(counts).last()
    }

    /// The shown nodes that a node is in, nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let above = self.lineage(id).skip(1);
        above.filter(|it| self.is_shown(*it))
    }

    /// The shown nodes that are in a node directly, in order of start.
    pub fn shown_children(&self, id: NodeId) -> ShownChildren<'_> {
        ShownChildren {
            tree: self,
            of: id,
            next: self.node(id).first_child,
        }
    }

    /// All shown nodes in order of start.
    pub fn all_shown(&self) -> impl Iterator<Item = NodeId> {
        let ids = (0..self.len()).map(|it| NodeId(it as u32));
        ids.filter(|it| self.is_shown(*it))
    }

    /// The steps and prompts that gave something which counts, the latest first.
    pub fn results(&self) -> impl Iterator<Item = NodeId> {
        let gave = self.gave.iter().rev().copied();
        gave.filter(|it| self.revised_by(*it).is_none())
    }

    /// Whether a prompt has put an answer under this key of the cache, or found one.
    #[must_use]
    pub fn knows_cache_key(&self, key: &str) -> bool {
        self.cache_keys.contains(key)
    }
}

/// The shown nodes that are in a node: its children, with those of the nodes that are not shown in their place.
#[derive(Debug)]
pub struct ShownChildren<'a> {
    tree: &'a Tree,
    of: NodeId,
    next: NodeId,
}

impl Iterator for ShownChildren<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        while self.next != NodeId::NONE {
            let id = self.next;
            let node = self.tree.node(id);
            if self.tree.is_shown(id) {
                self.next = self.after(id);
                return Some(id);
            }
            self.next = match node.first_child {
                NodeId::NONE => self.after(id),
                first => first,
            };
        }
        None
    }
}

impl ShownChildren<'_> {
    /// What comes after a node and all that is in it.
    fn after(&self, mut id: NodeId) -> NodeId {
        loop {
            let node = self.tree.node(id);
            if node.next_sibling != NodeId::NONE {
                return node.next_sibling;
            }
            id = node.parent;
            if id == self.of || id == NodeId::NONE {
                return NodeId::NONE;
            }
        }
    }
}
