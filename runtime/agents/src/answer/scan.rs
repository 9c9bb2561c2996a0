//! Finds the values in the text of an answer: the outermost brackets of prose and blocks of code, in order, and what is around them.
//!
//! An answer is text from outside that may hold anything, so the text is gone over once, and what the parser reads is counted.

use gsw_notation::path::Step;
use gsw_notation::text::shortened;
use gsw_notation::thought;

use super::node::Node;
use super::parse::{self, Flaw, Parsed};
use super::repair::{RepairKind, Repairs};
use super::work::Work;

/// A value that no other value is around.
#[derive(Debug)]
pub(crate) struct Top<'t> {
    pub node: Node<'t>,
    pub start: usize,
    pub end: usize,
    pub repairs: Repairs,
    /// Why it is not whole; then it is no answer.
    pub flaw: Option<Flaw>,
    /// Whether nothing but blanks and commas is between the value before and this one.
    pub follows: Follows,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Follows {
    Value,
    Prose,
}

/// The text of an answer without what the model thought aloud.
#[derive(Debug)]
pub(crate) struct Spoken<'t> {
    pub text: &'t str,
    pub repairs: Repairs,
}

/// Leaves out thoughts before the answer; what only a thought holds never answers.
pub(crate) fn spoken(text: &str) -> Spoken<'_> {
    let mut spoken = Spoken {
        text: text.trim_start_matches('\u{feff}').trim_start(),
        repairs: Repairs::default(),
    };
    if text.starts_with('\u{feff}') {
        let what = || "left out a byte-order mark".into();
        spoken.repairs.note_at(RepairKind::OddBlank, Vec::new, what);
    }
    // A thought without an end has no answer after it.
    while let Some(length) = thought::length(spoken.text) {
        spoken.leave_out(length);
    }
    // Where a template of the conversation has opened the thought, only its end is in the answer.
    if let Some(end) = closing_thought(spoken.text) {
        spoken.leave_out(end);
    }
    spoken
}

impl Spoken<'_> {
    fn leave_out(&mut self, length: usize) {
        let what = || format!("left out {length} bytes that the model thought aloud");
        self.repairs.note_at(RepairKind::Thinking, Vec::new, what);
        self.text = self.text[length..].trim_start();
    }
}

/// Where the last thought ends that was not opened. A mark inside of a string is none: more of the string follows on its line.
fn closing_thought(text: &str) -> Option<usize> {
    let is_end = |end: &usize| {
        let rest = &text[*end..];
        rest.is_empty() || rest.starts_with(['\n', '\r', '{', '[', ' '])
    };
    thought::unopened(text).into_iter().filter(is_end).max()
}

/// What was found in a text.
#[derive(Debug, Default)]
pub(crate) struct Found<'t> {
    pub tops: Vec<Top<'t>>,
    /// Of a bracket that was taken for one of prose.
    pub first_flaw: Option<Flaw>,
    /// Whether the text was given up before its end.
    pub is_given_up: bool,
}

