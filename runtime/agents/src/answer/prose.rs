//! Finds the parts of a text that may be a value: blocks of code, and brackets in prose.
//!
//! An answer is text from outside that may hold anything, so every function here reads it in linear time.

use serde_json::Value;

use super::parse::Parser;

/// A run of three or more back-quotes.
#[derive(Clone, Copy, Debug)]
struct Fence {
    start: usize,
    end: usize,
    /// Whether nothing follows it on its line, as after the end of a block. A fence inside of a string has something there.
    ends_its_line: bool,
}

/// The insides of all blocks of code, in order; an open one ends with the text.
pub(crate) fn fenced(text: &str) -> Vec<&str> {
    let fences = fences(text);
    let closing = closings(&fences);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = fences.get(at) {
        let after = &text[open.end..];
        let info = after.find(|it: char| !(it.is_ascii_alphanumeric() || "-_+.".contains(it)));
        let start = info.map_or(text.len(), |it| open.end + it);
        let close = closing[at].map(|it| (it, fences[it].start));
        let end = close.map_or(text.len(), |it| it.1);
        found.push(text[start..end].trim());
        at = close.map_or(fences.len(), |it| it.0 + 1);
    }
    found.retain(|it| !it.is_empty());
    found
}

fn fences(text: &str) -> Vec<Fence> {
    let bytes = text.as_bytes();
    let mut fences = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find("```") {
        let start = from + found;
        let length = bytes[start..].iter().take_while(|it| **it == b'`').count();
        from = start + length;
        let rest = text[from..].trim_start_matches(|it: char| it != '\n' && it.is_whitespace());
        fences.push(Fence {
            start,
            end: from,
            ends_its_line: rest.is_empty() || rest.starts_with('\n'),
        });
    }
    fences
}

/// For each fence, which one closes the block that it opens: the next that ends its line, else the next one.
fn closings(fences: &[Fence]) -> Vec<Option<usize>> {
    let mut closings = vec![None; fences.len()];
    let mut ending = None;
    for at in (0..fences.len()).rev() {
        let next = (at + 1 < fences.len()).then_some(at + 1);
        // A fence inside of a string of the JSON has text after it on its line, so a fence that ends its line is preferred.
        closings[at] = ending.or(next);
        if fences[at].ends_its_line {
            ending = Some(at);
        }
    }
    closings
}

/// All objects and lists in the text that are right JSON, the outermost ones, in order.
pub(crate) fn values(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['{', '[']) {
        at += next;
        // What is open where the parser stops would stop it again there, so reading goes on from that place.
        at += Parser::strict_parts(&text[at..], &mut found);
    }
    found
}

/// The text from its first brackets on, for a parser that repairs: a brace first, as prose often has brackets.
pub(crate) fn from_brackets(text: &str) -> Vec<&str> {
    let brace = text.find('{');
    let bracket = text.find('[');
    let mut starts: Vec<usize> = brace.into_iter().chain(bracket).collect();
    starts.sort_unstable();
    // The last object counts where a model first thinks aloud in braces.
    starts.extend(text.rfind("\n{").map(|it| it + 1));
    starts.extend(text.rfind("\n[").map(|it| it + 1));
    starts.dedup();
    starts.into_iter().map(|it| &text[it..]).collect()
}
