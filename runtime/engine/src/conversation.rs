//! The conversation of a session: exchanges with models, as they are sent again and as a program sees and makes them.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::media::UserText;
use crate::model::{Content, Message, Role, Said, ToolOutcome};

/// A question in a session, with all that followed until its answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Exchange {
    /// The prompt's index; of what was not asked, such as what the program has put there, none.
    pub prompt: Option<usize>,
    /// The model that answered, as `provider/model`; empty where no model did. Blocks of a provider's own are for that
    /// provider alone.
    pub model: String,
    /// How many of the messages, the first ones, are the prompt's examples.
    pub examples: usize,
    pub messages: Vec<Arc<Message>>,
}

impl Exchange {
    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let pieces = self.messages.iter().flat_map(|it| &it.content);
        size_of::<Self>() + pieces.map(Content::weight).sum::<usize>()
    }
}

/// About this many bytes of text are a token.
const TOKEN: usize = 4;
/// About this many tokens an image or document counts.
const MEDIUM: usize = 1_500;

impl Exchange {
    /// Whether the model has answered in it.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.messages.iter().any(|it| it.role == Role::Assistant)
    }

    /// How many calls of tools are in it.
    #[must_use]
    pub fn calls(&self) -> usize {
        let pieces = self.messages.iter().flat_map(|it| &it.content);
        let is_call = |it: &&Content| matches!(it, Content::ToolUse { .. });
        pieces.filter(is_call).count()
    }

    /// About how many tokens it takes, counted by its bytes.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.messages.iter().map(|it| it.tokens()).sum()
    }
}

impl Content {
    /// About how many tokens it takes, counted by its bytes.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let tokens = match self {
            Self::Text { text } => text.len().div_ceil(TOKEN),
            Self::ToolResult { content, media, .. } => {
                content.len().div_ceil(TOKEN) + MEDIUM * media.len()
            }
            Self::ToolUse { input, .. } => input.text().len().div_ceil(TOKEN),
            Self::Media { .. } => MEDIUM,
            Self::Opaque { block } => block.to_string().len().div_ceil(TOKEN),
        };
        tokens as u64
    }
}

impl Message {
    /// About how many tokens it takes, counted by its bytes.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.content.iter().map(Content::tokens).sum()
    }

    /// An answer of an assistant.
    #[must_use]
    pub fn answer(text: String) -> Self {
        Self {
            role: Role::Assistant,
            content: vec![Content::Text { text }],
        }
    }
}

impl ToolOutcome {
    /// A call that gave nothing, and why.
    #[must_use]
    pub fn refused(id: String, why: String) -> Self {
        Self {
            id,
            content: why,
            is_error: true,
            media: Vec::new(),
        }
    }
}

impl From<Said> for Message {
    /// The text with each attachment at its place.
    fn from(said: Said) -> Self {
        let UserText { text, media } = said.text;
        // A text between any two attachments. Most messages are one text, and all in flight are held.
        let mut content = Vec::with_capacity(2 * media.len() + 1);
        let mut from = 0;
        let piece = |part: &str| Content::Text {
            text: part.to_owned(),
        };
        for (place, media) in media {
            if from < place {
                content.push(piece(&text[from..place]));
            }
            content.push(Content::Media { media });
            from = place;
        }
        if from < text.len() || content.is_empty() {
            content.push(piece(&text[from..]));
        }
        Self {
            role: said.role,
            content,
        }
    }
}

/// The turns of a conversation as `std/session` lists them.
pub(crate) fn turns<'a>(exchanges: impl Iterator<Item = &'a Exchange>) -> Value {
    let mut turns = Vec::new();
    for exchange in exchanges {
        let mut calls: Vec<(&str, &str)> = Vec::new();
        for message in &exchange.messages[exchange.examples..] {
            for piece in &message.content {
                if let Content::ToolUse { id, name, .. } = piece {
                    calls.push((id, name));
                }
                turns.extend(turn(message.role, piece, &calls));
            }
        }
    }
    Value::Array(turns)
}

