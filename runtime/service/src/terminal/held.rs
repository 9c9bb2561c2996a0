//! Lines about what has ended, held back for a moment: many of the same become one. They keep the order in which it ended, a line
//! about many where the last of them did.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsw_trace::{Shown, measure};
use gsw_tree::event::End;
use gsw_tree::node::Status;
use gsw_tree::usage::Usage;

/// The most of one kind that are reported one by one.
const FEW: usize = 5;
/// The most kinds of lines that are held; further ones are reported together.
const MOST: usize = 20;
/// How long a line is held back at most, unless too many were written just before.
const HELD: Duration = Duration::from_millis(200);
/// The most lines of progress that are written a second, and at once.
const A_SECOND: f64 = 40.0;
/// The most characters of an error on the line of what failed; the whole of it ends the run or is in the events.
const LONGEST_REASON: usize = 300;

/// Something that has ended as a matter of course.
#[derive(Clone, Debug)]
pub struct Ended<'a> {
    /// `None` for what its name says.
    pub kind: Option<&'static str>,
    pub name: &'a Arc<str>,
    /// When, in the time of the run.
    pub time: i64,
    pub end: &'a End,
    /// The tokens of a prompt; `None` for a step.
    pub usage: Option<Usage>,
    /// What else belongs to its line.
    pub more: &'static str,
    /// How many items of its answer were left out.
    pub dropped: usize,
}

#[derive(Debug)]
pub struct Held {
    groups: Vec<Group>,
    /// How many nodes have ended.
    count: u64,
    since: Option<Instant>,
    rate: Rate,
}

/// Those that one line may replace.
#[derive(Debug)]
struct Group {
    kind: Option<&'static str>,
    status: Status,
    /// The first word of their names; `None` for all that found no group of their own.
    word: Option<String>,
    /// The whole name, while all lines share it.
    name: Option<Arc<str>>,
    count: u64,
    /// The lines of the first ones, with their places among all that has ended.
    lines: Vec<(u64, String)>,
    /// The place of the last one.
    last: u64,
    begin: i64,
    end: i64,
    usage: Option<Usage>,
}

/// How many lines may be written at the moment.
#[derive(Debug)]
struct Rate {
    left: f64,
    at: Instant,
}

impl Held {
    pub fn new() -> Self {
        Self {
            groups: Vec::new(),
            count: 0,
            since: None,
            rate: Rate {
                left: A_SECOND,
                at: Instant::now(),
            },
        }
    }

    pub fn add(&mut self, ended: &Ended<'_>) {
        self.since.get_or_insert_with(Instant::now);
        let word = ended.name.split_whitespace().next().unwrap_or_default();
        let is_same = |it: &Group| it.kind == ended.kind && it.status == ended.end.status;
        let place = self
            .groups
            .iter()
            .position(|it| is_same(it) && it.word.as_deref() == Some(word));
        let place = place.or_else(|| {
            let is_rest = |it: &Group| is_same(it) && it.word.is_none();
            self.groups
                .iter()
                .position(is_rest)
                .filter(|_| self.groups.len() >= MOST)
        });
        let place = place.unwrap_or_else(|| {
            let word = (self.groups.len() < MOST).then(|| word.to_owned());
            self.groups.push(Group::new(ended, word));
            self.groups.len() - 1
        });
        self.count += 1;
        self.groups[place].add(ended, self.count);
    }

    /// Whether lines wait to be written.
    pub const fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// All lines that are held, when not too many were written just before.
    pub fn before_another(&mut self) -> Vec<String> {
        let allowed = self.rate.allowed();
        if self.lines_of(usize::MAX) as f64 <= allowed {
            self.all()
        } else {
            Vec::new()
        }
    }

    /// The lines that were held long enough.
    pub fn due(&mut self) -> Vec<String> {
        let is_old = self.since.is_some_and(|it| it.elapsed() >= HELD);
        if is_old && self.groups.len() as f64 <= self.rate.allowed() {
            self.all()
        } else {
            Vec::new()
        }
    }

    /// All lines that are held.
    pub fn all(&mut self) -> Vec<String> {
        self.since = None;
        let room = (self.rate.allowed() as usize).max(MOST);
        let few = if self.lines_of(FEW) <= room { FEW } else { 1 };
        let groups = std::mem::take(&mut self.groups);
        let mut lines: Vec<_> = groups.into_iter().flat_map(|it| it.lines(few)).collect();
        lines.sort_unstable_by_key(|it| it.0);
        self.wrote(lines.len());
        lines.into_iter().map(|it| it.1).collect()
    }

    /// Counts lines that were written.
    pub fn wrote(&mut self, lines: usize) {
        self.rate.left = (self.rate.allowed() - lines as f64).max(0.0);
    }

    /// How many lines there are when groups of at most `few` are reported one by one.
    fn lines_of(&self, few: usize) -> usize {
        let count = |it: &Group| match usize::try_from(it.count) {
            Ok(count) if count <= few.min(FEW) => count,
            _ => 1,
        };
        self.groups.iter().map(count).sum()
    }
}

impl Rate {
    fn allowed(&mut self) -> f64 {
        let now = Instant::now();
        let gained = now.duration_since(self.at).as_secs_f64() * A_SECOND;
        self.left = (self.left + gained).min(A_SECOND);
        self.at = now;
        self.left
    }
}

impl Group {
    fn new(ended: &Ended<'_>, word: Option<String>) -> Self {
        Self {
            kind: ended.kind,
            status: ended.end.status,
            word,
            name: Some(Arc::clone(ended.name)),
            count: 0,
            lines: Vec::new(),
            last: 0,
            begin: i64::MAX,
            end: i64::MIN,
            usage: None,
        }
    }

