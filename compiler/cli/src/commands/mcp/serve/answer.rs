//! What a tool answers: a text for the model, and data where there is some.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

pub struct Answer {
    text: String,
    data: Option<Value>,
    outcome: Outcome,
}

/// Whether the tool could do what it was asked for. A program with errors is no failure of the tool that finds them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Failed,
}

impl Answer {
    pub fn text(text: String) -> Self {
        Self {
            text,
            data: None,
            outcome: Outcome::Done,
        }
    }

    /// A text with the same as data, which is an object.
    pub fn with_data(text: String, data: Value) -> Self {
        Self {
            data: Some(data),
            ..Self::text(text)
        }
    }

    /// Why it was not done.
    pub fn wrong(why: String) -> Self {
        Self {
            outcome: Outcome::Failed,
            ..Self::text(why)
        }
    }

    pub fn result(self) -> CallToolResult {
        let text = match self.text.trim_end() {
            "" => "nothing".to_owned(),
            text => text.to_owned(),
        };
        let content = vec![ContentBlock::text(text)];
        let mut result = match self.outcome {
            Outcome::Done => CallToolResult::success(content),
            Outcome::Failed => CallToolResult::error(content),
        };
        result.structured_content = self.data;
        result
    }
}

impl From<Result<Self, String>> for Answer {
    fn from(done: Result<Self, String>) -> Self {
        done.unwrap_or_else(Self::wrong)
    }
}
