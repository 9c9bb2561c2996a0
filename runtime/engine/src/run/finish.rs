//! The end of a run: its value or error as data, and nothing left of its memory.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::program::Program;
use gsw_abi::types::{ErrorClass, TypeId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codec;
use crate::model::Issue;
use crate::node::{NodeId, Status, Tree};
use crate::run::Run;
use crate::task::{Ending, Role, State, Task};
use crate::value::{self, error};
use crate::wait::Wait;

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    /// How.
    pub result: RunResult,
    /// How long it took, in nanoseconds.
    pub duration: i64,
    /// All its nodes.
    pub tree: Tree,
    /// Objects that were not freed; anything but 0 is a bug of ours.
    pub live_objects: u64,
    /// What a test called first that only a mock can answer, also when it caught the error.
    pub unmocked: Option<String>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum RunResult {
    /// With a value, as JSON text.
    Value(String),
    /// With an error that nobody caught.
    Raised(Box<RunError>),
    /// It was told to end.
    Cancelled,
    /// It did not begin: its input does not fit.
    InvalidInput(Vec<Issue>),
    /// A mistake of ours.
    Internal(String),
}

/// An error that nobody caught.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunError {
    /// Its kind.
    pub error: String,
    /// What it says.
    pub message: String,
    /// Its fields.
    pub fields: Value,
    /// Whether it is a fault, which is part of no signature.
    pub is_fault: bool,
    /// The places that it passed, from the inside out.
    pub trace: Vec<TracePlace>,
    /// The path of the node in which it arose.
    pub node: String,
    /// What the user can do.
    pub hint: Option<String>,
}

/// A place in source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TracePlace {
    /// The file, as shown to the user.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode scalar values.
    pub column: u32,
    /// The whole line, unless sources were stripped.
    pub source: Option<String>,
    /// How many characters of that line are meant.
    pub width: u32,
}

impl Run {
    /// The run's own task has ended.
    pub(crate) fn finish_run(&mut self, ending: Ending) {
        let result = match ending {
            Ending::Value(value) => {
                let text = codec::encode(&self.heap, self.result, value);
                self.heap.release_typed(self.result, value);
                RunResult::Value(text)
            }
            Ending::Error(error) => {
                let described = self.describe(error);
                self.heap.release(error);
                RunResult::Raised(Box::new(described))
            }
            Ending::Cancelled => RunResult::Cancelled,
        };
        self.finished = Some(result);
        let root = self.root;
        self.unlist(root);
        self.tasks.remove(root);
        self.release_mocks();
        self.collect_handles();
    }

    fn release_mocks(&mut self) {
        for closure in std::mem::take(&mut self.mocks).into_values().flatten() {
            self.heap.release(closure);
        }
    }

    pub(crate) fn take_finished(&mut self) -> Box<Finished> {
        Box::new(Finished {
            result: self.finished.take().unwrap_or(RunResult::Cancelled),
            duration: self.now - self.began,
            tree: std::mem::take(&mut self.tree),
            live_objects: self.heap.live(),
            unmocked: self.unmocked.take(),
        })
    }

    /// Ends the run because of a mistake of ours; what it holds is freed with its heap.
    pub(crate) fn fail_internally(&mut self, message: String) {
        self.finished = Some(RunResult::Internal(message));
    }

    /// Ends a cancelled run whose `defer`s take too long.
    pub(crate) fn drop_all(&mut self) {
        let ids: Vec<_> = self.tasks.ids().collect();
        for &id in &ids {
            self.drop_frames(id);
            let task = self.tasks.at_mut(id);
            let wait = std::mem::take(&mut task.wait);
            let node = task.base;
            self.drop_wait(wait);
            self.leave_node(node, Status::Cancelled, None);
        }
        for id in ids {
            let Task {
                ending,
                role,
                state,
                result,
                ..
            } = *self.tasks.at(id);
            // The endings of other roles were handed over when they were known.
            if role == Role::Spawned || state != State::Ended {
                self.release_ending(ending, result);
            }
            self.tasks.remove(id);
        }
        self.release_mocks();
        // Handles go with what held them; the tasks that they name are gone.
        let _ = self.heap.take_dropped();
        self.finished = Some(RunResult::Cancelled);
    }

