//! What reflections leave: guidance and other values for the prompts of the next attempt, and what happened.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answers::Earlier;
use crate::codec::decode;
use crate::event::{ReflectionLevel, form};
use crate::node::{NodeId, Status, Tree};
use crate::run::Run;

/// All that the reflections of a run left.
#[derive(Debug, Default)]
pub(crate) struct ReflectionLog {
    /// Joins the system text of prompts inside, by the node whose body failed.
    guidance: FxHashMap<NodeId, Vec<String>>,
    /// Replaces parameters of prompts inside.
    revised: FxHashMap<NodeId, Map<String, Value>>,
    /// Those of `revised` that a prompt or a `state` had.
    taken: FxHashSet<(NodeId, String)>,
    /// The nodes whose body was given answers that did not do.
    refused: FxHashSet<NodeId>,
    /// The nodes whose body a reflection has had tried again.
    tried_again: FxHashSet<NodeId>,
    /// The model setting of the last prompt inside.
    models: FxHashMap<NodeId, Value>,
    /// All reflections, in order.
    history: Vec<ReflectionRecord>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ReflectionRecord {
    /// When, in nanoseconds since 1970; RFC 3339 in JSON.
    #[serde(serialize_with = "form::time::serialize")]
    pub time: i64,
    pub node: NodeId,
    pub level: ReflectionLevel,
    /// Why it failed, as the reflection found.
    pub reason: String,
    pub error: String,
    pub resolution: Resolution,
    /// Whether what follows ended well.
    pub success: bool,
    /// The guidance for the next attempt.
    pub guidance: String,
}

/// What a reflection led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    Retry,
    /// There was no judgement, so the error was raised.
    Skip,
    Abort,
}

impl ReflectionLog {
    /// A prompt that is called in `node` asks this model.
    pub(crate) fn note_model(&mut self, tree: &Tree, node: NodeId, model: &Value) {
        for it in around(tree, node) {
            // What is around a node that knows the model knows it as well.
            // Keeps the walk short: a loop over a thousand prompts would otherwise climb to the root for each.
            if self.models.get(&it) == Some(model) {
                return;
            }
            self.models.insert(it, model.clone());
        }
    }

    /// The model setting of the last prompt inside of a node.
    pub(crate) fn model(&self, node: NodeId) -> Option<&Value> {
        self.models.get(&node)
    }

    /// What was learnt from a failure of `node`'s body.
    pub(crate) fn learn(&mut self, node: NodeId, guidance: &str, revised: Map<String, Value>) {
        self.tried_again.insert(node);
        if !guidance.is_empty() {
            let known = self.guidance.entry(node).or_default();
            known.push(guidance.to_owned());
        }
        if !revised.is_empty() {
            self.revised.entry(node).or_default().extend(revised);
        }
    }

    pub(crate) fn note(&mut self, record: ReflectionRecord) {
        self.history.push(record);
    }

    /// The body of a node fails, and is tried again.
    pub(crate) fn refuse(&mut self, node: NodeId, error: Option<BuiltinError>) {
        // Where a provider could not answer, what the others have answered is not to blame, and is not paid for twice.
        let is_outage = matches!(
            error,
            Some(
                BuiltinError::RateLimited
                    | BuiltinError::Overloaded
                    | BuiltinError::ProviderError
                    | BuiltinError::Timeout
            )
        );
        if !is_outage {
            self.refused.insert(node);
        }
    }

    /// Whether a prompt that is called in `node` takes an answer that is kept.
    pub(crate) fn earlier(&self, tree: &Tree, node: NodeId) -> Earlier {
        let is_refused =
            !self.refused.is_empty() && around(tree, node).any(|it| self.refused.contains(&it));
        match is_refused {
            true => Earlier::Refused,
            false => Earlier::Taken,
        }
    }

    /// What a reflection gave for a name, of the nearest of these nodes.
    fn take(&mut self, mut nodes: impl Iterator<Item = NodeId>, name: &str) -> Option<Value> {
        let revised = |it: NodeId| Some((it, self.revised.get(&it)?.get(name)?.clone()));
        let (node, value) = nodes.find_map(revised)?;
        self.taken.insert((node, name.to_owned()));
        Some(value)
    }

