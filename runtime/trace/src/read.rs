//! Reads files of events, line by line: what can be read is kept, and what cannot is counted.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

use gsw_notation::calendar;
use gsw_notation::json::written;
use gsw_tree::event::{Event, EventKind, VERSION};
use gsw_tree::node::{NodeId, Status};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::gaps::Gaps;
use crate::tree::{Keep, Tree};

/// How many line numbers of damaged lines are reported.
const TOLD_LINES: usize = 5;

/// The content of a file of events.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The program, where the file names it.
    pub program: Option<String>,
    /// The runs in order of their first event.
    pub runs: Vec<Tree>,
    /// The result that follows the events when both went to standard output.
    pub result: Option<Value>,
    pub gaps: Gaps,
}

/// A file that holds no events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoTrace {
    Empty,
    Foreign,
}

impl std::fmt::Display for NoTrace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "the file is empty",
            Self::Foreign => "this is not a file of events; write one with `--events FILE`",
        })
    }
}

/// Reads a whole file.
///
/// # Errors
/// When there is no event in it and no line that names the form.
pub fn read(mut input: impl BufRead) -> Result<Trace, NoTrace> {
    let mut reader = Reader::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => reader.line(&line),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                reader.gaps.unreadable = Some(error.to_string());
                break;
            }
        }
    }
    reader.finish()
}

/// Takes a file line by line.
#[derive(Debug, Default)]
pub struct Reader {
    program: Option<String>,
    runs: Vec<Tree>,
    by_id: HashMap<Arc<str>, usize>,
    /// The number of the event that comes next, by run.
    next: Vec<u64>,
    lines: u64,
    has_header: bool,
    lost: u64,
    /// A last line that may be the result.
    tail: Option<Value>,
    gaps: Gaps,
}

struct Envelope {
    run: Arc<str>,
    sequence: u64,
    time: i64,
    node: NodeId,
    kind: String,
}

