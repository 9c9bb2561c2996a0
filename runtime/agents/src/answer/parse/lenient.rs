//! What the repairing parser takes beyond JSON: comments, bare words, other quotes, missing ends.

use serde_json::Value;

use super::{Flaw, Parser};

impl<'a> Parser<'a> {
    /// Skips blanks, and comments where these are taken.
    pub(super) fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = if self.is_lenient() {
                rest.trim_start()
            } else {
                rest.trim_start_matches([' ', '\t', '\n', '\r'])
            };
            self.at += rest.len() - trimmed.len();
            if !self.is_lenient() || !self.comment() {
                return;
            }
        }
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let length = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |it| it + 2)
        } else {
            return false;
        };
        self.at += length;
        self.repair("dropped a comment");
        true
    }

    /// Whether the text is over although the value is not.
    pub(super) fn is_cut(&mut self) -> bool {
        // Noted as a repair, because a model that ran out of tokens may have left out the better half.
        let is_cut = self.is_lenient() && self.rest().trim_start().is_empty();
        if is_cut {
            self.repair("closed an answer that was cut off");
        }
        is_cut
    }

    /// After an item without a comma: another one, if something like an item begins.
    pub(super) fn lenient_separator(&mut self) -> Result<bool, Flaw> {
        // Only what an item can begin with: after a stray bracket the text is more likely broken than short of a comma.
        let begins = |it: char| it.is_alphanumeric() || "{[\"'`“‘-_".contains(it);
        if self.next().is_some_and(begins) {
            self.repair("put in a missing comma");
            return Ok(false);
        }
        if self.take(';') {
            self.repair("read a semicolon as a comma");
            return Ok(false);
        }
        Err(Flaw)
    }

    pub(super) fn lenient_scalar(&mut self) -> Result<Value, Flaw> {
        if self.quote().is_some() {
            return self.string().map(Value::String);
        }
        let word = self.bare(&[',', '}', ']', '\n'], Followed::ByString);
        // Two commas in a row: what is missing cannot be known.
        if word.is_empty() {
            return Err(Flaw);
        }
        if let Some(number) = self.lenient_number(word) {
            return Ok(number);
        }
        let exact = matches!(word, "true" | "false" | "null");
        // As Python and JavaScript write them.
        let constant = match word.to_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "none" | "nil" | "undefined" => Value::Null,
            _ => {
                self.repair("put quotes around a bare text");
                return Ok(word.into());
            }
        };
        if !exact {
            self.repair("read a word as `true`, `false` or `null`");
        }
        Ok(constant)
    }

    pub(super) fn lenient_name(&mut self) -> Result<String, Flaw> {
        if self.quote().is_some() {
            return self.string();
        }
        let name = self
            .bare(&[':', ',', '}', '{', '[', '\n'], Followed::ByNothing)
            .to_owned();
        if name.is_empty() {
            return Err(Flaw);
        }
        self.repair("put quotes around a key");
        Ok(name)
    }

    /// Takes the text up to one of these, a comment, or what else ends it. Reads no further than that, so that a
    /// line of a thousand such words is not read a thousand times.
    fn bare(&mut self, ends: &[char], followed: Followed) -> &'a str {
        let rest = self.rest();
        let is_comment =
            |it: &str| it.starts_with(" //") || it.starts_with(" /*") || it.starts_with(" #");
        let mut end = rest.len();
        let mut is_first_gap = followed == Followed::ByString;
        for (place, character) in rest.char_indices() {
            let here = &rest[place..];
            // A comment needs a blank before it: `https://…` is a bare text.
            if ends.contains(&character) || is_comment(here) {
                end = place;
                break;
            }
            if is_first_gap && character.is_whitespace() {
                is_first_gap = false;
                // `3 "next": …`: a comma is missing after the number or constant.
                if here.trim_start().starts_with(['"', '\'']) {
                    end = place;
                    break;
                }
            }
        }
        self.at += end;
        rest[..end].trim()
    }
}

/// What may follow a bare text without a comma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Followed {
    /// A string after the first blank is another item.
    ByString,
    ByNothing,
}
