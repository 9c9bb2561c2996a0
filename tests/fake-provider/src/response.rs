//! Responses of OpenAI's Responses API as events, or whole.

use serde_json::{Value, json};

use crate::events::{named, pieces};
use crate::script::{Event, Response};

impl Response {
    /// The response of this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let part = json!({ "type": "output_text", "text": text, "annotations": [] });
        Self {
            output: vec![json!({
                "type": "message", "id": "msg_fake", "role": "assistant", "status": "completed", "content": [part]
            })],
            ..Self::default()
        }
    }

    pub(crate) fn whole(&self, model: &Value) -> Value {
        self.state(model, &self.status, &self.output)
    }

    fn state(&self, model: &Value, status: &str, output: &[Value]) -> Value {
        let is_over = status != "in_progress";
        let or_null = |it: &Value| if is_over { it.clone() } else { Value::Null };
        json!({
            "id": "resp_fake",
            "object": "response",
            "created_at": 0,
            "status": status,
            "error": or_null(&self.error),
            "incomplete_details": or_null(&self.incomplete_details),
            "instructions": null,
            "metadata": {},
            "model": model,
            "output": output,
            "parallel_tool_calls": true,
            "temperature": 1.0,
            "tool_choice": "auto",
            "tools": [],
            "top_p": 1.0,
            "usage": or_null(&self.usage),
        })
    }

    /// The response as a stream.
    pub(crate) fn events(&self, model: &Value) -> Vec<Event> {
        let begun = self.state(model, "in_progress", &[]);
        let mut events = vec![
            named("response.created", json!({ "response": begun })),
            named("response.in_progress", json!({ "response": begun })),
        ];
        for (index, item) in self.output.iter().enumerate() {
            self.push_item(index, item, &mut events);
        }
        let last = format!("response.{}", self.status);
        events.push(named(&last, json!({ "response": self.whole(model) })));
        for (number, event) in events.iter_mut().enumerate() {
            event.data["sequence_number"] = number.into();
        }
        events
    }

    fn push_item(&self, index: usize, item: &Value, events: &mut Vec<Event>) {
        let mut begun = item.clone();
        begun["status"] = "in_progress".into();
        if item["content"].is_array() {
            begun["content"] = json!([]);
        }
        if item["arguments"].is_string() {
            begun["arguments"] = "".into();
        }
        let added = json!({ "output_index": index, "item": begun });
        events.push(named("response.output_item.added", added));
        let about = |mut data: Value| {
            data["output_index"] = index.into();
            data["item_id"] = item["id"].clone();
            data
        };
        for (place, part) in item["content"].as_array().into_iter().flatten().enumerate() {
            let Some(text) = part["text"].as_str() else {
                continue;
            };
            let mut empty = part.clone();
            empty["text"] = "".into();
            let at = |mut data: Value| {
                data["content_index"] = place.into();
                about(data)
            };
            events.push(named(
                "response.content_part.added",
                at(json!({ "part": empty })),
            ));
            for piece in pieces(text, self.piece) {
                let delta = at(json!({ "delta": piece, "logprobs": [] }));
                events.push(named("response.output_text.delta", delta));
            }
            let done = at(json!({ "text": text, "logprobs": [] }));
            events.push(named("response.output_text.done", done));
            events.push(named(
                "response.content_part.done",
                at(json!({ "part": part })),
            ));
        }
        if let Some(arguments) = item["arguments"].as_str() {
            for piece in pieces(arguments, self.piece) {
                let delta = about(json!({ "delta": piece }));
                events.push(named("response.function_call_arguments.delta", delta));
            }
            let done = about(json!({ "arguments": arguments, "name": item["name"] }));
            events.push(named("response.function_call_arguments.done", done));
        }
        let done = json!({ "output_index": index, "item": item });
        events.push(named("response.output_item.done", done));
    }
}
