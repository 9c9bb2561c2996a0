//! An answer without any brackets: the text itself, or the lines of a list.

use std::borrow::Cow;

use super::choose::inside_of_block;
use super::node::{End, Node, excerpt};
use super::number;
use super::repair::{RepairKind, Repairs};
use super::resemble::Suits;
use super::shape::{Shape, ShapeId, Shapes};

/// The text as a value, if the shape has values without brackets.
pub(crate) fn plain<'t>(text: &'t str, shapes: &Shapes) -> Option<(Node<'t>, Repairs)> {
    let mut repairs = Repairs::default();
    if let Shape::List(of) = shapes.get(shapes.root) {
        let items = match numbers(text, *of, shapes, &mut repairs) {
            Some(items) => items,
            None => lines(text, *of, shapes, &mut repairs)?,
        };
        let end = End::Closed;
        return Some((Node::List { items, end }, repairs));
    }
    if !is_scalar(shapes, shapes.root) {
        return None;
    }
    let is_text = takes_text(shapes, shapes.root);
    // Of a text every mark counts; of a word or number none does.
    let inside = match is_text {
        true => inside_of_block(text),
        false => undressed(text),
    };
    if !is_text && inside.contains(['{', '}', '[', ']', '"']) {
        // What is left of something larger, of which a word is no more than a piece.
        return None;
    }
    let candidates = [inside, after_label(inside)];
    let suits = |it: &&&str| {
        let node = Node::Text(Cow::Borrowed(**it));
        shapes.suits(&node, shapes.root) > Suits::Not
    };
    let said = candidates.iter().find(suits)?;
    if said.is_empty() {
        return None;
    }
    let what = || format!("read the text `{}` as a value", excerpt(said, 40));
    repairs.note_at(RepairKind::PlainText, Vec::new, what);
    Some((Node::Text(Cow::Borrowed(said)), repairs))
}

/// Whether any text is a value of the shape.
fn takes_text(shapes: &Shapes, id: ShapeId) -> bool {
    match shapes.get(id) {
        Shape::Text => true,
        Shape::Choice(branches) => branches.iter().any(|it| takes_text(shapes, *it)),
        Shape::Any
        | Shape::Null
        | Shape::Bool
        | Shape::Int
        | Shape::Float
        | Shape::Duration
        | Shape::Words(_)
        | Shape::List(_)
        | Shape::Tuple(_)
        | Shape::Record(_)
        | Shape::Map(_) => false,
    }
}

/// Whether values of the shape may have no brackets.
fn is_scalar(shapes: &Shapes, id: ShapeId) -> bool {
    match shapes.get(id) {
        Shape::Null
        | Shape::Bool
        | Shape::Int
        | Shape::Float
        | Shape::Duration
        | Shape::Text
        | Shape::Words(_) => true,
        Shape::Choice(branches) => branches.iter().any(|it| is_scalar(shapes, *it)),
        Shape::Any | Shape::List(_) | Shape::Tuple(_) | Shape::Record(_) | Shape::Map(_) => false,
    }
}

/// Without fences, tags, emphasis and quotes around it.
fn undressed(text: &str) -> &str {
    let mut text = inside_of_block(text);
    if let Some(tag) = text.strip_prefix('<').and_then(|it| it.split_once('>'))
        && let Some(inside) = tag.1.strip_suffix(&format!("</{}>", tag.0))
    {
        text = inside;
    }
    let is_dress = |it: char| it.is_whitespace() || "`*\"'“”".contains(it);
    text.trim_matches(is_dress)
        .trim_end_matches('.')
        .trim_matches(is_dress)
}

/// What follows a label of a few words: `Final answer: 42`.
fn after_label(text: &str) -> &str {
    const MOST_WORDS: usize = 4;
    let Some((label, rest)) = text.split_once(':') else {
        return text;
    };
    let is_word = |it: &str| {
        it.chars()
            .all(|it| it.is_alphabetic() || "*_'’".contains(it))
    };
    let words: Vec<&str> = label.split_whitespace().collect();
    let is_label = (1..=MOST_WORDS).contains(&words.len()) && words.iter().all(|it| is_word(it));
    match is_label && !rest.contains('\n') {
        true => undressed(rest),
        false => text,
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
    if !is_scalar(shapes, of) {
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
    let items: Option<Vec<Node<'t>>> = lines
        .map(|it| Some(Node::Text(Cow::Borrowed(bullet(it)?))))
        .collect();
    let items = items.filter(|it| !it.is_empty())?;
    if let Some(heading) = heading {
        let what = || format!("left out `{}` before it", excerpt(heading, 40));
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