    fn add(&mut self, ended: &Ended<'_>, place: u64) {
        self.count += 1;
        self.last = place;
        if self.lines.len() < FEW {
            self.lines.push((place, line(ended)));
        }
        if self.name.as_ref() != Some(ended.name) {
            self.name = None;
        }
        self.begin = self
            .begin
            .min(ended.time.saturating_sub(ended.end.duration));
        self.end = self.end.max(ended.time);
        if let Some(usage) = ended.usage {
            self.usage.get_or_insert_default().add(&usage);
        }
    }

    /// `✓ step review … 1,000 times, 0.2 s`
    fn lines(self, few: usize) -> Vec<(u64, String)> {
        if self.count <= few as u64 {
            return self.lines;
        }
        let name = match (&self.name, &self.word) {
            (Some(name), _) => Shown::line(name).to_string(),
            (None, Some(word)) => format!("{} …", Shown::line(word)),
            (None, None) => "…".into(),
        };
        let line = format!(
            "{} {}{name} {} times, {}{}",
            gsw_trace::symbol(self.status),
            before_name(self.kind),
            measure::number(self.count),
            measure::duration(self.end.saturating_sub(self.begin)),
            self.usage.map(tokens).unwrap_or_default()
        );
        vec![(self.last, line)]
    }
}

fn tokens(usage: Usage) -> String {
    let (input, output) = (usage.input_tokens, usage.output_tokens);
    format!(", {input} tokens in, {output} out")
}

/// The line of one: `✓ step review a.rs (12 ms)`.
pub fn line(ended: &Ended<'_>) -> String {
    let symbol = gsw_trace::symbol(ended.end.status);
    let milliseconds = ended.end.duration / 1_000_000;
    let took = if milliseconds < 10_000 {
        format!("{milliseconds} ms")
    } else {
        format!("{} s", milliseconds / 1_000)
    };
    let (kind, name) = (before_name(ended.kind), Shown::line(ended.name));
    let tokens = ended.usage.map(tokens).unwrap_or_default();
    let dropped = match ended.dropped {
        0 => String::new(),
        1 => ", 1 item left out".to_owned(),
        many => format!(", {} items left out", measure::number(many as u64)),
    };
    let facts = format!("{took}{tokens}{}{dropped}", ended.more);
    let why = match (ended.end.status, &ended.end.error) {
        (Status::Failed, Some(error)) => format!(": {}", reason(error)),
        (Status::Failed, None) => String::new(),
        (Status::Idle | Status::Running | Status::Completed | Status::Cancelled, _) => {
            String::new()
        }
    };
    format!("{symbol} {kind}{name} ({facts}){why}")
}

fn before_name(kind: Option<&str>) -> String {
    kind.map(|it| format!("{it} ")).unwrap_or_default()
}

/// An error on one line, at most this much of it as one reads at a glance.
fn reason(error: &str) -> String {
    let text = Shown::line(error).to_string();
    match text.char_indices().nth(LONGEST_REASON) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use gsw_tree::event::End;
    use gsw_tree::node::Status;

    use super::{Ended, FEW, Held, MOST};

    fn lines_of(names: impl IntoIterator<Item = String>) -> Vec<String> {
        let mut held = Held::new();
        let end = End {
            status: Status::Completed,
            duration: 2_000_000,
            output: None,
            error: None,
        };
        for (index, name) in names.into_iter().enumerate() {
            held.add(&Ended {
                kind: Some("step"),
                name: &name.into(),
                time: 2_000_000 + index as i64 * 1_000_000,
                end: &end,
                usage: None,
                more: "",
                dropped: 0,
            });
        }
        held.all()
    }

    #[test]
    fn few_are_shown_one_by_one_and_many_together() {
        assert_eq!(
            lines_of(["review a".into(), "sum".into(), "review b".into()]),
            [
                "✓ step review a (2 ms)",
                "✓ step sum (2 ms)",
                "✓ step review b (2 ms)"
            ]
        );
        let many = (0..1_000).map(|it| format!("review {it}"));
        assert_eq!(lines_of(many), ["✓ step review … 1,000 times, 1.00 s"]);
        let same = (0..=FEW).map(|_| "s".to_owned());
        assert_eq!(lines_of(same), ["✓ step s 6 times, 7 ms"]);
    }

    /// Its name says what it is.
    #[test]
    fn an_undo_is_no_step() {
        let end = End {
            status: Status::Completed,
            duration: 2_000_000,
            output: None,
            error: None,
        };
        let mut held = Held::new();
        for times in [1, FEW + 1] {
            for _ in 0..times {
                held.add(&Ended {
                    kind: None,
                    name: &"undo".into(),
                    time: 2_000_000,
                    end: &end,
                    usage: None,
                    more: "",
                    dropped: 0,
                });
            }
            let expected = match times {
                1 => "✓ undo (2 ms)",
                _ => "✓ undo 6 times, 2 ms",
            };
            assert_eq!(held.all(), [expected]);
        }
    }

    #[test]
    fn there_are_never_many_lines() {
        let lines = lines_of((0..10_000).map(|it| format!("file{it}")));
        assert_eq!(lines.len(), MOST + 1);
        assert_eq!(lines[MOST], "✓ step … 9,980 times, 9.98 s");
        let lines = lines_of((0..100).map(|it| format!("w{} {it}", it % 25)));
        assert_eq!(lines.len(), MOST + 1, "{lines:?}");
    }
}
