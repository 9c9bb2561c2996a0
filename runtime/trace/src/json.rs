//! Trees as JSON: a flat list of nodes that name their parents, so that no reader needs a stack.

use gsw_engine::calendar;
use gsw_engine::duration::SECOND;
use gsw_engine::node::Spent;
use serde_json::{Map, Value, json};

use crate::node::Node;
use crate::read::Trace;
use crate::tree::Tree;

/// Everything in a file.
#[must_use]
pub fn trace(trace: &Trace) -> Value {
    json!({
        "program": trace.program,
        "runs": trace.runs.iter().map(run).collect::<Vec<_>>(),
        "result": trace.result,
        "missing": trace.gaps.sentences(),
    })
}

/// A run with all its nodes, each before what is below it.
#[must_use]
pub fn run(tree: &Tree) -> Value {
    let spent = tree.spent_below();
    let nodes: Vec<_> = std::iter::once(tree.root())
        .chain(tree.walk())
        .map(|it| node(it, &spent.get(&it.id).copied().unwrap_or_default()))
        .collect();
    json!({
        "run": tree.run(),
        "status": tree.outcome().name(),
        "totals": tree.totals(),
        "nodes": nodes,
    })
}

/// One node with everything in it and its path.
#[must_use]
pub fn one(tree: &Tree, it: &Node, below: &Spent) -> Value {
    let mut value = node(it, below);
    value["path"] = tree.path(it.id).into();
    value
}

fn node(node: &Node, below: &Spent) -> Value {
    let events: Vec<_> = node.told.iter().map(told).collect();
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
        "spent": node.spent,
        "spent_below": below,
        "events": events,
    })
}

fn told(told: &crate::node::Told) -> Value {
    let (kind, fields) = told.parts();
    let mut object = Map::new();
    object.insert("sequence".into(), told.sequence.into());
    object.insert("time".into(), calendar::rfc3339(told.time).into());
    object.insert("event".into(), kind.into());
    if let Value::Object(fields) = fields {
        object.extend(fields);
    }
    Value::Object(object)
}

/// Nanoseconds as JSON seconds.
#[must_use]
pub fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / SECOND as f64
}
