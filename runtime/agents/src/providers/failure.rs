//! Failures that no response reports, and what is added to those that one does.

use gsw_engine::model::{FailureKind, ModelAnswer, ModelFailure};

/// The environment has no key for the model.
pub(crate) fn missing_key(model: &str, variable: &str) -> ModelFailure {
    ModelFailure::new(
        FailureKind::Unauthorized,
        // The code that shows the error suggests a model that needs no key: here may be a host, or a test.
        format!("`{model}` needs a key: set {variable}"),
    )
}

/// The outcome; a key that was refused is named by its variable.
pub(crate) fn with_key_hint(
    variable: &str,
    outcome: Result<ModelAnswer, ModelFailure>,
) -> Result<ModelAnswer, ModelFailure> {
    outcome.map_err(|mut failure| {
        if failure.kind == FailureKind::Unauthorized && failure.status.is_some() {
            failure.message.push_str(&format!("; check {variable}"));
        }
        failure
    })
}
