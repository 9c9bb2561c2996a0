//! Finds the parts of a text that may be a value: blocks of code, and brackets in prose.

use serde_json::Value;

use super::parse::Parser;

/// How often a text is read over at most, so that one of nothing but brackets costs little.
const MOST_PASSES: usize = 32;

/// The insides of all blocks of code, in order; an open one ends with the text.
pub(crate) fn fenced(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find("```") {
        let after = &rest[open + 3..];
        let info = after.find(|it: char| !(it.is_ascii_alphanumeric() || "-_+.".contains(it)));
        let inside = &after[info.unwrap_or(after.len())..];
        match closing(inside) {
            Some(end) => {
                found.push(inside[..end].trim());
                rest = &inside[end + 3..];
            }
            None => {
                found.push(inside.trim());
                break;
            }
        }
    }
    found.retain(|it| !it.is_empty());
    found
}

/// Where the block ends: a fence inside of a string has something after it on its line.
fn closing(inside: &str) -> Option<usize> {
    let ends = |at: usize| {
        let line = inside[at + 3..].lines().next().unwrap_or_default();
        line.trim().is_empty()
    };
    let mut fences = inside.match_indices("```").map(|it| it.0);
    fences
        .clone()
        .find(|at| ends(*at))
        .or_else(|| fences.next())
}

/// All objects and lists in the text that are right JSON, the outermost ones, in order.
pub(crate) fn values(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut read = 0;
    while let Some(next) = text[at..].find(['{', '[']) {
        at += next;
        let (value, length) = Parser::strict_prefix(&text[at..]);
        at += if value.is_some() { length } else { 1 };
        found.extend(value);
        read += length;
        if read > text.len().saturating_mul(MOST_PASSES) {
            break;
        }
    }
    found
}

/// The text from its first brackets on, for a parser that mends: a brace first, as lists often stand in prose.
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
