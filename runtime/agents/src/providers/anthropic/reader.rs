//! Folds the events of a Messages stream into an answer.

use std::collections::HashMap;

use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_tree::usage::Usage;
use serde_json::{Map, Value};

use crate::providers::arguments;
use crate::providers::calls;
use crate::providers::exchange::{AnswerReader, Trouble, event_json};
use crate::providers::json::Json;
use crate::providers::network::{Delta, OnDelta};
use crate::providers::stream::Event;
use crate::providers::usage::count;

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct MessageReader {
    host: String,
    model: String,
    id: Option<String>,
    blocks: Vec<Block>,
    /// The blocks' places by the provider's index.
    places: HashMap<u64, usize>,
    stop_reason: Option<String>,
    stop_details: Value,
    usage: UsageFields,
    is_complete: bool,
}

/// A content block: what it began as, grown by its deltas.
#[derive(Debug)]
struct Block {
    value: Map<String, Value>,
    /// Which of the calls of the answer it is, if it is one.
    call: Option<usize>,
    /// The arguments of a tool call, as text until they are whole.
    input: String,
}

/// Counters as the provider sends them; each later figure replaces the earlier one.
#[derive(Clone, Copy, Debug, Default)]
struct UsageFields {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: u64,
    cache_write: u64,
}

impl MessageReader {
    /// A reader for what this host sends.
    pub fn new(host: String) -> Self {
        Self {
            host,
            model: String::new(),
            id: None,
            blocks: Vec::new(),
            places: HashMap::new(),
            stop_reason: None,
            stop_details: Value::Null,
            usage: UsageFields::default(),
            is_complete: false,
        }
    }

    fn start(&mut self, message: &Json<'_>) {
        self.model = text(message, "model").unwrap_or_default().to_owned();
        self.id = text(message, "id").map(str::to_owned);
        self.usage.overwrite(&message["usage"]);
    }

    /// A stream starts, or starts over: then nothing that has arrived belongs to the answer.
    fn begin(&mut self, message: &Json<'_>, on_delta: &mut OnDelta) {
        if self.has_begun() {
            on_delta(Delta::Restart);
            *self = Self::new(std::mem::take(&mut self.host));
        }
        self.start(message);
        // What has been put out so far, which is next to nothing.
        self.usage.output = None;
    }

    fn start_block(
        &mut self,
        index: Option<u64>,
        begun: &Json<'_>,
        on_delta: &mut OnDelta,
    ) -> Result<(), Trouble> {
        let Value::Object(value) = begun.to_value() else {
            return Err(self.malformed("a content block without content"));
        };
        if let Some(text) = text(begun, "text").filter(|it| !it.is_empty()) {
            on_delta(Delta::Text(text));
        }
        let place = self.blocks.len();
        let earlier = self
            .places
            .insert(index.unwrap_or(place as u64), place)
            .and_then(|it| self.blocks.get(it));
        if earlier.is_some_and(|it| it.call.is_some()) {
            return Err(Trouble {
                is_worth_another: true,
                ..self.malformed("a call of a tool in it begins twice")
            });
        }
        let call = (value.get("type").is_some_and(|it| it == "tool_use"))
            .then(|| self.blocks.iter().filter(|it| it.call.is_some()).count());
        let block = Block {
            value,
            call,
            input: String::new(),
        };
        block.tell(on_delta, "");
        self.blocks.push(block);
        Ok(())
    }

    fn delta(&mut self, data: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        let delta = &data["delta"];
        let index = data["index"].as_u64();
        let place = index.and_then(|it| self.places.get(&it));
        let block = place.and_then(|it| self.blocks.get_mut(*it));
        let Some(block) = block else {
            return Err(self.malformed("a delta of a content block that has not begun"));
        };
        match text(delta, "type") {
            Some("text_delta") => {
                let added = text(delta, "text").unwrap_or_default();
                if !added.is_empty() {
                    on_delta(Delta::Text(added));
                }
                append(&mut block.value, "text", added);
            }
            Some("input_json_delta") => {
                let added = text(delta, "partial_json").unwrap_or_default();
                block.input.push_str(added);
                if !added.is_empty() {
                    block.tell(on_delta, added);
                }
            }
            Some("thinking_delta") => {
                append(
                    &mut block.value,
                    "thinking",
                    text(delta, "thinking").unwrap_or_default(),
                );
            }
            Some("signature_delta") => {
                append(
                    &mut block.value,
                    "signature",
                    text(delta, "signature").unwrap_or_default(),
                );
            }
            // Citations, and what later versions add, do not change the answer's text.
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, data: &Json<'_>) {
        self.usage.overwrite(&data["usage"]);
        let delta = &data["delta"];
        if let Some(reason) = text(delta, "stop_reason").filter(|it| !it.is_empty()) {
            self.stop_reason = Some(reason.to_owned());
        }
        if !delta["stop_details"].is_null() {
            self.stop_details = delta["stop_details"].to_value();
        }
    }

    fn stop(&self, reason: &str) -> Result<StopReason, Trouble> {
        Ok(match reason {
            "tool_use" => StopReason::ToolUse,
            reason if calls::is_at_a_limit(reason) => StopReason::MaxTokens,
            "model_context_window_exceeded" => StopReason::ContextFull,
            "refusal" => StopReason::Refusal(self.refusal()),
            "pause_turn" => StopReason::Paused,
            // `end_turn`, `stop_sequence`, and what later versions add; compatible servers say these although they call tools.
            _ if self.blocks.iter().all(|it| it.call.is_none()) => StopReason::End,
            reason => {
                calls::check_end(&self.host, reason)?;
                StopReason::ToolUse
            }
        })
    }

    fn refusal(&self) -> String {
        let details = &self.stop_details;
        let reason = details["explanation"].as_str();
        let reason = reason.or(details["category"].as_str());
        reason.unwrap_or("the model declined to answer").to_owned()
    }

    fn malformed(&self, what: &str) -> Trouble {
        Trouble::malformed(&self.host, what)
    }
}

impl Block {
    /// Passes on more of the arguments of a call.
    fn tell(&self, on_delta: &mut OnDelta, text: &str) {
        if let Some(call) = self.call {
            let tool = self.field("name");
            on_delta(Delta::Call { call, tool, text });
        }
    }

