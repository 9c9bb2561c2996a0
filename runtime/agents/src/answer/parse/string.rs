//! Strings: of other quotes, with raw line breaks, or with quotes inside.

use std::borrow::Cow;

use gsw_notation::text::shortened;

use super::{Parser, Role, after_key, is_key_ahead, trim_blanks};
use crate::answer::node::Node;
use crate::answer::repair::RepairKind;
use crate::answer::strict::escaped;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Quote {
    open: &'static str,
    close: &'static str,
}

const JSON: Quote = quote("\"", "\"");
/// Quotes of which one begins with another, the longest first.
const QUOTES: &[Quote] = &[
    quote("\"\"\"", "\"\"\""),
    quote("'''", "'''"),
    JSON,
    quote("'", "'"),
    quote("`", "`"),
    quote("“", "”"),
    quote("”", "”"),
    quote("„", "“"),
    quote("‘", "’"),
    quote("«", "»"),
];

const fn quote(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close }
}

impl<'t> Parser<'t, '_> {
    /// The quote that begins here.
    pub(super) fn quote(&self) -> Option<Quote> {
        let rest = self.rest();
        let is_empty = |it: &Quote| is_triple(*it) && !self.is_closed_later(*it);
        let begins = |it: &&Quote| rest.starts_with(it.open) && !is_empty(it);
        QUOTES.iter().find(begins).copied()
    }

    /// Whether three quotes begin a string that ends with three, rather than an empty one.
    fn is_closed_later(&self, quote: Quote) -> bool {
        let rest = &self.rest()[quote.open.len()..];
        let is_closed = rest.contains(quote.close);
        if !is_closed {
            self.work.spend(rest.len());
        }
        is_closed
    }

    /// A string as a value; several with a plus between them are one.
    pub(super) fn texts(&mut self, quote: Quote, role: Role) -> Node<'t> {
        let mut text = self.string(quote, role);
        while !self.has_stopped() {
            let before = self.at;
            self.blanks();
            if !self.take(b'+') {
                self.at = before;
                break;
            }
            self.blanks();
            let Some(quote) = self.quote() else {
                self.stop("a string after a plus");
                break;
            };
            self.repair(RepairKind::JoinedTexts, || {
                "joined texts with a plus between".into()
            });
            let next = self.string(quote, role);
            text.to_mut().push_str(&next);
        }
        Node::Text(text)
    }

    pub(super) fn string(&mut self, quote: Quote, role: Role) -> Cow<'t, str> {
        if quote != JSON {
            let what = || format!("read `{}` as quotes", quote.open);
            self.repair(RepairKind::OddQuotes, what);
        }
        self.skip(quote.open.len());
        let mut text = String::new();
        let mut start = self.at;
        let mut inner: usize = 0;
        let text_of = |text: String, run: &'t str| match text.is_empty() {
            true => Cow::Borrowed(run),
            false => Cow::Owned(text + run),
        };
        loop {
            self.plain(quote);
            let run = &self.text[start..self.at];
            let rest = self.rest();
            if rest.is_empty() {
                // The rest of the text may be missing, and nobody would see it.
                let found = format!("`{}` at the end of the answer", shortened(run, 20));
                self.stop_at("the end of a string", found);
                return text_of(text, run);
            }
            if let Some(after) = rest.strip_prefix(quote.close) {
                if self.closes(after, role) {
                    if inner % 2 == 1 {
                        // One of the quotes inside may be the end, or the beginning of another string.
                        self.stop("the end of a string, which has quotes inside");
                    }
                    self.skip(quote.close.len());
                    return text_of(text, run);
                }
                if self.has_stopped() {
                    return text_of(text, run);
                }
                if !self.is_inner(&mut inner, start, after, quote) {
                    self.stop("the end of a string, which has quotes inside");
                    return text_of(text, run);
                }
                self.repair(RepairKind::InnerQuotes, || {
                    "read quotes inside of a string as part of it".into()
                });
                self.skip(quote.close.len());
            } else if rest.starts_with('\\') {
                text.push_str(run);
                self.escape(&mut text);
                start = self.at;
            } else {
                let is_control = rest.as_bytes()[0] < b' ';
                if is_control {
                    self.repair(RepairKind::RawCharacter, || {
                        "took a raw line break or tab inside of a string as it is".into()
                    });
                }
                self.skip(rest.chars().next().map_or(1, char::len_utf8));
            }
        }
    }

    /// Whether a quote of a string that was read from `start` on can belong to it; `count` are those before it that have a half.
    fn is_inner(&self, count: &mut usize, start: usize, after: &str, quote: Quote) -> bool {
        let run = &self.text[start..self.at];
        // As in `it's`: such a mark has no other half.
        let is_apostrophe = quote.close == "'"
            && run.ends_with(char::is_alphanumeric)
            && after.starts_with(char::is_alphanumeric);
        if is_apostrophe {
            return true;
        }
        *count += 1;
        is_half(*count, run.chars().next_back(), after) && !run.contains('\n')
    }

    /// Moves to what may end the string, an escape or a control character.
    fn plain(&mut self, quote: Quote) {
        let close = quote.close.as_bytes()[0];
        let is_special = |it: &u8| *it == close || matches!(*it, b'\\' | 0..=0x1f);
        let rest = self.rest().as_bytes();
        let count = rest.iter().position(is_special).unwrap_or(rest.len());
        self.skip(count);
    }

    /// Whether the string ends before `after`: only where JSON could continue there. Stops where that cannot be known.
    fn closes(&mut self, after: &str, role: Role) -> bool {
        let next = trim_blanks(after);
        let has_blank = next.len() < after.len();
        self.work.spend(1);
        let Some(first) = next.chars().next() else {
            return true;
        };
        let is_value = |it: char| "\"'“{[".contains(it) || it.is_ascii_digit();
        match (role, first) {
            (Role::Key, ':' | '=') => true,
            (Role::Key, '-') => next.starts_with("->"),
            (Role::Key, _) => has_blank && is_value(first),
            (Role::Field | Role::Item, ':') => {
                // The quotes seem to be those of a key, so the string before it has no end.
                self.stop("the end of a string before a key");
                false
            }
            (Role::Field | Role::Item, '}' | ']' | ')' | '#') => true,
            (Role::Field | Role::Item, '/') => next.starts_with("//") || next.starts_with("/*"),
            (Role::Field | Role::Item, '`') => next.starts_with("```"),
            (Role::Field | Role::Item, '+') => trim_blanks(&next[1..]).starts_with(['"', '\'']),
            (Role::Field, ',' | ';') => self.closes_before_field(trim_blanks(&next[1..])),
            (Role::Field, _) => has_blank && is_key_ahead(next),
            (Role::Item, ',' | ';') => {
                let rest = trim_blanks(&next[1..]);
                let begins = |it: char| "\"'“‘`{[(]},-/#".contains(it) || it.is_ascii_digit();
                rest.is_empty() || rest.starts_with(begins) || begins_word(rest)
            }
            (Role::Item, _) => has_blank && "\"'“{[".contains(first),
        }
    }

    /// Whether a string in an object ends before a comma and this.
    fn closes_before_field(&mut self, rest: &str) -> bool {
        if rest.is_empty() || rest.starts_with(['}', ']', ',', '/', '#']) {
            return true;
        }
        let is_quoted = rest.starts_with(['"', '\'', '“', '`', ':', '{', '[']);
        let is_field = after_key(rest).is_some_and(|it| {
            let begins = |it: char| ":={[".contains(it) || it.is_ascii_digit();
            it.starts_with(':') || it.starts_with("->") || (is_quoted && it.starts_with(begins))
        });
        if is_quoted && !is_field {
            self.stop("a comma and a key after a string, or a string that goes on");
        }
        is_field
    }

    fn escape(&mut self, text: &mut String) {
        let rest = self.rest();
        if let Some(escape) = escaped(rest) {
            self.skip(escape.length);
            text.push(escape.character.unwrap_or(char::REPLACEMENT_CHARACTER));
            if escape.character.is_none() {
                let what = || format!("replaced half of a character, `{}`", &rest[..escape.length]);
                self.repair(RepairKind::BrokenCharacter, what);
            }
            return;
        }
        let Some(next) = rest[1..].chars().next() else {
            self.stop_at(
                "the end of a string",
                "`\\` at the end of the answer".into(),
            );
            self.skip(1);
            return;
        };
        self.skip(1 + next.len_utf8());
        // Escaped without need, as in other languages; any other backslash is one.
        if !matches!(next, '\'' | '`' | '\n' | '$') {
            text.push('\\');
        }
        text.push(next);
        let what = || {
            format!(
                "took the escape `\\{}` as it is written",
                next.escape_default()
            )
        };
        self.repair(RepairKind::OddEscape, what);
    }
}

fn is_triple(quote: Quote) -> bool {
    quote.open.len() == 3 && quote.open.is_ascii()
}

/// Whether a quote inside of a string can be the first or second of a pair around words: what else looks like quotes inside may be the
/// end of one string and the beginning of another.
fn is_half(number: usize, before: Option<char>, after: &str) -> bool {
    if number.is_multiple_of(2) {
        return before.is_some_and(|it| !it.is_whitespace());
    }
    let begins = before.is_none_or(|it| it.is_whitespace() || "([{=>-/".contains(it));
    begins && !after.starts_with(|it: char| it.is_whitespace() || ",:;".contains(it))
}

fn begins_word(rest: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"]
        .iter()
        .any(|it| rest.starts_with(it))
}
