//! Errors as data: for events, and for the caller that started the run.

use std::sync::Arc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::NodeKind;
use gsw_abi::permission::Permission;
use gsw_abi::program::Program;
use gsw_abi::types::ErrorClass;
use gsw_notation::json::written;
use serde_json::Value;

use crate::budget::is_about_price;
use crate::event::{ErrorPart, RunError, TracePlace};
use crate::node::{NodeId, Tree};
use crate::run::Run;
use crate::value::{self, error, list, string};

/// The most errors of a `Many` that are described one by one.
const MOST_PARTS: usize = 100;

/// The errors that were reported: of the latest one, its description.
#[derive(Debug, Default)]
pub(crate) struct ReportedErrors {
    latest: Option<Reported>,
}

/// An error that was reported.
#[derive(Debug)]
struct Reported {
    /// Its address; it may be gone.
    error: u64,
    /// The node where it arose.
    node: NodeId,
    described: Box<RunError>,
}

impl ReportedErrors {
    /// The description of this error, if it is the latest; without a node, wherever it arose.
    fn latest(&self, error: u64, node: Option<NodeId>) -> Option<&RunError> {
        let latest = self.latest.as_ref()?;
        let is_it = latest.error == error && node.is_none_or(|it| it == latest.node);
        is_it.then_some(&latest.described)
    }

    /// Whether the latest error is this one, and arose in the node or below it.
    fn has_left(&self, error: u64, tree: &Tree, node: NodeId) -> bool {
        let latest = self.latest.as_ref();
        latest.is_some_and(|it| it.error == error && tree.is_below(it.node, node))
    }
}

impl Run {
    /// The error of a node that fails, as data; `None` when it was reported already, where it arose. It is borrowed.
    pub(crate) fn describe_once(&mut self, raised: u64, node: NodeId) -> Option<Box<RunError>> {
        let is_reported = match value::owners(raised) {
            // An error with an owner count carries its origin. A constant is shared by all its uses and can carry none, so the latest
            // report is compared instead.
            Some(_) => error::origin(raised).is_some(),
            // A constant stands for every error of its kind; one that leaves the node where it was reported is still
            // that error.
            None => self
                .reported_errors
                .has_left(raised, self.progress.tree(), node),
        };
        if is_reported {
            return None;
        }
        error::set_origin(&mut self.heap, raised, node.0);
        let described = Box::new(describe(self, raised, node));
        self.reported_errors.latest = Some(Reported {
            error: raised,
            node,
            described: described.clone(),
        });
        Some(described)
    }

    /// The error that ends the run, with what was around it when it arose. It is borrowed.
    pub(super) fn described(&self, raised: u64) -> Box<RunError> {
        let node = error::origin(raised).map(NodeId);
        // One that could carry an origin and has none was never reported; another that was may have had its address.
        let may_be_it = node.is_some() || value::owners(raised).is_none();
        let reported = self.reported_errors.latest(raised, node);
        let Some(reported) = reported.filter(|_| may_be_it) else {
            return Box::new(describe(self, raised, node.unwrap_or(NodeId::ROOT)));
        };
        let mut described = Box::new(reported.clone());
        // It has passed more places since.
        described.trace = places_of(self, raised);
        described.left_out = error::left_out(raised);
        described.not_undone = self.undos.failed();
        described
    }
}

/// The places without those in the standard library, which say nothing to the author of a program; all when there are no
/// others.
fn own_places(places: Vec<TracePlace>) -> Vec<TracePlace> {
    let is_own = |it: &TracePlace| !it.file.starts_with("std/");
    if !places.iter().any(is_own) {
        return places;
    }
    places.into_iter().filter(is_own).collect()
}