    /// Forgets what is kept of a node, which ends; returns the names that a reflection on it revised and nothing had.
    pub(crate) fn close(&mut self, node: NodeId, status: Status) -> Vec<String> {
        // What is kept by node is dropped with it; the history alone grows, by one record for each reflection.
        self.models.remove(&node);
        self.refused.remove(&node);
        let revised = self.revised.remove(&node).unwrap_or_default();
        let mut names: Vec<String> = revised.into_iter().map(|it| it.0).collect();
        names.retain(|it| !self.taken.remove(&(node, it.clone())));
        self.guidance.remove(&node);
        if self.tried_again.remove(&node) && status == Status::Completed {
            self.succeed(node);
        }
        names
    }

    /// What followed the last reflection on a node ended well.
    pub(crate) fn succeed(&mut self, node: NodeId) {
        let last = self.history.iter_mut().rfind(|it| it.node == node);
        if let Some(last) = last.filter(|it| it.resolution == Resolution::Retry) {
            last.success = true;
        }
    }

    /// The guidance for prompts that are called in `node`, from the outside in.
    pub(crate) fn guidance<'a>(&'a self, tree: &'a Tree, node: NodeId) -> Vec<&'a str> {
        if self.guidance.is_empty() {
            return Vec::new();
        }
        let mut texts: Vec<&str> = around(tree, node)
            .filter_map(|it| self.guidance.get(&it))
            // Collected from the inside out and turned round as a whole, so each node's own texts keep their order.
            .flat_map(|it| it.iter().rev().map(String::as_str))
            .collect();
        texts.reverse();
        texts
    }

    /// The reflections on a node, oldest first.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = &ReflectionRecord> {
        self.history.iter().filter(move |it| it.node == node)
    }

    /// The reflections on a node, on those around it and on those below it, oldest first.
    pub fn near<'a>(
        &'a self,
        tree: &'a Tree,
        node: NodeId,
    ) -> impl Iterator<Item = &'a ReflectionRecord> {
        let holds = |outer: NodeId, inner: NodeId| tree.lineage(inner).any(|it| it == outer);
        let history = self.history.iter();
        history.filter(move |it| holds(it.node, node) || holds(node, it.node))
    }
}

/// The nodes around a prompt in `node`, nearest first. A reflection is no part of what it judges.
fn around(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> {
    let lineage = tree.lineage(node);
    lineage.take_while(|it| tree.node(*it).kind != NodeKind::Reflection)
}

/// The word of a prompt's parameter: the value of an enclosing reflection, if it fits, else the one that is given. Takes
/// it over.
pub(crate) fn revised_parameter(run: &mut Run, ty: TypeId, name: &str, given: u64) -> u64 {
    if run.reflection_log.revised.is_empty() {
        return given;
    }
    let node = run.scheduler.current_node();
    let nodes = around(run.progress.tree(), node);
    match run.reflection_log.take(nodes, name) {
        Some(tree) => word_of_revised(run, ty, name, given, &tree),
        None => given,
    }
}

/// The first word of a `state` variable: the value of a reflection on its workflow, if it fits, else the one that is given.
/// Takes it over.
pub(crate) fn revised_state(run: &mut Run, ty: TypeId, name: &str, given: u64) -> u64 {
    if run.reflection_log.revised.is_empty() {
        return given;
    }
    let workflow = run
        .progress
        .tree()
        .workflow_of(run.scheduler.current_node());
    // What is revised for another workflow around means its own variables.
    match run.reflection_log.take(workflow.into_iter(), name) {
        Some(tree) => word_of_revised(run, ty, name, given, &tree),
        None => given,
    }
}

fn word_of_revised(run: &mut Run, ty: TypeId, name: &str, given: u64, tree: &Value) -> u64 {
    match decode::decode(run, ty, tree) {
        Ok(word) => {
            run.heap.release_typed(ty, given);
            word
        }
        Err(issue) => {
            let message = format!(
                "the value that a reflection gave for `{name}` does not fit: {}",
                issue.message
            );
            run.progress.warn(run.scheduler.current_node(), message);
            given
        }
    }
}
