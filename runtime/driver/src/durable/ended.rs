//! How a run ended, as the last record of it says.

use gsw_engine::run::RunResult;

/// The end of a run in bytes, for commands that show it.
pub(crate) fn bytes(result: &RunResult) -> Vec<u8> {
    let text = match result {
        RunResult::Value(json) => format!("{{\"value\":{json}}}"),
        RunResult::Raised(error) => match serde_json::to_string(error) {
            Ok(json) => format!("{{\"raised\":{json}}}"),
            Err(error) => serde_json::json!({ "internal": error.to_string() }).to_string(),
        },
        RunResult::Internal(message) => serde_json::json!({ "internal": message }).to_string(),
        RunResult::InvalidInput(issues) => {
            serde_json::json!({ "invalid_input": issues }).to_string()
        }
        RunResult::Cancelled | RunResult::Left(_) => "{}".to_owned(),
    };
    text.into_bytes()
}
