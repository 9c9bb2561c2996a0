//! One span: a node of the tree, or a request to a model, as a collector takes it.

use gsw_abi::call::NodeKind;
use gsw_tree::event::{End, RunError};
use gsw_tree::node::Status as NodeStatus;
use gsw_tree::usage::Usage;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::trace::v1::span::{Event, SpanKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, Status};

use crate::telemetry::attribute::{number, text};
use crate::telemetry::names;
use crate::telemetry::settings::Content;

/// How many events a span holds; the standard's own limit.
const MOST_EVENTS: usize = 128;
/// The span is part of what is recorded.
const SAMPLED: u32 = 1;

pub fn begin(trace: [u8; 16], id: [u8; 8], parent: Option<[u8; 8]>, time: i64) -> Span {
    Span {
        trace_id: trace.to_vec(),
        span_id: id.to_vec(),
        parent_span_id: parent.map(|it| it.to_vec()).unwrap_or_default(),
        flags: SAMPLED,
        kind: SpanKind::Internal as i32,
        start_time_unix_nano: unsigned(time),
        ..Span::default()
    }
}

/// What a node is called, and the operation that it is in the conventions.
pub fn name(kind: NodeKind, name: &str, index: u32) -> (String, Option<&'static str>) {
    match kind {
        NodeKind::Workflow => {
            let operation = names::OPERATION_WORKFLOW;
            (format!("{operation} {name}"), Some(operation))
        }
        NodeKind::Prompt => (
            format!("{} {name}", names::OPERATION_AGENT),
            Some(names::OPERATION_AGENT),
        ),
        NodeKind::Tool => {
            let operation = names::OPERATION_TOOL;
            (format!("{operation} {name}"), Some(operation))
        }
        NodeKind::Attempt => (format!("attempt {}", u64::from(index) + 1), None),
        NodeKind::Iteration | NodeKind::Task => (format!("{} {index}", kind.name()), None),
        NodeKind::Parallel | NodeKind::Region | NodeKind::Hook | NodeKind::Undo => {
            (kind.name().to_owned(), None)
        }
        NodeKind::Step | NodeKind::Human | NodeKind::External | NodeKind::Reflection => {
            (format!("{} {name}", kind.name()), None)
        }
    }
}

/// A span ends as its node did.
pub fn end(span: &mut Span, end: &End, time: i64, content: Content) {
    span.attributes.push(text(names::STATUS, end.status.name()));
    match end.status {
        NodeStatus::Failed => {
            let message = end.error.as_deref().unwrap_or("failed");
            fail(span, kind_of(message), message, content);
        }
        NodeStatus::Completed => {
            span.status = Some(Status {
                code: StatusCode::Ok as i32,
                message: String::new(),
            });
        }
        // A cancellation is no error of the work.
        NodeStatus::Cancelled | NodeStatus::Running | NodeStatus::Idle => {}
    }
    span.end_time_unix_nano = unsigned(time);
}

/// The kind of an error of the program, which its message begins with. The rest of it may be what a program or a model says.
fn kind_of(message: &str) -> Option<&str> {
    let kind = message.split_once(':').map_or(message, |it| it.0);
    let mut bytes = kind.bytes();
    let is_word = bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_');
    (is_word && !kind.is_empty()).then_some(kind)
}

/// A span has failed with an error of this kind, as far as it is known.
pub fn fail(span: &mut Span, kind: Option<&str>, message: &str, content: Content) {
    let kind = kind.unwrap_or("_OTHER");
    span.attributes.push(text(names::ERROR_TYPE, kind));
    span.status = Some(Status {
        code: StatusCode::Error as i32,
        message: match content {
            Content::Sent => message.to_owned(),
            Content::Withheld => String::new(),
        },
    });
}

/// Adds an event, or counts it when there are too many.
pub fn add_event(span: &mut Span, time: i64, name: &str, attributes: Vec<KeyValue>) {
    if span.events.len() >= MOST_EVENTS {
        span.dropped_events_count = span.dropped_events_count.saturating_add(1);
        return;
    }
    span.events.push(Event {
        time_unix_nano: unsigned(time),
        name: name.to_owned(),
        attributes,
        dropped_attributes_count: 0,
    });
}

/// An error where it arose.
pub fn add_error(span: &mut Span, time: i64, error: &RunError, content: Content) {
    let trace: Vec<String> = error
        .trace
        .iter()
        .map(|it| format!("at {}:{}:{}", it.file, it.line, it.column))
        .collect();
    let mut attributes = vec![
        text(names::EXCEPTION_TYPE, &error.error),
        text(names::EXCEPTION_STACKTRACE, &trace.join("\n")),
    ];
    if content == Content::Sent {
        attributes.push(text(names::EXCEPTION_MESSAGE, &error.message));
    }
    add_event(span, time, names::EXCEPTION, attributes);
}

/// The tokens of an answer.
pub fn add_usage(span: &mut Span, usage: &Usage) {
    let counts = [
        (names::INPUT_TOKENS, usage.input_tokens),
        (names::OUTPUT_TOKENS, usage.output_tokens),
        (names::CACHE_READ_TOKENS, usage.cache_read_tokens),
        (names::CACHE_WRITE_TOKENS, usage.cache_write_tokens),
    ];
    for (name, count) in counts {
        if count > 0 {
            span.attributes.push(number(name, count));
        }
    }
}

/// A model by the conventions: its provider and its name there.
pub fn add_model(span: &mut Span, model: &str) {
    let (provider, model) = model.split_once('/').unwrap_or(("", model));
    if !provider.is_empty() {
        span.attributes.push(text(names::PROVIDER, provider));
    }
    span.attributes.push(text(names::REQUEST_MODEL, model));
}

/// A time of the protocol, which knows none before 1970.
pub fn unsigned(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}
