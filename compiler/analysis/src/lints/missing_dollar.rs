//! `{name}` in a text where a variable of that name is in scope: other languages interpolate without a `$`.

use gsw_infer::hir::{Body, ExpressionKind};
use gsw_names::source_text;
use gsw_source::{Db, Diagnostic, Place, Span};

use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
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
        for (start, name) in in_braces(&written) {
            let at = expression.span.start + start as u32;
            let first = name.split('.').next().unwrap_or(name);
            let is_known = |it: &gsw_infer::hir::Local| it.name == first && it.span.start < at;
            if body.locals.iter().any(is_known) {
                let place = |end| Place::Item {
                    item: body.item,
                    span: Span::new(at, end),
                };
                let whole = place(at + name.len() as u32 + 2);
                found.push(errors::missing_dollar(whole, place(at), name));
            }
        }
    }
}

/// The names and paths of fields that stand alone in braces without a `$`, and where their brace is, outside of interpolations.
fn in_braces(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            // `\${name}` says that the braces are meant.
            b'\\' if text[at + 1..].starts_with("${") => at += 2,
            b'\\' => at += 1,
            b'$' if bytes.get(at + 1) == Some(&b'{') => at = end_of_interpolation(bytes, at + 2),
            b'{' => {
                let rest = &text[at + 1..];
                let length = rest
                    .bytes()
                    .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.'))
                    .count();
                let is_path = !rest[..length].split('.').any(str::is_empty);
                if is_path && rest[length..].starts_with('}') {
                    names.push((at, &rest[..length]));
                }
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Where the `}` stands that ends an interpolation, whatever texts are in it.
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
