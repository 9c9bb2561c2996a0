//! From events to spans: one for each node and one for each request to a model.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_tree::event::{Event, EventKind, RunError};
use gsw_tree::node::NodeId;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind};
use serde_json::Value;

use crate::telemetry::attribute::{claim, fraction, number, text, texts};
use crate::telemetry::identity::Identity;
use crate::telemetry::names;
use crate::telemetry::plain::plain_fields;
use crate::telemetry::settings::{Content, Settings};
use crate::telemetry::span;

/// How many runs are known to have been started before their first event comes. A guess.
const MOST_STARTERS: usize = 1_024;

/// The workflow that a run was started with; its first node after the run itself.
const FIRST: NodeId = NodeId(1);

/// The spans of all runs.
pub struct Spans {
    content: Content,
    parent: Option<([u8; 16], [u8; 8])>,
    runs: HashMap<Arc<str>, Run>,
    /// The spans that started runs of their own of which nothing was seen, by run; the last ones.
    starters: VecDeque<Starter>,
    ended: Vec<Span>,
    made: u64,
    latest: i64,
}

/// Who started a run that was not seen yet.
struct Starter {
    run: Arc<str>,
    /// What the run is called here, which its starter's span names already.
    identity: Identity,
    link: Link,
}

/// The spans of one run that have not ended.
struct Run {
    identity: Identity,
    nodes: HashMap<NodeId, Span>,
    requests: HashMap<NodeId, Span>,
}

impl Run {
    fn has_ended(&self) -> bool {
        self.nodes.is_empty() && self.requests.is_empty()
    }
}

impl Spans {
    pub fn new(settings: &Settings) -> Self {
        Self {
            content: settings.content,
            parent: settings.parent,
            runs: HashMap::new(),
            starters: VecDeque::new(),
            ended: Vec::new(),
            made: 0,
            latest: 0,
        }
    }

    /// How many spans were begun so far.
    pub const fn made(&self) -> u64 {
        self.made
    }

