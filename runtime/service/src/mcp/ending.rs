//! The end of a run as what its client gets.

use gsw_abi::types::TypeId;
use gsw_driver::engine::Engine;
use gsw_engine::run::{Left, RunError, RunResult};
use gsw_notation::json::written;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolResult, ContentBlock, GetPromptResult, MetaObject, ReadResourceResult,
};
use serde_json::{Value, json};

use crate::failure;
use crate::mcp::{content, offer, resource};
use crate::report::Next;

/// The key of `_meta` that holds an error as data.
const ERROR: &str = "groundswell/error";

/// How the run of a call has ended.
pub(super) struct Ended {
    /// Its workflow, as an index.
    pub workflow: usize,
    pub result: RunResult,
}

/// What a client gets of a tool.
pub(super) fn result(
    engine: &Engine,
    ended: Ended,
    next: &Next,
) -> Result<CallToolResult, ErrorData> {
    let ty = engine.program().workflows[ended.workflow].result;
    Ok(match ended.result {
        RunResult::Value(json) => return value(engine, ty, &json),
        RunResult::Raised(error) => raised(&error),
        RunResult::InvalidInput(issues) => told(failure::issues(&issues)),
        RunResult::Cancelled => told("cancelled".to_owned()),
        RunResult::Left(why) => told(left(&why, next)),
        RunResult::Internal(message) => return Err(internal(&message)),
    })
}

/// What a client gets of a prompt.
pub(super) fn messages(engine: &Engine, ended: Ended) -> Result<GetPromptResult, ErrorData> {
    let json = answer(ended.result)?;
    let value = tree(&json)?;
    let messages = content::messages(&value);
    let messages = messages.ok_or_else(|| internal("messages have another form"))?;
    let result = GetPromptResult::new(messages);
    let docs = &engine.program().workflows[ended.workflow].docs;
    Ok(match docs {
        Some(docs) => result.with_description(docs.clone()),
        None => result,
    })
}

/// What a client gets of something that it reads. Another client may get something else.
pub(super) fn contents(
    engine: &Engine,
    ended: Ended,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let workflow = &engine.program().workflows[ended.workflow];
    let json = answer(ended.result)?;
    let contents = resource::contents(&engine.program().types, workflow, uri, &json);
    let contents = contents.ok_or_else(|| internal("contents have another form"))?;
    Ok(ReadResourceResult::new(contents)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// The value, or the error as the protocol has it where a result cannot say that something has failed.
fn answer(ended: RunResult) -> Result<String, ErrorData> {
    let failed = |why: String| ErrorData::internal_error(why, None);
    Err(match ended {
        RunResult::Value(json) => return Ok(json),
        RunResult::Raised(error) => {
            let data = fields(&error);
            ErrorData::internal_error(text(&error), Some(data))
        }
        RunResult::InvalidInput(issues) => {
            ErrorData::invalid_params(failure::issues(&issues).trim_end().to_owned(), None)
        }
        RunResult::Cancelled => failed("cancelled".into()),
        RunResult::Left(why) => failed(why.to_string()),
        RunResult::Internal(message) => internal(&message),
    })
}

/// The value of a run, which may nest deeper than what is sent.
fn tree(json: &str) -> Result<Value, ErrorData> {
    written(json).map_err(|issue| {
        let why = format!("the result cannot be sent: {}", issue.message);
        ErrorData::internal_error(why, None)
    })
}

fn value(engine: &Engine, ty: TypeId, json: &str) -> Result<CallToolResult, ErrorData> {
    let value = tree(json)?;
    if content::is_content(&engine.program().types, ty) {
        let blocks = content::blocks(&value);
        return blocks
            .map(CallToolResult::success)
            .ok_or_else(|| internal("content has no block"));
    }
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

/// An error that was not caught: its text for people, its fields for programs.
fn raised(error: &RunError) -> CallToolResult {
    let mut result = told(text(error));
    let mut meta = MetaObject::new();
    meta.insert(ERROR.into(), fields(error));
    result.meta = Some(meta);
    result
}

fn text(error: &RunError) -> String {
    let mut text = match error.message.starts_with(&error.error) {
        true => error.message.clone(),
        false => format!("{}: {}", error.error, error.message),
    };
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}

fn fields(error: &RunError) -> Value {
    json!({
        "error": error.error,
        "message": error.message,
        "fields": error.fields,
        "in": error.path,
    })
}

/// A run that has not ended, with what is to be done about it.
fn left(why: &Left, next: &Next) -> String {
    match why {
        Left::Parked { questions, .. } => {
            let answers = next.answers(questions);
            format!("{why}\n{answers}resume it: {}", next.resume())
        }
        Left::Interrupted => format!("{why}\nresume it: {}", next.resume()),
        Left::Diverged { .. } | Left::Unwritten { .. } | Left::Uncarried { .. } => why.to_string(),
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
