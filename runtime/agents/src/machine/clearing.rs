//! Results of older tool calls, left out of a conversation that comes near to the window of its model.
//!
//! Only where the program asks for it (`clear_results: 0.8`), and never without an event. A result gives way to a line that
//! says so; its call stays, so that the model sees what it did and can do it again. From the share that is set down to
//! half of it at once, the oldest first: what a provider keeps of a request is lost each time, and a turn that clears
//! a little would lose it each turn. The results of the last turns stay, and so do the instructions of skills, which the model
//! is to follow to the end.
//!
//! The size of a conversation is reported by the provider with its last answer; what came since, or all of it where the provider
//! reports nothing, is counted by its bytes. All of that is recorded, so that a replay clears the same.

use std::sync::Arc;

use gsw_abi::program::{Program, Tool, ToolBody};
use gsw_engine::media::Media;
use gsw_engine::model::{Content, Message, ModelRequest, PromptNote};

use crate::catalogue::Catalogue;
use crate::settings::Settings;
use crate::tools;

/// How many messages at the end stay as they are: three turns of calls with what they gave.
const STAY: usize = 6;
/// Shorter results are not worth clearing.
const SHORT: usize = 400;

/// How many tokens of a conversation its provider has counted, and in how many of its messages.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub tokens: u64,
    pub messages: usize,
}

/// Leaves results out of `request`, where it is larger than its share of the window.
pub(super) fn clear(
    request: &mut ModelRequest,
    program: &Program,
    settings: &Settings,
    counted: Counted,
) -> Option<PromptNote> {
    let share = settings.clear_results?;
    let window = Catalogue::built_in().find(&request.model)?.context?;
    let counted = if counted.messages > request.messages.len() {
        Counted::default()
    } else {
        counted
    };
    let new = request.messages[counted.messages..].iter();
    let tokens = counted.tokens + new.map(|it| it.tokens()).sum::<u64>();
    let most = window as f64 * share;
    if (tokens as f64) < most {
        return None;
    }
    let wanted = tokens.saturating_sub((most / 2.0) as u64);
    let of_skills = |it: &Tool| it.body == ToolBody::Skills;
    let stay = tools::names_of(program, &settings.tools, of_skills);
    let (results, cleared) = clear_messages(&mut request.messages, wanted, &stay);
    (results > 0).then_some(PromptNote::ResultsCleared {
        results,
        tokens,
        cleared,
        window,
    })
}

/// Clears results until this many tokens are gone, but for those of the tools that `stay`; returns how many results and tokens
/// went.
fn clear_messages(messages: &mut [Arc<Message>], wanted: u64, stay: &[String]) -> (u32, u64) {
    let older = messages.len().saturating_sub(STAY);
    let mut kept: Vec<String> = Vec::new();
    let (mut results, mut cleared) = (0, 0);
    for message in &mut messages[..older] {
        if cleared >= wanted {
            break;
        }
        let is_long = |it: &Content| match it {
            Content::ToolResult { content, media, .. } => {
                content.len() > SHORT || !media.is_empty()
            }
            Content::Text { .. }
            | Content::Media { .. }
            | Content::ToolUse { .. }
            | Content::Opaque { .. } => false,
        };
        for piece in &message.content {
            if let Content::ToolUse { id, name, .. } = piece
                && stay.contains(name)
            {
                kept.push(id.clone());
            }
        }
        if !message.content.iter().any(is_long) {
            continue;
        }
        for piece in &mut Arc::make_mut(message).content {
            let before = piece.tokens();
            let is_long = is_long(piece);
            let Content::ToolResult {
                id, content, media, ..
            } = piece
            else {
                continue;
            };
            if !is_long || kept.contains(id) {
                continue;
            }
            let bytes = content.len() + media.iter().map(Media::weight).sum::<usize>();
            *content = format!(
                "(left out to make room: {bytes} bytes that this call gave; call it again if they are needed)"
            );
            media.clear();
            results += 1;
            cleared += before.saturating_sub(piece.tokens());
        }
    }
    (results, cleared)
}
