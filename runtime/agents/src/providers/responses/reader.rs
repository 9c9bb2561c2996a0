//! Folds the events of a response into an answer.
//!
//! The event that ends a response holds all of it, and an item that is done is in an event of its own; the deltas before are
//! only for readers of the stream.

use std::collections::BTreeMap;

use gsw_engine::model::{Content, ModelAnswer, StopReason};
use gsw_tree::usage::Usage;
use serde_json::{Value, json};

use crate::providers::arguments;
use crate::providers::calls;
use crate::providers::exchange::{AnswerReader, Trouble, event_json};
use crate::providers::json::Json;
use crate::providers::network::{Delta, OnDelta};
use crate::providers::stream::Event;
use crate::providers::usage::{count, with_cached};

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    host: String,
    /// Those that are done, by their index.
    items: BTreeMap<u64, Value>,
    /// The names of the tools that are called, by the indexes of the calls.
    calls: BTreeMap<u64, String>,
    has_begun: bool,
    /// The text whose deltas have come.
    streamed: String,
    /// The whole response, once its last event has arrived.
    response: Option<Value>,
    /// The tokens that the provider has counted, also of a response that failed.
    usage: Option<Usage>,
}

impl ResponseReader {
    /// A reader for what this host sends.
    pub fn new(host: String) -> Self {
        Self {
            host,
            items: BTreeMap::new(),
            calls: BTreeMap::new(),
            has_begun: false,
            streamed: String::new(),
            response: None,
            usage: None,
        }
    }

    /// An item has begun; passes on what is known of it if it is a call that was not reported yet.
    fn begin_call(&mut self, data: &Json<'_>, on_delta: &mut OnDelta) {
        let (item, index) = (&data["item"], data["output_index"].as_u64());
        let Some(index) = index.filter(|it| !self.calls.contains_key(it)) else {
            return;
        };
        if item["type"].as_str() == Some("function_call") {
            let name = item["name"].as_str().unwrap_or_default();
            self.calls.insert(index, name.to_owned());
            let arguments = item["arguments"].as_str().unwrap_or_default();
            self.go_on_with_call(data, arguments, on_delta);
        }
    }

    /// Passes on more of the arguments of a call.
    fn go_on_with_call(&self, data: &Json<'_>, text: &str, on_delta: &mut OnDelta) {
        let index = data["output_index"].as_u64().unwrap_or_default();
        if let Some(tool) = self.calls.get(&index) {
            let call = self.calls.range(..index).count();
            on_delta(Delta::Call { call, tool, text });
        }
    }

    /// The response has ended in this state.
    fn end(&mut self, response: &Json<'_>) -> Result<(), Trouble> {
        self.usage = usage(&response["usage"]);
        match response["status"].as_str() {
            Some("completed" | "incomplete") => {
                self.response = Some(response.to_value());
                Ok(())
            }
            Some("failed") => {
                let error = json!({ "error": response["error"].to_value() });
                Err(Trouble::reported(&self.host, &error.into()))
            }
            other => {
                let what = format!("a response in the state `{}`", other.unwrap_or_default());
                Err(Trouble::malformed(&self.host, &what))
            }
        }
    }

    /// The whole response is there. What has been passed on of its text is all of it, or the text is passed on anew; where only the
    /// deltas have a text, it is the answer's.
    fn settle(&mut self, on_delta: &mut OnDelta) {
        let Some(response) = &mut self.response else {
            return;
        };
        let mut items: Vec<Value> = match output(response) {
            Some(items) => items.clone(),
            None => self.items.values().cloned().collect(),
        };
        let said: String = items.iter().flat_map(texts).collect();
        if said == self.streamed {
            return;
        }
        if said.is_empty() {
            let part = json!({ "type": "output_text", "text": self.streamed });
            items.push(json!({ "type": "message", "content": [part] }));
            response["output"] = items.into();
            return;
        }
        if !self.streamed.is_empty() {
            on_delta(Delta::Restart);
        }
        on_delta(Delta::Text(&said));
    }
}

/// The items of a response, if it repeats them.
fn output(response: &Value) -> Option<&Vec<Value>> {
    response["output"].as_array().filter(|it| !it.is_empty())
}

