//! Hands a conversation with effects that must not be repeated over to another model.
//!
//! Beginning again would call the tool again, so the next model gets the conversation so far: what was asked, what the first
//! model said, its calls and what they gave. Both wire protocols can express that. What only one provider can read is left
//! out for another one: its own blocks (thinking with its signature) and the form of its ids. Between models of one provider
//! all of it stays, as the provider itself knows which of its blocks a model can read.

use std::sync::Arc;

use gsw_engine::model::{Content, Message, ModelRequest, PromptNote};

use crate::reflection::no_answer;

/// Turns the request to `next`; returns the note for observers.
pub(super) fn hand_over(request: &mut ModelRequest, next: String) -> PromptNote {
    let before = std::mem::replace(&mut request.model, next);
    let mut message = format!(
        "`{before}` failed after a tool call that must not be repeated: `{}` continues the conversation as it is",
        request.model
    );
    if provider(&before) != provider(&request.model) {
        if make_portable(&mut request.messages, &mut Calls::default()) {
            message.push_str(", without the blocks that only the first provider can read");
        }
        // A provider that sees its own thinking missing in the middle of a turn refuses to think.
        if request.thinking.take().is_some() {
            message.push_str(", without thinking");
        }
    }
    PromptNote::Warning { message }
}

pub(super) fn provider(model: &str) -> &str {
    model.split('/').next().unwrap_or(model)
}

/// How many calls of tools, and results of them, have been numbered.
#[derive(Default)]
pub(super) struct Calls {
    asked: u32,
    answered: u32,
}

/// Removes what only one provider understands, and replaces ids of calls by ones that every provider accepts. Returns whether
/// blocks were removed.
pub(super) fn make_portable(messages: &mut [Arc<Message>], calls: &mut Calls) -> bool {
    let mut has_left_out = false;
    for message in messages {
        let message = Arc::make_mut(message);
        let before = message.content.len();
        let is_own = |it: &Content| matches!(it, Content::Opaque { .. });
        message.content.retain(|it| !is_own(it));
        has_left_out |= message.content.len() < before;
        if message.content.is_empty() {
            // Providers refuse a message without content.
            message.content.push(no_answer());
        }
        for piece in &mut message.content {
            match piece {
                Content::ToolUse { id, .. } => *id = numbered(&mut calls.asked),
                // Results are in the order of their calls, so both are counted alike.
                Content::ToolResult { id, .. } => *id = numbered(&mut calls.answered),
                Content::Text { .. } | Content::Media { .. } | Content::Opaque { .. } => {}
            }
        }
    }
    has_left_out
}

fn numbered(count: &mut u32) -> String {
    *count += 1;
    format!("call_{count}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_engine::model::{Content, Message, PromptNote, Role};
    use serde_json::json;

    use super::hand_over;
    use crate::request::plain_request;

    fn conversation() -> Vec<Arc<Message>> {
        let thinking = || Content::Opaque {
            block: json!({"type": "thinking", "signature": "s"}),
        };
        let call = |id: &str| Content::ToolUse {
            id: id.into(),
            name: "pay".into(),
            input: json!({}).into(),
            flaw: None,
        };
        let result = |id: &str| Content::ToolResult {
            id: id.into(),
            content: "paid".into(),
            is_error: false,
            media: Vec::new(),
        };
        let said = |role, content| Arc::new(Message { role, content });
        vec![
            said(Role::Assistant, vec![thinking(), call("a:1"), call("a:1")]),
            said(Role::User, vec![result("a:1"), result("a:1")]),
            said(Role::Assistant, vec![thinking()]),
        ]
    }

    #[test]
    fn another_provider_gets_only_what_it_can_read() {
        let mut request = plain_request("anthropic/a", "Pay.");
        request.messages = conversation();
        request.thinking = Some(2_000);
        let mut sibling = request.clone();
        hand_over(&mut sibling, "anthropic/b".into());
        assert_eq!(sibling.model, "anthropic/b");
        assert_eq!(sibling.messages, request.messages);
        assert_eq!(sibling.thinking, Some(2_000));
        let PromptNote::Warning { message } = hand_over(&mut request, "openai/c".into()) else {
            panic!("a warning")
        };
        assert!(
            message.contains("only the first provider can read"),
            "{message}"
        );
        assert_eq!(
            (request.model.as_str(), request.thinking),
            ("openai/c", None)
        );
        let shown = json!(request.messages);
        assert_eq!(shown[0]["content"][0]["id"], "call_1");
        assert_eq!(shown[0]["content"][1]["id"], "call_2");
        assert_eq!(shown[1]["content"][1]["id"], "call_2");
        assert_eq!(shown[2]["content"][0]["text"], "(no answer)");
    }
}
