//! What a run asks the outside for, and what comes back: the whole seam between a run and its driver, as plain data.

mod nature;

use gsw_abi::program::FunctionIndex;
use gsw_abi::site::Site;
use gsw_abi::types::TypeId;
use gsw_tree::class::Class;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::answers::{Found, KeptAnswer, LookUp, WhenBusy};
use crate::human::{Question, Reply};
use crate::media::Media;
use crate::model::{ModelAnswer, ModelFailure, ModelRequest};
use crate::node::NodeId;
use crate::secret::Template;

pub use nature::{Form, GivenUp};

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
    /// What may be done when nobody knows whether it was done.
    pub class: Class,
    /// When it is of no use any more, in nanoseconds since 1970: its own time limit or that of what lies around it.
    pub due: Option<i64>,
    /// What.
    pub request: Request,
}

/// What is wanted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Nothing but that time passes.
    Sleep {
        /// How much of it.
        nanoseconds: i64,
    },
    /// The time.
    Now,
    /// A float from 0 to below 1.
    Random,
    /// An int.
    RandomInt {
        /// The least.
        low: i64,
        /// The greatest, not below `low`.
        high: i64,
    },
    /// A fresh UUID.
    Uuid,
    /// The text of a file.
    FsRead {
        /// Relative to the working folder, as everywhere.
        path: String,
    },
    /// The bytes of a file.
    FsReadBytes {
        /// Which.
        path: String,
    },
    /// Replaces a file.
    FsWrite {
        /// Which.
        path: String,
        /// By what.
        text: String,
    },
    /// Replaces a file.
    FsWriteBytes {
        /// Which.
        path: String,
        /// By what.
        bytes: Vec<u8>,
    },
    /// Adds to a file.
    FsAppend {
        /// Which.
        path: String,
        /// What.
        text: String,
    },
    /// Whether something is there.
    FsExists {
        /// Where.
        path: String,
    },
    /// The names in a folder, sorted.
    FsList {
        /// Which.
        path: String,
    },
    /// The paths that a pattern fits, sorted.
    FsGlob {
        /// With `*`, `?`, `[…]` and `**`.
        pattern: String,
    },
    /// Removes a file or a folder with all in it.
    FsRemove {
        /// Which.
        path: String,
    },
    /// Makes a folder and those above it.
    FsMakeDir {
        /// Which.
        path: String,
    },
    /// A variable of the environment.
    EnvGet {
        /// Which.
        name: String,
    },
    /// Whether the provider may be sent to the address of a medium.
    MediaUrl {
        /// Which.
        media: Box<Media>,
    },
    /// An answer of a model.
    Model {
        /// To what.
        request: Box<ModelRequest>,
    },
    /// An answer that was kept.
    LookUp {
        /// Of what.
        what: Box<LookUp>,
        /// What to do when another call is asking for it.
        when_busy: WhenBusy,
    },
    /// An answer is kept.
    Keep {
        /// Which.
        answer: Box<KeptAnswer>,
    },
    /// A workflow of the program is started as a run of its own.
    StartRun {
        /// Which.
        start: Box<DetachedStart>,
    },
    /// A program of the system is run.
    Exec {
        /// How.
        request: Box<ExecRequest>,
    },
    /// An HTTP request.
    Http {
        /// Which.
        request: Box<HttpRequest>,
    },
    /// A tool of the program that embeds this one.
    Host {
        /// Which.
        tool: String,
        /// Its arguments by name, as JSON text.
        input: String,
    },
    /// An answer of a person.
    Human {
        /// To what.
        question: Box<Question>,
    },
}

/// A run that another one starts and does not wait for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DetachedStart {
    /// The workflow's name.
    pub workflow: String,
    /// Its function.
    pub function: FunctionIndex,
    /// A record type whose fields are its parameters.
    pub parameters: TypeId,
    /// The type of its value.
    pub result: TypeId,
    /// The parameters by name.
    pub input: Map<String, Value>,
}

