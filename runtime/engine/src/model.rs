//! Prompts, requests and answers independent of providers, and the trait through which the crate above performs prompt calls.
//!
//! A prompt call is a state machine ([`PromptMachine`]) that runs inside the run: it is pure, so that a replay takes the
//! same path. What it asks for ([`PromptStep`]) is an operation; the driver hands [`ModelRequest`]s to its `Models`.

use std::sync::Arc;
use std::time::Duration;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::program::Program;
use gsw_notation::issue::Issue;
use gsw_tree::class::Class;
use gsw_tree::detail::PromptDetail;
use gsw_tree::event::{CircuitChange, JsonText};
use gsw_tree::usage::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answers::{Earlier, Found, NewAnswer, Tier, WhenBusy};
use crate::conversation::Exchange;
use crate::media::{Media, UserText};
use crate::prices::{Price, Prices};

/// Everything that a compiled program hands over when it calls a prompt.
#[derive(Clone, Debug)]
pub struct PromptCall {
    pub program: Arc<Program>,
    /// Index of the prompt in [`Program::prompts`].
    pub prompt: usize,
    /// The merged settings: agent, then prompt, then call, later ones winning. A `model` given to the program outside
    /// has already replaced the agent's. Names and forms as in source; durations are seconds.
    pub settings: serde_json::Map<String, Value>,
    /// The system text: the prompt's, else the agent's.
    pub system: Option<String>,
    /// The messages before the model answers, with the arguments that it does not mention already attached as blocks; of
    /// neighbours no two have one role.
    pub said: Vec<Said>,
    pub examples: Vec<Example>,
    /// The earlier exchanges of the session that the call continues; `None` where it has none.
    pub history: Option<Vec<Arc<Exchange>>>,
    /// The JSON Schema of the answer; `None` when the result is a plain `string`.
    pub schema: Option<Arc<Value>>,
    /// An earlier answer that is to be criticised and improved.
    pub improving: Option<String>,
    /// Whether an answer that is kept is good enough.
    pub earlier: Earlier,
    pub prices: Arc<Prices>,
}

/// A message of a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    pub role: Role,
    /// Only the user shows images and documents.
    pub text: UserText,
}

impl Said {
    /// A text of the user.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            text: UserText {
                text: text.into(),
                media: Vec::new(),
            },
        }
    }
}

/// What a prompt says, and how it wants that to be answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    pub said: Vec<Said>,
    pub answer: String,
}

#[derive(Clone, Debug)]
pub enum PromptEvent {
    Start,
    /// The model answered, or could not be asked.
    Answered(Box<Result<ModelAnswer, ModelFailure>>),
    /// The wait that it asked for has ended.
    Waited,
    /// What is kept under the key that it looked up.
    Found(Found),
    /// Its answer is kept; the keys of those that were evicted for it.
    Kept(Vec<String>),
    /// All the tools that it wanted called have ended; in the order of the calls.
    ToolsAnswered(Vec<ToolOutcome>),
}

/// What a machine wants next.
#[derive(Clone, Debug)]
pub enum PromptStep {
    Ask(Arc<ModelRequest>),
    /// Wait before the next request.
    Wait(Duration),
    /// Look up what is kept under this key. With [`WhenBusy::Wait`] after [`Found::Busy`]: of equal calls at once one asks.
    LookUp {
        key: String,
        when_busy: WhenBusy,
        /// How far an answer would be kept, as far as the machine knows.
        tier: Tier,
    },
    Keep(Box<NewAnswer>),
    /// Call these tools, at once or one after the other. An error of a tool goes back to the model, unless it is one that
    /// the language lets through.
    CallTools(Vec<ToolCall>),
    /// It has a value that passed the check.
    Done(Box<PromptResult>),
    Fail(PromptFailure),
}

/// A tool call that a model wants.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// The tool's index in the program; always one that was offered.
    pub tool: u32,
    /// What the model knows it by.
    pub name: String,
    /// Its arguments, not yet checked against the tool's parameters.
    pub input: Value,
}

/// What a called tool gave.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// The provider's id of the call.
    pub id: String,
    /// The result as text, or the error's.
    pub content: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// The images and documents that it gave; `content` holds a note for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
}

/// Something during a prompt call that observers get an event for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PromptNote {
    /// The answer came from the cache.
    CacheHit {
        /// 64 hex digits.
        key: String,
    },
    CacheMiss {
        /// 64 hex digits.
        key: String,
    },
    /// Another answer was evicted for this one.
    CacheEvict {
        /// 64 hex digits.
        key: String,
    },
    /// An answer that does not fit.
    InvalidResponse {
        response: String,
        issues: Vec<Issue>,
    },
    /// A wrong answer is shown back to the model.
    ReflectionStart {
        /// Which round of reflection, counted from 1.
        attempt: u32,
        max: u32,
    },
    /// The model answered to it.
    ReflectionEnd { success: bool },
    /// The model called a tool, and the call is refused before it begins: there is no such tool, or its arguments cannot be read.
    RefusedCall {
        /// The provider's number of the call.
        id: String,
        /// The tool's index in the program, if it was offered.
        tool: Option<u32>,
        name: String,
        /// With what; an empty object where that cannot be read.
        input: Value,
        message: String,
        /// Why that cannot be read, which quotes it.
        flaw: Option<String>,
    },
    /// Results of older tool calls are left out of what is sent from here on.
    ResultsCleared {
        results: u32,
        /// About how many tokens the conversation had.
        tokens: u64,
        /// How many of them went.
        cleared: u64,
        /// How many its model takes.
        window: u64,
    },
    /// Something that the user should know and that is no error.
    Warning { message: String },
}

