//! What models may ask of the run that they are part of: how many questions at a time, and which workflows they may start.
//!
//! A prompt whose settings list workflows after `spawns` has a grant as long as it runs. What is started on its request is a
//! node directly under the prompt's, so the tree shows which prompt asked for it.

mod written;

use std::borrow::Cow;
use std::fmt::Write;

use gsw_abi::builtin::JSON;
use gsw_abi::call::NodeKind;
use gsw_abi::program::{Repeat, Spawnable};
use gsw_abi::setting::Setting;
use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;
use gsw_notation::json;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value, json};

use crate::codec::decode;
use crate::event::{EventKind, SpawnVerdict};
use crate::node::{NodeId, Tree};
use crate::run::{Run, by_name, handles, raise};
use crate::task::{Encoding, NewTask, Role, TaskId};

pub(crate) use written::{WrittenRequest, check_written, run_written};

/// How many questions of one agent may be under way.
const QUESTIONS_AT_A_TIME: u32 = 5;
/// How many workflows one prompt may start.
const MOST_SPAWNS: usize = 10;
/// How many of these may be under way.
const SPAWNS_AT_A_TIME: usize = 5;
/// How deep workflows may lie in each other that models have asked for.
const DEEPEST_SPAWN: usize = 8;

/// How many of a run may lie in another that a model has asked for: ten each, eight deep, would be a hundred million.
const MOST_NESTED: usize = 100;

/// What is known of the questions and requests of a run's models.
#[derive(Debug, Default)]
pub(crate) struct Introspection {
    /// By the prompt's node.
    grants: FxHashMap<NodeId, Grant>,
    /// How many questions are under way, by the name of the agent.
    questions: FxHashMap<String, u32>,
    /// The workflows that models have asked for.
    requested: FxHashSet<NodeId>,
    /// How many of them lie in another one.
    nested: usize,
    /// Those of them whose code has not yet begun.
    expected: FxHashMap<NodeId, TaskId>,
}

/// What a prompt's model may start, and has.
#[derive(Debug, Default)]
struct Grant {
    allowed: Vec<String>,
    started: Vec<NodeId>,
}

/// A model's request to start a workflow.
#[derive(Debug)]
pub(crate) struct SpawnRequest {
    pub workflow: String,
    pub description: String,
    /// Its parameters by name.
    pub input: Value,
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// One of those that `std/introspect.gsw` lists.
    code: &'static str,
    message: String,
    /// Where in the input, when that does not fit.
    path: Option<String>,
}

/// A request that is granted.
struct Admitted {
    wanted: Spawnable,
    words: Vec<u64>,
}

impl Introspection {
    /// A prompt begins with these settings.
    pub(crate) fn grant(&mut self, prompt: NodeId, settings: &Map<String, Value>) {
        let Some(Value::Array(names)) = settings.get(Setting::Spawns.name()) else {
            return;
        };
        let names = names.iter().filter_map(Value::as_str);
        let allowed: Vec<String> = names.map(str::to_owned).collect();
        if !allowed.is_empty() {
            let started = Vec::new();
            self.grants.insert(prompt, Grant { allowed, started });
        }
    }

    pub(crate) fn forget(&mut self, prompt: NodeId) {
        self.grants.remove(&prompt);
    }

    /// An agent asks a question; says whether it may.
    pub(crate) fn begin_question(&mut self, agent: &str) -> bool {
        let under_way = self.questions.entry(agent.to_owned()).or_default();
        // Only those that may are counted: a refused question is answered at once.
        let may = *under_way < QUESTIONS_AT_A_TIME;
        *under_way += u32::from(may);
        may
    }

    /// A question that was begun has been answered, or given up.
    pub(crate) fn end_question(&mut self, agent: &str) {
        if let Some(under_way) = self.questions.get_mut(agent) {
            *under_way = under_way.saturating_sub(1);
        }
    }

