//! Braces that should be parentheses, or are in them.

use gsw_source::{Code, Diagnostic, Span};

use crate::parser::error::Scene;

/// Around a text.
const QUOTE: char = '\u{22}';

impl Scene<'_> {
    /// A record literal where `{` opens a body; what it is meant as is certain.
    pub(super) fn record_in_head(&self, span: Span) -> Diagnostic {
        let place = (self.place)(span);
        let message = "a record literal needs parentheses here";
        Diagnostic::error(Code::UNEXPECTED_TOKEN, place, message)
            .note("in the head of `if`, `for`, `while` and `match` a `{` opens the body")
            .fix(
                "put it in parentheses",
                place,
                format!("({})", self.source(span)),
            )
    }

    /// The fields of an error or variant in braces, as those of a record.
    pub(super) fn payload_in_braces(&self, span: Span) -> Diagnostic {
        let place = (self.place)(span);
        let message = "the fields of an error or variant are written in parentheses";
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, place, message)
            .note("`error Down(host: string)`, `enum Shape { Dot, Box(width: int) }`");
        let text = self.source(span);
        let inside = text.trim_start_matches('{').trim_end_matches('}');
        // A comment ends with its line, which would be gone.
        if inside.contains("//") {
            return diagnostic;
        }
        let fields: Vec<&str> = inside
            .lines()
            .map(|it| it.trim().trim_end_matches(','))
            .filter(|it| !it.is_empty())
            .collect();
        let text = format!("({})", fields.join(", "));
        let before = self.text[..span.start as usize].trim_end().len() as u32;
        let place = (self.place)(Span::new(before, span.end));
        diagnostic.fix("write parentheses", place, text)
    }

    /// An enum with texts in the place of variants.
    pub(super) fn enum_of_texts(&self, span: Span) -> Diagnostic {
        let place = (self.place)(span);
        let message = "variants are names; one of several texts is a union";
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, place, message)
            .note("`type Mood = \"good\" | \"bad\"`, or `enum Mood { Good, Bad }`");
        let text = self.source(span);
        let Some((head, inside)) = text.split_once('{') else {
            return diagnostic;
        };
        let Some(name) = head.trim().strip_prefix("enum ") else {
            return diagnostic;
        };
        let texts = inside.trim_end_matches('}').split([',', '\n']);
        let texts: Vec<&str> = texts.map(str::trim).filter(|it| !it.is_empty()).collect();
        // A text may hold what separates them, and comments have no place in the new form.
        let is_text = |it: &&str| it.len() > 1 && it.starts_with(QUOTE) && it.ends_with(QUOTE);
        if !texts.iter().all(is_text) {
            return diagnostic;
        }
        let text = format!("type {} = {}", name.trim(), texts.join(" | "));
        diagnostic.fix("write a union", place, text)
    }
}
