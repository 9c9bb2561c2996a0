//! What may be recorded of a conversation with a model, so that it can be read again in the model's place.
//!
//! Observers see `***` for what is hidden; what is recorded must still fit its type, so there a stand-in of the type is in that
//! place ([`stand_in`]). A message is made once, with what was known of its secrets when it was new.

use std::sync::Arc;

use gsw_abi::schema::canonical_digest;
use gsw_notation::json;
use serde_json::{Map, Value, json};

use super::Observed;
use crate::codec::places::REDACTED;
use crate::codec::stand_in;
use crate::load::Loaded;
use crate::media::{Media, outline};
use crate::model::{
    Content, Message, ModelAnswer, ModelFailure, ModelRequest, Role, StopReason, Wording,
};

/// A message as it may be recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    /// How many pieces it had: a turn that a provider paused gets more.
    pieces: usize,
    message: Value,
}

impl Observed {
    /// All of a request that can change what a model answers.
    pub(in crate::run::prompt) fn recorded(&mut self, request: &ModelRequest) -> Arc<Value> {
        let ModelRequest {
            model,
            system,
            messages,
            schema,
            schema_delivery,
            max_tokens,
            stop,
            temperature,
            thinking,
            tools,
            tool_delivery,
            schema_name: _,
            retries: _,
            timeout: _,
            first_token: _,
            rate: _,
            fallback: _,
            recorded: _,
        } = request;
        let mut form = Map::new();
        let mut set = |name: &str, value: Value| form.insert(name.to_owned(), value);
        set("model", model.as_str().into());
        if let Some(system) = system {
            set("system", self.hidden.redact_text(system.clone()).into());
        }
        set("messages", self.recorded_messages(messages));
        if let Some(schema) = schema {
            set("schema", self.hidden.redact_texts(Value::clone(schema)));
        }
        if *schema_delivery == Wording::Described {
            set("schema_delivery", json!(schema_delivery));
        }
        if !tools.is_empty() {
            set("tools", self.hidden.redact_texts(json!(tools)));
            if *tool_delivery == Wording::Described {
                set("tool_delivery", json!(tool_delivery));
            }
        }
        set("max_tokens", json!(max_tokens));
        if !stop.is_empty() {
            set("stop", self.hidden.redact_texts(json!(stop)));
        }
        if let Some(temperature) = temperature {
            set("temperature", json!(temperature));
        }
        if let Some(thinking) = thinking {
            set("thinking", json!(thinking));
        }
        Arc::new(Value::Object(form))
    }

    fn recorded_messages(&mut self, messages: &[Arc<Message>]) -> Value {
        // A shorter conversation is another one: the next model of `first_of` has begun from the prompt.
        if self.recorded.len() > messages.len() {
            self.recorded.clear();
        }
        for (index, message) in messages.iter().enumerate() {
            let pieces = message.content.len();
            match self.recorded.get(index) {
                Some(it) if it.pieces == pieces => continue,
                Some(_) | None => {}
            }
            self.recorded.truncate(index);
            let message = json!({
                "role": message.role,
                "content": self.recorded_content(message.role, &message.content),
            });
            self.recorded.push(Recorded { pieces, message });
        }
        self.recorded.iter().map(|it| it.message.clone()).collect()
    }

    /// A single text as it is, everything else as a list of its pieces.
    fn recorded_content(&self, role: Role, content: &[Content]) -> Value {
        if let [Content::Text { text }] = content {
            return self.recorded_text(role, text).into();
        }
        let pieces = content.iter().map(|it| self.recorded_piece(role, it));
        pieces.collect()
    }

    fn recorded_piece(&self, role: Role, piece: &Content) -> Value {
        match piece {
            Content::Text { text } => json!(Content::Text {
                text: self.recorded_text(role, text),
            }),
            Content::ToolUse { .. } => json!(self.recorded_call(piece)),
            Content::ToolResult {
                id,
                content,
                is_error,
                media,
            } => {
                let content = self.results.get(id).unwrap_or(content).clone();
                let mut piece = json!(Content::ToolResult {
                    id: id.clone(),
                    content: self.hidden.redact_text(content),
                    is_error: *is_error,
                    media: Vec::new(),
                });
                if !media.is_empty() {
                    piece["media"] = media.iter().map(recorded_medium).collect();
                }
                piece
            }
            Content::Media { media } => recorded_medium(media),
            Content::Opaque { block } => self.recorded_block(block),
        }
    }

