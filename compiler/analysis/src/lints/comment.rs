//! Comments that were meant as a division: `//` rounds a quotient in other languages.

use gsw_source::{Db, Diagnostic, File, Place, Span};
use gsw_syntax::{Comment, CommentKind, CommentPosition, parse_file};

use crate::errors;

/// Warnings about comments of `file` that are a number alone, after something that could be divided by it.
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
    is_number && has_name && is_operand
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}
