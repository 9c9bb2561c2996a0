//! `{name}` and `$name` in a text where a variable of that name is in scope: so other languages interpolate.

use std::collections::HashSet;

use gsw_infer::hir::{Body, ExpressionKind, Local};
use gsw_names::source_text;
use gsw_source::{Db, Diagnostic, Span};

use crate::errors::{self, Marked};

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for Mention { at, marked, path } in mentions(db, body) {
        let place = |start, end| body.place(Span::new(start, end));
        let length = path.len() as u32;
        found.push(match marked {
            Marked::Braces => {
                errors::missing_dollar(place(at, at + length + 2), place(at, at), &path)
            }
            Marked::Doubled(whole) => errors::doubled_braces(place(at, at + whole as u32), &path),
            Marked::Dollar => {
                let bare = place(at + 1, at + 1 + length);
                errors::missing_braces(place(at, at + 1 + length), bare, &path)
            }
        });
    }
}

/// The names of variables that texts were to show.
pub(super) fn mentioned(db: &dyn Db, body: &Body) -> HashSet<String> {
    let first = |it: Mention| it.path.split('.').next().map(str::to_owned);
    mentions(db, body).into_iter().filter_map(first).collect()
}

/// A variable, or a field of it, that a text was to show.
struct Mention {
    /// Where it begins, with what marks it.
    at: u32,
    marked: Marked,
    path: String,
}

fn mentions(db: &dyn Db, body: &Body) -> Vec<Mention> {
    let mut found = Vec::new();
    for expression in &body.expressions {
        if !matches!(
            expression.kind,
            ExpressionKind::String(_) | ExpressionKind::Interpolation(_)
        ) {
            continue;
        }
        let written = source_text(db, body.item, expression.span);
        // A raw string means its braces.
        if !written.starts_with('"') {
            continue;
        }
        for (start, marked, path) in marked_names(&written) {
            let at = expression.span.start + start as u32;
            let first = path.split('.').next().unwrap_or(path);
            let is_known = |it: &Local| it.name == first && it.span.start < at;
            if body.locals.iter().any(is_known) {
                let path = path.to_owned();
                found.push(Mention { at, marked, path });
            }
        }
    }
    found
}

/// The names and paths of fields that are alone in braces without a `$`, or after a `$` without braces, and where that begins,
/// outside of interpolations.
fn marked_names(text: &str) -> Vec<(usize, Marked, &str)> {
    let mut names = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            // `\${name}` says that the braces are meant.
            b'\\' if text[at + 1..].starts_with("${") => at += 2,
            b'\\' => at += 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = end_of_interpolation(bytes, at + 2),
            b'{' if bytes.get(at + 1) == Some(&b'{') => {
                let found = doubled(&text[at..]);
                at += found.map_or(1, |it| it.1 - 1);
                names.extend(
                    found.map(|(path, whole)| (at + 1 - whole, Marked::Doubled(whole), path)),
                );
            }
            b'{' => {
                let path = path(&text[at + 1..]);
                let is_path = !path.split('.').any(str::is_empty);
                if is_path && text[at + 1 + path.len()..].starts_with('}') {
                    names.push((at, Marked::Braces, path));
                }
            }
            // `$x.y` is a path in some languages, and `$x` before the end of a sentence in others.
            b'$' => {
                let name = path(&text[at + 1..]).split('.').next();
                names.extend(
                    name.filter(|it| !it.is_empty())
                        .map(|it| (at, Marked::Dollar, it)),
                );
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// The path alone in the doubled braces that a text begins with, and how long these are.
fn doubled(text: &str) -> Option<(&str, usize)> {
    let (inside, _) = text.strip_prefix("{{")?.split_once("}}")?;
    let name = inside.trim();
    let is_path = path(name) == name && !name.split('.').any(str::is_empty);
    is_path.then_some((name, inside.len() + 4))
}

/// The letters, digits and dots that a text begins with.
fn path(text: &str) -> &str {
    let is_part = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.');
    &text[..text.bytes().take_while(is_part).count()]
}

/// The position of the `}` that ends an interpolation, whatever texts are in it.
fn end_of_interpolation(bytes: &[u8], start: usize) -> usize {
    let mut depth = 1;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
        if depth == 0 {
            return at;
        }
        at += 1;
    }
    at
}