#[derive(Clone, Debug)]
pub struct PromptResult {
    /// The value as JSON; it fits the result type.
    pub value: Value,
    /// What `detail` and the event tree report.
    pub detail: PromptDetail,
    /// What is added to the session; none where the call continues none.
    pub exchange: Option<Exchange>,
}

/// An error of the language that a prompt raises.
#[derive(Clone, Debug)]
pub struct PromptFailure {
    pub error: BuiltinError,
    /// Its fields as a JSON object, decoded by the error's type.
    pub fields: Value,
}

/// Checks a candidate against the result type and every `where`; given by the engine to each step.
pub type Check<'a> = dyn FnMut(&Value) -> Result<(), Vec<Issue>> + 'a;

/// One prompt call on its way.
pub trait PromptMachine: Send {
    /// Takes what happened and says what is next. Must depend on nothing else.
    fn step(&mut self, event: PromptEvent, check: &mut Check<'_>) -> PromptStep;
    /// Adds a text to what the user says at last. Only before [`PromptEvent::Start`].
    fn attach(&mut self, text: String);
    /// The notes since the last call, in order; asked for after each step.
    fn notes(&mut self) -> Vec<PromptNote> {
        Vec::new()
    }
}

/// Makes machines, which depend on nothing but the call.
pub trait Prompts: Send + Sync {
    /// A machine for one call.
    fn begin(&self, call: PromptCall) -> Box<dyn PromptMachine>;
    /// What models cost where the program does not say.
    fn prices(&self) -> Vec<Price> {
        Vec::new()
    }
    /// Whether the answers of this model are made up, so that it can judge nothing.
    fn is_simulated(&self, _model: &str) -> bool {
        false
    }
    /// How many tokens a conversation with this model may take, where that is known.
    fn window(&self, _model: &str) -> Option<u64> {
        None
    }
    /// A model that needs neither a key nor a network.
    fn offline_model(&self) -> Option<&'static str> {
        None
    }
}

/// A request to a model, independent of the provider's wire format.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelRequest {
    /// `provider/model`; the model part may hold slashes.
    pub model: String,
    pub system: Option<String>,
    /// The conversation so far; the last one, instructions apart, is the user's. Each is shared by the requests of all turns.
    pub messages: Vec<Arc<Message>>,
    /// The JSON Schema that the answer must fit.
    pub schema: Option<Arc<Value>>,
    /// How the model learns it.
    #[serde(default, skip_serializing_if = "Wording::is_native")]
    pub schema_delivery: Wording,
    /// A name for that schema.
    pub schema_name: String,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    pub stop: Vec<String>,
    /// Only for models that take it.
    pub temperature: Option<f64>,
    pub thinking: Option<u32>,
    /// How often the run sends it again at most, when it failed in a way that may pass.
    pub retries: u32,
    /// What the model may call.
    pub tools: Vec<ToolDescription>,
    /// How the tools are described to it.
    #[serde(default, skip_serializing_if = "Wording::is_native")]
    pub tool_delivery: Wording,
    /// The whole request may take this long.
    pub timeout: Duration,
    /// It may take this long until something of the answer comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token: Option<Duration>,
    /// How many such requests may leave in a minute; those beyond wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether another model is asked when this one is out, so that one that is known to be down need not be asked.
    #[serde(default, skip_serializing_if = "Fallback::is_absent")]
    pub fallback: Fallback,
    /// How it is recorded, where recording is on ([`crate::exchange`]). It follows from the rest.
    #[serde(skip)]
    pub recorded: Option<Arc<Value>>,
}

/// The most requests of an agent in a minute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Rate {
    /// Whose requests are counted together.
    pub of: String,
    pub per_minute: u32,
}

/// Whether another model follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    #[default]
    Absent,
    Present,
}

impl Fallback {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

/// How a model learns of its tools, or of the schema of its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// In the provider's own form, if it has one.
    #[default]
    Native,
    /// The system prompt describes it, since the provider has refused that.
    Described,
}

impl Wording {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    fn is_native(&self) -> bool {
        *self == Self::Native
    }
}

impl ModelRequest {
    /// About how many bytes of memory its conversation takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let pieces = self.messages.iter().flat_map(|it| &it.content);
        let system = self.system.as_ref().map_or(0, String::len);
        pieces.map(Content::weight).sum::<usize>() + system
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    /// The content; providers' own blocks are kept as they came.
    pub content: Vec<Content>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    /// Instructions in the middle of a conversation; those at its beginning are [`ModelRequest::system`].
    System,
}

