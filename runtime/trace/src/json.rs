//! Trees as JSON: a flat list of nodes that name their parents, so that no reader needs a stack.
//!
//! A file may hold hundreds of thousands of nodes: the JSON of each is made when it is written, and forgotten after.

use gsw_notation::calendar;
use gsw_notation::duration::SECOND;
use gsw_tree::node::Spent;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::node::Node;
use crate::read::Trace;
use crate::tree::Tree;

#[must_use]
pub fn trace(trace: &Trace) -> impl Serialize {
    #[derive(Serialize)]
    struct Everything<'a> {
        program: &'a Option<String>,
        runs: Vec<RunOfTree<'a>>,
        result: &'a Option<Value>,
        missing: Vec<String>,
    }
    Everything {
        program: &trace.program,
        runs: trace.runs.iter().map(RunOfTree).collect(),
        result: &trace.result,
        missing: trace.gaps.sentences(),
    }
}

/// A run with all its nodes, each before what is below it. What was recorded about the run itself, which is no node, is beside
/// them.
#[must_use]
pub fn run(tree: &Tree) -> impl Serialize {
    RunOfTree(tree)
}

struct RunOfTree<'a>(&'a Tree);

impl Serialize for RunOfTree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tree) = self;
        let spent = tree.spent_below();
        let nodes = || {
            tree.walk()
                .map(|it| node(it, &spent.get(&it.id).copied().unwrap_or_default()))
        };
        let mut object = serializer.serialize_struct("Run", 5)?;
        object.serialize_field("run", tree.run())?;
        object.serialize_field("status", tree.outcome().name())?;
        object.serialize_field("totals", tree.totals())?;
        let events = || tree.root().recorded.iter().map(event_json);
        object.serialize_field("events", &OnDemand(events))?;
        object.serialize_field("nodes", &OnDemand(nodes))?;
        object.end()
    }
}

/// A list whose items are made one at a time.
pub(crate) struct OnDemand<F>(pub(crate) F);

impl<F: Fn() -> I, I: Iterator<Item = Value>> Serialize for OnDemand<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// One node with everything in it and its path.
#[must_use]
pub fn one(tree: &Tree, it: &Node, below: &Spent) -> Value {
    let mut value = node(it, below);
    value["path"] = tree.path(it.id).into();
    value
}

fn node(node: &Node, below: &Spent) -> Value {
    let events: Vec<_> = node.recorded.iter().map(event_json).collect();
    json!({
        "id": node.id.0,
        "parent": node.parent.map(|it| it.0),
        "children": node.children.iter().map(|it| it.0).collect::<Vec<_>>(),
        "kind": node.kind_name(),
        "name": node.name,
        "index": node.index,
        "status": node.status.name(),
        "start": node.start.map(calendar::rfc3339),
        "end": node.end.map(calendar::rfc3339),
        "duration": node.duration().map(seconds),
        "input": node.input,
        "output": node.output,
        "error": node.error,
        "model": node.model,
        "attempts": u64::from(node.retries) + 1,
        "failed_requests": node.failed_requests,
        "dropped": node.dropped,
        "revised_by": node.revised_by,
        "spent": node.spent,
        "spent_below": below,
        "events": events,
    })
}

fn event_json(recorded: &crate::node::Recorded) -> Value {
    let (kind, fields) = recorded.parts();
    let mut object = Map::new();
    object.insert("sequence".into(), recorded.sequence.into());
    object.insert("time".into(), calendar::rfc3339(recorded.time).into());
    object.insert("event".into(), kind.into());
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

/// A duration in nanoseconds as seconds in JSON.
#[must_use]
pub fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / SECOND as f64
}
