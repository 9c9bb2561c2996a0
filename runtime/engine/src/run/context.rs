//! `context`: what a program asks about the tree of its own run.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;
use serde::Serialize;
use serde_json::{Value, json};

use crate::codec::decode;
use crate::event::EventKind;
use crate::node::{Answer, NodeId, Tree};
use crate::run::Run;
use crate::run::lessons::Lessons;
use crate::value::error;

/// What is asked; `std/context.gsw` has the same numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Node,
    Ancestors,
    Siblings,
    Children,
    Outputs,
    CacheStatus,
    Reflections,
    Tree,
    Snapshot,
    StateOf,
    LogsOf,
}

impl Question {
    const ALL: [Self; 11] = [
        Self::Node,
        Self::Ancestors,
        Self::Siblings,
        Self::Children,
        Self::Outputs,
        Self::CacheStatus,
        Self::Reflections,
        Self::Tree,
        Self::Snapshot,
        Self::StateOf,
        Self::LogsOf,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Ancestors => "ancestors",
            Self::Siblings => "siblings",
            Self::Children => "children",
            Self::Outputs => "outputs",
            Self::CacheStatus => "cache_status",
            Self::Reflections => "reflections",
            Self::Tree => "tree",
            Self::Snapshot => "snapshot",
            Self::StateOf => "state",
            Self::LogsOf => "logs",
        }
    }
}

impl Run {
    /// Answers a question about the run's tree with a value of this type.
    pub(crate) fn query_context(
        &mut self,
        result: TypeId,
        what: u64,
        count: i64,
        text: &str,
    ) -> Result<u64, u64> {
        let Some(&question) = Question::ALL.get(what as usize) else {
            return Err(self.internal(&format!("`context` has no question {what}")));
        };
        let Some(here) = self.tree.shown(self.current_node()) else {
            let why = "is only there while a workflow, tool or test runs";
            return Err(self.misused(&format!("`context.{}` {why}", question.name())));
        };
        let Ok(most) = usize::try_from(count) else {
            let why = "can give no less than none";
            let name = question.name();
            return Err(self.misused(&format!("`context.{name}` {why}: {count}")));
        };
        if question == Question::Snapshot {
            self.tell_snapshot(here);
        }
        let tree = answer(
            (&self.tree, &self.lessons),
            self.now,
            (question, here),
            most,
            text,
        );
        decode::decode(self, result, &tree)
            .map_err(|issue| self.internal(&format!("`context` gave no record: {}", issue.message)))
    }

    fn misused(&mut self, message: &str) -> u64 {
        error::with_text(&mut self.heap, BuiltinError::AssertionFailed, message)
    }

    fn tell_snapshot(&mut self, here: NodeId) {
        let workflow = self.tree.workflow_of(here).unwrap_or(here);
        let state = self.tree.state(workflow);
        self.tell(workflow, EventKind::StateSnapshot { state });
    }
}

fn answer(
    (tree, lessons): (&Tree, &Lessons),
    now: i64,
    (question, here): (Question, NodeId),
    most: usize,
    text: &str,
) -> Value {
    let mut records = Answer::new(tree, now);
    match question {
        Question::Node => value(&records.node(here)),
        Question::Ancestors => value(&records.nodes(tree.ancestors(here), most)),
        Question::Siblings => match tree.shown_parent(here) {
            Some(parent) => {
                let others = tree.shown_children(parent).filter(|it| *it != here);
                value(&records.nodes(others, most))
            }
            None => json!([]),
        },
        Question::Children => value(&records.nodes(tree.shown_children(here), most)),
        Question::Outputs => value(&records.outputs(most)),
        Question::CacheStatus => json!({ "key": text, "exists": tree.knows_cache_key(text) }),
        Question::Reflections => value(&lessons.near(tree, here).collect::<Vec<_>>()),
        Question::Tree => value(&records.nodes(tree.all_shown(), most)),
        Question::Snapshot => {
            let workflow = tree.workflow_of(here).unwrap_or(here);
            value(&tree.state(workflow))
        }
        Question::StateOf => match node_of(tree, most) {
            Some(node) => value(&tree.state(tree.workflow_of(node).unwrap_or(node))),
            None => json!({}),
        },
        Question::LogsOf => match node_of(tree, most) {
            Some(node) => value(&tree.lines_below(node)),
            None => json!([]),
        },
    }
}

/// The node of this number, which a program may have made up.
fn node_of(tree: &Tree, number: usize) -> Option<NodeId> {
    let is_there = number < tree.len();
    is_there.then_some(NodeId(number as u32))
}

fn value(record: &impl Serialize) -> Value {
    serde_json::to_value(record).expect("records of nodes have a form in JSON")
}