    fn field(&self, name: &str) -> &str {
        let field = self.value.get(name).and_then(Value::as_str);
        field.unwrap_or_default()
    }

    /// The block as content, if it is any.
    fn content(&self, stop: &StopReason) -> Option<Content> {
        let field = |name| self.field(name);
        Some(match field("type") {
            "text" => Content::Text {
                text: field("text").to_owned(),
            },
            "tool_use" => {
                let (input, flaw) = self.input();
                // A call that the token limit cut is not a call; it must not be run.
                if flaw.is_some() && *stop == StopReason::MaxTokens {
                    return None;
                }
                // Some servers give none, and take none back.
                let ours = format!("call_{}", self.call.unwrap_or_default());
                let id = match field("id") {
                    "" => ours,
                    id => id.to_owned(),
                };
                Content::ToolUse {
                    id,
                    name: field("name").to_owned(),
                    input: input.into(),
                    flaw,
                }
            }
            _ => Content::Opaque {
                block: Value::Object(self.value.clone()),
            },
        })
    }

    /// The arguments of a tool call, and why they cannot be read.
    fn input(&self) -> (Value, Option<String>) {
        if self.input.is_empty() {
            return arguments::checked(self.value.get("input").cloned().unwrap_or_default());
        }
        arguments::read(&self.input)
    }
}

impl AnswerReader for MessageReader {
    fn event(&mut self, event: Event<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if event.name == "ping" {
            return Ok(());
        }
        let data = event_json(&self.host, event.data)?;
        match text(&data, "type").unwrap_or(event.name) {
            "message_start" => self.begin(&data["message"], on_delta),
            "content_block_start" => {
                let index = data["index"].as_u64();
                self.start_block(index, &data["content_block"], on_delta)?;
            }
            "content_block_delta" => self.delta(&data, on_delta)?,
            "message_delta" => self.end(&data),
            "message_stop" => self.is_complete = true,
            "error" => return Err(Trouble::reported(&self.host, &data)),
            // `ping`, `content_block_stop`, and what later versions add.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, answer: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        let Some(blocks) = answer["content"].as_list() else {
            return Err(self.malformed("a message without content"));
        };
        self.start(answer);
        for block in blocks {
            self.start_block(None, block, on_delta)?;
        }
        let reason = text(answer, "stop_reason").filter(|it| !it.is_empty());
        self.stop_reason = reason.map(str::to_owned);
        self.stop_details = answer["stop_details"].to_value();
        self.is_complete = true;
        Ok(())
    }

    fn has_begun(&self) -> bool {
        !self.blocks.is_empty()
    }

    fn usage(&self) -> Option<Usage> {
        self.usage.so_far()
    }

    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn finish(self: Box<Self>) -> Result<ModelAnswer, Trouble> {
        let (true, Some(reason)) = (self.is_complete, self.stop_reason.clone()) else {
            return Err(Trouble::cut(&self.host));
        };
        let stop = self.stop(&reason)?;
        let content = self.blocks.iter().filter_map(|it| it.content(&stop));
        let content: Vec<Content> = content.collect();
        calls::check_ids(&self.host, &content)?;
        Ok(ModelAnswer {
            content,
            stop,
            stop_reason: reason,
            model: self.model,
            request_id: self.id,
            usage: self.usage.total(),
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })
    }
}

impl UsageFields {
    fn overwrite(&mut self, usage: &Json<'_>) {
        let count = |name: &str| count(&usage[name]);
        self.input = count("input_tokens").or(self.input);
        self.output = count("output_tokens").or(self.output);
        self.cache_read = count("cache_read_input_tokens").unwrap_or(self.cache_read);
        self.cache_write = count("cache_creation_input_tokens").unwrap_or(self.cache_write);
    }

    /// What was reported of an incomplete answer: its output may not have been counted at all.
    fn so_far(&self) -> Option<Usage> {
        let whole = Self {
            output: self.output.or(Some(0)),
            ..*self
        };
        whole.total()
    }

    /// `None` when input or output was never reported.
    fn total(&self) -> Option<Usage> {
        let (input, output) = (self.input?, self.output?);
        Some(Usage {
            input_tokens: input
                .saturating_add(self.cache_read)
                .saturating_add(self.cache_write),
            output_tokens: output,
            cache_read_tokens: self.cache_read,
            cache_write_tokens: self.cache_write,
        })
    }
}

fn text<'a>(value: &'a Json<'_>, name: &str) -> Option<&'a str> {
    value[name].as_str()
}

fn append(block: &mut Map<String, Value>, name: &str, added: &str) {
    if let Some(Value::String(text)) = block.get_mut(name) {
        text.push_str(added);
    } else {
        block.insert(name.into(), added.into());
    }
}
