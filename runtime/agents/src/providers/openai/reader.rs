//! Folds the chunks of a chat completion into an answer.

use std::collections::BTreeMap;

use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_tree::usage::Usage;

use crate::providers::arguments;
use crate::providers::calls;
use crate::providers::exchange::{AnswerReader, Trouble, event_json};
use crate::providers::json::Json;
use crate::providers::network::{Delta, OnDelta};
use crate::providers::stream::Event;
use crate::providers::usage::{count, with_cached};

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct CompletionReader {
    host: String,
    model: String,
    id: Option<String>,
    text: String,
    refusal: String,
    /// The calls by the index that the server gives them.
    calls: BTreeMap<u64, Call>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    has_begun: bool,
    is_done: bool,
}

#[derive(Debug)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

impl CompletionReader {
    /// A reader for what this host sends.
    pub fn new(host: String) -> Self {
        Self {
            host,
            model: String::new(),
            id: None,
            text: String::new(),
            refusal: String::new(),
            calls: BTreeMap::new(),
            finish_reason: None,
            usage: None,
            has_begun: false,
            is_done: false,
        }
    }

    /// Takes a chunk, whose choice is in `delta`, or a whole completion, whose choice is in `message`.
    fn take(&mut self, data: &Json<'_>, part: &str, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if let Some(model) = data["model"].as_str() {
            model.clone_into(&mut self.model);
        }
        if let Some(id) = data["id"].as_str() {
            id.clone_into(self.id.get_or_insert_default());
        }
        self.take_usage(&data["usage"]);
        // We ask for one; of several that a server makes it is the first.
        let mut choices = data["choices"].items().iter();
        let choice = choices.find(|it| it["index"].as_u64().unwrap_or_default() == 0);
        let choice = choice.unwrap_or(&Json::Null);
        let delta = &choice[part];
        self.has_begun |= says_something(delta);
        self.take_content(&delta["content"], on_delta)?;
        self.refusal
            .push_str(delta["refusal"].as_str().unwrap_or_default());
        for call in delta["tool_calls"].items() {
            self.take_call(call, on_delta);
        }
        // Some servers say an empty one until there is one.
        let reason = choice["finish_reason"].as_str();
        if let Some(reason) = reason.filter(|it| !it.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    /// A text, or a list of parts, as some servers send it for reasoning models.
    fn take_content(&mut self, content: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        match content {
            Json::Null => {}
            Json::Text(added) => self.take_text(added, on_delta),
            Json::List(parts) => {
                for part in parts {
                    match (part["type"].as_str(), part["text"].as_str()) {
                        (Some("text" | "output_text") | None, Some(added)) => {
                            self.take_text(added, on_delta);
                        }
                        (Some("thinking" | "reasoning"), _) => {}
                        (ty, _) => {
                            let what = format!("content of the type `{}`", ty.unwrap_or_default());
                            return Err(Trouble::malformed(&self.host, &what));
                        }
                    }
                }
            }
            Json::Bool(_) | Json::Number(_) | Json::Object(_) => {
                return Err(Trouble::malformed(&self.host, "content that is no text"));
            }
        }
        Ok(())
    }

    fn take_text(&mut self, added: &str, on_delta: &mut OnDelta) {
        if !added.is_empty() {
            on_delta(Delta::Text(added));
            self.text.push_str(added);
        }
    }

    /// Counts only where both are given.
    fn take_usage(&mut self, usage: &Json<'_>) {
        let both = count(&usage["prompt_tokens"]).zip(count(&usage["completion_tokens"]));
        if let Some((input_tokens, output_tokens)) = both {
            let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
            self.usage = Some(with_cached(input_tokens, output_tokens, cached));
        }
    }

    fn take_call(&mut self, part: &Json<'_>, on_delta: &mut OnDelta) {
        let index = part["index"].as_u64().unwrap_or_else(|| self.place(part));
        let number = self.calls.range(..index).count();
        let call = self.calls.entry(index).or_insert_with(|| Call {
            id: format!("call_{index}"),
            name: String::new(),
            arguments: String::new(),
        });
        if let Some(id) = part["id"].as_str().filter(|it| !it.is_empty()) {
            id.clone_into(&mut call.id);
        }
        let function = &part["function"];
        call.name
            .push_str(function["name"].as_str().unwrap_or_default());
        let known = match &function["arguments"] {
            Json::Null => call.arguments.len(),
            Json::Text(text) => {
                let known = call.arguments.len();
                call.arguments.push_str(text);
                known
            }
            // All of them.
            whole @ (Json::Bool(_) | Json::Number(_) | Json::List(_) | Json::Object(_)) => {
                call.arguments = whole.to_value().to_string();
                0
            }
        };
        on_delta(Delta::Call {
            call: number,
            tool: &call.name,
            text: &call.arguments[known..],
        });
    }

    /// Where a part without an index belongs: some servers send whole calls, each with its name, in one chunk or in several.
    fn place(&self, part: &Json<'_>) -> u64 {
        let Some((last, call)) = self.calls.last_key_value() else {
            return 0;
        };
        let name = part["function"]["name"].as_str().unwrap_or_default();
        let is_another = !name.is_empty() && part["id"].as_str() != Some(&call.id);
        last.saturating_add(u64::from(is_another))
    }

    fn stop(&self) -> Result<StopReason, Trouble> {
        if !self.refusal.is_empty() {
            return Ok(StopReason::Refusal(self.refusal.clone()));
        }
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        Ok(match reason {
            "content_filter" => {
                StopReason::Refusal("the provider's content filter stopped the answer".into())
            }
            reason if calls::is_at_a_limit(reason) => StopReason::MaxTokens,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            _ if self.calls.is_empty() => StopReason::End,
            // Some servers say `stop` although they call tools.
            reason => {
                calls::check_end(&self.host, reason)?;
                StopReason::ToolUse
            }
        })
    }

    fn content(&mut self, stop: &StopReason) -> Vec<Content> {
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(Content::Text {
                text: std::mem::take(&mut self.text),
            });
        }
        for call in std::mem::take(&mut self.calls).into_values() {
            let (input, flaw) = arguments::read(&call.arguments);
            // A call that the token limit cut is not a call; it must not be run.
            if flaw.is_some() && *stop == StopReason::MaxTokens {
                continue;
            }
            content.push(Content::ToolUse {
                id: call.id,
                name: call.name,
                input: input.into(),
                flaw,
            });
        }
        content
    }
}

