//! A prompt call as a request to a model.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::provider::takes;
use gsw_abi::setting::Setting;
use gsw_engine::model::{
    Content, Fallback, Message, ModelRequest, PromptCall, PromptNote, Rate, Role, Said, Wording,
};

use crate::model_name;
use crate::settings::Settings;
use crate::tools;

/// The message after an answer that is to be better.
const IMPROVE: &str = "\
Look at this answer as a strict critic who did not write it: what is wrong, missing, vague or not asked for, and which alternatives \
are better? Then answer what was first asked for again, with all of that mended. Give only the whole improved answer, in the same \
form; if nothing can be better, give the same answer.";

/// The request for the first model, without messages yet; the error is a sentence for the user.
pub(crate) fn request(
    call: &mut PromptCall,
    owner: &str,
    settings: &Settings,
    notes: &mut Vec<PromptNote>,
) -> Result<ModelRequest, String> {
    for model in &settings.model {
        model_name::parsed(model)?;
        warn_of_refused(model, settings, notes);
    }
    let name = call
        .program
        .prompts
        .get(call.prompt)
        .map_or("answer", |it| {
            // The name is part of the request, and a run of an earlier version has to make the same one.
            let program = &call.program;
            program.lasting_name(NodeKind::Prompt, &it.name)
        });
    let schema_name = name.rsplit('.').next().unwrap_or(name).to_owned();
    Ok(ModelRequest {
        model: settings.model[0].clone(),
        system: call.system.take().filter(|it| !it.trim().is_empty()),
        messages: Vec::new(),
        schema: call.schema.clone(),
        schema_delivery: Wording::Native,
        schema_name,
        max_tokens: settings.max_tokens,
        stop: settings.stop.clone(),
        temperature: settings.temperature,
        thinking: settings.thinking,
        retries: settings.retry,
        tools: tools::offered(&call.program, settings),
        tool_delivery: Wording::Native,
        timeout: settings.timeout,
        first_token: settings.first_token,
        fallback: fallback(settings, 0),
        rate: settings.rate.map(|per_minute| Rate {
            of: format!("{} {owner}", call.program.name),
            per_minute,
        }),
        recorded: None,
    })
}

/// Whether another model follows the one of this index.
pub(crate) fn fallback(settings: &Settings, model: usize) -> Fallback {
    if model + 1 < settings.model.len() {
        Fallback::Present
    } else {
        Fallback::Absent
    }
}

fn warn_of_refused(model: &str, settings: &Settings, notes: &mut Vec<PromptNote>) {
    let given = [
        (Setting::Temperature, settings.temperature.is_some()),
        (Setting::Thinking, settings.thinking.is_some()),
        (Setting::Stop, !settings.stop.is_empty()),
    ];
    for (setting, is_given) in given {
        if is_given && !takes(model, setting) {
            notes.push(PromptNote::Warning {
                message: format!(
                    "`{model}` does not take `{}`; it is not sent",
                    setting.name()
                ),
            });
        }
    }
}

/// The messages of the call itself, without those of its session; its texts are taken over.
pub(crate) fn own_messages(call: &mut PromptCall) -> Vec<Arc<Message>> {
    let message = |said: Said| Arc::new(Message::from(said));
    let mut messages = Vec::new();
    for example in std::mem::take(&mut call.examples) {
        messages.extend(example.said.into_iter().map(message));
        messages.push(said(Role::Assistant, example.answer));
    }
    messages.extend(std::mem::take(&mut call.said).into_iter().map(message));
    if let Some(answer) = call.improving.take() {
        messages.push(said(Role::Assistant, answer));
        messages.push(said(Role::User, IMPROVE));
    }
    messages
}

pub(crate) fn said(role: Role, text: impl Into<String>) -> Arc<Message> {
    let text = text.into();
    Arc::new(Message {
        role,
        content: vec![Content::Text { text }],
    })
}

/// A request of one message, for tests.
#[cfg(test)]
pub(crate) fn plain_request(model: &str, user: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        system: None,
        messages: vec![said(Role::User, user)],
        schema: None,
        schema_delivery: Wording::Native,
        schema_name: "answer".into(),
        max_tokens: 100,
        stop: Vec::new(),
        temperature: None,
        thinking: None,
        retries: 2,
        tools: Vec::new(),
        tool_delivery: Wording::Native,
        timeout: std::time::Duration::from_secs(600),
        first_token: None,
        fallback: Fallback::Absent,
        rate: None,
        recorded: None,
    }
}
