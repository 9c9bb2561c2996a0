//! What observers see of a prompt's conversation with its model: arguments, answers and tools without what `@secret` hides.

mod recorded;

use std::sync::Arc;
use std::time::Duration;

use gsw_abi::program::ToolBody;
use gsw_abi::types::{Field, TypeId};
use gsw_notation::issue::Issue;
use gsw_notation::json;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};

use crate::codec::places::{self, REDACTED};
use crate::event::JsonText;
use crate::hidden::Hidden;
use crate::load::Loaded;
use crate::media::outline;
use crate::model::{Content, Message, ModelRequest, PromptFailure, Role, ToolCall, Wording};
use crate::run::stream::Shown;
use recorded::Recorded;

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
    /// How many messages, the first ones, observers have seen with earlier calls of the session.
    earlier: usize,
    /// How many messages observers have seen; 0 before the first request.
    shown: usize,
    /// Whether they have seen the answer that the next message of the model repeats.
    answered: Answered,
    /// The settings, tools and schema that they have seen last.
    offered: Offered,
    /// The messages of the last request, where it is recorded.
    recorded: Vec<Recorded>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answered {
    No,
    Yes,
}

/// What goes to a model with the messages, as observers see it; each is absent where it is as before.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Offered {
    pub settings: Option<JsonText>,
    pub tools: Option<JsonText>,
    pub schema: Option<JsonText>,
}

impl Observed {
    /// `earlier` messages of the conversation are known from calls before.
    pub(super) fn new(loaded: Arc<Loaded>, answer: TypeId, hidden: Hidden, earlier: usize) -> Self {
        Self {
            hides_answer: places::hides(&loaded.types, answer),
            loaded,
            answer,
            hidden,
            tools: FxHashMap::default(),
            results: FxHashMap::default(),
            earlier,
            shown: 0,
            answered: Answered::No,
            offered: Offered::default(),
            recorded: Vec::new(),
        }
    }

    /// What observers see of a request: a conversation grows, so only what is new in it. `None` when it is sent again as it was.
    pub(super) fn new_in(&mut self, request: &ModelRequest) -> Option<JsonText> {
        let all = &request.messages;
        // A shorter conversation is another one: the next model of `first_of` has begun from the prompt.
        let is_anew = self.shown == 0 || self.shown > all.len();
        let from = if is_anew { self.earlier } else { self.shown };
        let mut new = &all[from.min(all.len())..];
        if let (false, Answered::Yes, [first, rest @ ..]) = (is_anew, self.answered, new)
            && first.role == Role::Assistant
        {
            new = rest;
        }
        self.answered = Answered::No;
        self.shown = all.len();
        let messages: Vec<Value> = new.iter().map(|it| self.message(it)).collect();
        // Results are shown with the request that carries them, once; what is kept longer would only take memory.
        self.results.clear();
        let system = request.system.as_ref().filter(|_| is_anew);
        if system.is_none() && messages.is_empty() {
            return None;
        }
        let mut tree = Map::with_capacity(2);
        if let Some(system) = system {
            let system = self.hidden.redact_text(system.clone());
            tree.insert("system".into(), system.into());
        }
        tree.insert("messages".into(), messages.into());
        Some(JsonText::from(Value::Object(tree)))
    }

    /// The settings, tools and schema of a request, but for those that are as in the last one.
    pub(super) fn offered(&mut self, request: &ModelRequest, timeout: Duration) -> Offered {
        let offered = Offered {
            settings: Some(bounded(self.hidden.redact(settings(request, timeout)))),
            tools: (!request.tools.is_empty())
                .then(|| bounded(self.hidden.redact(json!(request.tools)))),
            schema: request
                .schema
                .as_ref()
                .map(|it| bounded(self.hidden.redact(Value::clone(it)))),
        };
        let before = std::mem::replace(&mut self.offered, offered.clone());
        Offered {
            settings: offered
                .settings
                .filter(|it| before.settings.as_ref() != Some(it)),
            tools: offered.tools.filter(|it| before.tools.as_ref() != Some(it)),
            schema: offered
                .schema
                .filter(|it| before.schema.as_ref() != Some(it)),
        }
    }

