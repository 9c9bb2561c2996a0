//! Questions to people, and who takes them there.

use std::future::Future;
use std::pin::Pin;

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::driver::call::Call;
use crate::event::Verdict;
use crate::model::Issue;

/// What a person is asked.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The name of the `human`.
    pub human: String,
    /// The question, with the parameters that it does not mention attached as blocks.
    pub text: String,
    /// The type of the answer.
    pub result: TypeId,
    /// The JSON Schema that the answer must fit.
    pub schema: Value,
    /// The values of the defaults in that type, by the function that gives them, as JSON.
    pub defaults: Vec<(FunctionIndex, Value)>,
    /// 64 hex digits over all that is asked, as observers see it.
    pub digest: String,
    /// An earlier answer to this question that does not fit; none at first.
    pub refused: Option<Refused>,
}

/// An answer that does not fit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Refused {
    /// It, as it came.
    pub answer: String,
    /// What does not fit.
    pub issues: Vec<Issue>,
    /// How many answers to this question were refused, this one included.
    pub count: u32,
}

/// What a person answered, not yet checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The digest of the question that this answers.
    pub digest: String,
    /// The answer as JSON text.
    pub answer: String,
}

/// Why there is no answer, in words; the program sees `Cancelled`, which is part of no signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoReply(pub String);

/// A reply on its way. Dropping it takes the question back.
pub type Replying = Pin<Box<dyn Future<Output = Result<Reply, NoReply>> + Send>>;

/// Takes questions to people; one per engine, shared by its runs.
pub trait Humans: Send + Sync {
    /// Asks. Questions come in order, and each has its place in that order when this returns.
    fn ask(&self, question: Question, call: &Call) -> Replying;

    /// What has become of the reply to a question with this digest. One that is refused is asked for again as well.
    fn answered(&self, _digest: &str, _verdict: Verdict) {}
}
