//! `context`: what a program asks about the tree of its own run.

use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;
use gsw_notation::json::written;
use serde::Serialize;
use serde_json::{Value, json};

use crate::codec::decode;
use crate::event::EventKind;
use crate::node::{Answer, NodeId, Tree};
use crate::run::{Run, raise};

/// How many nodes a model is shown at once.
const PAGE: usize = 100;

/// What is asked; `std/context.gsw` and `std/introspect.gsw` have the same numbers.
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
    Caller,
    CallersAncestors,
    CallersChildren,
    CallersSiblings,
    OutputOf,
}

impl Question {
    const ALL: [Self; 16] = [
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
        Self::Caller,
        Self::CallersAncestors,
        Self::CallersChildren,
        Self::CallersSiblings,
        Self::OutputOf,
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
            Self::Caller
            | Self::CallersAncestors
            | Self::CallersChildren
            | Self::CallersSiblings
            | Self::OutputOf => "node",
        }
    }
}

/// The answers to the questions that models ask about the node which they work in.
fn answer_to_model(tree: &Tree, question: Question, caller: NodeId, number: usize) -> Value {
    // The number is a model's: a page far beyond the end is empty and no overflow.
    let page = number.saturating_mul(PAGE);
    match question {
        Question::CallersAncestors => {
            let ancestors = tree.ancestors(caller).take(number);
            ancestors.map(|it| brief(tree, it)).collect()
        }
        Question::CallersChildren => {
            let children = tree.shown_children(caller).skip(page).take(PAGE);
            children.map(|it| brief(tree, it)).collect()
        }
        Question::CallersSiblings => {
            let parent = tree.shown_parent(caller);
            let all = parent.into_iter().flat_map(|it| tree.shown_children(it));
            // Filtered before the pages are counted, so that no page is one short.
            let others = all.filter(|it| *it != caller).skip(page).take(PAGE);
            others.map(|it| brief(tree, it)).collect()
        }
        Question::Caller => whereabouts(tree, caller),
        Question::Node
        | Question::Ancestors
        | Question::Siblings
        | Question::Children
        | Question::Outputs
        | Question::CacheStatus
        | Question::Reflections
        | Question::Tree
        | Question::Snapshot
        | Question::StateOf
        | Question::LogsOf
        | Question::OutputOf => unreachable!("no model asks this"),
    }
}

/// The node of the caller: the parent of the tool's node.
fn caller(tree: &Tree, here: NodeId) -> NodeId {
    let is_tool = tree.node(here).kind == NodeKind::Tool;
    // The tool itself is not what the model means by where it is.
    let around = tree.shown_parent(here).filter(|_| is_tool);
    around.unwrap_or(here)
}

fn whereabouts(tree: &Tree, id: NodeId) -> Value {
    let parent = tree.shown_parent(id);
    let siblings = parent.map_or(0, |it| tree.node(it).children.saturating_sub(1));
    let mut shown = brief(tree, id);
    shown["parent_id"] = json!(parent);
    shown["parent_name"] = json!(parent.map(|it| tree.name(it)));
    shown["child_count"] = json!(tree.node(id).children);
    shown["sibling_count"] = json!(siblings);
    shown
}

fn brief(tree: &Tree, id: NodeId) -> Value {
    let node = tree.node(id);
    json!({
        "id": id,
        "name": tree.name(id),
        "kind": node.kind,
        "status": node.status,
        "depth": node.depth,
    })
}

/// The node of this number, which a program may have made up.
fn node_of(tree: &Tree, number: usize) -> Option<NodeId> {
    // Ids are positions in the tree, so any number below its length is one.
    let is_there = number < tree.len();
    is_there.then_some(NodeId(number as u32))
}

fn value(record: &impl Serialize) -> Value {
    let text = serde_json::to_string(record).expect("records of nodes have a form in JSON");
    // By way of a text: `serde_json` makes no tree of a value that nests as deep as ours may.
    written(&text).expect("what is too deep is a string in it")
}

/// Answers a question about the run's tree with a value of this type.
pub(crate) fn query_context(
    run: &mut Run,
    result: TypeId,
    what: u64,
    count: i64,
    text: &str,
) -> Result<u64, u64> {
    // The library of another version may know more questions.
    let Some(&question) = Question::ALL.get(what as usize) else {
        return Err(raise::internal(
            &mut run.heap,
            &format!("`context` has no question {what}"),
        ));
    };
    let Some(here) = run.progress.tree().shown(run.scheduler.current_node()) else {
        let why = "is only there while a workflow, tool or test runs";
        return Err(raise::misused(
            &mut run.heap,
            &format!("`context.{}` {why}", question.name()),
        ));
    };
    let Ok(most) = usize::try_from(count) else {
        let why = "needs a count of at least 0";
        let name = question.name();
        return Err(raise::misused(
            &mut run.heap,
            &format!("`context.{name}` {why}: {count}"),
        ));
    };
    if question == Question::Snapshot {
        // The event and the answer are both made here, of the same moment.
        emit_snapshot(run, here);
    }
    let asked = Asked {
        question,
        here,
        number: most,
        text,
    };
    let tree = answer(run, asked);
    // By way of JSON, so that records of the library are made by one piece of code, with their checks and defaults.
    decode::decode(run, result, &tree).map_err(|issue| {
        raise::no_record(
            &mut run.heap,
            &format!("`context` gave no record: {}", issue.message),
        )
    })
}

fn emit_snapshot(run: &mut Run, here: NodeId) {
    let workflow = run.progress.tree().workflow_of(here).unwrap_or(here);
    let state = run.states.of_workflow(&run.heap, workflow);
    run.progress
        .emit(workflow, EventKind::StateSnapshot { state });
}

/// A question with what belongs to it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    question: Question,
    /// The shown node that asks.
    here: NodeId,
    /// How many at most, which page, or which node.
    number: usize,
    text: &'a str,
}

fn answer(run: &Run, asked: Asked<'_>) -> Value {
    let Asked {
        question,
        here,
        number: most,
        text,
    } = asked;
    let tree = run.progress.tree();
    let mut records = Answer::new(tree, run.progress.now());
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
        Question::Reflections => value(&run.reflection_log.near(tree, here).collect::<Vec<_>>()),
        Question::Tree => value(&records.nodes(tree.all_shown(), most)),
        Question::Snapshot => state_around(run, here),
        Question::StateOf => match node_of(tree, most) {
            Some(node) => state_around(run, node),
            None => json!({}),
        },
        Question::LogsOf => match node_of(tree, most) {
            Some(node) => value(&tree.lines_below(node)),
            None => json!([]),
        },
        Question::OutputOf => match node_of(tree, most).filter(|it| tree.is_shown(*it)) {
            Some(node) => json!([records.given(node)]),
            None => json!([]),
        },
        Question::Caller
        | Question::CallersAncestors
        | Question::CallersChildren
        | Question::CallersSiblings => answer_to_model(tree, question, caller(tree, here), most),
    }
}

/// The state of the innermost workflow around a node.
fn state_around(run: &Run, node: NodeId) -> Value {
    let workflow = run.progress.tree().workflow_of(node).unwrap_or(node);
    value(&run.states.of_workflow(&run.heap, workflow))
}
