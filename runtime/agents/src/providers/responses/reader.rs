//! Folds the events of a response into an answer.
//!
//! The event that ends a response holds all of it, and an item that is done stands in an event of its own; the deltas before are
//! only for those who read along.

use std::collections::BTreeMap;

use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_tree::usage::Usage;
use serde_json::{Value, json};

use crate::providers::arguments;
use crate::providers::exchange::{AnswerReader, Trouble};
use crate::providers::network::{Delta, OnDelta};
use crate::providers::stream::Event;

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    host: String,
    /// Those that are done, by their index.
    items: BTreeMap<u64, Value>,
    /// The names of the tools that are called, by the indexes of the calls.
    calls: BTreeMap<u64, String>,
    has_begun: bool,
    /// As it ended.
    response: Option<Value>,
}

impl ResponseReader {
    /// A reader for what this host sends.
    pub fn new(host: String) -> Self {
        Self {
            host,
            items: BTreeMap::new(),
            calls: BTreeMap::new(),
            has_begun: false,
            response: None,
        }
    }

    /// An item has begun; passes on what is known of it if it is a call of which nobody knows.
    fn begin_call(&mut self, data: &Value, on_delta: &mut OnDelta) {
        let (item, index) = (&data["item"], data["output_index"].as_u64());
        let Some(index) = index.filter(|it| !self.calls.contains_key(it)) else {
            return;
        };
        if item["type"] == "function_call" {
            let name = item["name"].as_str().unwrap_or_default();
            self.calls.insert(index, name.to_owned());
            let arguments = item["arguments"].as_str().unwrap_or_default();
            self.go_on_with_call(data, arguments, on_delta);
        }
    }

    /// Passes on more of the arguments of a call.
    fn go_on_with_call(&self, data: &Value, text: &str, on_delta: &mut OnDelta) {
        let index = data["output_index"].as_u64().unwrap_or_default();
        if let Some(tool) = self.calls.get(&index) {
            let call = self.calls.range(..index).count();
            on_delta(Delta::Call { call, tool, text });
        }
    }

    /// The response has ended in this state.
    fn end(&mut self, response: &Value) -> Result<(), Trouble> {
        match response["status"].as_str() {
            Some("completed" | "incomplete") => {
                self.response = Some(response.clone());
                Ok(())
            }
            Some("failed") => Err(Trouble::reported(
                &self.host,
                &json!({ "error": response["error"] }),
            )),
            other => {
                let what = format!("a response in the state `{}`", other.unwrap_or_default());
                Err(Trouble::malformed(&self.host, &what))
            }
        }
    }
}

