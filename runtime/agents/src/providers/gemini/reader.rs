//! Folds the chunks of a generation into an answer. Each chunk has the form of a whole one.

use gsw_engine::model::{Content, FailureKind, ModelAnswer, ModelFailure, StopReason};
use gsw_tree::usage::Usage;
use serde_json::json;

use super::wire::SIGNATURE;
use crate::providers::arguments;
use crate::providers::calls;
use crate::providers::exchange::{AnswerReader, Trouble, event_json};
use crate::providers::json::Json;
use crate::providers::network::{Delta, OnDelta};
use crate::providers::stream::Event;
use crate::providers::usage::{count, with_cached};

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct GenerationReader {
    host: String,
    model: String,
    id: Option<String>,
    content: Vec<Content>,
    calls: usize,
    finish_reason: Option<String>,
    /// What the provider adds to it.
    finish_message: Option<String>,
    /// Why the request itself was blocked.
    block_reason: Option<String>,
    usage: Option<Usage>,
}

impl GenerationReader {
    /// A reader for what this host sends.
    pub fn new(host: String) -> Self {
        Self {
            host,
            model: String::new(),
            id: None,
            content: Vec::new(),
            calls: 0,
            finish_reason: None,
            finish_message: None,
            block_reason: None,
            usage: None,
        }
    }

    fn chunk(&mut self, data: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if data.get("error").is_some_and(|it| !it.is_null()) {
            return Err(Trouble::reported(&self.host, data));
        }
        self.take(data, on_delta);
        Ok(())
    }

    fn take(&mut self, data: &Json<'_>, on_delta: &mut OnDelta) {
        let text = |value: &Json<'_>| value.as_str().map(str::to_owned);
        if let Some(model) = text(&data["modelVersion"]) {
            self.model = model;
        }
        self.id = text(&data["responseId"]).or(self.id.take());
        self.block_reason =
            text(&data["promptFeedback"]["blockReason"]).or(self.block_reason.take());
        // Each chunk counts all tokens so far.
        self.usage = usage(&data["usageMetadata"]).or(self.usage.take());
        // We ask for one; of several that a server makes it is the first.
        let mut candidates = data["candidates"].items().iter();
        let candidate = candidates.find(|it| it["index"].as_u64().unwrap_or_default() == 0);
        let candidate = candidate.unwrap_or(&Json::Null);
        for part in candidate["content"]["parts"].items() {
            self.take_part(part, on_delta);
        }
        let reason = text(&candidate["finishReason"]).filter(|it| !it.is_empty());
        self.finish_reason = reason.or(self.finish_reason.take());
        self.finish_message = text(&candidate["finishMessage"]).or(self.finish_message.take());
    }

    fn take_part(&mut self, part: &Json<'_>, on_delta: &mut OnDelta) {
        let signature = part.get(SIGNATURE);
        let is_thought = part["thought"].is_true();
        let text = part["text"].as_str().filter(|_| !is_thought);
        let call = part.get("functionCall");
        match (text, call) {
            (Some(""), None) if signature.is_none() => {}
            (Some(text), call) if !text.is_empty() || call.is_some() => {
                self.sign(signature);
                if !text.is_empty() {
                    self.take_text(text, on_delta);
                }
                if let Some(call) = call {
                    self.take_call(call, on_delta);
                }
            }
            (None, Some(call)) => {
                self.sign(signature);
                self.take_call(call, on_delta);
            }
            // Thoughts, a signature without a text, and what later versions add.
            _ => self.content.push(Content::Opaque {
                block: part.to_value(),
            }),
        }
    }

    fn take_text(&mut self, text: &str, on_delta: &mut OnDelta) {
        on_delta(Delta::Text(text));
        if let Some(Content::Text { text: before }) = self.content.last_mut() {
            before.push_str(text);
        } else {
            self.content.push(Content::Text { text: text.into() });
        }
    }

