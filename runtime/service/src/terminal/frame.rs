//! What a run looks like at one moment: rows for a terminal of some size.

use gsw_abi::call::NodeKind;
use gsw_trace::{Node, Tree, measure};
use gsw_tree::node::{NodeId, Spent, Status};
use rustc_hash::FxHashMap;

use crate::terminal::row::{Row, Tone};

/// How many cells a bar of progress takes.
const BAR: u64 = 12;
/// The signs of what is on its way, a tenth of a second each.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// The most characters of an answer that is arriving.
const ARRIVING: usize = 60;
/// The most rows, however high the terminal is.
const MOST: usize = 40;

/// The moment that is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time in the run, in nanoseconds since 1970.
    pub now: i64,
    /// Counts up while the run is running.
    pub beat: usize,
}

/// The rows of a tree, at most this many; the last one sums up.
pub fn frame(tree: &Tree, moment: Moment, rows: usize) -> Vec<Row> {
    let room = rows.min(MOST).saturating_sub(1);
    if room == 0 {
        return Vec::new();
    }
    let view = View {
        tree,
        moment,
        spent: tree.spent_below(),
    };
    // Ended nodes make room for running ones.
    let mut drawn = Vec::new();
    for ended in [8, 3, 1, 0] {
        drawn = view.rows(ended);
        if drawn.len() <= room {
            break;
        }
    }
    let hidden = drawn.len().saturating_sub(room);
    if hidden > 0 {
        drawn.truncate(room - 1);
        drawn.push(Row::default().with(Tone::Dim, &format!("… {} more", hidden + 1)));
    }
    drawn.push(view.summary());
    drawn
}

struct View<'a> {
    tree: &'a Tree,
    moment: Moment,
    spent: FxHashMap<NodeId, Spent>,
}

impl View<'_> {
    /// All nodes that deserve a row, with this many ended nodes under each running one.
    fn rows(&self, ended: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut waiting = vec![(self.tree.root(), 0)];
        while let Some((node, depth)) = waiting.pop() {
            // More can never be shown.
            if rows.len() > 4 * MOST {
                break;
            }
            let below = if is_drawn(node) {
                rows.push(self.row(node, depth));
                rows.extend(arriving(node, depth + 1));
                depth + 1
            } else {
                depth
            };
            let mut shown = self.shown_children(node, ended);
            shown.reverse();
            waiting.extend(shown.into_iter().map(|it| (it, below)));
        }
        rows
    }

    /// The children that run, and the latest of those that have ended.
    fn shown_children(&self, node: &Node, ended: usize) -> Vec<&Node> {
        // Those of a `parallel` are counted instead, and only what has failed is named.
        let is_counted = node.kind == Some(NodeKind::Parallel);
        let is_kept = |it: &&Node| match is_counted {
            true => it.status == Status::Failed,
            false => it.status.is_final(),
        };
        let count = self.tree.children(node.id).filter(is_kept).count();
        let mut passed = 0;
        let shown = self.tree.children(node.id).filter(|it| {
            passed += usize::from(is_kept(it));
            !it.status.is_final() || (is_kept(it) && passed + ended > count)
        });
        shown.take(4 * MOST).collect()
    }

    fn row(&self, node: &Node, depth: usize) -> Row {
        let (tone, sign) = match node.status {
            Status::Running => (Tone::Busy, SPINNER[self.moment.beat % SPINNER.len()]),
            Status::Completed => (Tone::Good, "✓"),
            Status::Failed => (Tone::Bad, "✗"),
            Status::Cancelled => (Tone::Warn, "⊘"),
            Status::Idle => (Tone::Dim, "○"),
        };
        let mut row = Row::default()
            .with(Tone::Plain, &"  ".repeat(depth.min(20)))
            .with(tone, sign)
            .with(Tone::Plain, " ")
            .with(Tone::Plain, &node.segment());
        if node.kind == Some(NodeKind::Parallel) {
            row = row.with(Tone::Busy, &progress(node));
        }
        let mut facts = Vec::new();
        let until = node.end.unwrap_or(self.moment.now);
        let took = until.saturating_sub(node.start.unwrap_or(until));
        // A time that changes ten times a second changes nothing worth drawing.
        if node.end.is_some() || took > 1_000_000_000 {
            facts.push(measure::duration(took));
        }
        facts.extend(
            self.spent
                .get(&node.id)
                .map(gsw_trace::spent)
                .unwrap_or_default(),
        );
        if node.kind == Some(NodeKind::Prompt) && node.status == Status::Running {
            facts.extend(node.model.as_ref().map(ToString::to_string));
        }
        if node.retries > 0 {
            facts.push(format!("attempt {}", node.retries + 1));
        }
        if !facts.is_empty() {
            row = row.with(Tone::Dim, &format!("  {}", facts.join(" · ")));
        }
        match &node.error {
            Some(error) => row.with(Tone::Bad, &format!("  {error}")),
            None => row,
        }
    }

    fn summary(&self) -> Row {
        let totals = self.tree.totals();
        let mut facts = Vec::new();
        let begun = self.tree.span().map_or(self.moment.now, |it| it.0);
        facts.push(measure::duration(self.moment.now.saturating_sub(begun)));
        let (failed, cancelled) = (self.tree.failures(), self.tree.cancellations());
        for (count, word) in [(failed, "failed"), (cancelled, "cancelled")] {
            if count > 0 {
                facts.push(format!("{} {word}", measure::number(count)));
            }
        }
        facts.extend(gsw_trace::spent(&totals.spent));
        Row::default().with(Tone::Dim, &facts.join(" · "))
    }
}

