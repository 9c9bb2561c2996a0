//! Failures that no response reports, and what is added to those that one does.

use gsw_abi::provider::OFFLINE_MODEL;
use gsw_engine::model::{FailureKind, ModelAnswer, ModelFailure};

/// A failure before any attempt.
pub(crate) fn failure(kind: FailureKind, message: String) -> ModelFailure {
    ModelFailure {
        kind,
        message,
        status: None,
        retry_after: None,
        again_in: None,
        attempts: 0,
        tokens: None,
        limit: None,
    }
}

/// The environment has no key for the model.
pub(crate) fn missing_key(model: &str, variable: &str) -> ModelFailure {
    failure(
        FailureKind::Unauthorized,
        format!(
            "`{model}` needs a key: set {variable}, or try without one by `--model {OFFLINE_MODEL}`"
        ),
    )
}

/// The outcome; a key that was refused is named by its variable.
pub(crate) fn with_key_hint(
    variable: &str,
    outcome: Result<ModelAnswer, ModelFailure>,
) -> Result<ModelAnswer, ModelFailure> {
    outcome.map_err(|mut failure| {
        if failure.kind == FailureKind::Unauthorized && failure.status.is_some() {
            failure.message.push_str(&format!("; look at {variable}"));
        }
        failure
    })
}

/// The outcome of a request that followed another one, which took this many attempts.
pub(crate) fn after(
    attempts: u32,
    outcome: Result<ModelAnswer, ModelFailure>,
) -> Result<ModelAnswer, ModelFailure> {
    match outcome {
        Ok(answer) => Ok(ModelAnswer {
            attempts: answer.attempts + attempts,
            ..answer
        }),
        Err(failure) => Err(ModelFailure {
            attempts: failure.attempts + attempts,
            ..failure
        }),
    }
}
