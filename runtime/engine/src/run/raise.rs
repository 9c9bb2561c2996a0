//! Errors that the run itself raises, and what it asks of errors.

use gsw_abi::builtin::BuiltinError;
use gsw_notation::issue::Issue;

use crate::heap::Heap;
use crate::operation::Failure;
use crate::scope::ScopeId;
use crate::value::{error, string};

/// Something may have been done, which is not known.
pub(crate) fn outcome_unknown(heap: &mut Heap, what: &str) -> u64 {
    let what = heap.shown_summary(what);
    error::with_text(heap, BuiltinError::OutcomeUnknown, &what)
}

/// A built-in error without fields.
pub(crate) fn fault(heap: &mut Heap, kind: BuiltinError) -> u64 {
    error::new(heap, kind, &[])
}

pub(crate) fn failed(heap: &mut Heap, message: &str) -> u64 {
    error::with_text(heap, BuiltinError::Failed, message)
}

pub(crate) fn internal(heap: &mut Heap, message: &str) -> u64 {
    error::with_text(heap, BuiltinError::Internal, message)
}

/// A record that the runtime makes does not fit its type: a bug in the runtime, unless making it was interrupted.
pub(crate) fn no_record(heap: &mut Heap, message: &str) -> u64 {
    let interruption = heap.interruption();
    interruption.unwrap_or_else(|| internal(heap, message))
}

/// The error of an operation that could not be done.
pub(crate) fn error_of_failure(heap: &mut Heap, failure: Failure) -> u64 {
    // Whoever performed it does not know what is secret.
    let said = |heap: &Heap, text: String| heap.without_hidden(text);
    match failure {
        Failure::Io { path, message } => {
            let message = said(heap, message);
            // A `string?` is the string itself, or 0.
            let path = path.map_or(0, |path| string::new(heap, &path));
            let message = string::new(heap, &message);
            error::new(heap, BuiltinError::IoError, &[path, message])
        }
        Failure::Denied { what } => {
            let what = said(heap, what);
            error::with_text(heap, BuiltinError::PermissionDenied, &what)
        }
        Failure::Timeout { nanoseconds } => {
            error::new(heap, BuiltinError::Timeout, &[nanoseconds as u64])
        }
        Failure::Tool { tool, message } => {
            let (tool, message) = (string::new(heap, &tool), said(heap, message));
            let message = string::new(heap, &message);
            error::new(heap, BuiltinError::ToolFailed, &[tool, message])
        }
        Failure::Mcp { server, message } => {
            let (server, message) = (string::new(heap, &server), said(heap, message));
            let message = string::new(heap, &message);
            error::new(heap, BuiltinError::McpError, &[server, message])
        }
        Failure::Declined { reason } | Failure::Unreachable { reason } => {
            // A `string?` is the string itself.
            error::with_text(heap, BuiltinError::Cancelled, &reason)
        }
        // The task that gave it up unwinds, and no other sees it.
        Failure::Stopped => failed(heap, "it was given up"),
        Failure::Unknown { what } => outcome_unknown(heap, &what),
        Failure::TooLarge => fault(heap, BuiltinError::OutOfMemory),
        Failure::Other { message } => {
            let message = said(heap, message);
            failed(heap, &message)
        }
    }
}

/// The name of an error, which is borrowed, and its message.
pub(crate) fn said_by(heap: &Heap, raised: u64) -> String {
    let name = error::name(heap, raised);
    let message = error::message(heap, raised);
    // The message of a declared error is its name with its fields.
    if message.starts_with(name) {
        return message;
    }
    format!("{name}: {message}")
}

/// `AssertionFailed`: the program asks for what makes no sense.
pub(crate) fn misused(heap: &mut Heap, message: &str) -> u64 {
    error::with_text(heap, BuiltinError::AssertionFailed, message)
}

pub(crate) fn budget_exceeded(heap: &mut Heap, what: &str) -> u64 {
    error::with_text(heap, BuiltinError::BudgetExceeded, what)
}

/// The unwinding of a scope.
pub(crate) fn unwind_error(heap: &mut Heap, scope: ScopeId) -> u64 {
    error::new(heap, BuiltinError::Unwind, &[scope.0])
}

/// `DecodeError`: the input of a workflow does not fit.
pub(crate) fn unfit_input(heap: &mut Heap, issues: &[Issue]) -> u64 {
    match issues.first() {
        Some(issue) => error::decode(heap, issue),
        None => failed(heap, "the input does not fit"),
    }
}

/// Whether an error is the unwinding of a task or scope.
pub(crate) fn is_unwind(error: u64) -> bool {
    error::kind(error) == Some(BuiltinError::Unwind)
}

/// Whether an error is the unwinding of this scope.
pub(crate) fn is_unwind_of(error: u64, scope: ScopeId) -> bool {
    is_unwind(error) && error::field(error, 0) == scope.0
}
