//! What a call sends to its model: the earlier exchanges of its session, its own examples and texts; and what it leaves in
//! the session.
//!
//! Earlier exchanges are sent as they were, byte for byte, thinking and calls of tools included, so that a provider finds in
//! its cache what it has read before. Two things are changed on the way, and only in the request: blocks that only another
//! provider can read are left out, and where no tools are offered, their calls are texts, because providers refuse calls of
//! nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_engine::conversation::Exchange;
use gsw_engine::model::{Content, Message, ModelRequest, PromptCall, PromptNote};

use super::handover::{Calls, make_portable, provider};
use crate::request::own_messages;

/// The messages that a call begins with.
pub(super) struct Conversation {
    prompt: usize,
    /// Of the session; `None` where the call has none.
    history: Option<Vec<Arc<Exchange>>>,
    own: Vec<Arc<Message>>,
    /// How many of its own, the first ones, are examples.
    examples: usize,
}

impl Conversation {
    /// Of a call, whose texts are taken over.
    pub(super) fn take(call: &mut PromptCall) -> Self {
        let history = call.history.take();
        let is_known = |it: &Arc<Exchange>| it.prompt == Some(call.prompt) && it.examples > 0;
        if history.iter().flatten().any(is_known) {
            call.examples.clear();
        }
        let examples = call.examples.iter().map(|it| it.said.len() + 1).sum();
        Self {
            prompt: call.prompt,
            history,
            own: own_messages(call),
            examples,
        }
    }

    fn history(&self) -> impl Iterator<Item = &Arc<Exchange>> {
        self.history.iter().flatten()
    }

    /// Puts all of it into a request, in the form that its model takes. Says what that has cost.
    pub(super) fn begin(&self, request: &mut ModelRequest) -> Option<PromptNote> {
        let mut left_out = None;
        let mut messages = Vec::new();
        // Numbered over all exchanges, so that no two calls have one number.
        let mut calls = Calls::default();
        for exchange in self.history() {
            let start = messages.len();
            messages.extend(exchange.messages.iter().cloned());
            let is_own = provider(&exchange.model) == provider(&request.model);
            if !is_own && make_portable(&mut messages[start..], &mut calls) {
                left_out = Some(provider(&exchange.model));
            }
        }
        if request.tools.is_empty() {
            say_calls(&mut messages);
        }
        messages.extend(self.own.iter().cloned());
        request.messages = messages;
        let before = left_out?;
        let model = &request.model;
        let message = format!(
            "the session continues with `{model}`, without the blocks that only `{before}` can read"
        );
        Some(PromptNote::Warning { message })
    }

    /// What the session gets when the model of `request` has given this answer to it.
    pub(super) fn exchange(&self, request: &ModelRequest, answer: Message) -> Option<Exchange> {
        self.history.as_ref()?;
        let before: usize = self.history().map(|it| it.messages.len()).sum();
        let own = request.messages.iter().skip(before).cloned();
        Some(self.ended(request.model.clone(), own, answer))
    }

    /// The exchange when the answer was kept from an earlier call: without what led to it.
    pub(super) fn kept_exchange(&self, answer: Message) -> Option<Exchange> {
        self.history.as_ref()?;
        Some(self.ended(String::new(), self.own.iter().cloned(), answer))
    }

    fn ended(
        &self,
        model: String,
        own: impl Iterator<Item = Arc<Message>>,
        answer: Message,
    ) -> Exchange {
        Exchange {
            prompt: Some(self.prompt),
            model,
            examples: self.examples,
            messages: own.chain([Arc::new(answer)]).collect(),
        }
    }
}

/// Calls of tools, and what these gave, as texts.
fn say_calls(messages: &mut [Arc<Message>]) {
    let mut names = BTreeMap::new();
    for message in messages {
        let is_call =
            |it: &Content| matches!(it, Content::ToolUse { .. } | Content::ToolResult { .. });
        if !message.content.iter().any(is_call) {
            continue;
        }
        let message = Arc::make_mut(message);
        let mut said = Vec::new();
        for piece in std::mem::take(&mut message.content) {
            let (text, media) = match piece {
                Content::ToolUse {
                    id, name, input, ..
                } => {
                    let text = format!("(called the tool `{name}` with {input})");
                    names.insert(id, name);
                    (text, Vec::new())
                }
                Content::ToolResult {
                    id, content, media, ..
                } => {
                    let name = names.get(&id).map_or("", String::as_str);
                    (format!("(the tool `{name}` gave: {content})"), media)
                }
                piece @ (Content::Text { .. } | Content::Media { .. } | Content::Opaque { .. }) => {
                    said.push(piece);
                    continue;
                }
            };
            said.push(Content::Text { text });
            said.extend(media.into_iter().map(|media| Content::Media { media }));
        }
        message.content = said;
    }
}