    /// Those that have ended since this was asked last.
    pub fn take_ended(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.ended)
    }

    /// Ends what has not ended, when no more events come.
    pub fn end_all(&mut self) {
        let time = span::unsigned(self.latest);
        for run in self.runs.values_mut() {
            for mut span in run.nodes.drain().chain(run.requests.drain()).map(|it| it.1) {
                span.end_time_unix_nano = time;
                self.ended.push(span);
            }
        }
    }

    pub fn apply(&mut self, event: &Event) {
        self.latest = self.latest.max(event.time);
        self.run(&event.run);
        self.apply_kind(event);
        // A process may see any number of runs. What comes of one later finds no span to add to.
        if self.runs.get(&event.run).is_some_and(Run::has_ended) {
            self.runs.remove(&event.run);
        }
    }

    fn apply_kind(&mut self, event: &Event) {
        match &event.kind {
            EventKind::ChildAttached { .. } => self.begin_node(event),
            EventKind::ModelRequest { .. } => self.begin_request(event),
            EventKind::ModelAnswer { .. } => self.end_request(event),
            EventKind::Status { .. }
            | EventKind::WorkflowEnd { .. }
            | EventKind::StepEnd { .. }
            | EventKind::TaskEnd { .. }
            | EventKind::PromptEnd { .. }
            | EventKind::ToolCall { .. } => self.end_node(event),
            // The start of its node says as much; of what arrives, the whole answer.
            EventKind::WorkflowStart { .. }
            | EventKind::StepStart { .. }
            | EventKind::TaskStart
            | EventKind::TreeUpdated { .. }
            | EventKind::StreamDelta { .. } => {}
            EventKind::Error(error) => self.add_error(event, error),
            EventKind::Log { level, message, .. } => self.on_span(event, |span| {
                let attributes = vec![
                    text(names::LEVEL, level.name()),
                    text(names::MESSAGE, message),
                ];
                span::add_event(span, event.time, "log", attributes);
            }),
            EventKind::PromptStart { agent, model, .. } => self.on_span(event, |span| {
                add_prompt(span, agent.as_deref(), model.as_deref());
            }),
            EventKind::ChildDetached { child, .. } => self.detach(event, child),
            EventKind::StepRetry { attempt, .. } => self.count_attempt(event, *attempt),
            EventKind::StepRestarted { .. }
            | EventKind::Circuit { .. }
            | EventKind::ModelRetry { .. }
            | EventKind::Emit { .. }
            | EventKind::StateChanged { .. }
            | EventKind::StateSnapshot { .. }
            | EventKind::InvalidResponse { .. }
            | EventKind::CacheHit { .. }
            | EventKind::CacheMiss { .. }
            | EventKind::CacheWait { .. }
            | EventKind::PromptRevision { .. }
            | EventKind::CacheEvict { .. }
            | EventKind::ReflectionStart { .. }
            | EventKind::ReflectionEnd { .. }
            | EventKind::HumanRequest { .. }
            | EventKind::HumanAnswer { .. }
            | EventKind::ExternalRequest { .. }
            | EventKind::ExternalAnswer { .. }
            | EventKind::Cancel { .. }
            | EventKind::Budget { .. }
            | EventKind::SpawnRequest { .. }
            | EventKind::Skill { .. }
            | EventKind::McpEvent { .. }
            | EventKind::SessionShortened { .. }
            | EventKind::ResultsCleared { .. }
            | EventKind::Hook { .. }
            | EventKind::Untrusted { .. } => self.add_fields(event),
        }
    }

    fn add_error(&mut self, event: &Event, error: &RunError) {
        let content = self.content;
        self.on_span(event, |span| {
            span::add_error(span, event.time, error, content);
        });
    }

    fn count_attempt(&mut self, event: &Event, failed: u32) {
        let attempts = number(names::ATTEMPTS, u64::from(failed) + 1);
        self.on_span(event, |span| {
            span.attributes.retain(|it| it.key != names::ATTEMPTS);
            span.attributes.push(attempts);
        });
        self.add_fields(event);
    }

    /// The spans of a run, which begin with its first event.
    fn run(&mut self, run: &Arc<str>) -> &mut Run {
        let Self {
            runs,
            starters,
            parent,
            ..
        } = self;
        runs.entry(Arc::clone(run)).or_insert_with(|| Run {
            identity: starters
                .iter()
                .find(|it| it.run == *run)
                .map_or_else(|| identity(*parent, run), |it| it.identity),
            nodes: HashMap::new(),
            requests: HashMap::new(),
        })
    }

    /// Changes the span of the event's node, unless it has ended.
    fn on_span(&mut self, event: &Event, change: impl FnOnce(&mut Span)) {
        let run = self.runs.get_mut(&event.run);
        if let Some(span) = run.and_then(|it| it.nodes.get_mut(&event.node)) {
            change(span);
        }
    }

    /// Adds the event to its node's span, with those of its fields that are one value.
    fn add_fields(&mut self, event: &Event) {
        let content = self.content;
        self.on_span(event, |span| add_fields(span, event, content));
    }

    fn begin_request(&mut self, event: &Event) {
        let EventKind::ModelRequest {
            model,
            attempt,
            request,
            ..
        } = &event.kind
        else {
            return;
        };
        let content = self.content;
        let run = self.run(&event.run);
        let id = run.identity.request(event.node, *attempt);
        let parent = run.identity.node(event.node);
        let mut chat = span::begin(run.identity.trace, id, Some(parent), event.time);
        let shown = model.split_once('/').map_or(model.as_str(), |it| it.1);
        chat.name = format!("{} {shown}", names::OPERATION_CHAT);
        chat.kind = SpanKind::Client as i32;
        chat.attributes
            .push(text(names::OPERATION, names::OPERATION_CHAT));
        span::add_model(&mut chat, model);
        if let (Content::Sent, Some(request)) = (content, request) {
            chat.attributes
                .push(text(names::INPUT_MESSAGES, request.text()));
        }
        let earlier = run.requests.insert(event.node, chat);
        self.made += 1;
        self.ended.extend(earlier);
    }

    fn begin_node(&mut self, event: &Event) {
        let EventKind::ChildAttached {
            parent,
            kind,
            name,
            index,
            input,
            ..
        } = &event.kind
        else {
            return;
        };
        let Some(run) = self.runs.get_mut(&event.run) else {
            return;
        };
        let is_top = *parent == NodeId::ROOT || *parent == NodeId::NONE;
        let above = if is_top {
            self.parent.map(|it| it.1)
        } else {
            Some(run.identity.node(*parent))
        };
        let id = run.identity.node(event.node);
        let mut span = span::begin(run.identity.trace, id, above, event.time);
        let (title, operation) = span::name(*kind, name, *index);
        span.name = title;
        span.attributes = vec![
            text(names::KIND, kind.name()),
            text(names::NAME, name),
            number(names::NODE, u64::from(event.node.0)),
            text(names::RUN, &event.run),
        ];
        span.attributes
            .extend(operation.map(|it| text(names::OPERATION, it)));
        span.attributes.extend(named(*kind, name));
        if *index > 0 {
            span.attributes
                .push(number(names::INDEX, u64::from(*index)));
        }
        if let (Content::Sent, Some(input)) = (self.content, input) {
            let key = if *kind == NodeKind::Tool {
                names::TOOL_ARGUMENTS
            } else {
                names::INPUT
            };
            span.attributes.push(text(key, input.text()));
        }
        if is_top {
            let begun = self.starters.iter().position(|it| it.run == event.run);
            let starter = begun.and_then(|it| self.starters.remove(it));
            span.links.extend(starter.map(|it| it.link));
        }
        self.made += 1;
        run.nodes.insert(event.node, span);
    }

    fn end_request(&mut self, event: &Event) {
        let EventKind::ModelAnswer {
            model,
            usage,
            stop_reason,
            request_id,
            error,
            status,
            answer,
            first_token,
            ..
        } = &event.kind
        else {
            return;
        };
        let content = self.content;
        let run = self.runs.get_mut(&event.run);
        let Some(mut chat) = run.and_then(|it| it.requests.remove(&event.node)) else {
            return;
        };
        match error {
            // As for any exchange by HTTP, its status is the kind; the message is that of a provider, with no word of ours before it.
            Some(error) => {
                let status = status.map(|it| it.to_string());
                span::fail(&mut chat, status.as_deref(), error, content);
            }
            None => chat.attributes.push(text(names::RESPONSE_MODEL, model)),
        }
        chat.attributes
            .extend(request_id.as_deref().map(|it| text(names::RESPONSE_ID, it)));
        chat.attributes.extend(
            stop_reason
                .as_deref()
                .map(|it| texts(names::FINISH_REASONS, &[it])),
        );
        let seconds = first_token.map(|it| it as f64 / 1e9);
        chat.attributes
            .extend(seconds.map(|it| fraction(names::FIRST_CHUNK, it)));
        if let (Content::Sent, Some(answer)) = (content, answer) {
            chat.attributes
                .push(text(names::OUTPUT_MESSAGES, answer.text()));
        }
        chat.attributes
            .extend(status.map(|it| number(names::HTTP_STATUS, u64::from(it))));
        span::add_usage(&mut chat, usage);
        chat.end_time_unix_nano = span::unsigned(event.time);
        self.ended.push(chat);
    }

    fn end_node(&mut self, event: &Event) {
        let run = self.runs.get_mut(&event.run);
        let (Some(run), Some(end)) = (run, event.kind.end()) else {
            return;
        };
        // A request that was given up ends with its prompt.
        if let Some(mut chat) = run.requests.remove(&event.node) {
            chat.end_time_unix_nano = span::unsigned(event.time);
            self.ended.push(chat);
        }
        let Some(mut span) = run.nodes.remove(&event.node) else {
            return;
        };
        if let EventKind::PromptEnd { usage, detail, .. } = &event.kind {
            span::add_usage(&mut span, usage);
            if let Some(detail) = detail {
                span.attributes
                    .push(text(names::RESPONSE_MODEL, &detail.model));
                span.attributes
                    .extend(detail.cost_usd.map(|it| fraction(names::COST, it)));
                span.attributes.push(claim(names::CACHED, detail.cached));
                span.attributes
                    .push(claim(names::SIMULATED, detail.simulated));
            }
        }
        if let (Content::Sent, Some(output)) = (self.content, &end.output) {
            let is_tool = matches!(event.kind, EventKind::ToolCall { .. });
            let key = if is_tool {
                names::TOOL_RESULT
            } else {
                names::OUTPUT
            };
            span.attributes.push(text(key, output.text()));
        }
        span::end(&mut span, end, event.time, self.content);
        self.ended.push(span);
    }

    /// A detached run and the span that started it name each other. Either of the two may come first.
    fn detach(&mut self, event: &Event, child: &Arc<str>) {
        self.add_fields(event);
        let run = self.runs.get(&event.run);
        let Some(span) = run.and_then(|it| it.nodes.get(&event.node)) else {
            return;
        };
        let starter = link(&span.trace_id, &span.span_id);
        let known = self.runs.get(child).map(|it| it.identity);
        let identity = known.unwrap_or_else(|| identity(self.parent, child));
        let to_child = link(&identity.trace, &identity.node(FIRST));
        let run = self.runs.get_mut(child);
        match run.and_then(|it| it.nodes.get_mut(&FIRST)) {
            Some(span) => span.links.push(starter),
            None => {
                // It may have ended, or be seen by another process alone: then nothing comes for it.
                if self.starters.len() == MOST_STARTERS {
                    self.starters.pop_front();
                }
                self.starters.push_back(Starter {
                    run: Arc::clone(child),
                    identity,
                    link: starter,
                });
            }
        }
        self.on_span(event, |span| span.links.push(to_child));
    }
}