/// All outermost values of a text, in order. Of what is inside of a broken value nothing is found, since a piece does not stand for
/// the whole; only a bracket that is not closed and that nothing like an answer follows is one of prose.
pub(crate) fn tops<'t>(
    text: &'t str,
    work: &Work,
    is_answer: impl Fn(&Node<'t>) -> bool,
) -> Found<'t> {
    let is_mark = |it: char| it == '{' || thought::FIRST.contains(&it);
    let mut found = Found::default();
    let mut words = Words::of(text);
    let mut at = 0;
    // Where the value ended that was read last.
    let mut last = None;
    while let Some(next) = text[at..].find(is_mark) {
        work.spend(next);
        at += next;
        if let Some(length) = passed_over(&text[at..]) {
            work.spend(length);
            at += length;
            continue;
        }
        if work.is_spent() {
            found.is_given_up = true;
            break;
        }
        let mut parsed = parse::value(text, at, work);
        if parsed.flaw.is_none() && is_code(text, at, &parsed) {
            at = parsed.end;
            continue;
        }
        let is_piece = parsed.flaw.is_none() && is_piece(text, at, last);
        let mut end;
        if is_piece {
            parsed.flaw = Some(piece(&text[at..parsed.end]));
            end = parsed.end;
        } else if parsed.flaw.is_some() {
            let extent = extent(&text[at..], 0, work);
            let is_prose = !extent.is_closed && !is_answer(&parsed.node);
            if is_prose && words.come_before(at, work) {
                found.first_flaw = found.first_flaw.or(parsed.flaw);
                at += 1;
                continue;
            }
            end = at + extent.length;
        } else {
            finish(text, &mut parsed);
            end = parsed.end;
            if parsed.flaw.is_some() {
                end += extent(&text[end..], 1, work).length;
            }
        }
        let is_row = last.is_some_and(|last: usize| is_separator(&text[last..at]));
        // What follows a broken value may be more of it.
        last = parsed.flaw.is_none().then_some(end);
        found.tops.push(Top {
            node: parsed.node,
            start: at,
            end,
            repairs: parsed.repairs,
            flaw: parsed.flaw,
            follows: if is_row {
                Follows::Value
            } else {
                Follows::Prose
            },
        });
        at = end;
    }
    found
}

/// The length of what begins with a mark and is no value: a thought, or just the mark.
fn passed_over(text: &str) -> Option<usize> {
    let mark = text.chars().next().filter(|it| !matches!(it, '{' | '['));
    thought::length(text).or_else(|| mark.map(char::len_utf8))
}

/// Whether words come before a bracket, which may be one of prose then. The text is read forward, each part once.
struct Words<'t> {
    text: &'t str,
    /// Up to here it was looked for them.
    end: usize,
    is_seen: bool,
}

impl<'t> Words<'t> {
    const fn of(text: &'t str) -> Self {
        Self {
            text,
            end: 0,
            is_seen: false,
        }
    }

    /// Whether there are any before this bracket, which is after those that were asked about.
    fn come_before(&mut self, bracket: usize, work: &Work) -> bool {
        if !self.is_seen {
            let part = &self.text[self.end..bracket];
            work.spend(part.len());
            // The part begins and ends at brackets, which a fence has none of.
            let mut between = part.split("```json");
            self.is_seen = between.any(|it| it.contains(char::is_alphanumeric));
            self.end = bracket;
        }
        self.is_seen
    }
}

/// Whether flat brackets belong to what is before or after them, as in `items[0]` and the link `[text](address)`.
fn is_code(text: &str, at: usize, parsed: &Parsed<'_>) -> bool {
    let is_flat = match &parsed.node {
        Node::List { items, .. } => items.iter().all(|it| !it.is_container()),
        Node::Object { fields, .. } => fields.is_empty(),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Bare(_) | Node::Text(_) => false,
    };
    let (before, after) = (&text[..at], &text[parsed.end..]);
    let is_of_word =
        !before.ends_with("json") && before.ends_with(|it: char| it.is_alphanumeric() || it == '_');
    is_flat && (is_of_word || after.starts_with('('))
}

/// Whether what begins here is a piece of something of which the beginning is missing: the value of a key, or what follows another
/// part.
fn is_piece(text: &str, at: usize, last: Option<usize>) -> bool {
    let before = text[..at].trim_end();
    let mark = before.chars().next_back();
    let earlier = before
        .get(..before.len().saturating_sub(1))
        .unwrap_or_default()
        .trim_end();
    let ends = earlier.chars().next_back();
    match mark {
        Some(':') => matches!(ends, Some('"' | '\'')),
        Some(',') => {
            let is_row = last == Some(earlier.len());
            let is_part = ends.is_none_or(|it| "}])\"'".contains(it) || it.is_ascii_digit());
            !is_row && is_part
        }
        Some(_) | None => false,
    }
}

