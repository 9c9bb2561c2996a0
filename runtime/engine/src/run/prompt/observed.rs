//! What observers see of a prompt's conversation with its model: arguments, answers and tools without what `@secret` hides.

use std::sync::Arc;

use gsw_abi::program::ToolBody;
use gsw_abi::types::{Field, TypeId};
use gsw_notation::issue::Issue;
use gsw_notation::json;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::codec::places::{self, REDACTED};
use crate::load::Loaded;
use crate::model::{Content, Message, ModelRequest, PromptFailure, Role, ToolCall};
use crate::run::prompt::hidden::Hidden;

/// What is known of the secrets of one conversation.
#[derive(Debug)]
pub(super) struct Observed {
    loaded: Arc<Loaded>,
    /// What the answer must be.
    answer: TypeId,
    /// Whether its type hides something.
    hides_answer: bool,
    /// The values that were seen in hidden places.
    hidden: Hidden,
    /// The tools that the model has called, by its names for them.
    tools: FxHashMap<String, u32>,
    /// Results that hide something, by the id of the call, as observers see them; of the turn that goes to the model next.
    results: FxHashMap<String, String>,
    /// How many messages observers have seen.
    shown: usize,
}

impl Observed {
    pub(super) fn new(loaded: Arc<Loaded>, answer: TypeId, hidden: Hidden) -> Self {
        Self {
            hides_answer: places::hides(&loaded.types, answer),
            loaded,
            answer,
            hidden,
            tools: FxHashMap::default(),
            results: FxHashMap::default(),
            shown: 0,
        }
    }

    /// What observers see of a request: a conversation grows, so only what is new in it.
    pub(super) fn new_in(&mut self, request: &ModelRequest) -> Value {
        let all = &request.messages;
        let from = if self.shown > all.len() {
            0
        } else {
            self.shown
        };
        self.shown = all.len();
        let messages = all[from..].iter().map(|it| self.message(it));
        let messages: Vec<Value> = messages.collect();
        self.results.clear();
        let system = request.system.as_ref().filter(|_| from == 0);
        match system {
            Some(system) => {
                json!({ "system": self.hidden.redact_text(system.clone()), "messages": messages })
            }
            None => json!({ "messages": messages }),
        }
    }

    fn message(&self, message: &Message) -> Value {
        let shown = |piece: &Content| match piece {
            Content::Text { text } if message.role == Role::Assistant => Content::Text {
                text: self.answer_text(text),
            },
            Content::ToolUse {
                id,
                name,
                input,
                flaw,
            } => Content::ToolUse {
                id: id.clone(),
                name: name.clone(),
                flaw: flaw.clone(),
                input: self.tool_input(self.tools.get(name).copied(), input),
            },
            Content::ToolResult {
                id,
                content,
                is_error,
            } => Content::ToolResult {
                id: id.clone(),
                content: self.results.get(id).unwrap_or(content).clone(),
                is_error: *is_error,
            },
            // What a model thinks may be what it answers.
            Content::Opaque { .. } if self.hides_answer => Content::Opaque {
                block: REDACTED.into(),
            },
            Content::Text { .. } | Content::Media { .. } | Content::Opaque { .. } => piece.clone(),
        };
        let content: Vec<Content> = message.content.iter().map(shown).collect();
        self.hidden
            .redact(json!({ "role": message.role, "content": content }))
    }

    /// An answer, which may fit or not. Where its places are not known, all of it is hidden.
    pub(super) fn answer_text(&self, text: &str) -> String {
        if !self.hides_answer {
            return self.hidden.redact_text(text.to_owned());
        }
        match json::parse(text) {
            Ok(tree) => {
                let shown = places::shown(&self.loaded.types, self.answer, &tree);
                self.hidden.redact(shown).to_string()
            }
            Err(_) => format!("{REDACTED} ({} bytes)", text.len()),
        }
    }

    /// What the model has called a tool with. Of a tool that there is not, no place is known.
    pub(super) fn tool_input(&self, tool: Option<u32>, input: &Value) -> Value {
        let Loaded { program, types, .. } = &*self.loaded;
        let hides_any = |parameters: &[Field]| {
            let mut parameters = parameters.iter();
            parameters.any(|it| places::field_hides(types, it))
        };
        let shown = match tool.and_then(|it| program.tools.get(it as usize)) {
            Some(tool) => match input.as_object() {
                Some(values) => places::shown_fields(types, &tool.parameters, values),
                // The model did not send an object, so nobody knows which part of it is secret.
                None if hides_any(&tool.parameters) => REDACTED.into(),
                None => input.clone(),
            },
            None => {
                let tools = program.tools.iter();
                let mut own =
                    tools.filter(|it| matches!(it.body, ToolBody::Program | ToolBody::Host));
                let mut spawnable = program.spawnable.iter();
                let may_be_hidden = own.any(|it| hides_any(&it.parameters))
                    || spawnable.any(|it| hides_any(&it.workflow.parameters));
                if may_be_hidden {
                    REDACTED.into()
                } else {
                    input.clone()
                }
            }
        };
        self.hidden.redact(shown)
    }

    /// A tool is called: what is hidden in its arguments is known from here on.
    pub(super) fn note_call(&mut self, call: &ToolCall) {
        let shown = self.tool_input(Some(call.tool), &call.input);
        if shown != call.input {
            self.hidden.add_values(&call.input, &shown);
        }
        self.tools.insert(call.name.clone(), call.tool);
    }

    /// What a call gave, whole and as observers see it.
    pub(super) fn note_result(&mut self, id: &str, content: &str, shown: String) {
        if let (Ok(content), Ok(shown)) = (json::parse(content), json::parse(&shown)) {
            self.hidden.add_values(&content, &shown);
        }
        self.results.insert(id.to_owned(), shown);
    }

    /// What does not fit in an answer.
    pub(super) fn issues(&self, issues: Vec<Issue>) -> Vec<Issue> {
        let shown = |text| self.hidden.redact_text(text);
        let issue = |it: Issue| Issue {
            path: shown(it.path),
            expected: it.expected,
            found: shown(it.found),
            message: shown(it.message),
        };
        issues.into_iter().map(issue).collect()
    }

    /// The fields of the error that the prompt raises; what a provider says may quote what it was sent.
    pub(super) fn failure(&self, failure: &PromptFailure) -> Value {
        self.hidden.redact_texts(failure.fields.clone())
    }

    pub(super) fn text(&self, text: String) -> String {
        self.hidden.redact_text(text)
    }

    /// The answer that the program gets, as JSON without its own hidden fields: without what else the model was shown.
    pub(super) fn output(&self, output: String) -> String {
        if self.hidden.is_empty() {
            return output;
        }
        match json::parse(&output) {
            Ok(tree) => self.hidden.redact(tree).to_string(),
            Err(_) => output,
        }
    }
}