/// The end of the answer that a prompt is getting.
fn arriving(node: &Node, depth: usize) -> Option<Row> {
    let arriving = node.arriving.as_ref()?;
    if node.status.is_final() || arriving.bytes == 0 {
        return None;
    }
    let lines = arriving.end.trim_end().lines().rev();
    let line = lines.map(str::trim).find(|it| !it.is_empty());
    let line = line.map_or_else(|| "…".to_owned(), last_of);
    let what = match &arriving.call {
        Some(call) => format!("{}({line}", call.tool),
        None => line,
    };
    let row = Row::default().with(Tone::Plain, &"  ".repeat(depth.min(20)));
    Some(row.with(Tone::Dim, &format!("▸ {what}")))
}

/// The end of a line that is longer than a row shows.
fn last_of(line: &str) -> String {
    let surplus = line.chars().count().saturating_sub(ARRIVING);
    match line.char_indices().nth(surplus) {
        Some((at, _)) if surplus > 0 => format!("…{}", &line[at..]),
        _ => line.to_owned(),
    }
}

/// Whether a node has a row of its own; what only groups others has none.
fn is_drawn(node: &Node) -> bool {
    match node.kind {
        None => node.parent.is_some(),
        Some(NodeKind::Attempt | NodeKind::Region) => false,
        Some(NodeKind::Iteration | NodeKind::Task) => node.children.is_empty(),
        Some(_) => true,
    }
}

/// How much of a node is done, as ` 3/40 ▕██▌         ▏`.
fn progress(node: &Node) -> String {
    let all = items(node).unwrap_or(node.begun).max(node.begun);
    if all == 0 {
        return String::new();
    }
    // What was cancelled is not done.
    let done = node.done.saturating_sub(node.cancelled);
    let eighths = u64::try_from(u128::from(done) * u128::from(BAR * 8) / u128::from(all))
        .unwrap_or(BAR * 8)
        .min(BAR * 8);
    let mut bar = "█".repeat((eighths / 8) as usize);
    if eighths % 8 > 0 {
        bar.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][(eighths % 8 - 1) as usize]);
    }
    let empty = BAR as usize - bar.chars().count();
    let (done, all) = (measure::number(done), measure::number(all));
    format!(" {done}/{all} ▕{bar}{}▏", " ".repeat(empty))
}

/// How many items a `parallel` has, which its input says.
fn items(node: &Node) -> Option<u64> {
    node.input.as_ref()?.tree().get("items")?.as_u64()
}
