//! What a program sees when no answer comes: a provider's failure, or an answer that is none, as an error of the language.

use gsw_abi::builtin::BuiltinError;
use gsw_engine::model::{FailureKind, ModelFailure, PromptFailure};
use gsw_notation::issue::Issue;
use serde_json::{Value, json};

/// The error for a model that could not be asked or did not answer.
pub(crate) fn of_failure(failure: &ModelFailure) -> PromptFailure {
    let message = &failure.message;
    match failure.kind {
        FailureKind::RateLimited => raise(
            BuiltinError::RateLimited,
            json!({ "retry_after": failure.retry_after.map(|it| it.as_secs_f64()) }),
        ),
        FailureKind::Overloaded => raise(BuiltinError::Overloaded, json!({})),
        FailureKind::Unauthorized => {
            raise(BuiltinError::Unauthorized, json!({ "message": message }))
        }
        FailureKind::QuotaExceeded => {
            raise(BuiltinError::QuotaExceeded, json!({ "message": message }))
        }
        FailureKind::ContextTooLong => raise(
            BuiltinError::ContextTooLong,
            json!({
                "tokens": failure.oversize.as_ref().map(|it| it.tokens),
                "limit": failure.oversize.as_ref().map(|it| it.limit),
            }),
        ),
        FailureKind::Provider => raise(
            BuiltinError::ProviderError,
            json!({ "status": failure.status, "message": message }),
        ),
        FailureKind::PermissionDenied => {
            raise(BuiltinError::PermissionDenied, json!({ "what": message }))
        }
        FailureKind::NotRecorded => {
            raise(BuiltinError::AssertionFailed, json!({ "message": message }))
        }
    }
}

/// The error for an answer that does not fit.
pub(crate) fn invalid(issues: &[Issue]) -> PromptFailure {
    raise(BuiltinError::InvalidResponse, json!({ "issues": issues }))
}

/// The error for an answer cut at its token limit.
pub(crate) fn cut() -> PromptFailure {
    raise(BuiltinError::MaxTokens, json!({}))
}

/// The error for a full context.
pub(crate) fn full() -> PromptFailure {
    let unknown = Value::Null;
    raise(
        BuiltinError::ContextTooLong,
        json!({ "tokens": unknown, "limit": unknown }),
    )
}

/// The error for a model that declines.
pub(crate) fn refused(reason: &str) -> PromptFailure {
    raise(BuiltinError::Refused, json!({ "reason": reason }))
}

/// The error for a call that cannot be made as it is written.
pub(crate) fn misconfigured(message: &str) -> PromptFailure {
    let status = Value::Null;
    raise(
        BuiltinError::ProviderError,
        json!({ "status": status, "message": message }),
    )
}

/// Whether another model may succeed where this one failed: overload, rate limit, outage.
pub(crate) fn is_outage(failure: &ModelFailure) -> bool {
    match failure.kind {
        FailureKind::RateLimited | FailureKind::Overloaded => true,
        FailureKind::Provider => failure.status.is_none_or(|it| it >= 500 || it == 408),
        FailureKind::Unauthorized
        | FailureKind::QuotaExceeded
        | FailureKind::ContextTooLong
        | FailureKind::PermissionDenied
        | FailureKind::NotRecorded => false,
    }
}

fn raise(error: BuiltinError, fields: Value) -> PromptFailure {
    PromptFailure { error, fields }
}