    fn recorded_text(&self, role: Role, text: &str) -> String {
        match role {
            Role::Assistant => self
                .recorded_answer(text)
                .unwrap_or_else(|| REDACTED.into()),
            Role::User | Role::System => self.hidden.redact_text(text.to_owned()),
        }
    }

    /// What the model says as an answer; `None` where something in it is hidden at an unknown place.
    fn recorded_answer(&self, text: &str) -> Option<String> {
        if !self.hides_answer {
            return Some(self.hidden.redact_text(text.to_owned()));
        }
        let tree = json::parse(text).ok()?;
        let standing = stand_in::standing_in(&self.loaded.types, self.answer, &tree);
        Some(self.hidden.redact_texts(standing).to_string())
    }

    /// What a model thinks may be what it answers.
    fn recorded_block(&self, block: &Value) -> Value {
        let block = match self.hides_answer {
            true => REDACTED.into(),
            false => self.hidden.redact_texts(block.clone()),
        };
        json!(Content::Opaque { block })
    }

    fn recorded_call(&self, call: &Content) -> Content {
        let Content::ToolUse {
            id,
            name,
            input,
            flaw,
        } = call
        else {
            return call.clone();
        };
        let Loaded { program, types, .. } = &*self.loaded;
        let index = self.tools.get(name).copied();
        let tool = index.and_then(|it| program.tools.get(it as usize));
        let tree = input.tree();
        let input = match (tool, tree.as_object()) {
            (Some(tool), Some(values)) => {
                let standing = stand_in::fields_standing_in(types, &tool.parameters, values);
                self.hidden.redact_texts(standing)
            }
            (Some(_), None) | (None, _) => self.tool_input(index, &tree),
        };
        Content::ToolUse {
            id: id.clone(),
            name: name.clone(),
            input: input.into(),
            flaw: flaw.as_ref().map(|it| self.flaw(index, it)),
        }
    }

    /// An answer, so that it can be given again.
    ///
    /// # Errors
    /// Where a part is hidden and it is unknown which.
    pub(in crate::run::prompt) fn replayable(
        &self,
        answer: &ModelAnswer,
    ) -> Result<ModelAnswer, String> {
        let text: String = answer.content.iter().filter_map(Content::text).collect();
        let is_answer = answer.stop == StopReason::End && self.hides_answer;
        let whole = match self.recorded_answer(&text) {
            Some(text) => text,
            None if is_answer => {
                return Err(
                    "it is not plain JSON, so it is unknown which part of it `@secret` hides"
                        .into(),
                );
            }
            None => REDACTED.into(),
        };
        let mut content = Vec::new();
        for piece in &answer.content {
            match piece {
                // All its texts are one answer, of which the parts are no JSON.
                Content::Text { .. } if self.hides_answer => {}
                Content::Text { text } => content.push(Content::Text {
                    text: self.recorded_text(Role::Assistant, text),
                }),
                Content::ToolUse { .. } => content.push(self.recorded_call(piece)),
                Content::Opaque { block } => content.push(Content::Opaque {
                    block: match self.hides_answer {
                        true => REDACTED.into(),
                        false => self.hidden.redact_texts(block.clone()),
                    },
                }),
                Content::Media { .. } | Content::ToolResult { .. } => content.push(piece.clone()),
            }
        }
        if self.hides_answer && !text.is_empty() {
            content.insert(0, Content::Text { text: whole });
        }
        let stop = match &answer.stop {
            StopReason::Refusal(reason) => {
                StopReason::Refusal(self.hidden.redact_text(reason.clone()))
            }
            stop @ (StopReason::End
            | StopReason::ToolUse
            | StopReason::Paused
            | StopReason::MaxTokens
            | StopReason::ContextFull) => stop.clone(),
        };
        Ok(ModelAnswer {
            content,
            stop,
            // Time is no part of what is replayed.
            first_token: None,
            circuit: None,
            ..answer.clone()
        })
    }

    /// A failure, so that it can be given again.
    pub(in crate::run::prompt) fn failed(&self, failure: &ModelFailure) -> ModelFailure {
        ModelFailure {
            message: self.hidden.redact_text(failure.message.clone()),
            took: 0,
            circuit: None,
            ..failure.clone()
        }
    }
}

/// Its bytes would be most of the file; which they are, their digest says.
fn recorded_medium(media: &Media) -> Value {
    json!({
        "type": "media",
        "kind": media.kind,
        "media": outline(media),
        "digest": canonical_digest(&json!(media)),
    })
}
