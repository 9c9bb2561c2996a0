//! What a run tells about itself while it goes on: typed events, numbered and timed.

mod form;

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Issue, PromptDetail, Usage};
use crate::node::{NodeId, Status};

/// The version of the events' form; raised when a reader of old ones would be misled.
pub const VERSION: u32 = 1;

/// One event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Event {
    /// Its number in the run, from 0.
    pub sequence: u64,
    /// Nanoseconds since 1970, as the run knows them; RFC 3339 in JSON.
    #[serde(with = "form::time")]
    pub time: i64,
    /// The run.
    pub run: Arc<str>,
    /// The node it is about.
    pub node: NodeId,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

impl Event {
    /// About how many bytes of text it holds, for those who must bound what they keep.
    #[must_use]
    pub fn text_bytes(&self) -> usize {
        let length = |text: &Option<Arc<str>>| text.as_ref().map_or(0, |it| it.len());
        match &self.kind {
            EventKind::ChildAttached { input, .. } => length(input),
            EventKind::WorkflowEnd { output, .. } => length(output),
            EventKind::Error { message, .. } | EventKind::Log { message, .. } => message.len(),
            EventKind::InvalidResponse { response, .. } => response.len(),
            EventKind::Emit { value } | EventKind::StateSnapshot { value, .. } => tree_bytes(value),
            EventKind::ToolCall { input, output, .. } => {
                tree_bytes(input) + output.as_ref().map_or(0, tree_bytes)
            }
            _ => 0,
        }
    }
}

/// About how many bytes a value takes.
fn tree_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => 32 * items.len() + items.iter().map(tree_bytes).sum::<usize>(),
        Value::Object(fields) => 64 * fields.len() + fields.values().map(tree_bytes).sum::<usize>(),
        _ => 0,
    }
}

/// An event as it is read. The numbers of an inner enum can be read from a tree, but not from text.
#[derive(Deserialize)]
struct Wire {
    sequence: u64,
    #[serde(with = "form::time")]
    time: i64,
    run: Arc<str>,
    node: NodeId,
    #[serde(flatten)]
    kind: EventKind,
}

impl TryFrom<Value> for Event {
    type Error = serde_json::Error;

    fn try_from(tree: Value) -> Result<Self, Self::Error> {
        let Wire {
            sequence,
            time,
            run,
            node,
            kind,
        } = serde_json::from_value(tree)?;
        Ok(Self {
            sequence,
            time,
            run,
            node,
            kind,
        })
    }
}

