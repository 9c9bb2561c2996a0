//! An answer without any brackets: the text itself, or the lines of a list.

use std::borrow::Cow;

use gsw_notation::text::shortened;
use serde_json::Value;

use super::choose::inside_of_block;
use super::frame::{Framed, framed, tagged};
use super::node::{End, Node};
use super::number;
use super::repair::{RepairKind, Repairs};
use super::resemble::Suits;
use super::shape::{Shape, ShapeId, Shapes};
use super::strict::strict;
use super::word::{self, undressed};

/// The text as a value, if the shape has values without brackets.
pub(crate) fn plain<'t>(text: &'t str, shapes: &Shapes) -> Option<(Node<'t>, Repairs)> {
    let mut repairs = Repairs::default();
    if let Shape::List { of, .. } = shapes.get(shapes.root) {
        let items = match numbers(text, *of, shapes, &mut repairs) {
            Some(items) => items,
            None => lines(text, *of, shapes, &mut repairs)?,
        };
        let end = End::Closed;
        return Some((Node::List { items, end }, repairs));
    }
    if !shapes.is_scalar(shapes.root) {
        return None;
    }
    let inside = inside_of_block(text);
    // Of a text every mark counts; of a word or number the dress does not.
    let (said, node) = match shapes.takes_text(shapes.root) {
        true => match json_text(inside) {
            Some(node) => return in_block(node, inside, text, shapes),
            None => (whole(inside), text_node(inside)),
        },
        false => {
            let said = said(undressed(inside), shapes)?;
            (said, Node::Text(Cow::Borrowed(said.value)))
        }
    };
    let Framed {
        before,
        value,
        after,
    } = said;
    if value.is_empty() || shapes.suits(&node, shapes.root) == Suits::Not {
        return None;
    }
    if !before.is_empty() || !after.is_empty() {
        repairs.leave_out_around(before, after);
    }
    let what = || format!("read the text `{}` as a value", shortened(value, 40));
    repairs.note_at(RepairKind::PlainText, Vec::new, what);
    Some((node, repairs))
}

/// A text or `null`, written as JSON.
fn json_text<'t>(text: &str) -> Option<Node<'t>> {
    match strict(text)? {
        Value::Null => Some(Node::Null),
        Value::String(text) => Some(Node::Text(Cow::Owned(text))),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// JSON from a code block, or after a thought.
fn in_block<'t>(
    node: Node<'t>,
    inside: &str,
    text: &str,
    shapes: &Shapes,
) -> Option<(Node<'t>, Repairs)> {
    let mut repairs = Repairs::default();
    if inside.len() < text.trim().len() {
        let what = || "took the answer out of a block of code".into();
        repairs.note_at(RepairKind::CodeBlock, Vec::new, what);
    }
    (shapes.suits(&node, shapes.root) > Suits::Not).then_some((node, repairs))
}

/// The texts of a list in Markdown, where the text is one. Text in brackets is part of an item, as in `[x] done`.
pub(crate) fn bullets<'t>(text: &'t str, shapes: &Shapes) -> Option<(Node<'t>, Repairs)> {
    let of = shapes
        .item(shapes.root)
        .filter(|it| shapes.takes_text(*it))?;
    let mut repairs = Repairs::default();
    let items = lines(text, of, shapes, &mut repairs)?;
    let end = End::Closed;
    Some((Node::List { items, end }, repairs))
}

/// The value that a text is, or says in a sentence; none where it may say several.
fn said<'t>(text: &'t str, shapes: &Shapes) -> Option<Framed<'t>> {
    if text.contains(['{', '}', '[', ']', '"']) {
        // What is left of something larger, of which a word is no more than a piece.
        return None;
    }
    let suits = |it: &Framed<'_>| {
        let node = Node::Text(Cow::Borrowed(it.value));
        shapes.suits(&node, shapes.root) > Suits::Not
    };
    if suits(&whole(text)) {
        return Some(whole(text));
    }
    let words = words(shapes, shapes.root);
    let mut found = tagged(text, &words)
        .into_iter()
        .chain(framed(text, &words))
        .filter(suits);
    let first = found.next()?;
    found.all(|it| it.value == first.value).then_some(first)
}

fn whole(text: &str) -> Framed<'_> {
    Framed {
        before: "",
        value: text,
        after: "",
    }
}

/// A text without quotes, which may be what other languages write for `null`.
fn text_node(text: &str) -> Node<'_> {
    match word::is_bare_null(text) {
        true => Node::Bare(text),
        false => Node::Text(Cow::Borrowed(text)),
    }
}

/// The words that a shape allows.
fn words(shapes: &Shapes, id: ShapeId) -> Vec<String> {
    match shapes.get(id) {
        Shape::Words(words) => words.clone(),
        Shape::Choice(branches) => branches.iter().flat_map(|it| words(shapes, *it)).collect(),
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::Int
        | Shape::Float
        | Shape::Duration
        | Shape::Text
        | Shape::List { .. }
        | Shape::Tuple(_)
        | Shape::Record(_)
        | Shape::Map { .. } => Vec::new(),
    }
}

/// The numbers of a row with commas and blanks between; without blanks the commas might be those of thousands.
fn numbers<'t>(
    text: &'t str,
    of: ShapeId,
    shapes: &Shapes,
    repairs: &mut Repairs,
) -> Option<Vec<Node<'t>>> {
    if !matches!(shapes.get(of), Shape::Int | Shape::Float) {
        return None;
    }
    let parts: Vec<&str> = inside_of_block(text).split(", ").collect();
    if parts.len() < 2 || !parts.iter().all(|it| number::is_strict(it)) {
        return None;
    }
    let what = || format!("read {} values in a row as a list", parts.len());
    repairs.note_at(RepairKind::RowAsList, Vec::new, what);
    Some(parts.into_iter().map(Node::Number).collect())
}

/// The items of lines that all begin with a bullet or a number, after at most one line that says what they are.
fn lines<'t>(
    text: &'t str,
    of: ShapeId,
    shapes: &Shapes,
    repairs: &mut Repairs,
) -> Option<Vec<Node<'t>>> {
    if !shapes.is_scalar(of) {
        return None;
    }
    let text = inside_of_block(text);
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .peekable();
    let heading = lines.next_if(|it| bullet(it).is_none());
    if heading.is_some_and(|it| !it.ends_with(':')) {
        return None;
    }
    let items: Option<Vec<Node<'t>>> = lines.map(|it| Some(text_node(bullet(it)?))).collect();
    let items = items.filter(|it| !it.is_empty())?;
    if let Some(heading) = heading {
        let what = || format!("left out `{}` before it", shortened(heading, 40));
        repairs.note_at(RepairKind::SurroundingText, Vec::new, what);
    }
    let what = || format!("read {} lines as a list", items.len());
    repairs.note_at(RepairKind::MarkdownList, Vec::new, what);
    Some(items)
}

/// A line without its bullet or number.
fn bullet(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix(['-', '*', '•', '+']) {
        Some(rest) => rest,
        None => {
            let digits = line.trim_start_matches(|it: char| it.is_ascii_digit());
            if digits.len() == line.len() {
                return None;
            }
            digits.strip_prefix(['.', ')'])?
        }
    };
    let item = rest.strip_prefix(' ')?.trim();
    (!item.is_empty()).then_some(item)
}