/// A piece of a message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Text {
        text: String,
    },
    /// An image or a document.
    Media {
        media: Media,
    },
    /// The model wants a tool called.
    ToolUse {
        /// The provider's id of the call.
        id: String,
        name: String,
        /// Its arguments; an empty object where they cannot be read.
        input: JsonText,
        /// Why the arguments cannot be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flaw: Option<String>,
    },
    ToolResult {
        /// The id of the call.
        id: String,
        /// The result or error text.
        content: String,
        /// Whether it is an error.
        is_error: bool,
        /// The images and documents that it gave; `content` holds a note for each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        media: Vec<Media>,
    },
    /// A provider's own block, to be sent back byte for byte (thinking with its signature).
    Opaque {
        block: Value,
    },
}

impl Content {
    /// The text for the reader, without tool calls and thinking.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Media { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::Opaque { .. } => None,
        }
    }

    pub(crate) fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Text { text } => text.len(),
                Self::Media { media } => media.weight(),
                Self::ToolUse { input, .. } => input.text().len(),
                Self::ToolResult { content, media, .. } => {
                    content.len() + media.iter().map(Media::weight).sum::<usize>()
                }
                Self::Opaque { block } => weight(block),
            }
    }
}

fn weight(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(fields) => fields.iter().map(|it| it.0.len() + weight(it.1)).sum(),
    };
    size_of::<Value>() + inside
}

/// A tool as a model sees it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolDescription {
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Arc<Value>,
    /// How a call may be repeated. No model is shown this.
    #[serde(skip, default = "unknown_class")]
    pub class: Class,
    /// The name by which an earlier version of the program offered it, and its runs know it.
    #[serde(skip)]
    pub was: Option<String>,
}

const fn unknown_class() -> Class {
    Class::Once
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelAnswer {
    pub content: Vec<Content>,
    /// Why it stopped, in our words.
    pub stop: StopReason,
    /// As the provider names it.
    pub stop_reason: String,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The provider's id of the request.
    pub request_id: Option<String>,
    /// Tokens; `None` when the provider does not say, or not all of it.
    pub usage: Option<Usage>,
    /// Requests made until this answer came.
    pub attempts: u32,
    /// Whether it is made up.
    pub simulated: bool,
    /// From when the request had its connection until something of the answer came: text, thinking, or a call of a tool.
    /// `None` where nothing came before the whole of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token: Option<Duration>,
    /// What it changed of the circuit of its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit: Option<CircuitChange>,
}

impl ModelAnswer {
    /// When something of it came first, as events count time.
    #[must_use]
    pub fn first_token_nanoseconds(&self) -> Option<i64> {
        let nanoseconds = self.first_token?.as_nanos();
        Some(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    End,
    ToolUse,
    /// The provider paused a turn of its own; it continues when the conversation is sent back as it is.
    Paused,
    MaxTokens,
    /// It declined, with its explanation.
    Refusal(String),
    ContextFull,
}

/// A model could not be asked or did not answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ModelFailure {
    pub kind: FailureKind,
    /// For the user: what happened and what to do.
    pub message: String,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// When to come again, as the provider says, uncapped.
    pub retry_after: Option<Duration>,
    /// How one more request may succeed; `None` when none would.
    #[serde(default)]
    pub again: Option<Again>,
    /// The provider's id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<Box<str>>,
    /// Requests made.
    pub attempts: u32,
    /// How many nanoseconds of the request's time they took; what they waited for a connection is no part of it.
    #[serde(default)]
    pub took: u64,
    /// Where some of the answer had come: the tokens that the provider had counted by then. It is paid for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Box<Usage>>,
    /// How much too long the request was, where that is known; on the heap, since hardly any failure has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oversize: Option<Box<Oversize>>,
    /// What it changed of the circuit of its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circuit: Option<CircuitChange>,
}

impl ModelFailure {
    /// A failure before any request was made.
    #[must_use]
    pub const fn new(kind: FailureKind, message: String) -> Self {
        Self {
            kind,
            message,
            status: None,
            retry_after: None,
            again: None,
            request_id: None,
            attempts: 0,
            took: 0,
            begun: None,
            oversize: None,
            circuit: None,
        }
    }
}

/// A request that is longer than its model takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Oversize {
    pub tokens: u64,
    pub limit: u64,
}

/// How a request that failed may succeed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// Unchanged, after this long. Where the provider names no time, it is the backoff after the first attempt, which doubles.
    After(Duration),
    /// Unchanged, at once: the answer came from a recording, so there is no provider to spare.
    AtOnce,
    /// With the schema described: the provider does not take it.
    #[serde(rename = "described")]
    SchemaDescribed,
    /// With the tools described: the provider takes none for this model.
    ToolsDescribed,
}

/// What kind of failure; each is one error of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    RateLimited,
    Overloaded,
    Unauthorized,
    QuotaExceeded,
    ContextTooLong,
    Provider,
    PermissionDenied,
    /// Models are replaced by what was recorded, and nothing was for this request.
    NotRecorded,
}