/// How to run a program of the system.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecRequest {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// What it reads.
    pub stdin: Option<String>,
    /// Where it runs.
    pub cwd: Option<String>,
    /// After this it is killed.
    pub timeout_nanoseconds: Option<i64>,
    /// Added to the environment.
    pub env: Vec<(String, Template)>,
}

/// What a program of the system gave.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecOutput {
    /// Its exit code; 128 and the signal's number for one that was killed.
    pub code: i64,
    /// What it wrote.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// An HTTP request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpRequest {
    /// `GET` and so on.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// In order.
    pub headers: Vec<(String, Template)>,
    /// What is sent.
    pub body: Option<String>,
}

/// What an HTTP server answered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HttpAnswer {
    /// The status code.
    pub status: i64,
    /// In order of arrival, names in lower case.
    pub headers: Vec<(String, String)>,
    /// As text.
    pub body: String,
}

/// What came of an operation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is done and gives nothing.
    Done,
    /// What is kept of answers.
    Found(Found),
    /// The keys of answers that gave way to another.
    GaveWay(Vec<String>),
    /// Nanoseconds since 1970.
    Time(i64),
    /// A float.
    Float(f64),
    /// An int.
    Int(i64),
    /// Whether.
    Bool(bool),
    /// Text.
    Text(String),
    /// Text, if there is any.
    OptionalText(Option<String>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Several texts.
    Texts(Vec<String>),
    /// The medium, to whose address the provider may be sent.
    Media(Media),
    /// What a tool of the host gave.
    Host {
        /// Which.
        tool: String,
        /// Its value as JSON text.
        answer: String,
    },
    /// What the model said, or why it did not.
    Model(Box<Result<ModelAnswer, ModelFailure>>),
    /// What the program gave.
    Exec(ExecOutput),
    /// What the server answered.
    Http(HttpAnswer),
    /// What a person answered.
    Human(Box<Reply>),
    /// It could not be done.
    Failed(Failure),
}

/// Why an operation could not be done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// `IoError`
    Io {
        /// Of what.
        path: Option<String>,
        /// Why.
        message: String,
    },
    /// `PermissionDenied`
    Denied {
        /// What.
        what: String,
    },
    /// `Timeout`
    Timeout {
        /// After how long.
        nanoseconds: i64,
    },
    /// `ToolFailed`
    Tool {
        /// Which.
        tool: String,
        /// Why.
        message: String,
    },
    /// `Cancelled`, because no person answers.
    Declined {
        /// Why.
        reason: String,
    },
    /// The run gave it up, and nothing of it was done.
    Stopped,
    /// `OutOfMemory`: what comes is more than the run's memory leaves.
    TooLarge,
    /// `Failed`
    Other {
        /// Why.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use gsw_abi::site::{NodePath, Site};
    use gsw_tree::class::Class;

    use super::{Failure, Operation, OperationId, Outcome, Request};
    use crate::node::NodeId;

    #[test]
    fn an_operation_is_small() {
        // A turn may ask for thousands of them.
        assert!(size_of::<Operation>() <= 128, "{}", size_of::<Operation>());
    }

    #[test]
    fn operations_and_outcomes_read_back() {
        let operation = Operation {
            id: OperationId(3),
            node: NodeId(1),
            site: Site {
                path: NodePath::ROOT,
                occurrence: 2,
            },
            class: Class::Pure,
            due: None,
            request: Request::RandomInt {
                low: i64::MIN,
                high: i64::MAX,
            },
        };
        let text = serde_json::to_string(&operation).expect("operations are JSON");
        assert_eq!(
            serde_json::from_str::<Operation>(&text).expect("it reads back"),
            operation
        );
        let failure = Failure::Io {
            path: None,
            message: "no".into(),
        };
        for outcome in [
            Outcome::Float(0.1),
            Outcome::Time(i64::MAX),
            Outcome::Failed(failure),
            Outcome::Done,
        ] {
            let text = serde_json::to_string(&outcome).expect("outcomes are JSON");
            assert_eq!(
                serde_json::from_str::<Outcome>(&text).expect("it reads back"),
                outcome
            );
        }
    }
}
