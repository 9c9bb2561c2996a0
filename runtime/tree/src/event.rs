//! What a run reports while it runs: typed events, numbered and timed.
//!
//! `docs/reference/events.schema.json` is the form of their JSON; a test makes it from these types and compares.

mod ending;
pub mod form;
mod json_text;
mod known;
mod line;
mod log;
mod raised;
#[cfg(test)]
mod schema;
mod server;
mod size;
mod state;
#[cfg(test)]
mod tests;
mod verdict;

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::hook::Moment;
use gsw_notation::issue::Issue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::detail::PromptDetail;
use crate::node::{NodeId, Status, Totals};
use crate::usage::Usage;

pub use json_text::JsonText;
pub use line::{Format, Header, Lost, LostEvents};
pub use log::{Level, LogLine};
pub use raised::{ErrorPart, RunError, State, TracePlace};
pub use server::{McpHappened, McpWhat};
pub use state::{PathStep, StateChange};
pub use verdict::{
    CircuitChange, HookVerdict, ReflectionLevel, SkillStage, SpawnVerdict, TrustVerdict, Untrusted,
    Verdict,
};

/// The version of the events' form; raised when a reader of old ones would be misled.
pub const VERSION: u32 = 3;

/// Something that happened in a run: a line of a file of events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(try_from = "Value")]
pub struct Event {
    /// Its number in the run, from 0.
    pub sequence: u64,
    /// Nanoseconds since 1970, as the run knows them; RFC 3339 in JSON.
    #[serde(with = "form::time")]
    #[cfg_attr(test, schemars(with = "form::Time"))]
    pub time: i64,
    /// The id of the run in which it happened.
    pub run: Arc<str>,
    /// The node it is about.
    pub node: NodeId,
    /// What happened, named by the field `event`.
    #[serde(flatten)]
    pub kind: EventKind,
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

/// How a node ended, and with what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct End {
    /// Whether it ended with a value, an error or a cancellation.
    pub status: Status,
    /// How long it took, in nanoseconds; in JSON seconds.
    #[serde(with = "form::seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub duration: i64,
    /// The value that it ended with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<JsonText>,
    /// The error that ended it, its kind and what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Arc<str>>,
}

/// The place of a call in its session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SessionPlace {
    /// The number of the session in its run, from 1.
    pub session: u64,
    /// The number of the exchange that the call adds or replaces, from 1.
    pub exchange: u64,
}

/// A call of a tool that a model is about to make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ArrivingCall {
    /// Which of the calls of its answer, from 0.
    pub number: u32,
    /// The model's name for the tool.
    pub tool: Arc<str>,
}