/// What a run is called that was not heard of before; below a span of the environment it is in that one's trace.
fn identity(parent: Option<([u8; 16], [u8; 8])>, run: &str) -> Identity {
    Identity::new(run, parent.map(|it| it.0))
}

/// The name of a node by the conventions for its kind.
fn named(kind: NodeKind, name: &str) -> Vec<KeyValue> {
    match kind {
        NodeKind::Workflow => vec![text(names::WORKFLOW_NAME, name)],
        NodeKind::Tool => vec![
            text(names::TOOL_NAME, name),
            text(names::TOOL_TYPE, names::TOOL_TYPE_FUNCTION),
        ],
        NodeKind::Step
        | NodeKind::Task
        | NodeKind::Parallel
        | NodeKind::Iteration
        | NodeKind::Prompt
        | NodeKind::Human
        | NodeKind::External
        | NodeKind::Reflection
        | NodeKind::Attempt
        | NodeKind::Region
        | NodeKind::Hook
        | NodeKind::Undo => Vec::new(),
    }
}

fn add_prompt(span: &mut Span, agent: Option<&str>, model: Option<&str>) {
    if let Some(agent) = agent {
        span.name = format!("{} {agent}", names::OPERATION_AGENT);
        span.attributes.push(text(names::AGENT_NAME, agent));
    }
    if let Some(model) = model {
        span::add_model(span, model);
    }
}