    fn take_call(&mut self, call: &Json<'_>, on_delta: &mut OnDelta) {
        let given = call.get("args").map(Json::to_value);
        let arguments = given.as_ref().map(ToString::to_string);
        on_delta(Delta::Call {
            call: self.calls,
            tool: call["name"].as_str().unwrap_or_default(),
            text: &arguments.unwrap_or_default(),
        });
        self.calls += 1;
        let (input, flaw) = arguments::checked(given.unwrap_or_default());
        let id = call["id"].as_str().filter(|it| !it.is_empty());
        // Ours must differ from those of the turns before.
        let ours = || {
            let answer = self.id.as_deref().unwrap_or("call");
            format!("{answer}_{}", self.calls)
        };
        let id = id.map_or_else(ours, str::to_owned);
        self.content.push(Content::ToolUse {
            id,
            name: call["name"].as_str().unwrap_or_default().to_owned(),
            input: input.into(),
            flaw,
        });
    }

    /// The part after it has this signature.
    fn sign(&mut self, signature: Option<&Json<'_>>) {
        if let Some(signature) = signature {
            self.content.push(Content::Opaque {
                block: json!({ SIGNATURE: signature.to_value() }),
            });
        }
    }

    fn stop(&self, reason: &str) -> Result<StopReason, Trouble> {
        Ok(match reason {
            // The second is cut at a limit of the provider's own; only a token that it gives would continue it.
            "MAX_TOKENS" | "CONTINUATION" => StopReason::MaxTokens,
            "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
            | "MODEL_ARMOR"
            | "ESCALATION"
            | "PUP_LIMITED_DISABLED" => {
                let message = self.finish_message.as_deref().unwrap_or("no answer");
                StopReason::Refusal(format!("{message} ({reason})"))
            }
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "MALFORMED_RESPONSE"
            | "OTHER" => return Err(self.spoilt(reason)),
            // `STOP`, and what later versions add.
            _ if self.calls == 0 => StopReason::End,
            reason => {
                calls::check_end(&self.host, reason)?;
                StopReason::ToolUse
            }
        })
    }

    /// The model has spoilt its answer; another may be better.
    fn spoilt(&self, reason: &str) -> Trouble {
        let message = self.finish_message.as_deref().unwrap_or("no answer");
        Trouble {
            failure: ModelFailure::new(
                FailureKind::Provider,
                format!("{} gave no answer: {message} ({reason})", self.host),
            ),
            is_worth_another: true,
        }
    }
}

impl AnswerReader for GenerationReader {
    fn event(&mut self, event: Event<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        let data = event_json(&self.host, event.data)?;
        self.chunk(&data, on_delta)
    }

    fn whole(&mut self, answer: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        // All chunks in one list, where a server on the way does not stream.
        if let Some(chunks) = answer.as_list() {
            return chunks.iter().try_for_each(|it| self.chunk(it, on_delta));
        }
        self.chunk(answer, on_delta)
    }

    fn has_begun(&self) -> bool {
        !self.content.is_empty()
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn is_complete(&self) -> bool {
        // Nothing says that a chunk is the last one; a signature may follow the reason to finish.
        false
    }

    fn finish(self: Box<Self>) -> Result<ModelAnswer, Trouble> {
        let (stop, reason) = match (&self.finish_reason, &self.block_reason) {
            (Some(reason), _) => (self.stop(reason)?, reason.clone()),
            (None, Some(reason)) => {
                let why = format!("the request was blocked ({reason})");
                (StopReason::Refusal(why), reason.clone())
            }
            (None, None) => return Err(Trouble::cut(&self.host)),
        };
        calls::check_ids(&self.host, &self.content)?;
        Ok(ModelAnswer {
            content: self.content,
            stop,
            stop_reason: reason,
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

/// Counts only where the input is given: what is 0 may be left out.
fn usage(usage: &Json<'_>) -> Option<Usage> {
    let or_none = |name: &str| count(&usage[name]).unwrap_or(0);
    let input = count(&usage["promptTokenCount"])? + or_none("toolUsePromptTokenCount");
    let output = or_none("candidatesTokenCount") + or_none("thoughtsTokenCount");
    let cached = count(&usage["cachedContentTokenCount"]);
    Some(with_cached(input, output, cached))
}
