//! Prompt caching: where the provider is told to keep what a request begins with, so that the next one that begins alike costs a
//! tenth of it.
//!
//! What a request begins with are its tools, then its system text, then the conversation. There are two marks:
//!
//! - **after the instructions** (tools and system text), which all calls of an agent share;
//! - **after the conversation**, where it continues: another turn follows the results of tools, another call follows a session.
//!
//! What is kept costs a quarter more when it is written. So a conversation of one question without tools, which nothing follows,
//! is not marked, and neither is what the provider would be too short to keep: those requests stay as they are.
//!
//! The other providers keep beginnings by themselves, without marks.

use gsw_abi::provider::LEAST_CACHED;
use gsw_engine::model::{Content, ModelRequest, Role, ToolDescription};
use serde_json::{Map, Value, json};

/// What in a request is marked.
pub(super) struct Marks {
    instructions: Mark,
    conversation: Mark,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Absent,
    Present,
}

impl Marks {
    pub(super) fn of(request: &ModelRequest) -> Self {
        let instructions = instruction_bytes(request);
        let conversation: usize = request
            .messages
            .iter()
            .flat_map(|it| &it.content)
            .map(bytes)
            .sum();
        let goes_on = !request.tools.is_empty()
            || request.messages.iter().any(|it| it.role == Role::Assistant);
        let mark = |is_wanted| match is_wanted {
            true => Mark::Present,
            false => Mark::Absent,
        };
        Self {
            instructions: mark(instructions >= LEAST_CACHED),
            conversation: mark(goes_on && instructions + conversation >= LEAST_CACHED),
        }
    }

    /// The system text as the request has it.
    pub(super) fn system(&self, text: String) -> Value {
        match self.instructions {
            Mark::Present => json!([{ "type": "text", "text": text, "cache_control": kept() }]),
            Mark::Absent => text.into(),
        }
    }

    /// Puts the marks into a body that is complete otherwise.
    pub(super) fn put(&self, body: &mut Map<String, Value>) {
        let has_system = body.contains_key("system");
        // Without a system text the tools are all that calls share.
        if self.instructions == Mark::Present
            && !has_system
            && let Some(Value::Array(tools)) = body.get_mut("tools")
            && let Some(last) = tools.last_mut()
        {
            last["cache_control"] = kept();
        }
        if self.conversation == Mark::Present {
            // At the top level it marks the end of the last message.
            body.insert("cache_control".into(), kept());
        }
    }
}

fn kept() -> Value {
    json!({ "type": "ephemeral" })
}

fn instruction_bytes(request: &ModelRequest) -> usize {
    let tool = |it: &ToolDescription| {
        it.name.len() + it.description.len() + it.input_schema.to_string().len()
    };
    let tools: usize = request.tools.iter().map(tool).sum();
    tools + request.system.as_ref().map_or(0, String::len)
}

/// The bytes of text of a piece; an image is kept with what is around it and counts for nothing here.
fn bytes(content: &Content) -> usize {
    match content {
        Content::Text { text } => text.len(),
        Content::ToolResult { content, .. } => content.len(),
        Content::ToolUse { input, .. } => input.text().len(),
        Content::Opaque { block } => block.to_string().len(),
        Content::Media { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use gsw_abi::provider::LEAST_CACHED;
    use gsw_engine::model::{ModelRequest, Role, ToolDescription};
    use gsw_tree::class::Class;
    use serde_json::{Value, json};

    use crate::providers::anthropic::wire;
    use crate::providers::protocol::SchemaForm;
    use crate::request::{plain_request, said};

    fn body(request: &ModelRequest) -> Value {
        wire::body("claude", request, SchemaForm::Absent).expect("it can be written")
    }

    fn tool() -> ToolDescription {
        ToolDescription {
            name: "look".into(),
            description: "x".repeat(LEAST_CACHED),
            input_schema: json!({ "type": "object" }).into(),
            class: Class::Reads,
            was: None,
        }
    }

    #[test]
    fn long_instructions_are_kept_and_short_requests_stay_as_they_are() {
        let mut request = plain_request("anthropic/claude", "Hello");
        request.system = Some("Be brief.".into());
        assert_eq!(body(&request)["system"], "Be brief.");
        assert!(!body(&request).to_string().contains("cache_control"));
        let long = "x".repeat(LEAST_CACHED);
        request.system = Some(long.clone());
        let kept = json!({ "type": "ephemeral" });
        assert_eq!(
            body(&request)["system"],
            json!([{ "type": "text", "text": long, "cache_control": kept }])
        );
        assert!(body(&request)["cache_control"].is_null());
        request.system = None;
        request.tools = vec![tool()];
        assert_eq!(body(&request)["tools"][0]["cache_control"], kept);
    }

    #[test]
    fn a_conversation_that_goes_on_is_kept_to_its_end() {
        let long = "x".repeat(LEAST_CACHED);
        let mut request = plain_request("anthropic/claude", &long);
        assert!(!body(&request).to_string().contains("cache_control"));
        request.messages.push(said(Role::Assistant, "Well?"));
        request.messages.push(said(Role::User, "Go on."));
        assert_eq!(body(&request)["cache_control"]["type"], "ephemeral");
        request.messages.remove(0);
        assert!(body(&request)["cache_control"].is_null());
    }
}