    /// Whether observers may see the text of an answer while it arrives: what is hidden is found in whole texts alone.
    pub(super) fn shown(&self) -> Shown {
        match self.hides_answer || !self.hidden.is_empty() {
            true => Shown::Length,
            false => Shown::Text,
        }
    }

    /// Like [`Self::shown`], for the arguments of a call, whose tool is not known for certain before it is whole.
    pub(super) fn shown_calls(&self) -> Shown {
        match self.shown() == Shown::Length || self.some_arguments_hide() {
            true => Shown::Length,
            false => Shown::Text,
        }
    }

    /// What is hidden in the conversation.
    pub(super) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    /// The blocks of an answer.
    pub(super) fn answer(&mut self, content: &[Content]) -> JsonText {
        self.answered = Answered::Yes;
        bounded(self.content(Role::Assistant, content))
    }

    fn message(&self, message: &Message) -> Value {
        // Moved into its place: `json!` copies what it is given.
        let content = self.content(message.role, &message.content);
        let mut said = Map::with_capacity(2);
        said.insert("role".into(), json!(message.role));
        said.insert("content".into(), content);
        Value::Object(said)
    }

    fn content(&self, role: Role, content: &[Content]) -> Value {
        let shown = |piece: &Content| match piece {
            Content::Text { text } if role == Role::Assistant => json!(Content::Text {
                text: self.answer_text(text),
            }),
            Content::ToolUse {
                id,
                name,
                input,
                flaw,
            } => json!(Content::ToolUse {
                id: id.clone(),
                name: name.clone(),
                flaw: flaw
                    .as_ref()
                    .map(|it| self.flaw(self.tools.get(name).copied(), it)),
                input: self
                    .tool_input(self.tools.get(name).copied(), &input.tree())
                    .into(),
            }),
            Content::ToolResult {
                id,
                content,
                is_error,
                media: _,
            } => json!(Content::ToolResult {
                id: id.clone(),
                content: self.results.get(id).unwrap_or(content).clone(),
                is_error: *is_error,
                // The content has a note for each.
                media: Vec::new(),
            }),
            // What a model thinks may be what it answers.
            Content::Opaque { .. } if self.hides_answer => json!(Content::Opaque {
                block: REDACTED.into(),
            }),
            // Its bytes would be most of the event, and no reader could use them there.
            Content::Media { media } => {
                json!({ "type": "media", "kind": media.kind, "media": outline(media) })
            }
            Content::Text { .. } | Content::Opaque { .. } => json!(piece),
        };
        self.hidden.redact(content.iter().map(shown).collect())
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
        let shown = match tool.and_then(|it| program.tools.get(it as usize)) {
            Some(tool) => match input.as_object() {
                Some(values) => places::shown_fields(types, &tool.parameters, values),
                // The model did not send an object, so it is unknown which part of it is secret.
                None if self.hides_any(&tool.parameters) => REDACTED.into(),
                None => input.clone(),
            },
            // The model has misnamed a tool: which of them it meant is unknown, and so are the places of what is hidden.
            None if self.some_arguments_hide() => REDACTED.into(),
            None => input.clone(),
        };
        self.hidden.redact(shown)
    }

    /// Why arguments cannot be read. It quotes them, and in what cannot be read any part may be secret.
    pub(super) fn flaw(&self, tool: Option<u32>, flaw: &str) -> String {
        let program = &self.loaded.program;
        let hides = match tool.and_then(|it| program.tools.get(it as usize)) {
            Some(tool) => self.hides_any(&tool.parameters),
            None => self.some_arguments_hide(),
        };
        match hides {
            true => REDACTED.into(),
            false => self.hidden.redact_text(flaw.to_owned()),
        }
    }

