//! Questions to people.

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    pub answer: String,
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