/// The place of a span of the program.
pub(crate) fn place(program: &Arc<Program>, span: u32) -> Option<TracePlace> {
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

fn hint(run: &Run, raised: u64) -> Option<String> {
    let kind = error::kind(raised)?;
    if kind == BuiltinError::Unauthorized {
        let offline = run.models.prompts().and_then(|it| it.offline_model());
        let another = offline.map_or_else(String::new, |it| {
            format!(", or try without one: `--model {it}`")
        });
        return Some(format!("set the provider's key{another}"));
    }
    let program = &run.loaded.program;
    if kind == BuiltinError::PermissionDenied
        && !is_of_permission(string::text(error::field(raised, 0)))
    {
        return None;
    }
    // A block can only narrow what the project permits.
    if kind == BuiltinError::PermissionDenied && program.ceiling.is_some() {
        // Without a block the program has what the project permits.
        let block = match program.permissions == program.ceiling {
            true => "",
            false => " and in the `permissions` block of the entry module",
        };
        return Some(format!("list it in `[permissions]` of `gsw.toml`{block}"));
    }
    if kind == BuiltinError::BudgetExceeded && is_about_price(string::text(error::field(raised, 0)))
    {
        let hint = "more dollars do not help: limit `calls` or `tokens`, or give the price in the file that `GSW_PRICES` names";
        return Some(hint.to_owned());
    }
    hint_of(kind).map(str::to_owned)
}

/// Whether what is denied is something that a program can list: what programs of a model may not do, and secrets that only other
/// programs get, are not.
fn is_of_permission(what: &str) -> bool {
    let quoted = what.strip_prefix('`').and_then(|it| it.split('`').next());
    quoted.and_then(Permission::named).is_some()
}

/// What a user can do about an error of this kind, whatever the run.
fn hint_of(kind: BuiltinError) -> Option<&'static str> {
    Some(match kind {
        BuiltinError::RateLimited | BuiltinError::Overloaded => {
            "add `retry 3` to the step, or `limit` to the `parallel for`"
        }
        BuiltinError::QuotaExceeded => {
            "add credit to the provider's account, or use another model: `--model`"
        }
        BuiltinError::InvalidResponse => "allow more rounds with `reflect: N`, or loosen the type",
        BuiltinError::ContextTooLong => "send less text, or use a model with a larger context",
        BuiltinError::MaxTokens => "raise `max_tokens` of the agent",
        BuiltinError::Timeout => "raise the `timeout`, or catch `Timeout`",
        BuiltinError::OutOfRange => "use `.get(…)`, which gives an optional",
        BuiltinError::StackOverflow => {
            "a function calls itself without end, or more than some hundred thousand times: a loop needs no stack"
        }
        BuiltinError::OutOfMemory => {
            "keep less in memory at once, or raise the limit: `--memory 4GB`"
        }
        BuiltinError::PermissionDenied => "list it in the `permissions` block of the entry module",
        BuiltinError::BudgetExceeded => "raise the `budget`",
        BuiltinError::Internal => "this is a bug in Groundswell; please report it with the program",
        BuiltinError::Refused
        | BuiltinError::Unauthorized
        | BuiltinError::ProviderError
        | BuiltinError::ToolFailed
        | BuiltinError::McpError
        | BuiltinError::IoError
        | BuiltinError::HttpError
        | BuiltinError::DecodeError
        | BuiltinError::Failed
        | BuiltinError::Many
        | BuiltinError::Overflow
        | BuiltinError::DivisionByZero
        | BuiltinError::AssertionFailed
        | BuiltinError::OutcomeUnknown
        | BuiltinError::Cancelled
        | BuiltinError::Unwind => return None,
    })
}

fn describe(run: &Run, raised: u64, node: NodeId) -> RunError {
    let kind = value::type_of(raised);
    let fields = error::fields(&run.heap, kind)
        .iter()
        .enumerate()
        .map(|(index, field)| {
            let text = error::shown_field(&run.heap, field, error::field(raised, index));
            let value = written(&text).unwrap_or(Value::String(text));
            // The program has them as they came.
            let value = match error::kind(raised).is_some_and(error::tells_of_outside) {
                true => run.heap.value_without_hidden(value),
                false => value,
            };
            (field.name.clone(), value)
        });
    let workflow = run.progress.tree().workflow_of(node);
    RunError {
        error: error::name(&run.heap, raised).to_owned(),
        message: error::message(&run.heap, raised),
        fields: Value::Object(fields.collect()),
        parts: parts(run, raised, node),
        is_fault: error::class(&run.heap, raised) == ErrorClass::Fault,
        trace: places_of(run, raised),
        left_out: error::left_out(raised),
        path: run.progress.tree().path(node),
        workflow,
        state: workflow
            .map(|it| run.states.of_workflow(&run.heap, it))
            .unwrap_or_default(),
        logs: run.progress.tree().lines_below(node),
        not_undone: run.undos.failed(),
        hint: hint(run, raised),
    }
}

/// What a `Many` that arose in a node is made of.
fn parts(run: &Run, raised: u64, node: NodeId) -> Vec<ErrorPart> {
    if error::kind(raised) != Some(BuiltinError::Many) {
        return Vec::new();
    }
    let errors = list::words(error::field(raised, 0)).iter();
    let tree = run.progress.tree();
    let part = |&it: &u64| {
        let origin = error::origin(it).map(NodeId);
        ErrorPart {
            error: error::name(&run.heap, it).to_owned(),
            message: error::message(&run.heap, it),
            path: origin.map(|it| tree.path(it)).unwrap_or_default(),
            name: origin
                .map(|it| name_below(tree, it, node))
                .unwrap_or_default(),
        }
    };
    errors.take(MOST_PARTS).map(part).collect()
}

/// The way from `above` to a node by names. An item that holds one thing with a name is known by that.
fn name_below(tree: &Tree, id: NodeId, above: NodeId) -> String {
    let way: Vec<NodeId> = tree.lineage(id).take_while(|it| *it != above).collect();
    let mut names = Vec::new();
    let mut inner: Option<NodeKind> = None;
    for &it in &way {
        let kind = tree.node(it).kind;
        let is_known_by_inner = matches!(
            kind,
            NodeKind::Iteration | NodeKind::Task | NodeKind::Attempt
        ) && inner.is_some_and(has_name);
        if !is_known_by_inner {
            names.push(tree.segment(it));
        }
        inner = Some(kind);
    }
    names.reverse();
    names.join(" > ")
}

/// Whether the author of the program has named nodes of this kind.
const fn has_name(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Workflow
        | NodeKind::Step
        | NodeKind::Prompt
        | NodeKind::Tool
        | NodeKind::Human
        | NodeKind::External
        | NodeKind::Hook
        | NodeKind::Undo => true,
        NodeKind::Task
        | NodeKind::Parallel
        | NodeKind::Iteration
        | NodeKind::Reflection
        | NodeKind::Attempt
        | NodeKind::Region => false,
    }
}

fn places_of(run: &Run, raised: u64) -> Vec<TracePlace> {
    let places = error::trace(raised).into_iter();
    own_places(
        places
            .filter_map(|it| place(&run.loaded.program, it))
            .collect(),
    )
}
