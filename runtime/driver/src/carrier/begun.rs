//! What a carrier knows of an operation that it has begun.

use std::sync::Arc;

use gsw_engine::operation::Operation;

use super::awaiting::Awaited;
use crate::durable::care::Care;
use crate::perform::Handle;

/// An operation that has no outcome yet.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) handle: Handle,
    /// Who may answer it besides the performer, by this digest.
    pub(super) question: Option<String>,
    /// The run whose end it waits for.
    pub(super) awaits: Option<Arc<str>>,
    /// Nobody is here who could answer it.
    pub(super) is_unanswered: bool,
    pub(super) care: Care,
    /// Not before its intent is written, if it needs one.
    pub(super) is_begun: bool,
}

impl Begun {
    /// Before it begins.
    pub(super) fn of(operation: &Operation, care: Care) -> Self {
        Self {
            handle: Handle::None,
            question: operation.request.question().map(str::to_owned),
            awaits: Awaited::by(&operation.request),
            is_unanswered: false,
            care,
            is_begun: false,
        }
    }
}
