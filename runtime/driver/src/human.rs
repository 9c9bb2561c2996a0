//! The seam to people.

use std::future::Future;
use std::pin::Pin;

use gsw_engine::human::{Question, Reply};
use gsw_tree::event::Verdict;

use crate::call::Call;
pub use crate::perform::FromOutside;

/// Why there is no answer, for people; the program sees `Cancelled`, which is part of no signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoReply {
    /// The person does not want to answer.
    Declined(String),
    /// No person can be reached. A recorded run waits for one who comes later.
    Unreachable(String),
}

/// A reply on its way. Dropping it takes the question back.
pub type Replying = Pin<Box<dyn Future<Output = Result<Reply, NoReply>> + Send>>;

/// Takes questions to people; one per engine, shared by its runs.
pub trait Humans: Send + Sync {
    /// Asks. Questions come in order, and each has its place in that order when this returns.
    fn ask(&self, question: Question, call: &Call) -> Replying;

    /// Whether it also brings what runs wait for from outside.
    fn outside(&self) -> FromOutside {
        FromOutside::Comes
    }

    /// What happened to the reply to a question with this digest. One that is refused is asked for again as well.
    fn answered(&self, _digest: &str, _verdict: Verdict) {}
}
