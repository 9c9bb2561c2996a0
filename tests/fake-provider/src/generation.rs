//! Generations of the Gemini API as chunks, or whole.

use serde_json::{Value, json};

use crate::events::{bare, pieces};
use crate::script::{Event, Generation};

impl Generation {
    /// The generation of this text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self {
            parts: vec![json!({ "text": text })],
            ..Self::default()
        }
    }

    pub(crate) fn whole(&self) -> Value {
        self.chunk(&self.parts, &self.finish_reason, &self.usage)
    }

    /// The generation as a stream: texts in pieces, every other part in a chunk of its own. Usage grows with it.
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut usage = self.usage.clone();
        usage["candidatesTokenCount"] = 1.into();
        let mut events = Vec::new();
        for part in &self.parts {
            let text = part["text"]
                .as_str()
                .filter(|_| part.as_object().is_some_and(|it| it.len() == 1));
            let parts = match text {
                Some(text) => pieces(text, self.piece)
                    .into_iter()
                    .map(|it| json!({ "text": it }))
                    .collect(),
                None => vec![part.clone()],
            };
            let chunks = parts
                .into_iter()
                .map(|it| self.chunk(&[it], &Value::Null, &usage));
            events.extend(chunks.map(bare));
        }
        let last = json!({ "text": "" });
        events.push(bare(self.chunk(&[last], &self.finish_reason, &self.usage)));
        events
    }

    fn chunk(&self, parts: &[Value], reason: &Value, usage: &Value) -> Value {
        let mut candidate = json!({
            "content": { "role": "model", "parts": parts }, "index": 0
        });
        if !reason.is_null() {
            candidate["finishReason"] = reason.clone();
        }
        json!({
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "gemini-fake",
            "responseId": "gen_fake",
        })
    }
}