    fn drop_wait(&mut self, wait: Wait) {
        match wait {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race { handles: word, .. } => {
                self.heap.release(word);
            }
            Wait::Operation { id, .. } => self.operations.abandon(id),
            Wait::Parallel(parallel) => self.drop_parallel(&parallel),
            Wait::Prompt(prompt) => self.drop_prompt(*prompt),
            Wait::Reflect(reflecting) => self.drop_reflection(*reflecting),
            Wait::Nothing | Wait::Join | Wait::Abort | Wait::Ending => {}
        }
    }

    fn release_ending(&mut self, ending: Option<Ending>, result: TypeId) {
        match ending {
            Some(Ending::Value(value)) => self.heap.release_typed(result, value),
            Some(Ending::Error(error)) => self.heap.release(error),
            Some(Ending::Cancelled) | None => {}
        }
    }

    fn describe(&self, raised: u64) -> RunError {
        let kind = value::type_of(raised);
        let fields = error::fields(&self.heap, kind)
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let text = error::shown_field(&self.heap, field, error::field(raised, index));
                (
                    field.name.clone(),
                    serde_json::from_str(&text).unwrap_or(Value::Null),
                )
            });
        let node = match self.failure {
            Some((known, node)) if known == raised => node,
            _ => NodeId::ROOT,
        };
        RunError {
            error: error::name(&self.heap, raised).to_owned(),
            message: error::message(&self.heap, raised),
            fields: Value::Object(fields.collect()),
            is_fault: error::class(&self.heap, raised) == ErrorClass::Fault,
            trace: own_places(
                error::trace(raised)
                    .into_iter()
                    .filter_map(|it| place(&self.loaded.program, it))
                    .collect(),
            ),
            node: self.tree.path(node),
            hint: error::kind(raised).and_then(hint).map(str::to_owned),
        }
    }
}

/// The place of a span of the program.
/// The places without those in the standard library, which say nothing to the author of a program; all when there are no
/// others.
fn own_places(places: Vec<TracePlace>) -> Vec<TracePlace> {
    let is_own = |it: &TracePlace| !it.file.starts_with("std/");
    if !places.iter().any(is_own) {
        return places;
    }
    places.into_iter().filter(is_own).collect()
}

fn place(program: &Arc<Program>, span: u32) -> Option<TracePlace> {
    let span = program.spans.get(span as usize)?;
    let source = program.sources.get(span.source as usize)?;
    let line = source
        .lines
        .partition_point(|&start| start <= span.start)
        .max(1);
    let line_start = source.lines.get(line - 1).copied().unwrap_or(0) as usize;
    let text = source.text.as_deref();
    let of_line = text
        .and_then(|it| it.get(line_start..))
        .and_then(|it| it.lines().next());
    let count = |from: usize, to: usize| {
        let piece = text.and_then(|it| it.get(from..to));
        piece.map_or(to.saturating_sub(from), |it| it.chars().count()) as u32
    };
    let end_of_line = line_start + of_line.map_or(usize::MAX / 2, str::len);
    Some(TracePlace {
        file: source.path.clone(),
        line: line as u32,
        column: count(line_start, span.start as usize) + 1,
        source: of_line.map(str::to_owned),
        width: count(span.start as usize, (span.end as usize).min(end_of_line)).max(1),
    })
}

/// What a user can do about an error of this kind.
fn hint(kind: BuiltinError) -> Option<&'static str> {
    Some(match kind {
        BuiltinError::RateLimited | BuiltinError::Overloaded => {
            "add `retry 3` to the step, or `limit` to the `parallel for`"
        }
        BuiltinError::Unauthorized => {
            "set the provider's key, or try without one: `--model sim/default`"
        }
        BuiltinError::QuotaExceeded => {
            "add credit to the provider's account, or use another model: `--model`"
        }
        BuiltinError::InvalidResponse => "allow more rounds with `reflect: N`, or loosen the type",
        BuiltinError::ContextTooLong => "send less text, or use a model with a larger context",
        BuiltinError::MaxTokens => "raise `max_tokens` of the agent",
        BuiltinError::Timeout => "raise the `timeout`, or catch `Timeout`",
        BuiltinError::OutOfRange => "use `.get(…)`, which gives an optional",
        BuiltinError::StackOverflow => "a function calls itself without end",
        BuiltinError::PermissionDenied => "list it in the `permissions` block of the entry module",
        BuiltinError::BudgetExceeded => "raise the `budget`",
        BuiltinError::Internal => "this is a bug of Groundswell; please report it with the program",
        _ => return None,
    })
}