impl AnswerReader for ResponseReader {
    fn event(&mut self, event: &Event, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let data: Value = serde_json::from_str(&event.data)
            .map_err(|_| Trouble::no_event(&self.host, &event.data))?;
        // All that belongs to the output says to which item of it.
        self.has_begun |= data["output_index"].is_u64();
        match data["type"].as_str().unwrap_or(&event.name) {
            "response.output_text.delta" => {
                if let Some(added) = data["delta"].as_str().filter(|it| !it.is_empty()) {
                    on_delta(Delta::Text(added));
                }
            }
            "response.output_item.added" => self.begin_call(&data, on_delta),
            "response.function_call_arguments.delta" => {
                let added = data["delta"].as_str().unwrap_or_default();
                self.go_on_with_call(&data, added, on_delta);
            }
            "response.output_item.done" => {
                self.begin_call(&data, on_delta);
                let index = data["output_index"].as_u64();
                let index = index.unwrap_or(self.items.len() as u64);
                self.items.insert(index, data["item"].clone());
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.end(&data["response"])?;
            }
            "error" => return Err(Trouble::reported(&self.host, &data)),
            // Beginnings, parts and what later versions add.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, answer: &Value, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        self.end(answer)?;
        for part in parts(answer["output"].as_array()) {
            if let Some(text) = part["text"].as_str().filter(|it| !it.is_empty()) {
                on_delta(Delta::Text(text));
            }
        }
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn is_complete(&self) -> bool {
        self.response.is_some()
    }

    fn finish(self: Box<Self>) -> Result<ModelAnswer, Trouble> {
        let Some(response) = self.response else {
            return Err(Trouble::cut(&self.host));
        };
        let done: Vec<Value> = self.items.into_values().collect();
        let output = response["output"].as_array().filter(|it| !it.is_empty());
        let items = output.unwrap_or(&done);
        let reason = response["incomplete_details"]["reason"].as_str();
        let reason = reason.or(response["status"].as_str()).unwrap_or_default();
        let is_incomplete = response["status"] == "incomplete";
        let stop = match stop(reason, items) {
            // Cut for a reason that is not ours to read: a call or a text in it may be half of one.
            StopReason::ToolUse | StopReason::End if is_incomplete => {
                return Err(Trouble::given_up(&self.host, reason));
            }
            stop @ (StopReason::End
            | StopReason::ToolUse
            | StopReason::Paused
            | StopReason::MaxTokens
            | StopReason::ContextFull
            | StopReason::Refusal(_)) => stop,
        };
        Ok(ModelAnswer {
            content: items.iter().flat_map(|it| content(it, &stop)).collect(),
            stop,
            stop_reason: reason.to_owned(),
            model: response["model"].as_str().unwrap_or_default().to_owned(),
            request_id: response["id"].as_str().map(str::to_owned),
            usage: usage(&response["usage"]),
            attempts: 1,
            simulated: false,
            first_token: None,
            circuit: None,
        })
    }
}

/// The parts of the messages among these items.
fn parts(items: Option<&Vec<Value>>) -> impl Iterator<Item = &Value> {
    let items = items.into_iter().flatten();
    items.filter_map(|it| it["content"].as_array()).flatten()
}

fn stop(reason: &str, items: &Vec<Value>) -> StopReason {
    let refusal: String = parts(Some(items))
        .filter_map(|it| it["refusal"].as_str())
        .collect();
    if !refusal.is_empty() {
        return StopReason::Refusal(refusal);
    }
    match reason {
        "max_output_tokens" => StopReason::MaxTokens,
        "content_filter" => {
            StopReason::Refusal("the provider's content filter stopped the answer".into())
        }
        _ if items.iter().any(|it| it["type"] == "function_call") => StopReason::ToolUse,
        _ => StopReason::End,
    }
}

/// What an item says.
fn content(item: &Value, stop: &StopReason) -> Vec<Content> {
    match item["type"].as_str() {
        Some("message") => {
            let parts = item["content"].as_array().into_iter().flatten();
            let text = parts.filter_map(|it| it["text"].as_str());
            text.map(|it| Content::Text { text: it.into() }).collect()
        }
        Some("function_call") => {
            let text = |name: &str| item[name].as_str().unwrap_or_default();
            let (input, flaw) = arguments::read(text("arguments"));
            // A call that the token limit cut is not a call; nobody may run it.
            if flaw.is_some() && *stop == StopReason::MaxTokens {
                return Vec::new();
            }
            vec![Content::ToolUse {
                id: text("call_id").to_owned(),
                name: text("name").to_owned(),
                input,
                flaw,
            }]
        }
        // Without its content it cannot be sent back, since the provider keeps nothing.
        Some("reasoning") if !item["encrypted_content"].is_string() => Vec::new(),
        _ => vec![Content::Opaque {
            block: item.clone(),
        }],
    }
}

/// Counts only where both are said.
fn usage(usage: &Value) -> Option<Usage> {
    let count = |it: &Value| it.as_u64();
    let (input_tokens, output_tokens) =
        count(&usage["input_tokens"]).zip(count(&usage["output_tokens"]))?;
    let cached = count(&usage["input_tokens_details"]["cached_tokens"]);
    Some(Usage {
        input_tokens,
        output_tokens,
        cache_read_tokens: cached.unwrap_or(0),
        cache_write_tokens: 0,
    })
}
