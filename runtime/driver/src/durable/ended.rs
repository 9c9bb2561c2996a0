//! How a run ended, as the last record of it says.

use gsw_engine::run::{Finished, Left, RunResult};
use gsw_journal::writer::Failure;

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

/// The end of a run as it is reported: a result that is not on the disk would be contradicted by the next life of the run.
pub(super) fn as_written(
    mut finished: Box<Finished>,
    written: Result<(), Failure>,
) -> Box<Finished> {
    let Err(failure) = written else {
        return finished;
    };
    let came_to = match &finished.result {
        RunResult::Left(_) => return finished,
        RunResult::Value(json) => format!("it came to {json}"),
        RunResult::Raised(error) => format!("it failed with {}", error.message),
        RunResult::Cancelled => "it was cancelled".to_owned(),
        RunResult::InvalidInput(_) => "its input does not fit".to_owned(),
        RunResult::Internal(message) => format!("it failed with {message}"),
    };
    let why = format!("{failure}; {came_to}, and the end of it is lost");
    finished.result = RunResult::Left(Left::Unwritten { why });
    finished
}
