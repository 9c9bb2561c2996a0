//! Comments that were meant as a division: `//` rounds a quotient in other languages.

use gsw_source::{Db, Diagnostic, File, Place, Span};
use gsw_syntax::{Comment, CommentKind, CommentPosition, parse_file};

use crate::errors;

/// Warnings about comments of `file` that are a number or a variable alone, after something that could be divided by it.
pub fn accidental_comments(db: &dyn Db, file: File) -> Vec<Diagnostic> {
    let text: &str = file.text(db);
    let comments = parse_file(db, file).comments.iter();
    comments
        .filter(|it| divides(text, it))
        .map(|it| {
            let place = |span| Place::File { file, span };
            let slashes = Span::new(it.span.start, it.span.start + 2);
            errors::accidental_comment(place(it.span), place(slashes), slice(text, it.span))
        })
        .collect()
}

fn divides(text: &str, comment: &Comment) -> bool {
    let is_plain = comment.kind == CommentKind::Plain;
    if !is_plain || comment.position != CommentPosition::Trailing {
        return false;
    }
    let said = slice(text, comment.span).trim_start_matches('/').trim();
    let before = text.get(..comment.span.start as usize).unwrap_or_default();
    let line = before.lines().next_back().unwrap_or_default().trim();
    let is_number = said.starts_with(|it: char| it.is_ascii_digit())
        && said
            .chars()
            .all(|it| it.is_ascii_digit() || "_.".contains(it));
    // `print(n)  // 3` says what is printed; what is given a name is rather divided first.
    let has_name = ["let ", "var ", "return "]
        .iter()
        .any(|it| line.starts_with(it));
    let is_operand = line.ends_with(|it: char| it.is_alphanumeric() || ")]_".contains(it));
    (is_number || is_variable(before, said)) && has_name && is_operand
}

/// Whether a comment is nothing but the name of a parameter or variable of the declaration that it is in.
fn is_variable(before: &str, said: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_lowercase() || it == '_';
    let is_name =
        said.starts_with(is_letter) && said.chars().all(|it| is_letter(it) || it.is_ascii_digit());
    // A declaration begins where a line does; what it binds is known by the text around the name.
    let start = before
        .rmatch_indices('\n')
        .map(|(at, _)| at + 1)
        .find(|at| {
            let line = before[*at..].chars().next();
            line.is_some_and(char::is_alphabetic)
        });
    // The line itself only begins to bind its own name.
    let end = before.rfind('\n').unwrap_or_default();
    let own = before
        .get(start.unwrap_or_default()..end)
        .unwrap_or_default();
    is_name
        && own.match_indices(said).any(|(at, _)| {
            let (left, right) = (&own[..at], &own[at + said.len()..]);
            let is_bound = left.ends_with("let ") || left.ends_with("var ");
            let is_parameter = left.ends_with(['(', ' ', '\n']) && right.starts_with(':');
            let ends = !right.starts_with(|it: char| it.is_alphanumeric() || it == '_');
            ends && (is_bound || is_parameter)
        })
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}