/// What happened. Durations are nanoseconds, in JSON seconds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A node was mounted; the event's node is the new one.
    ChildAttached {
        /// Under which; 0 is the run itself, which no event announces.
        parent: NodeId,
        /// What kind of node it is.
        #[cfg_attr(test, schemars(with = "schema::Kind"))]
        kind: NodeKind,
        /// Its name, as the program writes it.
        name: Arc<str>,
        /// How many of that name came before, or the iteration's index.
        index: u32,
        /// `idle` when it is to begin later, else `running`.
        status: Status,
        /// The arguments or the item that it begins with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<JsonText>,
    },
    /// A workflow was started as a run of its own, which this node does not wait for.
    ChildDetached {
        /// The id of that run.
        child: Arc<str>,
        /// The name of the workflow that was started.
        workflow: Arc<str>,
    },
    /// A node that has no events of its own kind has ended.
    Status {
        #[serde(flatten)]
        end: End,
    },
    /// The whole tree, counted; emitted when a workflow has ended.
    TreeUpdated {
        #[serde(flatten)]
        totals: Totals,
    },
    /// The body of a workflow begins to run.
    WorkflowStart {
        /// The name of the workflow.
        workflow: Arc<str>,
    },
    /// A workflow has ended; `status` says how.
    WorkflowEnd {
        /// The name of the workflow.
        workflow: Arc<str>,
        #[serde(flatten)]
        end: End,
    },
    /// The body of a step begins to run.
    StepStart {
        /// The name of the step.
        step: Arc<str>,
    },
    /// A step has ended; `status` says how.
    StepEnd {
        /// The name of the step.
        step: Arc<str>,
        #[serde(flatten)]
        end: End,
    },
    /// An attempt of a step, workflow or block has failed, and another follows.
    StepRetry {
        /// The name of the step, workflow or block.
        step: Arc<str>,
        /// The number of the attempt that comes, from 1 for the first retry.
        attempt: u32,
        /// The error that ended the last one.
        error: String,
        /// Why there is another, in words.
        analysis: String,
        /// How long it waits before.
        #[serde(with = "form::seconds")]
        #[cfg_attr(test, schemars(with = "f64"))]
        delay: i64,
    },
    /// Another attempt begins, after the wait that `step_retry` announced.
    StepRestarted {
        /// The name of the step, workflow or block.
        step: Arc<str>,
        /// The number of the attempt, from 1 for the first retry.
        attempt: u32,
        /// The state that it begins with.
        #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Value>"))]
        state: State,
    },
    /// A task or an iteration of a `parallel` begins.
    TaskStart,
    /// A task or an iteration ended.
    TaskEnd {
        #[serde(flatten)]
        end: End,
    },
    /// A node failed; once per failure, where it arose.
    Error(Box<RunError>),
    /// A line of the log.
    Log {
        /// How grave the line is.
        level: Level,
        /// The text of the line.
        message: Arc<str>,
        /// The values that were given beside the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<JsonText>,
    },
    /// The program has emitted a value.
    Emit {
        /// The value, in its JSON form.
        value: JsonText,
    },
    /// A `state` variable has another value; the event's node is its workflow.
    StateChanged {
        /// The name of the variable.
        name: Arc<str>,
        /// Where in it, from the outside in; empty for all of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        path: Vec<PathStep>,
        /// Whether the value is set or appended.
        #[serde(default)]
        op: StateChange,
        /// The value there now; of what was appended, only that: a list of elements or a text.
        value: JsonText,
    },
    /// All `state` variables, because the program asked for them; the event's node is their workflow.
    StateSnapshot {
        /// Their values, by the names of the variables.
        #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, Value>"))]
        state: State,
    },
    /// A call of a prompt begins.
    PromptStart {
        /// The name of its agent, if it has one.
        agent: Option<String>,
        /// The name of the prompt.
        prompt: Arc<str>,
        /// The model it is to ask.
        model: Option<String>,
        /// The session that it continues.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<SessionPlace>,
    },
    /// A call of a prompt has ended.
    PromptEnd {
        /// The name of the prompt.
        prompt: Arc<str>,
        #[serde(flatten)]
        end: End,
        /// Tokens of all its requests.
        usage: Usage,
        /// The rest that is known of the answer.
        detail: Option<Box<PromptDetail>>,
    },
    /// More of an answer has arrived, for a stream whose program waits for it; the event's node is the prompt.
    StreamDelta {
        /// The text; absent where it may hold what is not to be shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Arc<str>>,
        /// How many bytes of the answer, or of the arguments of the call, have arrived with it; fewer than before when the model
        /// was asked again.
        bytes: u64,
        /// The call of a tool that the model is about to make, whose arguments the text belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<ArrivingCall>,
    },
    /// The answer of a prompt replaces that of an earlier one, whose node stays; the event's node is the new one.
    PromptRevision {
        /// The node of the prompt whose answer counts no more.
        old: NodeId,
        /// The node of the prompt whose answer counts instead.
        new: NodeId,
    },
    /// A request goes to a model. Each is followed by its `model_answer`.
    ModelRequest {
        /// The model that is asked, as `provider/model`.
        model: String,
        /// The number of the request in its prompt, from 1.
        attempt: u32,
        /// What the conversation holds beyond the prompt's request before and its answer: `system` and `messages`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<JsonText>,
        /// Its settings; absent when they are those of the prompt's request before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<JsonText>,
        /// The tools that the model may call, a list of name, description and schema; absent likewise, and when there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<JsonText>,
        /// The JSON Schema that the answer must fit; absent likewise, and when any text will do.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<JsonText>,
    },
    /// A model answered, or the request failed or was given up.
    ModelAnswer {
        /// As the provider names it; as in the request when there is no answer.
        model: String,
        /// The number of the request in its prompt, from 1.
        attempt: u32,
        /// How many HTTP requests that took: 0 when nothing could be sent, above 1 when the host's client repeats requests itself.
        #[serde(default = "one")]
        requests: u32,
        /// The tokens that this request used.
        usage: Usage,
        /// What they cost, where the model's price is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// From when the request was sent until something of its answer came: text, thinking, or a call of a tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(with = "form::optional_seconds")]
        #[cfg_attr(test, schemars(with = "Option<f64>"))]
        first_token: Option<i64>,
        /// The blocks of the answer, as the model gave them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<JsonText>,
        /// Why the model stopped, in the provider's word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        /// The provider's id of the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// Why there is no answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The HTTP status of a request that failed, when it got one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
    },
    /// A model is down, or answers again: as long as it is down, prompts that name another one do not ask it.
    Circuit {
        /// The model.
        model: String,
        /// What became of its circuit.
        change: CircuitChange,
        /// Why the last request to it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// The last request of a prompt failed, and it is sent again.
    ModelRetry {
        /// The model that is asked again.
        model: String,
        /// The number in its prompt of the request that comes.
        attempt: u32,
        /// Why the last one failed.
        error: String,
        /// The HTTP status of the last one, when it got one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// How long it waits before.
        #[serde(with = "form::seconds")]
        #[cfg_attr(test, schemars(with = "f64"))]
        delay: i64,
    },
    /// An answer does not fit.
    InvalidResponse {
        /// The answer, as far as observers may see it.
        response: String,
        /// Each place of the answer that does not fit.
        issues: Vec<Issue>,
    },
    /// An answer came from the cache.
    CacheHit {
        /// The key of the call, 64 hex digits.
        key: String,
    },
    /// The cache has no answer.
    CacheMiss {
        /// The key of the call, 64 hex digits.
        key: String,
    },
    /// Another call with the same key is asking; this one waits for it.
    CacheWait {
        /// The key of the call, 64 hex digits.
        key: String,
    },
    /// The cache was full: an answer had to give way to the one of this prompt.
    CacheEvict {
        /// The key of the answer that gave way.
        key: String,
    },
    /// A wrong answer or a failed body is looked at again.
    ReflectionStart {
        /// Whether an answer, a step or a workflow is looked at.
        level: ReflectionLevel,
        /// The number of the round, from 1.
        round: u32,
        /// What had failed, in words.
        error: String,
    },
    /// The reflection on an answer or a failure has ended.
    ReflectionEnd {
        /// As in the `reflection_start` before it.
        level: ReflectionLevel,
        /// Whether another attempt follows, or an answer fits now.
        success: bool,
        /// Why, where something is known of that.
        reason: String,
    },
    /// A person is asked; the event's node is the `human`.
    HumanRequest {
        /// The name of the `human` declaration.
        human: Arc<str>,
        /// 64 hex digits over name, question, data and schema; an answer is bound to it.
        digest: String,
        /// The question, with what it does not mention attached.
        question: String,
        /// The arguments of the question, by name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<JsonText>,
        /// What the answer must fit.
        schema: JsonText,
    },
    /// A person answered. An answer that is refused is asked for again.
    HumanAnswer {
        /// The digest of the question that it answers.
        digest: String,
        /// Whether the answer fits the schema.
        verdict: Verdict,
        /// Each place of the answer that does not fit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        issues: Vec<Issue>,
    },
    /// An answer from outside is waited for; the event's node is the `external`.
    ExternalRequest {
        /// The name of the `external` declaration.
        external: Arc<str>,
        /// What finds it from any run; none where the declaration has no key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// 64 hex digits over name, key, data and schema; an answer is bound to it.
        digest: String,
        /// The arguments, by name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<JsonText>,
        /// What the answer must fit.
        schema: JsonText,
    },
    /// An answer came from outside. One that is refused does not count, and another is waited for.
    ExternalAnswer {
        /// The digest of what it answers.
        digest: String,
        /// Whether the answer fits the schema.
        verdict: Verdict,
        /// Each place of the answer that does not fit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        issues: Vec<Issue>,
    },
    /// A task or the run is asked to end.
    Cancel {
        /// Why it is to end.
        reason: String,
    },
    /// What a budget has spent, reported when it is charged.
    Budget {
        /// Requests to models that were made under it.
        calls: u64,
        /// Tokens that were used under it.
        tokens: u64,
        /// Dollars so far, where known.
        usd: f64,
    },
    /// A model asks for a workflow to be started; the event's node is its prompt.
    SpawnRequest {
        /// Which, as the model named it.
        workflow: String,
        /// What for, in its words.
        description: String,
        /// Whether the workflow is started.
        verdict: SpawnVerdict,
        /// Why it is not, when it is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A model is offered a skill, or reads it; the event's node is its prompt.
    Skill {
        /// Its name; of one that there is not, as the model named it.
        skill: String,
        /// How far the model is with it.
        stage: SkillStage,
        /// The file of it that the model asks for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// A conversation came near to the window of its model, and results of its older tool calls are left out of what is sent from here on (`clear_results`); the event's node is the prompt.
    ResultsCleared {
        /// How many results.
        results: u32,
        /// About how many tokens the conversation had.
        tokens: u64,
        /// About how many of them went.
        cleared: u64,
        /// How many the model takes.
        window: u64,
    },
    /// Exchanges of a session gave way to others, because the program asked for it; the event's node is the one that
    /// asked.
    SessionShortened {
        /// The number of the session in its run, from 1.
        session: u64,
        /// How many exchanges went, the first ones.
        gone: u64,
        /// How many stayed.
        kept: u64,
        /// How many messages took the place of those that went.
        made: u64,
    },
    /// Something happened with an MCP server, and is reported with the answer to a call; the event's node is the one
    /// that called.
    McpEvent {
        /// Its program with its arguments, or its address.
        server: Arc<str>,
        #[serde(flatten)]
        happened: McpHappened,
    },
    /// A hook was asked; the event's node is the prompt.
    Hook {
        /// The name of the hook.
        hook: String,
        /// When it is asked, by the name of its handler.
        #[cfg_attr(test, schemars(with = "schema::HookMoment"))]
        moment: Moment,
        /// What came of it.
        verdict: HookVerdict,
        /// Why it denies, or has failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Untrusted content reached a place where only trusted content may be; the event's node is the prompt whose model calls, or
    /// the node that vouches for a value in the program.
    Untrusted(Box<Untrusted>),
    /// A call of a tool has ended.
    ToolCall {
        /// The name of the tool.
        tool: Arc<str>,
        /// The arguments of the call, by name.
        input: JsonText,
        #[serde(flatten)]
        end: End,
    },
}

/// Events of the second version have no count, and mean one request.
const fn one() -> u32 {
    1
}
