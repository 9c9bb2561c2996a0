//! What differs between two runs, node by node, by the identity that nodes keep from run to run.

use std::collections::HashMap;
use std::fmt::Write;

use gsw_tree::node::{NodeId, Spent, Status};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::json::seconds;
use crate::measure;
use crate::node::Node;
use crate::shown::Shown;
use crate::tree::Tree;

/// A duration has changed when it differs by a fifth of the longer…
const PART: i64 = 5;
/// …and by ten milliseconds; both are guesses at what is noise.
const LEAST: i64 = 10_000_000;

/// What differs between two runs.
#[derive(Debug, Default)]
pub struct Diff {
    /// Branches that only the second has, by path, with how many nodes are below.
    pub added: Vec<(String, usize)>,
    /// Branches that only the first has.
    pub removed: Vec<(String, usize)>,
    /// Nodes that both have and that differ.
    pub changed: Vec<Change>,
    /// How many nodes are alike.
    pub alike: usize,
}

/// A node that differs; `None` where it does not.
#[derive(Debug, Default)]
pub struct Change {
    pub path: String,
    pub status: Option<(Status, Status)>,
    /// The outputs or errors, as JSON.
    pub outcome: Option<(Value, Value)>,
    /// Before and after, in nanoseconds.
    pub duration: Option<(i64, i64)>,
    /// Dollars, with all that is below.
    pub cost: Option<(f64, f64)>,
}

/// What differs between two runs.
#[must_use]
pub fn diff(before: &Tree, after: &Tree) -> Diff {
    let (spent_before, spent_after) = (before.spent_below(), after.spent_below());
    let spent =
        |map: &FxHashMap<NodeId, Spent>, it: &Node| map.get(&it.id).copied().unwrap_or_default();
    let mut diff = Diff::default();
    let mut waiting = vec![(before.root(), after.root())];
    while let Some((old, new)) = waiting.pop() {
        let mut by_identity: HashMap<_, _> = before
            .children(old.id)
            .map(|it| (identity(it), it))
            .collect();
        let mut pairs = Vec::new();
        for child in after.children(new.id) {
            match by_identity.remove(&identity(child)) {
                Some(partner) => pairs.push((partner, child)),
                None => diff.added.push(branch(after, child)),
            }
        }
        let rest = before.children(old.id);
        let rest = rest.filter(|it| by_identity.contains_key(&identity(it)));
        diff.removed.extend(rest.map(|it| branch(before, it)));
        if old.parent.is_some() {
            let costs = (
                spent(&spent_before, old).cost_usd,
                spent(&spent_after, new).cost_usd,
            );
            match change(old, new, costs) {
                None => diff.alike += 1,
                Some(change) => diff.changed.push(Change {
                    path: after.path(new.id),
                    ..change
                }),
            }
        }
        waiting.extend(pairs.into_iter().rev());
    }
    diff
}

fn identity(node: &Node) -> (&'static str, &str, u32) {
    (node.kind_name(), &node.name, node.index)
}

fn branch(tree: &Tree, top: &Node) -> (String, usize) {
    let mut below = 0;
    let mut waiting = top.children.clone();
    while let Some(next) = waiting.pop().and_then(|it| tree.get(it)) {
        below += 1;
        waiting.extend(&next.children);
    }
    (tree.path(top.id), below)
}

fn change(old: &Node, new: &Node, costs: (Option<f64>, Option<f64>)) -> Option<Change> {
    let outcome = |it: &Node| match (&it.error, &it.output) {
        (Some(error), _) => Value::from(&**error),
        (None, Some(output)) => output.tree(),
        (None, None) => Value::Null,
    };
    let durations = old.duration().zip(new.duration());
    let costs = (costs.0.unwrap_or(0.0), costs.1.unwrap_or(0.0));
    let change = Change {
        path: String::new(),
        status: (old.status != new.status).then_some((old.status, new.status)),
        outcome: (old.error != new.error || old.output != new.output)
            .then(|| (outcome(old), outcome(new))),
        duration: durations.filter(|(old, new)| {
            let by = old.abs_diff(*new);
            by > LEAST as u64 && by > (*old.max(new) / PART) as u64
        }),
        // Less than a hundredth of a cent is rounding.
        cost: ((costs.0 - costs.1).abs() > 0.000_1).then_some(costs),
    };
    let is_change = change.status.is_some()
        || change.outcome.is_some()
        || change.duration.is_some()
        || change.cost.is_some();
    is_change.then_some(change)
}

impl Diff {
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (sign, branches) in [("-", &self.removed), ("+", &self.added)] {
            for (path, below) in branches {
                let _ = write!(out, "{sign} {}", Shown::line(path));
                match below {
                    0 => out.push('\n'),
                    below => {
                        let _ = writeln!(out, " (and {below} below)");
                    }
                }
            }
        }
        for change in &self.changed {
            let _ = writeln!(out, "~ {}", Shown::line(&change.path));
            change.write(&mut out);
        }
        let _ = writeln!(
            out,
            "{} added · {} removed · {} changed · {} alike",
            self.added.len(),
            self.removed.len(),
            self.changed.len(),
            self.alike
        );
        out
    }

    #[must_use]
    pub fn json(&self) -> Value {
        let branches = |list: &[(String, usize)]| -> Value {
            list.iter()
                .map(|(path, below)| json!({ "path": path, "below": below }))
                .collect()
        };
        let changed: Vec<_> = self.changed.iter().map(Change::json).collect();
        json!({
            "added": branches(&self.added),
            "removed": branches(&self.removed),
            "changed": changed,
            "alike": self.alike,
        })
    }
}

impl Change {
    fn write(&self, out: &mut String) {
        if let Some((old, new)) = self.status {
            let _ = writeln!(out, "    status    {} → {}", old.name(), new.name());
        }
        if let Some((old, new)) = &self.outcome {
            let _ = writeln!(
                out,
                "    outcome   {}\n            → {}",
                brief(old),
                brief(new)
            );
        }
        if let Some((old, new)) = self.duration {
            let (old, new) = (measure::duration(old), measure::duration(new));
            let _ = writeln!(out, "    duration  {old} → {new}");
        }
        if let Some((old, new)) = self.cost {
            let (old, new) = (measure::money(old), measure::money(new));
            let _ = writeln!(out, "    cost      {old} → {new}");
        }
    }

    fn json(&self) -> Value {
        let pair = |old: Value, new: Value| json!({ "before": old, "after": new });
        json!({
            "path": self.path,
            "status": self.status.map(|(old, new)| pair(old.name().into(), new.name().into())),
            "outcome": self.outcome.as_ref().map(|(old, new)| pair(old.clone(), new.clone())),
            "duration": self.duration.map(|(old, new)| pair(seconds(old).into(), seconds(new).into())),
            "cost_usd": self.cost.map(|(old, new)| pair(old.into(), new.into())),
        })
    }
}

/// The beginning of a value.
fn brief(value: &Value) -> String {
    let text = value.as_str();
    let text = text.map_or_else(|| value.to_string(), str::to_owned);
    Shown::line(&text).text().chars().take(120).collect()
}
