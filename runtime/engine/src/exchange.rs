//! What went between a run and a model, as it may be recorded: without what `@secret` hides, and fit to be read again in the
//! place of the model.
//!
//! A request is recognised by its messages and settings, so its form here leaves out how hard the run tries (retries, time,
//! rate) and what things are called (the prompt's name). Where a value is hidden, another of its type stands in for it, always
//! the same, so that the answer still fits and the request that repeats it is still the same request.

use std::sync::Arc;

use serde_json::Value;

use crate::model::{ModelAnswer, ModelFailure};
use crate::operation::OperationId;

/// A request to a model, and what happened to it.
#[derive(Clone, PartialEq, Debug)]
pub struct Exchange {
    pub operation: OperationId,
    /// The short name of the prompt.
    pub prompt: String,
    pub request: Arc<Value>,
    pub reply: Reply,
}

/// What happened to a request.
#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    Answered(Box<ModelAnswer>),
    Failed(Box<ModelFailure>),
    /// The run did not wait for it any more: its time was over, or another answer came first.
    GivenUp,
    /// It cannot be recorded: why.
    Withheld(String),
}