/// A piece of a message as a turn; `calls` are the ids and names of the tools that have been called.
fn turn(role: Role, piece: &Content, calls: &[(&str, &str)]) -> Option<Value> {
    let said = |text: &str| json!({ "role": role, "text": text });
    match piece {
        Content::Text { text } => Some(said(text)),
        Content::Media { media } => Some(said(&media.note())),
        Content::ToolUse { name, input, .. } => {
            Some(json!({ "role": role, "text": "", "tool": name, "input": input }))
        }
        Content::ToolResult { id, content, .. } => {
            // From the end: where a provider repeats an id, the latest call is the one that was answered.
            let name = calls.iter().rev().find(|it| it.0 == id).map(|it| it.1);
            Some(json!({ "role": "tool", "text": content, "tool": name }))
        }
        Content::Opaque { .. } => None,
    }
}

/// The exchanges that turns as `std/session` has them make: a new one begins with what a user says once something was answered.
/// The first turns continue with `open`, which is then the first of those that are made; `calls` is how many calls of tools
/// were before.
///
/// # Errors
/// In words, when what tools were asked and what they gave do not go together.
pub(crate) fn of_turns(
    turns: &Value,
    open: Option<&Exchange>,
    calls: usize,
) -> Result<Vec<Exchange>, String> {
    let said = open.into_iter().flat_map(|it| &it.messages);
    let mut made = Making {
        messages: said.map(|it| Message::clone(it)).collect(),
        calls,
        ..Making::default()
    };
    for turn in turns.as_array().into_iter().flatten() {
        made.add(turn)?;
    }
    made.finish()
}

#[derive(Default)]
struct Making {
    exchanges: Vec<Exchange>,
    /// Those of the exchange that is being made.
    messages: Vec<Message>,
    /// Ids and names of the calls that have no result yet.
    open: VecDeque<(String, String)>,
    calls: usize,
}

impl Making {
    fn add(&mut self, turn: &Value) -> Result<(), String> {
        let text = |name: &str| turn[name].as_str().unwrap_or_default().to_owned();
        let tool = turn["tool"].as_str();
        match (text("role").as_str(), tool) {
            ("tool", Some(tool)) => {
                let place = self.open.iter().position(|it| it.1 == tool);
                let Some((id, _)) = place.and_then(|it| self.open.remove(it)) else {
                    return Err(format!(
                        "`{tool}` gave something without having been called"
                    ));
                };
                let content = text("text");
                let is_error = false;
                self.say(
                    Role::User,
                    Content::ToolResult {
                        id,
                        content,
                        is_error,
                        media: Vec::new(),
                    },
                );
            }
            ("tool", None) => {
                return Err("a turn of the role `tool` names the `tool` that gave it".into());
            }
            _ if !self.open.is_empty() && tool.is_none() => return Err(self.unanswered()),
            ("assistant", Some(tool)) => self.call(tool, &turn["input"]),
            (role, Some(_)) => {
                return Err(format!("a turn of the role `{role}` calls no tool"));
            }
            (role, None) => {
                let role = match role {
                    "assistant" => Role::Assistant,
                    "system" => Role::System,
                    _ => Role::User,
                };
                let text = text("text");
                // A provider refuses an empty text.
                if !text.trim().is_empty() {
                    if role != Role::Assistant {
                        self.begin();
                    }
                    self.say(role, Content::Text { text });
                }
            }
        }
        Ok(())
    }

    /// What is asked begins an exchange, unless nothing was answered in this one.
    fn begin(&mut self) {
        if self.messages.iter().any(|it| it.role == Role::Assistant) {
            self.close();
        }
    }

    fn close(&mut self) {
        let messages = std::mem::take(&mut self.messages);
        self.exchanges.push(Exchange {
            messages: messages.into_iter().map(Arc::new).collect(),
            ..Exchange::default()
        });
    }

