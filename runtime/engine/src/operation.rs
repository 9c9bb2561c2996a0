//! What a run asks the outside for, and what comes back: the whole seam between a run and its driver, as plain data.

mod identity;
mod nature;
mod server;

use std::sync::Arc;

use gsw_abi::permission::Permitted;
use gsw_abi::program::FunctionIndex;
use gsw_abi::site::Site;
use gsw_abi::types::TypeId;
use gsw_tree::class::Class;
use gsw_tree::event::McpHappened;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answers::{Found, KeptAnswer, LookUp, WhenBusy};
use crate::external::External;
use crate::human::{Question, Reply};
use crate::media::Media;
use crate::model::{ModelAnswer, ModelFailure, ModelRequest};
use crate::node::NodeId;
use crate::secret::Template;

pub use identity::bare_summary;
pub use nature::{Form, GivenUp};
pub use server::{AskOfServer, Grants, McpRequest, PlaceOfServer};

/// An operation of a run; ids are given in the order of requests and never again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct OperationId(pub u64);

/// Something that a run wants done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// Under which its outcome is given back.
    pub id: OperationId,
    /// The node that requests it.
    pub node: NodeId,
    /// Where in the program that is; the same in every life of the run.
    pub site: Site,
    /// What may be done when it is unknown whether it was done.
    pub class: Class,
    /// The deadline after which its outcome is not needed, in nanoseconds since 1970: its own time limit or that of a scope
    /// around it.
    pub due: Option<i64>,
    /// What it may do at most, of a program that a model has written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Arc<Rights>>,
    /// Of a sleep: which time it is about.
    #[serde(skip)]
    pub passing: Passing,
    pub request: Request,
}

/// Which time a sleep is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Passing {
    /// Wall-clock time.
    #[default]
    Always,
    /// Time during which a process runs the run: for limits on work that makes no progress without one.
    Carried,
}

/// A program that a model has written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Written {
    pub source: String,
    /// What it may do at most: the permissions of the program that runs it, each with what it lists.
    pub permissions: Permitted,
}

/// What a program that a model has written may do at most, each permission with what it lists: all lists hold.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Rights {
    /// What the program lists itself, if it does.
    pub own: Option<Permitted>,
    /// What the program that runs it may do.
    pub around: Permitted,
    /// The providers that the agents of that program name, sorted: it has granted no key of another one.
    #[serde(default)]
    pub providers: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Nothing but that time passes.
    Sleep {
        nanoseconds: i64,
    },
    Now,
    /// A float from 0 to below 1.
    Random,
    RandomInt {
        low: i64,
        /// The greatest, not below `low`.
        high: i64,
    },
    Uuid,
    /// The text of a file.
    FsRead {
        /// Relative to the working folder, as everywhere.
        path: String,
    },
    /// The bytes of a file.
    FsReadBytes {
        path: String,
    },
    FsWrite {
        path: String,
        text: String,
    },
    FsWriteBytes {
        path: String,
        bytes: Vec<u8>,
    },
    FsAppend {
        path: String,
        text: String,
    },
    FsExists {
        path: String,
    },
    /// The names in a folder, sorted.
    FsList {
        path: String,
    },
    /// The paths that a pattern fits, sorted.
    FsGlob {
        /// With `*`, `?`, `[…]` and `**`.
        pattern: String,
    },
    /// Removes a file or a folder with all in it.
    FsRemove {
        path: String,
    },
    /// Makes a folder and those above it.
    FsMakeDir {
        path: String,
    },
    /// A variable of the environment.
    EnvGet {
        name: String,
    },
    /// Whether the provider may be sent to the address of a medium.
    MediaUrl {
        media: Box<Media>,
    },
    /// An answer of a model.
    Model {
        /// Shared with the prompt that asks.
        request: Arc<ModelRequest>,
        #[serde(default, skip_serializing_if = "Delivery::is_whole")]
        delivery: Delivery,
    },
    /// What has come of an answer of a model that is on its way.
    Piece {
        /// The request to the model.
        of: OperationId,
        /// How many bytes of it the run has.
        taken: u64,
    },
    /// What a test has written in the place of a model.
    Scripted {
        outcome: Box<Result<ModelAnswer, ModelFailure>>,
    },
    /// An answer that was kept.
    LookUp {
        what: Box<LookUp>,
        /// What to do when another call is asking for it.
        when_busy: WhenBusy,
    },
    Keep {
        answer: Box<KeptAnswer>,
    },
    /// A workflow of the program is started as a run of its own.
    StartRun {
        start: Box<DetachedStart>,
    },
    /// Another run of the program is asked something.
    OtherRun {
        run: String,
        ask: AskOfRun,
    },
    /// A program of the system is run.
    Exec {
        request: Box<ExecRequest>,
    },
    Http {
        request: Box<HttpRequest>,
    },
    /// Something of an MCP server.
    Mcp {
        request: Box<McpRequest>,
    },
    /// A tool of the program that embeds this one.
    Host {
        tool: String,
        /// Its arguments by name, as JSON text.
        input: String,
    },
    /// What a mock answers, where a test is tried with crashes: that it happens, not what it gives.
    Mocked {
        call: Box<MockedCall>,
    },
    /// What a model has written becomes a program.
    Compile {
        written: Box<Written>,
    },
    /// An answer of a person.
    Human {
        question: Box<Question>,
    },
    /// An answer that comes from outside and is no person's.
    External {
        external: Box<External>,
    },
}

/// How the answer of a model is delivered to the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    #[default]
    Whole,
    /// Also while it arrives, as far as the run asks for that.
    Pieces,
}

