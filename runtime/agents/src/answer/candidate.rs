//! The values that the text of an answer may mean.

use serde_json::Value;

use super::parse::{Parser, strict as parse_strict};
use super::prose;

/// A value and what was done to the text to get it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Candidate {
    pub value: Value,
    pub repairs: Vec<String>,
}

/// The most candidates of one kind; checking each costs.
const MOST: usize = 16;

fn candidate(value: Value, repairs: &[&str]) -> Candidate {
    Candidate {
        value,
        repairs: repairs.iter().map(|it| (*it).to_owned()).collect(),
    }
}

/// The whole text as JSON.
pub(crate) fn whole(text: &str) -> Option<Candidate> {
    parse_strict(text).map(|it| candidate(it, &[]))
}

/// Values that are right JSON, in blocks of code or in prose; the last one first.
pub(crate) fn strict(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            found
                .extend(parse_strict(rest).map(|it| candidate(it, &["dropped a byte-order mark"])));
            rest
        }
        None => text,
    };
    let fenced: Vec<Value> = prose::fenced(text)
        .into_iter()
        .filter_map(parse_strict)
        .collect();
    // Blocks before prose: whoever marks a block means its content.
    found.extend(last_first(fenced, "took the answer out of a block of code"));
    let inside = prose::values(text);
    found.extend(last_first(inside, "dropped text around the answer"));
    found
}

fn last_first(values: Vec<Value>, repair: &str) -> Vec<Candidate> {
    let is_one = values.len() == 1;
    let chosen = "took the last of several values that fits";
    let repairs = if is_one {
        vec![repair]
    } else {
        vec![repair, chosen]
    };
    values
        .into_iter()
        .rev()
        .take(MOST)
        .map(|it| candidate(it, &repairs))
        .collect()
}

/// Values that are JSON once their syntax is repaired.
pub(crate) fn repaired(text: &str) -> Vec<Candidate> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |part: &str, repair: Option<&str>| {
        let Some((value, repairs)) = Parser::lenient(part) else {
            return;
        };
        let repairs = repair
            .map(str::to_owned)
            .into_iter()
            .chain(repairs)
            .collect();
        let next = Candidate { value, repairs };
        // The same value found in two ways counts once, with the way that needed less.
        if !found.iter().any(|it| it.value == next.value) {
            found.push(next);
        }
    };
    // Only where the text begins like a value: a sentence would be read as one bare text.
    if text.starts_with(['{', '[', '"', '\'', '`', '“', '/', '#']) && !text.starts_with("```") {
        add(text, None);
    }
    for part in prose::fenced(text).into_iter().rev().take(MOST) {
        add(part, Some("took the answer out of a block of code"));
    }
    for part in prose::from_brackets(text).into_iter().take(MOST) {
        add(part, Some("dropped text around the answer"));
    }
    found
}

/// The text itself, as a string.
pub(crate) fn text(text: &str) -> Candidate {
    let text = prose::fenced(text).pop().unwrap_or(text);
    let text = text
        .trim()
        .trim_matches(['`', '*', '"', '\'', '“', '”'])
        .trim();
    candidate(text.into(), &["read plain text as a value"])
}