/// The type of an item that asks us to run what we have not offered.
fn foreign_call(item: &Value) -> Option<&str> {
    let ty = item["type"].as_str()?;
    let is_foreign = matches!(
        ty,
        "custom_tool_call"
            | "computer_call"
            | "shell_call"
            | "local_shell_call"
            | "apply_patch_call"
            | "mcp_approval_request"
    );
    is_foreign.then_some(ty)
}

/// The state of a call that is not whole, in a response that is.
fn cut_call(item: &Value) -> Option<&str> {
    let is_call = item["type"] == "function_call";
    let status = item["status"].as_str().filter(|_| is_call)?;
    matches!(status, "incomplete" | "in_progress").then_some(status)
}

/// The texts of a message.
fn texts(item: &Value) -> impl Iterator<Item = &str> {
    let parts = match item["type"].as_str() {
        Some("message") => item["content"].as_array(),
        Some(_) | None => None,
    };
    let parts = parts.into_iter().flatten();
    parts.filter_map(|it| it["text"].as_str())
}

impl AnswerReader for ResponseReader {
    fn event(&mut self, event: Event<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let data = event_json(&self.host, event.data)?;
        // All that belongs to the output says to which item of it.
        self.has_begun |= data["output_index"].as_u64().is_some();
        match data["type"].as_str().unwrap_or(event.name) {
            "response.output_text.delta" => {
                if let Some(added) = data["delta"].as_str().filter(|it| !it.is_empty()) {
                    on_delta(Delta::Text(added));
                    self.streamed.push_str(added);
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
                self.items.insert(index, data["item"].to_value());
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.end(&data["response"])?;
                self.settle(on_delta);
            }
            "error" => return Err(Trouble::reported(&self.host, &data)),
            // Beginnings, parts and what later versions add.
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, answer: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble> {
        self.end(answer)?;
        self.settle(on_delta);
        Ok(())
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn is_complete(&self) -> bool {
        self.response.is_some()
    }

    fn finish(self: Box<Self>) -> Result<ModelAnswer, Trouble> {
        let Some(response) = self.response else {
            return Err(Trouble::cut(&self.host));
        };
        let done: Vec<Value> = self.items.into_values().collect();
        let items = output(&response).unwrap_or(&done);
        if let Some(ty) = items.iter().find_map(foreign_call) {
            let what = format!("a call of a tool that was not offered (`{ty}`)");
            return Err(Trouble::malformed(&self.host, &what));
        }
        let reason = response["incomplete_details"]["reason"].as_str();
        let reason = reason.or(response["status"].as_str()).unwrap_or_default();
        let is_incomplete = response["status"] == "incomplete";
        let cut_call = items.iter().find_map(cut_call);
        if let Some(status) = cut_call.filter(|_| !is_incomplete) {
            return Err(Trouble::given_up(&self.host, status));
        }
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
        let content: Vec<Content> = items.iter().flat_map(|it| content(it, &stop)).collect();
        calls::check_ids(&self.host, &content)?;
        Ok(ModelAnswer {
            content,
            stop,
            stop_reason: reason.to_owned(),
            model: response["model"].as_str().unwrap_or_default().to_owned(),
            request_id: response["id"].as_str().map(str::to_owned),
            usage: self.usage,
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

/// The content of an output item.
fn content(item: &Value, stop: &StopReason) -> Vec<Content> {
    match item["type"].as_str() {
        Some("message") => {
            let texts = texts(item);
            texts.map(|it| Content::Text { text: it.into() }).collect()
        }
        Some("function_call") => {
            let text = |name: &str| item[name].as_str().unwrap_or_default();
            let (input, flaw) = arguments::read(text("arguments"));
            // A call that the token limit cut is not a call; it must not be run.
            if flaw.is_some() && *stop == StopReason::MaxTokens {
                return Vec::new();
            }
            vec![Content::ToolUse {
                id: text("call_id").to_owned(),
                name: text("name").to_owned(),
                input: input.into(),
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

/// Counts only where both are given.
fn usage(usage: &Json<'_>) -> Option<Usage> {
    let (input_tokens, output_tokens) =
        count(&usage["input_tokens"]).zip(count(&usage["output_tokens"]))?;
    let cached = count(&usage["input_tokens_details"]["cached_tokens"]);
    Some(with_cached(input_tokens, output_tokens, cached))
}
