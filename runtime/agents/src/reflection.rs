//! Shows a wrong answer back to the model, with the exact issues.

use std::sync::Arc;

use gsw_engine::model::{Content, Message, Role};
use gsw_notation::issue::Issue;

use crate::request::said;

/// The most issues that are shown; more confuse more than they help.
const MOST_ISSUES: usize = 20;

/// The messages to add: what the model answered, and what is wrong with it.
pub(crate) fn messages(answer: Vec<Content>, issues: &[Issue]) -> [Arc<Message>; 2] {
    let wrong = said_by_model(answer);
    [Arc::new(wrong), said(Role::User, explanation(issues))]
}

/// An answer as a message: a provider refuses an empty one, and a model can answer with nothing.
pub(crate) fn said_by_model(answer: Vec<Content>) -> Message {
    let is_empty = |it: &Content| matches!(it, Content::Text { text } if text.trim().is_empty());
    let mut content: Vec<Content> = answer.into_iter().filter(|it| !is_empty(it)).collect();
    if content.is_empty() {
        content.push(no_answer());
    }
    Message {
        role: Role::Assistant,
        content,
    }
}

/// Replaces an answer of which nothing can be shown.
pub(crate) fn no_answer() -> Content {
    Content::Text {
        text: "(no answer)".into(),
    }
}

fn explanation(issues: &[Issue]) -> String {
    let mut lines = vec!["Your answer does not fit what was asked for:".to_owned()];
    lines.extend(issues.iter().take(MOST_ISSUES).map(line));
    if issues.len() > MOST_ISSUES {
        lines.push(format!("- and {} more", issues.len() - MOST_ISSUES));
    }
    lines.push("Answer again with the whole corrected answer and nothing else.".into());
    lines.join("\n")
}

fn line(issue: &Issue) -> String {
    if issue.message.is_empty() {
        return format!(
            "- {}: expected {}, found {}",
            issue.path, issue.expected, issue.found
        );
    }
    if issue.message.contains(&issue.path) {
        return format!("- {}", issue.message);
    }
    format!("- {}: {}", issue.path, issue.message)
}