impl Reader {
    /// Takes the next line, with its line break; one without is taken for the cut end of a file when it is no JSON.
    pub fn line(&mut self, bytes: &[u8]) {
        self.lines += 1;
        let is_whole = bytes.ends_with(b"\n");
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        if self.tail.take().is_some() {
            // Only the last line may be the result.
            self.damage(self.lines - 1);
        }
        let text = std::str::from_utf8(bytes).ok();
        match text.and_then(|it| written(it).ok()) {
            Some(Value::Object(fields)) => self.object(fields),
            Some(value) => self.tail = Some(value),
            None if !is_whole => self.gaps.torn = Some(bytes.len()),
            None => self.damage(self.lines),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When there was no event in it and no line that names the form.
    pub fn finish(mut self) -> Result<Trace, NoTrace> {
        if self.runs.is_empty() && !self.has_header {
            let is_empty = self.lines == 0 && self.gaps.unreadable.is_none();
            return Err(if is_empty {
                NoTrace::Empty
            } else {
                NoTrace::Foreign
            });
        }
        self.gaps.has_no_header = !self.has_header;
        self.gaps.missing = self.gaps.missing.max(self.lost);
        for tree in &mut self.runs {
            tree.close();
            let nodes = || tree.walk();
            self.gaps.headless += nodes().filter(|it| it.kind.is_none()).count() as u64;
            self.gaps.unfinished += nodes()
                .filter(|it| matches!(it.status, Status::Idle | Status::Running))
                .count() as u64;
            self.gaps.contradictions += tree.contradictions();
        }
        Ok(Trace {
            program: self.program,
            runs: self.runs,
            result: self.tail,
            gaps: self.gaps,
        })
    }

    fn damage(&mut self, line: u64) {
        self.gaps.damaged_count += 1;
        if self.gaps.damaged.len() < TOLD_LINES {
            self.gaps.damaged.push(line);
        }
    }

    fn object(&mut self, fields: Map<String, Value>) {
        if fields.get("format").and_then(Value::as_str) == Some("groundswell-events") {
            self.header(&fields);
        } else if let Some(envelope) = envelope(&fields) {
            self.event(envelope, fields);
        } else if fields.get("event").and_then(Value::as_str) == Some("lost") {
            self.lost += fields.get("count").and_then(Value::as_u64).unwrap_or(0);
        } else if fields.contains_key("event") {
            self.damage(self.lines);
        } else {
            self.tail = Some(Value::Object(fields));
        }
    }

    fn header(&mut self, fields: &Map<String, Value>) {
        self.has_header = true;
        let version = fields.get("version").and_then(Value::as_u64);
        self.gaps.newer = version
            .filter(|it| *it > u64::from(VERSION))
            .or(self.gaps.newer);
        let program = fields.get("program").and_then(Value::as_str);
        self.program = program.map(str::to_owned).or(self.program.take());
    }

    fn event(&mut self, envelope: Envelope, mut fields: Map<String, Value>) {
        let run = self.run(&envelope.run);
        let next = &mut self.next[run];
        // A late observer begins in the middle of a run, and that is missing as well.
        self.gaps.missing += envelope.sequence.saturating_sub(*next);
        *next = (*next).max(envelope.sequence.saturating_add(1));
        let tree = &mut self.runs[run];
        for name in ["sequence", "time", "run", "node"] {
            fields.shift_remove(name);
        }
        plain_numbers(&mut fields);
        let mut value = Value::Object(fields);
        if let Ok(kind) = EventKind::deserialize(&value) {
            let event = Event {
                sequence: envelope.sequence,
                time: envelope.time,
                run: envelope.run,
                node: envelope.node,
                kind,
            };
            tree.apply(&Arc::new(event));
            return;
        }
        if let Value::Object(fields) = &mut value {
            fields.shift_remove("event");
        }
        let counts = if EventKind::is_known(&envelope.kind) {
            &mut self.gaps.misread
        } else {
            &mut self.gaps.unknown
        };
        // A file of garbage must not fill the memory with names of kinds.
        if counts.len() < 100 || counts.contains_key(&envelope.kind) {
            *counts.entry(envelope.kind.clone()).or_default() += 1;
        }
        let Envelope {
            node,
            sequence,
            time,
            kind,
            ..
        } = envelope;
        tree.apply_unknown(node, sequence, time, kind, value);
    }

    fn run(&mut self, id: &Arc<str>) -> usize {
        if let Some(&index) = self.by_id.get(id) {
            return index;
        }
        self.runs.push(Tree::new(Arc::clone(id), Keep::All));
        self.next.push(0);
        self.by_id.insert(Arc::clone(id), self.runs.len() - 1);
        self.runs.len() - 1
    }
}

/// Other tools write the same numbers in other ways (`1e-09`), which the typed form does not take.
fn plain_numbers(fields: &mut Map<String, Value>) {
    for name in ["duration", "delay", "usd", "cost_usd"] {
        if let Some(value) = fields.get_mut(name)
            && let Some(number) = value.as_f64()
        {
            *value = number.into();
        }
    }
    if let Some(Value::Object(detail)) = fields.get_mut("detail") {
        plain_numbers(detail);
    }
}

fn envelope(fields: &Map<String, Value>) -> Option<Envelope> {
    Some(Envelope {
        run: fields.get("run")?.as_str()?.into(),
        sequence: fields.get("sequence")?.as_u64()?,
        time: calendar::parse_rfc3339(fields.get("time")?.as_str()?)?,
        node: NodeId(u32::try_from(fields.get("node")?.as_u64()?).ok()?),
        kind: fields.get("event")?.as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn an_event_with_a_new_word_in_it_is_misread_and_not_of_an_unknown_kind() {
        let event = |sequence: u32, rest: &str| {
            format!(
                r#"{{"sequence":{sequence},"time":"2026-01-01T00:00:00Z","run":"r","node":0,{rest}}}"#
            ) + "\n"
        };
        let text = [
            event(0, r#""event":"log","level":"shouted","message":"a""#),
            event(1, r#""event":"danced","level":"info""#),
        ]
        .concat();
        let trace = read(text.as_bytes()).expect("these are events");
        let names = |of: &std::collections::BTreeMap<String, u64>| -> Vec<String> {
            of.keys().cloned().collect()
        };
        assert_eq!(names(&trace.gaps.misread), ["log"]);
        assert_eq!(names(&trace.gaps.unknown), ["danced"]);
    }
}