fn piece(text: &str) -> Flaw {
    Flaw {
        steps: Vec::new(),
        expected: "the beginning of the answer",
        found: format!("a piece, `{}`", shortened(text, 20)),
    }
}

/// How far a broken value reaches.
#[derive(Clone, Copy, Debug)]
struct Extent {
    length: usize,
    /// Whether a bracket ends it, and not just the text or a block of code.
    is_closed: bool,
}

/// The extent of a text in which this many brackets are open.
fn extent(text: &str, open: usize, work: &Work) -> Extent {
    let bytes = text.as_bytes();
    let (mut depth, mut in_string) = (open, false);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            // A string that has no end ends with its line.
            b'\n' => in_string = false,
            b'{' | b'[' | b'(' if !in_string => depth += 1,
            b'}' | b']' | b')' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    work.spend(at);
                    return Extent {
                        length: at + 1,
                        is_closed: true,
                    };
                }
            }
            b'`' if bytes[at..].starts_with(b"```") && !in_string => break,
            _ => {}
        }
        at += 1;
    }
    work.spend(at);
    Extent {
        length: at.min(bytes.len()),
        is_closed: false,
    }
}

/// Checks what follows a value that seems complete: if it could continue the value, the value is a broken one.
fn finish(text: &str, parsed: &mut Parsed<'_>) {
    let begin = parsed.end;
    loop {
        let rest = text[parsed.end..].trim_start();
        let at = text.len() - rest.len();
        match rest.chars().next() {
            Some(it @ ('}' | ']')) => {
                parsed.end = at + 1;
                let what = || format!("left out a `{it}` too many");
                let kind = RepairKind::ExtraBracket;
                parsed.repairs.note_at(kind, Vec::new, what);
            }
            Some(',') => {
                let after = rest[1..].trim_start();
                let is_prose =
                    after.starts_with(char::is_alphabetic) && !parse::is_key_ahead(after);
                // After a bracket too many the next value would lie beside what that bracket closes.
                let is_row = after.starts_with(['{', '[']) && parsed.end == begin;
                if is_row || is_prose {
                    return;
                }
                if after.is_empty() || after.starts_with("```") || after.starts_with([']', '}']) {
                    parsed.end = at + 1;
                    let what = || "left out a trailing comma".into();
                    let kind = RepairKind::TrailingComma;
                    parsed.repairs.note_at(kind, Vec::new, what);
                    continue;
                }
                return goes_on(rest, parsed);
            }
            Some(':') => return goes_on(rest, parsed),
            Some('"' | '\'') if parse::is_key_ahead(rest) => return goes_on(rest, parsed),
            Some(_) | None => return,
        }
    }
}

fn goes_on(rest: &str, parsed: &mut Parsed<'_>) {
    let line = rest.split('\n').next().unwrap_or(rest);
    parsed.flaw = Some(Flaw {
        steps: Vec::new(),
        expected: "the end of the answer after its last bracket",
        found: format!("`{}`", shortened(line, 20)),
    });
}

/// Whether a text between two values separates values of a row: a comma, a semicolon, or what begins another line.
fn is_separator(text: &str) -> bool {
    let is_mark = |it: char| it.is_whitespace() || it.is_ascii_digit() || ",;-*•.)`".contains(it);
    let plain = text.replace("```json", "```");
    plain.chars().all(is_mark)
}

impl Top<'_> {
    /// Whether it is a list with texts in quotes.
    pub fn has_texts(&self) -> bool {
        match &self.node {
            Node::List { items, .. } => items.iter().any(|it| matches!(it, Node::Text(_))),
            Node::Null
            | Node::Bool(_)
            | Node::Number(_)
            | Node::Bare(_)
            | Node::Text(_)
            | Node::Object { .. } => false,
        }
    }

    /// Where it is nested in a value that begins elsewhere.
    pub fn below(mut self, step: &Step<'static>) -> Self {
        self.repairs.move_below(step);
        if let Some(flaw) = &mut self.flaw {
            flaw.steps.insert(0, step.clone());
        }
        self
    }
}