fn link(trace: &[u8], span: &[u8]) -> Link {
    Link {
        trace_id: trace.to_vec(),
        span_id: span.to_vec(),
        ..Link::default()
    }
}

/// Adds an event, with those of its fields that are one value.
fn add_fields(span: &mut Span, event: &Event, content: Content) {
    let Ok(Value::Object(fields)) = serde_json::to_value(&event.kind) else {
        return;
    };
    let name = fields
        .get("event")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let plain = plain_fields(&event.kind);
    let mut attributes = Vec::new();
    for (field, value) in &fields {
        let is_withheld = content == Content::Withheld && !plain.contains(&field.as_str());
        if field == "event" || is_withheld || value.is_null() {
            continue;
        }
        let key = format!("{}{field}", names::PREFIX);
        attributes.push(match value {
            Value::String(it) => text(&key, it),
            Value::Bool(it) => claim(&key, *it),
            Value::Number(it) => match (it.as_u64(), it.as_f64()) {
                (Some(it), _) => number(&key, it),
                (None, Some(it)) => fraction(&key, it),
                (None, None) => text(&key, &it.to_string()),
            },
            Value::Null | Value::Array(_) | Value::Object(_) => text(&key, &value.to_string()),
        });
    }
    span::add_event(
        span,
        event.time,
        &format!("{}{name}", names::PREFIX),
        attributes,
    );
}

#[cfg(test)]
mod tests;