    /// Whether a prompt may start one more workflow.
    fn check_limits(&self, tree: &Tree, prompt: NodeId) -> Result<(), Refusal> {
        let started = self.grants.get(&prompt);
        // All that the prompt ever started, since the limit bounds what one answer can cost.
        let started = started.map_or(&[][..], |it| &it.started);
        if started.len() >= MOST_SPAWNS {
            let message = format!("a prompt may start {MOST_SPAWNS} workflows, and it has");
            return Err(refusal("too_many", message));
        }
        let is_under_way = |it: &&NodeId| !tree.node(**it).status.is_final();
        if started.iter().filter(is_under_way).count() >= SPAWNS_AT_A_TIME {
            let message = format!(
                "a prompt may have {SPAWNS_AT_A_TIME} workflows under way, and it has; ask again when one has ended"
            );
            return Err(refusal("too_many_at_once", message));
        }
        // Only workflows that models asked for count, not those of the program around them.
        let lineage = tree.lineage(prompt);
        let depth = lineage.filter(|it| self.requested.contains(it)).count();
        if depth > 0 && self.nested >= MOST_NESTED {
            let message = format!(
                "{MOST_NESTED} workflows that models ask for may lie in others in one run, and they do"
            );
            return Err(refusal("too_many", message));
        }
        if depth >= DEEPEST_SPAWN {
            let message = format!(
                "workflows that models ask for may nest {DEEPEST_SPAWN} deep, and this one would nest deeper"
            );
            return Err(refusal("too_deep", message));
        }
        Ok(())
    }

    /// What a prompt's model has asked for begins in a node.
    fn note_started(&mut self, tree: &Tree, prompt: NodeId, node: NodeId) {
        let mut around = tree.lineage(prompt);
        self.nested += usize::from(around.any(|it| self.requested.contains(&it)));
        self.requested.insert(node);
        if let Some(grant) = self.grants.get_mut(&prompt) {
            grant.started.push(node);
        }
    }

    /// The code of this task is to find this node as its own.
    pub(crate) fn expect(&mut self, node: NodeId, task: TaskId) {
        self.expected.insert(node, task);
    }

    /// Notes the node of a written program: it is nested in what models have asked for around it.
    pub(crate) fn inherit(&mut self, around: &Self, node: NodeId) {
        self.requested.clone_from(&around.requested);
        self.requested.insert(node);
        self.nested = around.nested;
    }

    /// Whether this node was made for the workflow that is about to begin in it; only once.
    pub(crate) fn takes_up(&mut self, node: NodeId) -> bool {
        // The code of the workflow enters a node by itself; here that is the one which was made for it.
        self.expected.remove(&node).is_some()
    }
}

/// What goes back to an agent that asks too many questions at once.
pub(crate) fn too_many_questions() -> String {
    let code = "too_many_at_once";
    let message = format!("at most {QUESTIONS_AT_A_TIME} questions are answered at a time");
    json!({ "kind": "IntrospectionRefused", "code": code, "message": message, "path": null })
        .to_string()
}

/// Models like to write an object as a text.
pub(crate) fn unpacked(input: &Value) -> Cow<'_, Value> {
    // Only an object is taken out of its text: a parameter may well be a string.
    let text = input.as_str().map(json::parse);
    match text {
        Some(Ok(inside @ Value::Object(_))) => Cow::Owned(inside),
        _ => Cow::Borrowed(input),
    }
}

fn refusal(code: &'static str, message: String) -> Refusal {
    Refusal {
        code,
        message,
        path: None,
    }
}

fn not_allowed(name: &str, allowed: &[(&str, &Spawnable)]) -> String {
    let names: Vec<String> = allowed.iter().map(|it| format!("`{}`", it.0)).collect();
    match names.is_empty() {
        true => format!("`{name}` may not be started here, nor may any other workflow"),
        false => format!(
            "`{name}` may not be started here; these may: {}",
            names.join(", ")
        ),
    }
}

fn unfit(issues: &[Issue]) -> Refusal {
    let mut message = String::from("the input does not fit");
    for (index, issue) in issues.iter().enumerate() {
        let separator = if index == 0 { ": " } else { "; " };
        let _ = match issue.message.is_empty() {
            true => write!(
                message,
                "{separator}expected {}, found {}",
                issue.expected, issue.found
            ),
            false => write!(message, "{separator}{}", issue.message),
        };
    }
    Refusal {
        code: "unfit",
        message,
        path: issues.first().map(|it| it.path.clone()),
    }
}

/// Starts the workflow that a model asks for, if that is allowed; returns the verdict as a record of this type.
pub(crate) fn request_spawn(
    run: &mut Run,
    result: TypeId,
    request: SpawnRequest,
) -> Result<u64, u64> {
    let prompt = asking_prompt(run.progress.tree(), run.scheduler.current_node());
    let outcome = match prompt {
        Some(prompt) => judge_request(run, prompt, &request),
        None => Err(refusal(
            "not_allowed",
            "only a model may ask for a workflow; a program calls it".into(),
        )),
    };
    // Before the workflow starts, so that observers see the request first.
    let refusal = outcome.as_ref().err();
    report(run, prompt, request.workflow, request.description, refusal);
    let tree = match (prompt, outcome) {
        (Some(prompt), Ok(admitted)) => {
            let node = start_requested(run, prompt, admitted);
            json!({ "node": node.0, "refusal": null })
        }
        (_, Err(it)) => {
            let refusal = json!({ "code": it.code, "message": it.message, "path": it.path });
            json!({ "node": -1, "refusal": refusal })
        }
        (None, Ok(_)) => unreachable!("without a prompt every request is refused"),
    };
    decode::decode(run, result, &tree).map_err(|issue| {
        raise::no_record(
            &mut run.heap,
            &format!("a verdict has no record: {}", issue.message),
        )
    })
}

