//! Messages and completions as the events of their protocols, or whole.

use serde_json::{Value, json};

use crate::script::{Completion, Event, Message};

const ID: &str = "msg_fake";

pub(crate) fn named(name: &str, mut data: Value) -> Event {
    data["type"] = name.into();
    Event {
        event: Some(name.into()),
        data,
    }
}

pub(crate) fn bare(data: Value) -> Event {
    Event { event: None, data }
}

/// A text in pieces of so many characters.
pub(crate) fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(size.max(1))
        .map(|it| it.iter().collect())
        .collect()
}

impl Message {
    /// The message of this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self {
            content: vec![json!({ "type": "text", "text": text })],
            ..Self::default()
        }
    }

    pub(crate) fn whole(&self, model: &Value) -> Value {
        json!({
            "id": ID,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": self.content,
            "stop_reason": self.stop_reason,
            "stop_sequence": null,
            "stop_details": self.stop_details,
            "usage": self.usage,
        })
    }

    /// The message as a stream.
    pub(crate) fn events(&self, model: &Value) -> Vec<Event> {
        let start = Self {
            content: Vec::new(),
            stop_reason: Value::Null,
            usage: self.usage_at_start(),
            ..self.clone()
        };
        let mut events = vec![
            named("message_start", json!({ "message": start.whole(model) })),
            named("ping", json!({})),
        ];
        for (index, block) in self.content.iter().enumerate() {
            self.push_block(index, block, &mut events);
        }
        let delta = json!({
            "stop_reason": self.stop_reason,
            "stop_sequence": null,
            "stop_details": self.stop_details,
        });
        events.push(named(
            "message_delta",
            json!({ "delta": delta, "usage": self.usage }),
        ));
        events.push(named("message_stop", json!({})));
        events
    }

    /// Output is counted up as the stream goes, so that adding the figures instead of replacing them is noticed.
    fn usage_at_start(&self) -> Value {
        let mut usage = self.usage.clone();
        usage["output_tokens"] = 1.into();
        usage
    }

    fn push_block(&self, index: usize, block: &Value, events: &mut Vec<Event>) {
        let mut start = block.clone();
        let mut deltas = Vec::new();
        let text = |name: &str| pieces(block[name].as_str().unwrap_or_default(), self.piece);
        match block["type"].as_str() {
            Some("text") => {
                start["text"] = "".into();
                deltas.extend(
                    text("text")
                        .into_iter()
                        .map(|it| json!({ "type": "text_delta", "text": it })),
                );
            }
            Some("thinking") => {
                start["thinking"] = "".into();
                start["signature"] = "".into();
                let thinking = text("thinking").into_iter();
                deltas
                    .extend(thinking.map(|it| json!({ "type": "thinking_delta", "thinking": it })));
                deltas.push(json!({ "type": "signature_delta", "signature": block["signature"] }));
            }
            Some("tool_use") => {
                let input = block["input"].to_string();
                start["input"] = json!({});
                let parts = std::iter::once(String::new()).chain(pieces(&input, self.piece));
                deltas.extend(
                    parts.map(|it| json!({ "type": "input_json_delta", "partial_json": it })),
                );
            }
            _ => {}
        }
        events.push(named(
            "content_block_start",
            json!({ "index": index, "content_block": start }),
        ));
        for delta in deltas {
            events.push(named(
                "content_block_delta",
                json!({ "index": index, "delta": delta }),
            ));
        }
        events.push(named("content_block_stop", json!({ "index": index })));
    }
}

impl Completion {
    /// The completion of this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self {
            content: text.into(),
            ..Self::default()
        }
    }

    pub(crate) fn whole(&self, model: &Value) -> Value {
        let mut message = json!({
            "role": "assistant",
            "content": self.content,
            "refusal": self.refusal,
        });
        if !self.tool_calls.is_empty() {
            message["tool_calls"] = self.tool_calls.clone().into();
        }
        let choice = json!({
            "index": 0, "message": message, "finish_reason": self.finish_reason, "logprobs": null
        });
        json!({
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": self.usage,
        })
    }

    /// The completion as a stream, with usage in a last chunk without choices.
    pub(crate) fn events(&self, model: &Value) -> Vec<Event> {
        let chunk = |choices: Value, usage: &Value| {
            bare(json!({
                "id": "chatcmpl-fake",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": model,
                "choices": choices,
                "usage": usage,
            }))
        };
        let choice = |delta: Value, reason: &Value| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
            chunk(json!([choice]), &Value::Null)
        };
        let null = &Value::Null;
        let mut events = vec![choice(json!({ "role": "assistant", "content": "" }), null)];
        for piece in pieces(&self.content, self.piece) {
            events.push(choice(json!({ "content": piece }), null));
        }
        if let Some(refusal) = &self.refusal {
            events.push(choice(json!({ "refusal": refusal }), null));
        }
        for delta in self.call_deltas() {
            events.push(choice(json!({ "tool_calls": [delta] }), null));
        }
        events.push(choice(json!({}), &self.finish_reason));
        events.push(chunk(json!([]), &self.usage));
        events.push(bare("[DONE]".into()));
        events
    }

    /// The beginning of each call, then their arguments in turn, mixed as parallel calls are.
    fn call_deltas(&self) -> Vec<Value> {
        let mut deltas = Vec::new();
        let mut arguments = Vec::new();
        for (index, call) in self.tool_calls.iter().enumerate() {
            let function = &call["function"];
            let begun = json!({ "name": function["name"], "arguments": "" });
            deltas.push(json!({
                "index": index, "id": call["id"], "type": "function", "function": begun
            }));
            let text = function["arguments"].as_str().unwrap_or_default();
            arguments.push(pieces(text, self.piece));
        }
        let longest = arguments.iter().map(Vec::len).max().unwrap_or(0);
        for round in 0..longest {
            for (index, parts) in arguments.iter().enumerate() {
                if let Some(part) = parts.get(round) {
                    let function = json!({ "arguments": part });
                    deltas.push(json!({ "index": index, "function": function }));
                }
            }
        }
        deltas
    }
}
