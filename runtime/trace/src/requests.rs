//! The requests of prompts to their models, as text: settings, messages, the raw answer, and why another followed.

use std::fmt::Write;

use gsw_notation::issue::Issue;
use gsw_tree::event::{CircuitChange, EventKind, JsonText};
use serde_json::Value;

use crate::detail::{shown, write_text};
use crate::measure;
use crate::measure::counted;
use crate::node::{Node, What};
use crate::shown::Shown;
use crate::tree::Tree;

/// All requests of a run, prompt by prompt.
#[must_use]
pub fn requests(tree: &Tree) -> String {
    tree.walk().map(|it| of_node(tree, it)).collect()
}

/// The requests of one node; nothing of one that made none.
#[must_use]
pub fn of_node(tree: &Tree, node: &Node) -> String {
    let mut out = String::new();
    let mut sent_at = None;
    for recorded in &node.recorded {
        let What::Known(event) = &recorded.what else {
            continue;
        };
        if let EventKind::ModelRequest { .. } = event.kind {
            sent_at = Some(recorded.time);
        }
        let took = sent_at.map(|it| recorded.time.saturating_sub(it));
        write_event(&mut out, &event.kind, took.unwrap_or_default());
    }
    if out.is_empty() {
        return out;
    }
    let path = tree.path(node.id);
    format!("{} · #{}\n{out}\n", Shown::line(&path), node.id.0)
}

/// What of an event is about a request; `took` is the time since it was sent.
fn write_event(out: &mut String, kind: &EventKind, took: i64) {
    match kind {
        EventKind::ModelRequest { .. } => write_request(out, kind),
        EventKind::ModelAnswer { .. } => write_answer(out, kind, took),
        EventKind::ModelRetry { attempt, delay, .. } => {
            let delay = measure::duration(*delay);
            let _ = writeln!(out, "  ↻ request {attempt} follows after {delay}");
        }
        EventKind::Circuit { model, change, .. } => {
            let model = Shown::line(model);
            let _ = match change {
                CircuitChange::Opened => writeln!(out, "  ✗ {model} is down"),
                CircuitChange::Closed => writeln!(out, "  ✓ {model} answers again"),
            };
        }
        EventKind::InvalidResponse { issues, .. } => write_issues(out, issues),
        EventKind::CacheHit { .. } => out.push_str("  ✓ answered from the cache\n"),
        EventKind::ChildAttached { .. }
        | EventKind::ChildDetached { .. }
        | EventKind::Status { .. }
        | EventKind::TreeUpdated { .. }
        | EventKind::WorkflowStart { .. }
        | EventKind::WorkflowEnd { .. }
        | EventKind::StepStart { .. }
        | EventKind::StepEnd { .. }
        | EventKind::StepRetry { .. }
        | EventKind::StepRestarted { .. }
        | EventKind::TaskStart
        | EventKind::TaskEnd { .. }
        | EventKind::Error(_)
        | EventKind::Log { .. }
        | EventKind::Emit { .. }
        | EventKind::StateChanged { .. }
        | EventKind::StateSnapshot { .. }
        | EventKind::PromptStart { .. }
        | EventKind::PromptEnd { .. }
        | EventKind::PromptRevision { .. }
        | EventKind::CacheMiss { .. }
        | EventKind::StreamDelta { .. }
        | EventKind::CacheWait { .. }
        | EventKind::CacheEvict { .. }
        | EventKind::ReflectionStart { .. }
        | EventKind::ReflectionEnd { .. }
        | EventKind::HumanRequest { .. }
        | EventKind::HumanAnswer { .. }
        | EventKind::ExternalRequest { .. }
        | EventKind::ExternalAnswer { .. }
        | EventKind::Cancel { .. }
        | EventKind::Budget { .. }
        | EventKind::SpawnRequest { .. }
        | EventKind::Skill { .. }
        | EventKind::McpEvent { .. }
        | EventKind::SessionShortened { .. }
        | EventKind::ResultsCleared { .. }
        | EventKind::Hook { .. }
        | EventKind::Untrusted { .. }
        | EventKind::ToolCall { .. } => {}
    }
}

fn write_request(out: &mut String, kind: &EventKind) {
    let EventKind::ModelRequest {
        model,
        attempt,
        request,
        settings,
        tools,
        schema,
    } = kind
    else {
        return;
    };
    let _ = writeln!(out, "  → request {attempt} to {}", Shown::line(model));
    write_json(out, "settings", settings.as_ref());
    write_json(out, "tools", tools.as_ref());
    write_json(out, "schema", schema.as_ref());
    write_messages(out, request.as_ref());
}

fn write_answer(out: &mut String, kind: &EventKind, took: i64) {
    let EventKind::ModelAnswer {
        attempt,
        answer,
        error,
        status,
        stop_reason,
        usage,
        first_token,
        ..
    } = kind
    else {
        return;
    };
    let mut facts = vec![measure::duration(took)];
    facts.extend(first_token.map(|it| format!("first token after {}", measure::duration(it))));
    facts.extend(status.map(|it| format!("status {it}")));
    facts.extend(stop_reason.as_ref().map(|it| Shown::line(it).to_string()));
    if usage.total() > 0 {
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        facts.push(format!("{input} + {output} tokens"));
    }
    let what = if error.is_some() {
        "✗ failed"
    } else {
        "← answer"
    };
    let _ = writeln!(out, "  {what} {attempt} · {}", facts.join(" · "));
    if let Some(error) = error {
        write_text(out, "      ", error);
    }
    if let Some(answer) = answer {
        write_content(out, &answer.tree());
    }
}

fn write_issues(out: &mut String, issues: &[Issue]) {
    let count = counted(issues.len() as u64, "issue");
    let _ = writeln!(out, "  ✗ the answer does not fit: {count}");
    for issue in issues {
        let text = format!("{}: {}", issue.path, issue.message);
        write_text(out, "      ", &text);
    }
}

fn write_json(out: &mut String, name: &str, value: Option<&JsonText>) {
    if let Some(value) = value {
        let _ = writeln!(out, "    {name}");
        write_text(out, "      ", &shown(&value.tree()));
    }
}

/// The system text and the messages that are new in a request.
fn write_messages(out: &mut String, request: Option<&JsonText>) {
    let Some(request) = request.map(JsonText::tree) else {
        return;
    };
    if let Some(system) = request.get("system") {
        out.push_str("    system\n");
        write_text(out, "      ", &shown(system));
    }
    let messages = request.get("messages").and_then(Value::as_array);
    for message in messages.into_iter().flatten() {
        let role = message.get("role").and_then(Value::as_str);
        let _ = writeln!(out, "    {}", Shown::line(role.unwrap_or("message")));
        write_content(out, message.get("content").unwrap_or(message));
    }
}

/// The pieces of a message: text as it is, anything else as JSON.
fn write_content(out: &mut String, content: &Value) {
    let one = std::slice::from_ref(content);
    for piece in content.as_array().map_or(one, Vec::as_slice) {
        let text = piece.get("text").filter(|_| piece["type"] == "text");
        write_text(out, "      ", &shown(text.unwrap_or(piece)));
    }
}
