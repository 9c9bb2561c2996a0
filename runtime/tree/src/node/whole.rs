//! A whole tree as data, attempts and blocks of modifiers included.

use serde_json::{Value, json};

use crate::node::{Answer, NodeId, NodeRecord, Tree};

impl Tree {
    /// The node that was started from outside; `None` before anything runs.
    #[must_use]
    pub fn root(&self) -> Option<NodeId> {
        self.children(NodeId::ROOT).next()
    }

    /// Whether there is a node of this number.
    #[must_use]
    pub fn get(&self, id: NodeId) -> Option<NodeId> {
        ((id.0 as usize) < self.len()).then_some(id)
    }

    /// The other children of a node's parent, in order of start.
    pub fn siblings(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let parent = self.node(id).parent;
        let all = (parent != NodeId::NONE).then(|| self.children(parent));
        all.into_iter().flatten().filter(move |it| *it != id)
    }

    /// All nodes but the run itself, in order of start, each under the node in which it was mounted.
    #[must_use]
    pub fn records(&self, now: i64) -> Vec<NodeRecord> {
        let mut answer = Answer::new(self, now);
        let mut children = vec![0; self.len()];
        let mut depths = vec![0; self.len()];
        let ids = (1..self.len()).map(|it| NodeId(it as u32));
        let mut records: Vec<NodeRecord> = ids.map(|id| answer.node(id)).collect();
        for record in &mut records {
            let parent = self.node(record.id).parent;
            children[parent.0 as usize] += 1;
            if parent == NodeId::ROOT {
                record.parent = None;
            } else {
                record.parent = Some(parent);
                depths[record.id.0 as usize] = depths[parent.0 as usize] + 1;
            }
            record.depth = depths[record.id.0 as usize];
        }
        for record in &mut records {
            record.children = children[record.id.0 as usize];
        }
        records
    }

    /// The tree as JSON: its nodes as a list, each with the number of its parent, the counts and the kept lines of the log.
    #[must_use]
    pub fn to_json(&self, now: i64) -> Value {
        let logs: Vec<_> = self.lines().collect();
        json!({ "nodes": self.records(now), "totals": self.totals(), "logs": logs })
    }
}