    /// Why a call is refused, which is also what is shown of what goes back to the model.
    pub(super) fn refusal(
        &mut self,
        id: &str,
        tool: Option<u32>,
        why: String,
        flaw: Option<&str>,
    ) -> String {
        let Some(flaw) = flaw else {
            return why;
        };
        let shown = format!("{why}: {}", self.flaw(tool, flaw));
        self.results.insert(id.to_owned(), shown.clone());
        shown
    }

    fn hides_any(&self, parameters: &[Field]) -> bool {
        let mut parameters = parameters.iter();
        parameters.any(|it| places::field_hides(&self.loaded.types, it))
    }

    /// Whether anything that models may call has a parameter that hides something.
    fn some_arguments_hide(&self) -> bool {
        let program = &self.loaded.program;
        let mut own = program.tools.iter().filter(|it| match it.body {
            ToolBody::Program | ToolBody::Prompt | ToolBody::Human | ToolBody::Host => true,
            ToolBody::Question
            | ToolBody::SpawnRequest
            | ToolBody::WrittenRequest
            | ToolBody::Skills => false,
        });
        let mut spawnable = program.spawnable.iter();
        own.any(|it| self.hides_any(&it.parameters))
            || spawnable.any(|it| self.hides_any(&it.workflow.parameters))
    }

    /// A tool is called: what is hidden in its arguments is known from here on.
    pub(super) fn note_call(&mut self, call: &ToolCall) {
        let shown = self.tool_input(Some(call.tool), &call.input);
        // From here on the values are known by text too, in whatever the model writes next.
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

    /// What goes to the model instead of what a call gave.
    pub(super) fn replace_result(&mut self, id: &str, content: &str) {
        if let Some(shown) = self.results.get_mut(id) {
            *shown = self.hidden.redact_text(content.to_owned());
        }
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

    /// Hides secrets in all texts of a value.
    pub(super) fn redacted(&self, value: Value) -> Value {
        self.hidden.redact_texts(value)
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

/// The most bytes of JSON that an event holds of settings, tools, a schema or an answer. A guess: far above what is usual.
const MOST_BYTES: usize = 256 << 10;

/// The JSON of a value; of one that is too long the beginning, as a text.
fn bounded(value: Value) -> JsonText {
    let text = value.to_string();
    if text.len() <= MOST_BYTES {
        return JsonText::from(text);
    }
    let beginning = &text[..text.floor_char_boundary(MOST_BYTES)];
    let cut = format!("{beginning}… (cut: {} bytes in all)", text.len());
    JsonText::from(&Value::String(cut))
}

/// What is set for a request, by the names that the settings have in source.
fn settings(request: &ModelRequest, timeout: Duration) -> Value {
    let ModelRequest {
        max_tokens,
        stop,
        temperature,
        thinking,
        retries,
        timeout: _,
        first_token,
        schema_delivery,
        model: _,
        system: _,
        messages: _,
        schema,
        schema_name: _,
        tools: _,
        tool_delivery,
        fallback: _,
        recorded: _,
        rate,
    } = request;
    let mut settings = json!({ "max_tokens": max_tokens, "retry": retries });
    if let Some(rate) = rate {
        settings["rate"] = rate.per_minute.into();
    }
    if let Some(limit) = first_token {
        settings["first_token"] = json!(limit.as_secs_f64());
    }
    if let Some(temperature) = temperature {
        settings["temperature"] = json!(temperature);
    }
    if let Some(thinking) = thinking {
        settings["thinking"] = json!(thinking);
    }
    if !stop.is_empty() {
        settings["stop"] = json!(stop);
    }
    if schema.is_some() {
        settings["schema_delivery"] = json!(schema_delivery);
    }
    if *tool_delivery == Wording::Described {
        settings["tool_delivery"] = json!(tool_delivery);
    }
    settings["timeout"] = json!(timeout.as_secs_f64());
    settings
}
