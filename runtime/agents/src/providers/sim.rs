//! The built-in simulator: offline, deterministic by a hash of the request, and valid for every schema.

mod chance;
mod height;
mod number;
mod pattern;
mod text;
mod value;

use gsw_engine::model::{Content, ModelAnswer, ModelRequest, Role, StopReason};
use gsw_tree::class::Class;
use gsw_tree::usage::Usage;
use serde_json::Value;

use super::network::{Delta, OnDelta};
use chance::Chance;
use value::Generator;

/// How many answers are made up for a check that no schema can express.
pub(crate) const TRIES: u32 = 100;

/// The model that calls tools before it answers.
const CALLS_TOOLS: &str = "sim/tools";

pub(crate) fn ask(request: &ModelRequest, mut on_delta: OnDelta) -> ModelAnswer {
    let calls = calls(request);
    if !calls.is_empty() {
        return made(request, calls, StopReason::ToolUse);
    }
    let text = answer(request, 0);
    on_delta(Delta::Text(&text));
    made(request, vec![Content::Text { text }], StopReason::End)
}

/// What `sim/tools` calls in its first turn: each tool that is offered and changes nothing, with arguments that its schema allows.
fn calls(request: &ModelRequest) -> Vec<Content> {
    let content = request.messages.iter().flat_map(|it| &it.content);
    let has_called = content
        .into_iter()
        .any(|it| matches!(it, Content::ToolUse { .. }));
    if request.model != CALLS_TOOLS || has_called {
        return Vec::new();
    }
    let prompt = prompt(request);
    let harmless = request.tools.iter().filter(|it| it.class <= Class::Reads);
    let calls = harmless.enumerate().map(|(index, tool)| {
        let chance = Chance::new(&format!("{}{}", seed(request), tool.name), 0);
        Content::ToolUse {
            id: format!("sim_{index}"),
            name: tool.name.clone(),
            input: needed(
                &tool.input_schema,
                Generator::new(&tool.input_schema, &prompt, chance).answer(),
            )
            .into(),
            flaw: None,
        }
    });
    calls.collect()
}

/// Without the parameters that a call may leave out: a tool's own defaults fit it better than what is made up.
fn needed(schema: &Value, mut input: Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    if let (Some(required), Some(given)) = (required, input.as_object_mut()) {
        given.retain(|name, _| required.iter().any(|it| it == name));
    }
    input
}

fn made(request: &ModelRequest, content: Vec<Content>, stop: StopReason) -> ModelAnswer {
    let sent: usize = request
        .messages
        .iter()
        .flat_map(|it| &it.content)
        .filter_map(Content::text)
        .map(str::len)
        .sum();
    let system = request.system.as_ref().map_or(0, String::len);
    let written = content.iter().map(|it| match it {
        Content::Text { text } => text.len(),
        Content::ToolUse { name, input, .. } => name.len() + input.text().len(),
        Content::Media { .. } | Content::ToolResult { .. } | Content::Opaque { .. } => 0,
    });
    let written = written.sum();
    ModelAnswer {
        usage: Some(Usage {
            input_tokens: tokens(sent + system),
            output_tokens: tokens(written),
            ..Usage::default()
        }),
        content,
        stop,
        stop_reason: "simulated".into(),
        model: request.model.clone(),
        request_id: None,
        attempts: 1,
        simulated: true,
        first_token: None,
        circuit: None,
    }
}

/// The text of the answer; a later `attempt` makes up another value.
pub(crate) fn answer(request: &ModelRequest, attempt: u32) -> String {
    let prompt = prompt(request);
    let Some(schema) = &request.schema else {
        return format!("simulated: {prompt}");
    };
    let chance = Chance::new(&seed(request), attempt);
    Generator::new(schema, &prompt, chance).answer().to_string()
}

/// What counts as the request: not how long we are ready to wait for it.
fn seed(request: &ModelRequest) -> String {
    let mut request = request.clone();
    request.timeout = std::time::Duration::ZERO;
    request.retries = 0;
    serde_json::to_string(&request).expect("a request has only text keys")
}

/// The last message of the user.
fn prompt(request: &ModelRequest) -> String {
    request
        .messages
        .iter()
        .rev()
        .filter(|it| it.role == Role::User)
        .map(|it| {
            it.content
                .iter()
                .filter_map(Content::text)
                .collect::<String>()
        })
        .find(|it| !it.is_empty())
        .unwrap_or_default()
}

/// A rough count, as a real provider would give an exact one.
fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

#[cfg(test)]
mod tests;
