//! The built-in simulator: offline, deterministic by a hash of the request, and valid for every schema.

mod chance;
mod height;
mod number;
mod pattern;
mod text;
mod value;

use chance::Chance;
use gsw_engine::model::{Content, ModelAnswer, ModelRequest, Role, StopReason};
use gsw_tree::usage::Usage;
use value::Generator;

use super::network::OnDelta;

/// How many answers are made up for a check that no schema can express.
pub(crate) const TRIES: u32 = 100;

pub(crate) fn ask(request: &ModelRequest, mut on_delta: OnDelta) -> ModelAnswer {
    let text = answer(request, 0);
    on_delta(&text);
    let sent: usize = request
        .messages
        .iter()
        .flat_map(|it| &it.content)
        .filter_map(Content::text)
        .map(str::len)
        .sum();
    let system = request.system.as_ref().map_or(0, String::len);
    ModelAnswer {
        usage: Some(Usage {
            input_tokens: tokens(sent + system),
            output_tokens: tokens(text.len()),
            ..Usage::default()
        }),
        content: vec![Content::Text { text }],
        stop: StopReason::End,
        stop_reason: "simulated".into(),
        model: request.model.clone(),
        request_id: None,
        attempts: 1,
        simulated: true,
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

/// The last thing that the user said.
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
