//! What a prompt or a question to a person says: one text, or the texts of a conversation, which its body has gathered.
//!
//! Neighbours of one role are one message, with an empty line between them; a text of nothing but blanks is left out. A `system`
//! text before all others is the system prompt; later it is a message in its place.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::speaker::Speaker;
use gsw_abi::types::Type;
use serde_json::Value;

use crate::heap::Heap;
use crate::media::{self, UserText};
use crate::model::{Role, Said};
use crate::value::{error, field, list, type_of};

/// The messages before a model answers.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    pub system: Option<String>,
    pub messages: Vec<Said>,
}

impl Opening {
    /// What compiled code hands over, which is taken.
    pub(crate) fn take(heap: &mut Heap, word: u64) -> Self {
        let opening = if let Type::List(_) = heap.types().get(type_of(word)) {
            Self::of(list::words(word).iter().filter_map(|&pair| {
                let speaker = Speaker::of(field(pair, 0))?;
                Some((speaker, media::user_text(field(pair, 1))))
            }))
        } else {
            Self::from(Said {
                role: Role::User,
                text: media::user_text(word),
            })
        };
        heap.release(word);
        opening
    }

    /// The messages from JSON, as examples have them.
    pub(crate) fn of_json(said: &Value) -> Self {
        let Value::Array(pairs) = said else {
            return Self::from(Said::user(said.as_str().unwrap_or_default()));
        };
        Self::of(pairs.iter().filter_map(|pair| {
            let speaker = Speaker::of(pair.get(0)?.as_u64()?)?;
            Some((speaker, Said::user(pair.get(1)?.as_str()?).text))
        }))
    }

    fn of(texts: impl Iterator<Item = (Speaker, UserText)>) -> Self {
        let mut messages: Vec<Said> = Vec::new();
        for (speaker, text) in texts {
            if text.text.trim().is_empty() && text.media.is_empty() {
                continue;
            }
            let (role, separator) = match speaker {
                Speaker::System => (Role::System, "\n\n"),
                Speaker::User => (Role::User, "\n\n"),
                Speaker::Assistant => (Role::Assistant, "\n\n"),
                // A block begins with a line break of its own.
                Speaker::Block => (Role::User, ""),
            };
            match messages.last_mut().filter(|it| it.role == role) {
                Some(last) => last.text.append(separator, text),
                None => messages.push(Said {
                    role,
                    text: text.without_first_break(),
                }),
            }
        }
        let begins_with_system = messages.first().is_some_and(|it| it.role == Role::System);
        let system = begins_with_system.then(|| messages.remove(0).text.text);
        Self { system, messages }
    }

    /// Whether there is something to answer: the last message, instructions apart, is the user's.
    pub(crate) fn asks(&self) -> bool {
        let mut roles = self.messages.iter().rev().map(|it| it.role);
        roles.find(|it| *it != Role::System) == Some(Role::User)
    }

    /// All texts, of every role.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let said = self.messages.iter().map(|it| it.text.text.as_str());
        said.chain(self.system.as_deref())
    }

    /// All that the user says, as one text.
    pub(crate) fn question(self) -> String {
        let texts: Vec<String> = self.messages.into_iter().map(|it| it.text.text).collect();
        texts.join("\n\n")
    }
}

impl From<Said> for Opening {
    fn from(only: Said) -> Self {
        let is_said = !only.text.text.trim().is_empty() || !only.text.media.is_empty();
        Self {
            system: None,
            messages: is_said.then_some(only).into_iter().collect(),
        }
    }
}

/// The fault of a prompt or a question that leaves nothing to answer.
pub(crate) fn asks_nothing(heap: &mut Heap, name: &str) -> u64 {
    let text = format!(
        "`{name}` asks nothing: no `user` text that is not empty was reached, or an `assistant` text came after it"
    );
    error::with_text(heap, BuiltinError::AssertionFailed, &text)
}

#[cfg(test)]
mod tests {
    use gsw_abi::speaker::Speaker;
    use serde_json::json;

    use super::Opening;
    use crate::model::Role;

    fn opening(texts: &[(Speaker, &str)]) -> Opening {
        let pairs = texts.iter().map(|(who, text)| json!([who.word(), text]));
        Opening::of_json(&pairs.collect())
    }

    fn shown(opening: &Opening) -> Vec<(Role, &str)> {
        let messages = opening.messages.iter();
        messages.map(|it| (it.role, &*it.text.text)).collect()
    }

    #[test]
    fn neighbours_join_and_the_first_instructions_are_the_system_prompt() {
        let said = opening(&[
            (Speaker::System, "a"),
            (Speaker::System, "b"),
            (Speaker::User, "c"),
            (Speaker::User, " \n"),
            (Speaker::User, "d"),
            (Speaker::Assistant, "e"),
            (Speaker::System, "f"),
            (Speaker::User, "g"),
            (Speaker::Block, "\n<x>\n1\n</x>"),
        ]);
        assert_eq!(said.system.as_deref(), Some("a\n\nb"));
        assert!(said.asks());
        assert_eq!(
            shown(&said),
            [
                (Role::User, "c\n\nd"),
                (Role::Assistant, "e"),
                (Role::System, "f"),
                (Role::User, "g\n<x>\n1\n</x>"),
            ]
        );
    }

    #[test]
    fn a_conversation_asks_when_the_user_has_the_last_word() {
        assert!(!opening(&[]).asks());
        assert!(!Opening::of_json(&json!(" \n")).asks() && Opening::of_json(&json!("a")).asks());
        assert!(!opening(&[(Speaker::System, "a")]).asks());
        assert!(!opening(&[(Speaker::User, "a"), (Speaker::Assistant, "b")]).asks());
        let instructed = [(Speaker::User, "a"), (Speaker::System, "b")];
        assert!(opening(&instructed).asks());
        let block = [
            (Speaker::Assistant, "a"),
            (Speaker::Block, "\n<x>\n1\n</x>"),
        ];
        assert!(opening(&block).asks());
    }
}
