//! The tool of each call in a conversation: results refer to calls only by id.

use std::collections::HashMap;

use gsw_engine::model::{Content, Message};

/// The names of the calls so far. Filled as the conversation goes, since a result belongs to the last call of its id.
#[derive(Default)]
pub(crate) struct CallNames<'a>(HashMap<&'a str, &'a str>);

impl<'a> CallNames<'a> {
    /// Takes the calls of the next message.
    pub fn add(&mut self, message: &'a Message) {
        for piece in &message.content {
            if let Content::ToolUse { id, name, .. } = piece {
                self.0.insert(id, name);
            }
        }
    }

    /// The tool of a result; `None` where no call has its id.
    pub fn of(&self, id: &str) -> &'a str {
        self.0.get(id).copied().unwrap_or_default()
    }
}