    /// The model calls a tool, which is to answer.
    fn call(&mut self, tool: &str, input: &Value) {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let name = tool.to_owned();
        self.open.push_back((id.clone(), name.clone()));
        let input = if input.is_null() {
            json!({})
        } else {
            input.clone()
        }
        .into();
        let call = Content::ToolUse {
            id,
            name,
            input,
            flaw: None,
        };
        self.say(Role::Assistant, call);
    }

    /// Neighbours of one role are one message.
    fn say(&mut self, role: Role, piece: Content) {
        match self.messages.last_mut().filter(|it| it.role == role) {
            Some(last) => last.content.push(piece),
            None => self.messages.push(Message {
                role,
                content: vec![piece],
            }),
        }
    }

    fn unanswered(&self) -> String {
        let name = self.open.front().map_or("", |it| &it.1);
        format!("the call of `{name}` is not followed by what it gave")
    }

    fn finish(mut self) -> Result<Vec<Exchange>, String> {
        if !self.open.is_empty() {
            return Err(self.unanswered());
        }
        if !self.messages.is_empty() {
            self.close();
        }
        Ok(self.exchanges)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Exchange, of_turns, turns};

    fn made(given: &Value) -> Vec<Exchange> {
        of_turns(given, None, 0).expect("they go together")
    }

    fn listed(given: &Value) -> Value {
        turns(made(given).iter())
    }

    #[test]
    fn what_is_listed_makes_the_same_conversation() {
        let said = json!([
            { "role": "system", "text": "Be kind." },
            { "role": "user", "text": "Who is Ada?" },
            { "role": "assistant", "text": "I look it up." },
            { "role": "assistant", "text": "", "tool": "lookup", "input": { "name": "Ada" } },
            { "role": "assistant", "text": "", "tool": "lookup", "input": { "name": "Lovelace" } },
            { "role": "tool", "text": "a name", "tool": "lookup" },
            { "role": "tool", "text": "", "tool": "lookup" },
            { "role": "assistant", "text": "A name." },
        ]);
        assert_eq!(listed(&said), said);
        let exchanges = made(&said);
        assert_eq!(exchanges.len(), 1, "a system text belongs to what is asked");
        assert_eq!(exchanges[0].messages.len(), 5);
        let blank = json!([{ "role": "user", "text": " \n" }]);
        assert_eq!(listed(&blank), json!([]));
    }

    #[test]
    fn what_is_asked_begins_an_exchange_once_something_was_answered() {
        let said = |role: &str| json!({ "role": role, "text": "a" });
        let lengths = |roles: &[&str]| -> Vec<usize> {
            let turns: Value = roles.iter().map(|it| said(it)).collect();
            made(&turns).iter().map(|it| it.messages.len()).collect()
        };
        assert_eq!(lengths(&["user", "assistant", "user", "assistant"]), [2, 2]);
        assert_eq!(lengths(&["system", "user", "user", "assistant"]), [3]);
        assert_eq!(lengths(&["assistant", "user", "system"]), [1, 2]);
    }

    #[test]
    fn a_call_and_what_it_gave_go_together() {
        let call = json!({ "role": "assistant", "text": "", "tool": "look", "input": {} });
        let gave = json!({ "role": "tool", "text": "a", "tool": "look" });
        for (wrong, why) in [
            (json!([call]), "the call of `look` is not followed"),
            (
                json!([call, { "role": "user", "text": "go on" }]),
                "the call of `look` is not followed",
            ),
            (json!([gave]), "without having been called"),
            (json!([call, gave, gave]), "without having been called"),
            (json!([{ "role": "tool", "text": "a" }]), "names the `tool`"),
            (
                json!([{ "role": "user", "text": "", "tool": "look" }]),
                "`user` calls no tool",
            ),
        ] {
            let said = of_turns(&wrong, None, 0).expect_err("they do not go together");
            assert!(said.contains(why), "{said}");
        }
    }
}