/// What happened. Durations are nanoseconds, in JSON seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A node was mounted; the event's node is the new one.
    ChildAttached {
        /// Under which.
        parent: NodeId,
        /// What it is.
        kind: NodeKind,
        /// Its name.
        name: Arc<str>,
        /// How many of that name came before, or the iteration's index.
        index: u32,
        /// What goes in, as JSON text.
        input: Option<Arc<str>>,
    },
    /// A node's status is another one now.
    Status {
        /// Which.
        status: Status,
    },
    /// A workflow begins.
    WorkflowStart {
        /// Its name.
        workflow: Arc<str>,
    },
    /// It ended.
    WorkflowEnd {
        /// How it ended.
        status: Status,
        /// How long it took.
        #[serde(with = "form::seconds")]
        duration: i64,
        /// What came out, as JSON text.
        output: Option<Arc<str>>,
    },
    /// A step begins.
    StepStart {
        /// Its name.
        step: Arc<str>,
    },
    /// It ended.
    StepEnd {
        /// Its name.
        step: Arc<str>,
        /// How it ended.
        status: Status,
        /// How long it took.
        #[serde(with = "form::seconds")]
        duration: i64,
    },
    /// Another attempt follows.
    StepRetry {
        /// Its name.
        step: Arc<str>,
        /// The number of the attempt that comes, from 1 for the first retry.
        attempt: u32,
        /// The error that ended the last one.
        error: String,
        /// Why there is another, in words.
        analysis: String,
        /// How long it waits before.
        #[serde(with = "form::seconds")]
        delay: i64,
    },
    /// A task begins.
    TaskStart,
    /// It ended.
    TaskEnd {
        /// How it ended.
        status: Status,
        /// How long it took.
        #[serde(with = "form::seconds")]
        duration: i64,
    },
    /// A node failed; once per failure, where it arose.
    Error {
        /// The kind of error.
        error: Arc<str>,
        /// What it says.
        message: String,
    },
    /// A line of the log.
    Log {
        /// How grave.
        level: Level,
        /// What it says.
        message: String,
        /// What belongs to it.
        data: Option<Value>,
    },
    /// `emit`
    Emit {
        /// The value.
        value: Value,
    },
    /// A `state` variable has another value.
    StateSnapshot {
        /// Which.
        name: String,
        /// Its value now.
        value: Value,
    },
    /// A prompt begins.
    PromptStart {
        /// Its agent.
        agent: Option<String>,
        /// Its name.
        prompt: Arc<str>,
        /// The model it is to ask.
        model: Option<String>,
    },
    /// It ended.
    PromptEnd {
        /// How it ended.
        status: Status,
        /// How long it took.
        #[serde(with = "form::seconds")]
        duration: i64,
        /// Tokens of all its requests.
        usage: Usage,
        /// The rest that is known of the answer.
        detail: Option<Box<PromptDetail>>,
    },
    /// A request goes to a model.
    ModelRequest {
        /// Which.
        model: String,
        /// The number of the request in its prompt, from 1.
        attempt: u32,
    },
    /// An answer does not fit.
    InvalidResponse {
        /// It.
        response: String,
        /// What does not fit.
        issues: Vec<Issue>,
    },
    /// An answer came from the cache.
    CacheHit {
        /// Under which key.
        key: String,
    },
    /// None was there.
    CacheMiss {
        /// Under which key.
        key: String,
    },
    /// A wrong answer or a failed body is looked at again.
    ReflectionStart {
        /// `prompt`, `step` or `workflow`.
        level: String,
        /// The number of the round, from 1.
        round: u32,
    },
    /// It was.
    ReflectionEnd {
        /// As at the start.
        level: String,
        /// Whether another attempt follows.
        success: bool,
    },
    /// A task or the run is told to end.
    Cancel {
        /// Why.
        reason: String,
    },
    /// A budget was charged.
    Budget {
        /// Requests so far.
        calls: u64,
        /// Tokens so far.
        tokens: u64,
        /// Dollars so far, where known.
        usd: f64,
    },
    /// A tool ran.
    ToolCall {
        /// Which.
        tool: Arc<str>,
        /// With what.
        input: Value,
        /// What it gave.
        output: Option<Value>,
        /// Or what it raised.
        error: Option<String>,
        /// How long it took.
        #[serde(with = "form::seconds")]
        duration: i64,
    },
}

/// How grave a line of the log is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For those who look closely.
    Debug,
    /// For everybody.
    Info,
    /// Something may be wrong.
    Warn,
    /// Something is wrong.
    Error,
}

impl Level {
    /// The level that `log` names by a number; everything above the last is the last.
    #[must_use]
    pub const fn of(number: u64) -> Self {
        match number {
            0 => Self::Debug,
            1 => Self::Info,
            2 => Self::Warn,
            _ => Self::Error,
        }
    }

    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, EventKind};
    use crate::node::{NodeId, Status};

    #[test]
    fn an_event_reads_back() {
        let event = Event {
            sequence: 7,
            time: 1_700_000_000_123_456_789,
            run: "r".into(),
            node: NodeId(3),
            kind: EventKind::StepEnd {
                step: "s".into(),
                status: Status::Completed,
                duration: 1_500_000_000,
            },
        };
        let text = serde_json::to_string(&event).expect("events are JSON");
        assert!(
            text.contains(r#""time":"2023-11-14T22:13:20.123456789Z""#),
            "{text}"
        );
        assert!(
            text.contains(r#""event":"step_end""#) && text.contains(r#""duration":1.5"#),
            "{text}"
        );
        assert_eq!(
            serde_json::from_str::<Event>(&text).expect("it reads back"),
            event
        );
    }
}
