//! Texts that hold secrets by name: what a value of type `secret` is, and what an operation carries of it.
//!
//! A template reads `Bearer ${TOKEN}`: `${…}` is the name of a secret and `$$` a dollar, in names also `$}` a brace. A
//! value of type `secret` is laid out as a string and says by its own type what it holds: a `string` is the text itself,
//! a `secret` a template. So a text becomes a secret for nothing, and only joining the two writes a template.

use gsw_abi::builtin;
use serde::{Deserialize, Serialize};

use crate::heap::Heap;
use crate::value::{string, type_of};

/// A text with the names of secrets where their values go. It may be recorded and shown; the values are not in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Template(String);

/// A part of a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    Text(String),
    /// The text between the braces.
    Name(String),
}

impl Template {
    /// What a value of type `secret`, or a text with media in it, holds.
    #[must_use]
    pub fn of(word: u64) -> Self {
        let text = string::text(word);
        if matches!(type_of(word), builtin::SECRET | builtin::MEDIA) {
            Self(text.to_owned())
        } else {
            Self::plain(text)
        }
    }

    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self(text.replace('$', "$$"))
    }

    /// One that was recorded.
    #[must_use]
    pub fn written(template: &str) -> Self {
        Self(template.to_owned())
    }

    /// The text, when there is no secret in it.
    #[must_use]
    pub fn plain_text(&self) -> Option<String> {
        self.resolve(|_| None).ok()
    }

    /// Just the secret of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(format!(
            "${{{}}}",
            name.replace('$', "$$").replace('}', "$}")
        ))
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The names of the secrets in it, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let pieces = self.pieces().into_iter();
        let names = pieces.filter_map(|it| match it {
            Piece::Name(name) => Some(name),
            Piece::Text(_) => None,
        });
        names.collect()
    }

    /// The text with the secrets' values in it, or the name of the first that has none.
    pub fn resolve(&self, value_of: impl Fn(&str) -> Option<String>) -> Result<String, String> {
        let mut text = String::new();
        for piece in self.pieces() {
            match piece {
                Piece::Text(part) => text.push_str(&part),
                Piece::Name(name) => match value_of(&name) {
                    Some(value) => text.push_str(&value),
                    None => return Err(name),
                },
            }
        }
        Ok(text)
    }

    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let (mut part, mut is_name) = (String::new(), false);
        let mut chars = self.0.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('$', Some('$')) => {
                    part.push('$');
                    chars.next();
                }
                ('$', Some('{')) if !is_name => {
                    chars.next();
                    pieces.push(Piece::Text(std::mem::take(&mut part)));
                    is_name = true;
                }
                ('$', Some('}')) if is_name => {
                    part.push('}');
                    chars.next();
                }
                ('}', _) if is_name => {
                    pieces.push(Piece::Name(std::mem::take(&mut part)));
                    is_name = false;
                }
                _ => part.push(char),
            }
        }
        // A name without its end can only be written by hand, and is text.
        let rest = if is_name { format!("${{{part}") } else { part };
        pieces.push(Piece::Text(rest));
        pieces
    }
}

/// `a + b` where one is a secret: takes over `a`, borrows `b`.
#[must_use]
pub fn join(heap: &mut Heap, a: u64, b: u64) -> u64 {
    let text = Template::of(a).0 + Template::of(b).text();
    heap.release(a);
    string::new_of(heap, builtin::SECRET, &text)
}

#[cfg(test)]
mod tests {
    use super::Template;

    fn value_of(name: &str) -> Option<String> {
        (name != "MISSING").then(|| format!("<{name}>"))
    }

    #[test]
    fn what_looks_like_a_name_stays_text() {
        for text in ["", "$", "$$", "${A}", "a}b", "$}", "cost: $5 ${x"] {
            assert_eq!(Template::plain(text).resolve(value_of), Ok(text.into()));
        }
    }

    #[test]
    fn names_become_values() {
        for name in ["A", "A}B", "$", "A$}"] {
            let template = Template(format!("x$${}y", Template::named(name).text()));
            assert_eq!(template.resolve(value_of), Ok(format!("x$<{name}>y")));
            assert_eq!(template.names(), [name]);
        }
        assert_eq!(
            Template::named("MISSING").resolve(value_of),
            Err("MISSING".into())
        );
        assert_eq!(Template("a${b".into()).resolve(value_of), Ok("a${b".into()));
    }
}