impl AnswerReader for CompletionReader {
    fn event(&mut self, event: Event<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let data = event_json(&self.host, event.data)?;
        if data.get("error").is_some_and(|it| !it.is_null()) {
            return Err(Trouble::reported(&self.host, &data));
        }
        self.take(&data, "delta", on_delta)
    }

    fn whole(&mut self, answer: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if !answer["choices"][0]["message"].is_object() {
            return Err(Trouble::malformed(
                &self.host,
                "a completion without a choice",
            ));
        }
        self.take(answer, "message", on_delta)?;
        self.is_done = true;
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn is_complete(&self) -> bool {
        // Usage comes after the finish reason, so only the end of the stream is the end.
        self.is_done
    }

    fn finish(mut self: Box<Self>) -> Result<ModelAnswer, Trouble> {
        let has_said_something =
            !self.text.is_empty() || !self.refusal.is_empty() || !self.calls.is_empty();
        // Some servers give no reason; one that says nothing at all has not answered.
        let is_whole = self.finish_reason.is_some() || self.is_done && has_said_something;
        if !is_whole {
            return Err(Trouble::cut(&self.host));
        }
        // What DeepSeek, OpenRouter and vLLM report for an answer that they could not continue; a call in it may be half of
        // one.
        if let Some(reason @ ("insufficient_system_resource" | "error" | "abort")) =
            self.finish_reason.as_deref()
        {
            return Err(Trouble::given_up(&self.host, reason));
        }
        let stop = self.stop()?;
        Ok(ModelAnswer {
            content: self.content(&stop),
            stop,
            stop_reason: self.finish_reason.unwrap_or_default(),
            model: self.model,
            request_id: self.id,
            usage: self.usage,
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })
    }
}

/// Whether there is more than a role: text, thinking under whatever name the server gives it, or a call.
fn says_something(delta: &Json<'_>) -> bool {
    delta.fields().any(|(name, part)| match part {
        Json::Text(text) => name != "role" && !text.is_empty(),
        Json::List(items) => !items.is_empty(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => false,
    })
}