/// The task of a workflow that was started just now.
pub(crate) fn requested_task(run: &mut Run, task_type: TypeId, node: NodeId) -> Result<u64, u64> {
    match run.introspection.expected.get(&node).copied() {
        Some(task) => {
            // Kept until the handle is dropped; without one it would be forgotten when it ends.
            run.scheduler.task_mut(task).has_handle = true;
            Ok(handles::handle_of(&mut run.heap, task_type, task))
        }
        None => Err(raise::internal(&mut run.heap, "no workflow was asked for")),
    }
}

fn judge_request(
    run: &mut Run,
    prompt: NodeId,
    request: &SpawnRequest,
) -> Result<Admitted, Refusal> {
    let wanted = wanted(run, prompt, &request.workflow)?;
    run.introspection
        // After the name: a workflow that is not allowed is never a matter of limits.
        .check_limits(run.progress.tree(), prompt)?;
    let input = unpacked(&request.input);
    let words = by_name::words_of_input(run, &wanted.workflow, &input);
    let words = words.map_err(|issues| unfit(&issues))?;
    Ok(Admitted { wanted, words })
}

/// The workflow of this name, if a prompt's model may start it.
pub(crate) fn wanted(run: &Run, prompt: NodeId, name: &str) -> Result<Spawnable, Refusal> {
    let grant = run.introspection.grants.get(&prompt);
    let allowed = grant.map_or(&[][..], |it| &it.allowed);
    let allowed = run.loaded.program.spawnable(allowed);
    // Models leave the module out when the short name is clear to them.
    let is_meant = |it: &&(&str, &Spawnable)| it.0 == name || it.1.workflow.name == name;
    let found = allowed.iter().find(is_meant);
    found
        .map(|it| it.1.clone())
        .ok_or_else(|| refusal("not_allowed", not_allowed(name, &allowed)))
}

/// Reports a request for a workflow of this name, with what for, and what happens to it.
fn report(
    run: &mut Run,
    prompt: Option<NodeId>,
    workflow: String,
    description: String,
    refusal: Option<&Refusal>,
) {
    let node = prompt.unwrap_or_else(|| run.scheduler.current_node());
    let verdict = match refusal {
        None => SpawnVerdict::Granted,
        Some(_) => SpawnVerdict::Refused,
    };
    let kind = EventKind::SpawnRequest {
        workflow,
        description,
        verdict,
        reason: refusal.map(|it| format!("{}: {}", it.code, it.message)),
    };
    run.progress.emit(node, kind);
}

/// Starts what was admitted, directly under the prompt's node.
fn start_requested(run: &mut Run, prompt: NodeId, admitted: Admitted) -> NodeId {
    let Spawnable { workflow, repeat } = admitted.wanted;
    if repeat == Repeat::Once {
        // The answer of this prompt now depends on something that was done, so it may be neither cached nor asked again.
        run.progress.forbid_repeats(prompt);
    }
    let frame = run.frame_with(workflow.function.0, admitted.words);
    let id = run.start_task(NewTask {
        frame,
        owner: prompt,
        // The workflow's own code finds this node as its own.
        kind: NodeKind::Workflow,
        // The tree shows workflows without their modules.
        name: workflow.name.rsplit('.').next().unwrap_or_default(),
        index: None,
        input: None,
        role: Role::Spawned,
        result: JSON,
    });
    let task = run.scheduler.task_mut(id);
    // As JSON without what observers may not see: it is meant for a model.
    task.encodes = Some(Encoding::Redacted(workflow.result));
    let node = task.base;
    run.introspection
        .note_started(run.progress.tree(), prompt, node);
    run.introspection.expect(node, id);
    node
}

/// The prompt whose model asks: the innermost one around, unless a workflow in it is what asks.
pub(crate) fn asking_prompt(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let asks = |it: &NodeId| {
        let kind = tree.node(*it).kind;
        matches!(kind, NodeKind::Prompt | NodeKind::Workflow)
    };
    let around = tree.lineage(node).find(asks)?;
    (tree.node(around).kind == NodeKind::Prompt).then_some(around)
}
