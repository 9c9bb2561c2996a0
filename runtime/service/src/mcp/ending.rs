//! The end of a run as the result of a tool call.

use gsw_abi::types::TypeId;
use gsw_driver::engine::Engine;
use gsw_engine::run::{Left, RunError, RunResult};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Value, json};

use crate::failure;
use crate::mcp::offer;
use crate::report::Next;

/// Where in `_meta` an error stands as data.
const ERROR: &str = "groundswell/error";

/// What the client gets.
pub(super) fn result(
    engine: &Engine,
    ended: RunResult,
    (ty, next): (TypeId, &Next),
) -> Result<CallToolResult, ErrorData> {
    Ok(match ended {
        RunResult::Value(json) => return value(engine, ty, &json),
        RunResult::Raised(error) => raised(&error),
        RunResult::InvalidInput(issues) => told(failure::issues(&issues)),
        RunResult::Cancelled => told("cancelled".to_owned()),
        RunResult::Left(why) => told(left(&why, next)),
        RunResult::Internal(message) => return Err(internal(&message)),
    })
}

fn value(engine: &Engine, ty: TypeId, json: &str) -> Result<CallToolResult, ErrorData> {
    let value: Value = serde_json::from_str(json).map_err(|error| internal(&error.to_string()))?;
    let text = match &value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            json.to_owned()
        }
    };
    let structured = offer::structured(&engine.program().types, ty, value);
    let content = match &structured {
        Some(_) => vec![ContentBlock::text(text)],
        None => Vec::new(),
    };
    let mut result = CallToolResult::success(content);
    result.structured_content = structured;
    Ok(result)
}

/// An error that nobody caught: its text for whoever reads it, its fields for programs.
fn raised(error: &RunError) -> CallToolResult {
    let mut text = match error.message.starts_with(&error.error) {
        true => error.message.clone(),
        false => format!("{}: {}", error.error, error.message),
    };
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    let mut result = told(text);
    let data = json!({
        "error": error.error,
        "message": error.message,
        "fields": error.fields,
        "in": error.path,
    });
    let mut meta = MetaObject::new();
    meta.insert(ERROR.into(), data);
    result.meta = Some(meta);
    result
}

/// A run that has not ended, with what is to be done about it.
fn left(why: &Left, next: &Next) -> String {
    match why {
        Left::Parked { questions, .. } => {
            let answers = questions.iter().map(|name| {
                let answer = next.runs("answer", &format!("{name} JSON"));
                format!("\nanswer: {answer}")
            });
            let answers: String = answers.collect();
            format!("{why}{answers}\ngo on with it: {}", next.resume())
        }
        Left::Interrupted => format!("{why}\ngo on with it: {}", next.resume()),
        Left::Diverged { .. } | Left::Unwritten { .. } => why.to_string(),
    }
}

fn told(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.trim_end())])
}

fn internal(message: &str) -> ErrorData {
    ErrorData::internal_error(
        format!("Internal: {message}; this is a bug in Groundswell"),
        None,
    )
}
