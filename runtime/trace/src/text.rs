//! A tree as lines of text.

use std::fmt::Write;

use gsw_abi::call::NodeKind;
use gsw_notation::calendar;
use gsw_notation::text::shortened;
use gsw_tree::node::{NodeId, Spent, Status};
use rustc_hash::FxHashMap;

use crate::measure::{self, counted};
use crate::node::Node;
use crate::shown::Shown;
use crate::tree::Tree;

/// How many levels are drawn; deeper ones would be further to the right than anybody reads.
const DRAWN_LEVELS: usize = 40;

/// The symbol of a status.
#[must_use]
pub const fn symbol(status: Status) -> &'static str {
    match status {
        Status::Idle => "○",
        Status::Running => "◐",
        Status::Completed => "✓",
        Status::Failed => "✗",
        Status::Cancelled => "⊘",
    }
}

#[must_use]
pub fn tree_text(tree: &Tree) -> String {
    let spent = tree.spent_below();
    let mut out = String::new();
    for root in tree.children(NodeId::ROOT) {
        write_branch(&mut out, tree, root, &spent);
    }
    out
}

fn write_branch(out: &mut String, tree: &Tree, root: &Node, spent: &FxHashMap<NodeId, Spent>) {
    // Per open level whether more siblings follow; no recursion, because trees may be very deep.
    let mut open: Vec<bool> = Vec::new();
    let mut waiting = vec![(root, 0, true)];
    while let Some((node, depth, is_last)) = waiting.pop() {
        open.truncate(depth);
        write_indent(out, &open, is_last);
        let below = spent.get(&node.id).copied().unwrap_or_default();
        let children = tree.shown_children(node.id);
        // An error is shown where it arose, not again on each level that it passed.
        let is_from_below =
            node.error.is_some() && children.iter().any(|it| it.error == node.error);
        let said = if is_from_below {
            SaidError::No
        } else {
            SaidError::Yes
        };
        out.push_str(&described(node, &below, said));
        out.push('\n');
        open.push(!is_last);
        let last = children.len();
        for (index, child) in children.into_iter().enumerate().rev() {
            waiting.push((child, depth + 1, index + 1 == last));
        }
    }
}

fn write_indent(out: &mut String, open: &[bool], is_last: bool) {
    let [_, levels @ ..] = open else {
        return;
    };
    let hidden = levels.len().saturating_sub(DRAWN_LEVELS);
    if hidden > 0 {
        let _ = write!(out, "⋯{hidden} ");
    }
    for &goes_on in &levels[hidden..] {
        out.push_str(if goes_on { "│   " } else { "    " });
    }
    out.push_str(if is_last { "└── " } else { "├── " });
}

/// Whether the line of a node has the text of its error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SaidError {
    No,
    Yes,
}

/// One node: `✓ review a.rs [completed] step · 1.24 s · 1,204 + 96 tokens · $0.0031 · 2 attempts`.
#[must_use]
pub fn line(node: &Node, below: &Spent) -> String {
    described(node, below, SaidError::Yes)
}

fn described(node: &Node, below: &Spent, error: SaidError) -> String {
    let name = node.segment();
    let name = Shown::line(&name);
    let status = node.status;
    format!(
        "{} {name} [{}] {}",
        symbol(status),
        status.name(),
        facts(node, below, error)
    )
}

/// One node with its whole path instead of its name.
#[must_use]
pub fn path_line(tree: &Tree, node: &Node, below: &Spent) -> String {
    let path = tree.path(node.id);
    let path = Shown::line(&path);
    let status = node.status;
    format!(
        "{} {path} [{}] {} · #{}",
        symbol(status),
        status.name(),
        facts(node, below, SaidError::Yes),
        node.id.0
    )
}

/// The facts about a node after its name.
fn facts(node: &Node, below: &Spent, error: SaidError) -> String {
    let mut facts = vec![node.kind_name().to_owned()];
    facts.extend(node.duration().map(measure::duration));
    facts.extend(spent(below));
    if node.kind == Some(NodeKind::Prompt) {
        facts.extend(node.model.as_ref().map(|it| Shown::line(it).to_string()));
    }
    let attempts = u64::from(node.retries) + 1;
    if attempts > 1 {
        facts.push(format!("{attempts} attempts"));
    }
    facts.extend(requests(node));
    if !node.dropped.is_empty() {
        let dropped = counted(node.dropped.len() as u64, "item");
        facts.push(format!("{dropped} left out"));
    }
    if let Some(new) = node.revised_by {
        facts.push(format!("revised by #{}", new.0));
    }
    if let (SaidError::Yes, Some(error)) = (error, &node.error) {
        facts.push(shortened(&Shown::line(error).text(), 100));
    }
    facts.join(" · ")
}

/// How many requests a prompt made, where that is worth a word.
fn requests(node: &Node) -> Option<String> {
    let (made, failed) = (node.spent.requests, node.failed_requests);
    match (made, failed) {
        (0 | 1, 0) => None,
        (made, 0) => Some(counted(made, "request")),
        (made, failed) => Some(format!("{} ({failed} failed)", counted(made, "request"))),
    }
}

/// Tokens and dollars, where there are any.
#[must_use]
pub fn spent(spent: &Spent) -> Vec<String> {
    let mut said = Vec::new();
    let (input, output) = (spent.usage.input_tokens, spent.usage.output_tokens);
    if input + output > 0 {
        said.push(format!(
            "{} + {} tokens",
            measure::number(input),
            measure::number(output)
        ));
    }
    said.extend(spent.cost_usd.map(measure::money));
    said
}

/// The log, a line each.
#[must_use]
pub fn logs(tree: &Tree) -> String {
    let mut out = String::new();
    for line in tree.logs() {
        let whole = calendar::rfc3339(line.time);
        let time = whole
            .split_once('T')
            .and_then(|it| it.1.get(..8))
            .unwrap_or(&whole);
        let milliseconds = line.time.rem_euclid(1_000_000_000) / 1_000_000;
        let _ = write!(
            out,
            "{time}.{milliseconds:03} {:<5} {}: {}",
            line.level.name(),
            Shown::line(&line.node.segment()),
            Shown::line(line.message)
        );
        match line.data {
            Some(data) if data.text() != "{}" => {
                let _ = writeln!(out, " {}", Shown::json(data.text()));
            }
            _ => out.push('\n'),
        }
    }
    out
}

/// The counts of a tree, in one line.
#[must_use]
pub fn statistics(tree: &Tree) -> String {
    let totals = tree.totals();
    let every = [
        Status::Completed,
        Status::Failed,
        Status::Cancelled,
        Status::Running,
        Status::Idle,
    ];
    let statuses: Vec<_> = every
        .into_iter()
        .map(|it| (it, totals.with_status(it)))
        .filter(|it| it.1 > 0)
        .map(|(status, count)| format!("{} {}", measure::number(count), status.name()))
        .collect();
    let mut said = vec![format!(
        "{}: {}",
        counted(totals.nodes, "node"),
        statuses.join(", ")
    )];
    said.push(counted(totals.logs, "log"));
    said.push(counted(totals.events, "event"));
    if totals.spent.requests > 0 {
        said.push(counted(totals.spent.requests, "request"));
    }
    if totals.spent.tool_calls > 0 {
        said.push(counted(totals.spent.tool_calls, "tool call"));
    }
    said.extend(spent(&totals.spent));
    if let Some((first, last)) = tree.span() {
        said.push(measure::duration(last.saturating_sub(first)));
    }
    said.join(" · ")
}
