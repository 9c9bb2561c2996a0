//! A node of a run, as its events describe it.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_notation::issue::Issue;
use gsw_tree::event::{Event, EventKind, JsonText};
use gsw_tree::node::{NodeId, Spent, Status};
use serde_json::Value;

use crate::arriving::Arriving;

/// A node of a run.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its number in the run.
    pub id: NodeId,
    /// Under which it is mounted; `None` for the run itself.
    pub parent: Option<NodeId>,
    /// The nodes below it, in the order in which they started.
    pub children: Vec<NodeId>,
    /// What it is; `None` for the run itself and when its start was not recorded.
    pub kind: Option<NodeKind>,
    pub name: Arc<str>,
    /// How many of that name came before, or the iteration's index.
    pub index: u32,
    /// How far it is, as far as the events say.
    pub status: Status,
    /// When it was mounted, in nanoseconds since 1970; `None` when that was not recorded.
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub input: Option<JsonText>,
    pub output: Option<JsonText>,
    /// The error that it ended with.
    pub error: Option<Arc<str>>,
    /// The model that a prompt asks.
    pub model: Option<Arc<str>>,
    /// What it spent itself, and what nodes below it spent that were forgotten.
    pub spent: Spent,
    /// How many attempts there were after the first.
    pub retries: u32,
    /// Requests to models that it made itself and that have no answer.
    pub failed_requests: u64,
    /// What was wrong with the list items that a prompt left out of its answer.
    pub dropped: Vec<Issue>,
    /// The prompt whose answer has taken the place of this one's.
    pub revised_by: Option<NodeId>,
    /// What has arrived of the answer that a prompt waits for, where its program watches it.
    pub arriving: Option<Box<Arriving>>,
    /// How many children it ever had.
    pub begun: u64,
    /// How many of them have ended.
    pub done: u64,
    /// How many of those that have ended were cancelled.
    pub cancelled: u64,
    /// Whether a child has failed, so that its own failure may be that child's.
    pub has_failed_child: bool,
    /// How many nodes below it were forgotten.
    pub forgotten: u64,
    /// Everything that was recorded about it, in order; empty when a tree keeps only its shape.
    pub recorded: Vec<Recorded>,
}

/// Something that was recorded about a node.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Its number in the run.
    pub sequence: u64,
    /// When, in nanoseconds since 1970.
    pub time: i64,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Known(Arc<Event>),
    /// An event of a kind or form that this version does not know.
    Unknown {
        /// The word for its kind.
        kind: Box<str>,
        fields: Box<Value>,
    },
}

impl Recorded {
    /// The word for its kind, and its fields as they are in a file.
    #[must_use]
    pub fn parts(&self) -> (String, Value) {
        let mut tree = match &self.what {
            What::Known(event) => serde_json::to_value(&event.kind).unwrap_or_default(),
            What::Unknown { kind, fields } => return (kind.to_string(), (**fields).clone()),
        };
        let kind = match tree.as_object_mut().and_then(|it| it.shift_remove("event")) {
            Some(Value::String(kind)) => kind,
            _ => String::new(),
        };
        (kind, tree)
    }
}

impl Node {
    pub(crate) fn new(id: NodeId, parent: Option<NodeId>) -> Self {
        Self {
            id,
            parent,
            children: Vec::new(),
            kind: None,
            name: Arc::from(if id == NodeId::ROOT {
                "run"
            } else {
                "(start missing)"
            }),
            index: 0,
            status: Status::Running,
            start: None,
            end: None,
            input: None,
            output: None,
            error: None,
            model: None,
            spent: Spent::default(),
            retries: 0,
            failed_requests: 0,
            dropped: Vec::new(),
            revised_by: None,
            arriving: None,
            begun: 0,
            done: 0,
            cancelled: 0,
            has_failed_child: false,
            forgotten: 0,
            recorded: Vec::new(),
        }
    }

    /// The word for what it is.
    #[must_use]
    pub const fn kind_name(&self) -> &'static str {
        match self.kind {
            Some(kind) => kind.name(),
            None if self.id.0 == NodeId::ROOT.0 => "run",
            None => "unknown",
        }
    }

    /// How long it took, in nanoseconds; `None` while it runs and when an end was not recorded.
    #[must_use]
    pub fn duration(&self) -> Option<i64> {
        Some(self.end?.saturating_sub(self.start?).max(0))
    }

    /// What distinguishes it from its siblings: its name, and its index where it has one.
    #[must_use]
    pub fn segment(&self) -> String {
        match (self.kind, self.index) {
            (Some(NodeKind::Iteration | NodeKind::Task), index) => {
                format!("{}[{index}]", self.name)
            }
            (Some(NodeKind::Attempt), index) => format!("attempt {}", u64::from(index) + 1),
            (_, 0) => self.name.to_string(),
            (_, index) => format!("{}#{}", self.name, u64::from(index) + 1),
        }
    }

    /// The events that were recorded about it and are understood.
    pub fn events(&self) -> impl Iterator<Item = &EventKind> {
        self.recorded.iter().filter_map(|it| match &it.what {
            What::Known(event) => Some(&event.kind),
            What::Unknown { .. } => None,
        })
    }
}
