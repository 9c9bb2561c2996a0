//! One node with everything that is known of it, as text.

use std::fmt::Write;

use gsw_notation::calendar;
use serde_json::Value;

use crate::measure;
use crate::node::Node;
use crate::shown::Shown;
use crate::text;
use crate::tree::Tree;

/// One node with everything in it.
#[must_use]
pub fn detail(tree: &Tree, node: &Node) -> String {
    let below = tree.spent_below();
    let spent = below.get(&node.id).copied().unwrap_or_default();
    let mut out = String::new();
    let _ = writeln!(out, "{}", text::path_line(tree, node, &spent));
    write_facts(&mut out, node);
    write_value(&mut out, "input", node.input.as_ref().map(|it| it.tree()));
    write_value(&mut out, "output", node.output.as_ref().map(|it| it.tree()));
    if !node.dropped.is_empty() {
        out.push_str("dropped\n");
    }
    for issue in &node.dropped {
        write_text(&mut out, "  ", &issue.message);
    }
    write_value(&mut out, "error", node.error.as_deref().map(Value::from));
    let children: Vec<_> = tree.children(node.id).collect();
    if !children.is_empty() {
        out.push_str("children\n");
        for child in children {
            let spent = below.get(&child.id).copied().unwrap_or_default();
            let _ = writeln!(out, "  {} · #{}", text::line(child, &spent), child.id.0);
        }
    }
    if !node.recorded.is_empty() {
        out.push_str("events\n");
    }
    for recorded in &node.recorded {
        let (kind, fields) = recorded.parts();
        let after = node.start.map_or(0, |it| recorded.time.saturating_sub(it));
        let _ = writeln!(out, "  +{} {kind}", measure::duration(after));
        write_fields(&mut out, &fields);
    }
    out
}

fn write_facts(out: &mut String, node: &Node) {
    let fact = |out: &mut String, name: &str, value: String| {
        let _ = writeln!(out, "  {name:<10}{value}");
    };
    fact(out, "node", node.id.0.to_string());
    if let Some(start) = node.start {
        fact(out, "start", calendar::rfc3339(start));
    }
    if let Some(end) = node.end {
        fact(out, "end", calendar::rfc3339(end));
    }
    if let Some(model) = &node.model {
        fact(out, "model", Shown::line(model).to_string());
    }
    let usage = &node.spent.usage;
    if node.spent.requests + node.failed_requests > 0 {
        let failed = match node.failed_requests {
            0 => String::new(),
            failed => format!(", {} failed", measure::number(failed)),
        };
        let made = measure::number(node.spent.requests);
        fact(out, "requests", format!("{made}{failed}"));
    }
    if usage.total() > 0 {
        let tokens = format!(
            "{} in ({} from the provider's cache, {} into it), {} out",
            measure::number(usage.input_tokens),
            measure::number(usage.cache_read_tokens),
            measure::number(usage.cache_write_tokens),
            measure::number(usage.output_tokens)
        );
        fact(out, "tokens", tokens);
    }
}

fn write_value(out: &mut String, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        let _ = writeln!(out, "{name}");
        write_text(out, "  ", &shown(&value));
    }
}

fn write_fields(out: &mut String, fields: &Value) {
    let Some(fields) = fields.as_object() else {
        return;
    };
    for (name, value) in fields {
        let shown = shown(value);
        if shown.contains('\n') {
            let _ = writeln!(out, "    {}:", Shown::line(name));
            write_text(out, "      ", &shown);
        } else {
            let _ = writeln!(out, "    {}: {}", Shown::line(name), Shown::line(&shown));
        }
    }
}

/// A text as it is, anything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

pub(crate) fn write_text(out: &mut String, indent: &str, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "{indent}{}", Shown::line(line));
    }
}