impl Delivery {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// What has come of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// What follows on the bytes that the run has.
    More(Arrived),
    /// The model was asked again, by another life of the run: its answer from the beginning.
    Anew(Arrived),
}

/// A part of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Arrived {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The calls of tools that the model has begun or continued, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallPart>,
}

/// A part of a call of a tool that a model is about to make.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallPart {
    /// Which of the calls of its answer, from 0.
    pub call: u32,
    /// The model's name for the tool.
    pub tool: String,
    /// More of its arguments, which are JSON.
    pub text: String,
}

impl Arrived {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// How many bytes of the answer these are.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let calls: usize = self.calls.iter().map(|it| it.text.len()).sum();
        (self.text.len() + calls) as u64
    }

    /// Adds more of a call.
    pub fn add(&mut self, part: CallPart) {
        match self.calls.iter_mut().find(|it| it.call == part.call) {
            Some(begun) => {
                begun.tool = part.tool;
                begun.text.push_str(&part.text);
            }
            None => self.calls.push(part),
        }
    }
}

/// What a run asks of another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskOfRun {
    /// Whether there is one of this id: its workflow, or `null`.
    Find,
    Status,
    /// The `state` variables of its workflow by name.
    State,
    /// Its value, once it has ended.
    Result,
    /// Asks it to end; the outcome is whether it was still running.
    Cancel {
        reason: String,
    },
    /// That it take an answer which it waits for, as JSON text.
    Answer {
        name: String,
        answer: String,
    },
}

impl AskOfRun {
    /// The function of `std/runs` that asks it.
    #[must_use]
    pub const fn function(&self) -> &'static str {
        match self {
            Self::Find => "runs.get",
            Self::Status => "runs.status",
            Self::State => "runs.state",
            Self::Result => "runs.result",
            Self::Cancel { .. } => "runs.cancel",
            Self::Answer { .. } => "runs.answer",
        }
    }
}

/// A run that another one starts and does not wait for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DetachedStart {
    /// The id that it is to have; none where it follows from the place that starts it.
    pub id: Option<String>,
    pub workflow: String,
    /// What the workflow was called in earlier versions of the program, whose runs know it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    pub function: FunctionIndex,
    /// A record type whose fields are its parameters.
    pub parameters: TypeId,
    /// The type of its value.
    pub result: TypeId,
    /// The parameters by name.
    pub input: Map<String, Value>,
}

/// A call that a mock answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MockedCall {
    /// The name of what is called.
    pub item: String,
    /// Its arguments by name, as JSON text.
    pub input: String,
    pub class: Class,
}

/// How to run a program of the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecRequest {
    pub argv: Vec<String>,
    pub stdin: Option<String>,
    pub cwd: Option<String>,
    /// After this it is killed.
    pub timeout_nanoseconds: Option<i64>,
    pub env: Vec<(String, Template)>,
}

/// What a program of the system gave.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecOutput {
    /// Its exit code; 128 and the signal's number for one that was killed.
    pub code: i64,
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// The outcome of a question to an MCP server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ServerReply {
    /// The server as it is shown to people.
    pub server: String,
    /// What has happened since its last reply, to any caller.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub happened: Vec<McpHappened>,
    /// As JSON text.
    pub answer: Result<String, Failure>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpRequest {
    /// `GET` and so on.
    pub method: String,
    /// Absolute.
    pub url: String,
    pub headers: Vec<(String, Template)>,
    pub body: Option<Vec<u8>>,
}

/// What an HTTP server answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpAnswer {
    pub status: i64,
    /// In order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

/// The outcome of an operation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is done and has no value.
    Done,
    /// What is kept of answers.
    Found(Found),
    /// The keys of evicted answers.
    GaveWay(Vec<String>),
    /// Nanoseconds since 1970.
    Time(i64),
    Float(f64),
    Int(i64),
    Bool(bool),
    Text(String),
    /// The id of a run that was there before, with other arguments than those that it was to be started with now.
    Earlier {
        run: String,
        /// Their names, as a list for people.
        differing: String,
    },
    /// A value as JSON text.
    Json(String),
    /// Text, if there is any.
    OptionalText(Option<String>),
    Bytes(Vec<u8>),
    Texts(Vec<String>),
    /// The medium, to whose address the provider may be sent.
    Media(Media),
    /// What a tool of the host gave.
    Host {
        tool: String,
        /// Its value as JSON text.
        answer: String,
    },
    /// What has come of an answer.
    Piece(Piece),
    /// The answer of the model, or why there is none.
    Model(Box<Result<ModelAnswer, ModelFailure>>),
    Exec(ExecOutput),
    Http(HttpAnswer),
    /// The reply of an MCP server.
    Server(Box<ServerReply>),
    /// The answer of a person, or from outside.
    Human(Box<Reply>),
    /// It could not be done.
    Failed(Failure),
}

/// Why an operation could not be done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    Io {
        path: Option<String>,
        message: String,
    },
    Denied {
        what: String,
    },
    Timeout {
        nanoseconds: i64,
    },
    Tool {
        tool: String,
        message: String,
    },
    /// `McpError`: the server cannot be reached, or does not do what the protocol says.
    Mcp {
        server: String,
        message: String,
    },
    /// `Cancelled`, because a person does not want to answer.
    Declined {
        reason: String,
    },
    /// Like `Denied`, because there is no person to ask.
    Unreachable {
        reason: String,
    },
    /// The run gave it up, and nothing of it was done.
    Stopped,
    /// `OutcomeUnknown`: it was begun in an earlier process of the run, and it is unknown whether it was done.
    Unknown {
        what: String,
    },
    /// `OutOfMemory`: what comes is more than the run's memory leaves.
    TooLarge,
    Other {
        message: String,
    },
}

#[cfg(test)]
mod tests;
