//! Strings: JSON's, and those of other quotes, raw line breaks, or quotes inside.

use super::{Flaw, Parser};

#[derive(Clone, Copy, Debug)]
pub(super) struct Quote {
    open: &'static str,
    close: &'static str,
    repair: Option<&'static str>,
}

/// Quotes of which one begins with another, the longest first.
const QUOTES: &[Quote] = &[
    quote("\"\"\"", "\"\"\"", Some("read a string in triple quotes")),
    quote("'''", "'''", Some("read a string in triple quotes")),
    quote("\"", "\"", None),
    quote("'", "'", Some("read a string in single quotes")),
    quote("`", "`", Some("read a string in back quotes")),
    quote("“", "”", Some("read a string in typographic quotes")),
    quote("„", "“", Some("read a string in typographic quotes")),
    quote("‘", "’", Some("read a string in typographic quotes")),
];

const fn quote(open: &'static str, close: &'static str, repair: Option<&'static str>) -> Quote {
    Quote {
        open,
        close,
        repair,
    }
}

impl Parser<'_> {
    /// The quote that begins here, where other quotes than JSON's are taken.
    pub(super) fn quote(&self) -> Option<Quote> {
        let rest = self.rest();
        // An empty string is no beginning of triple quotes.
        let is_empty = |it: &Quote| it.open == "\"\"\"" && !rest[3..].contains("\"\"\"");
        let begins = |it: &&Quote| rest.starts_with(it.open) && !is_empty(it);
        QUOTES.iter().find(begins).copied()
    }

    pub(super) fn string(&mut self) -> Result<String, Flaw> {
        let quote = if self.is_lenient() {
            self.quote().ok_or(Flaw)?
        } else {
            quote("\"", "\"", None)
        };
        if let Some(repair) = quote.repair {
            self.repair(repair);
        }
        self.at += quote.open.len();
        let mut text = String::new();
        loop {
            if self.is_closed(quote) {
                self.at += quote.close.len();
                return Ok(text);
            }
            let Some(next) = self.next() else {
                return self.cut_string(text);
            };
            self.at += next.len_utf8();
            match next {
                '\\' => self.escape(&mut text)?,
                '\0'..='\u{1f}' => {
                    if !self.is_lenient() {
                        return Err(Flaw);
                    }
                    self.repair("read a string with raw line breaks or tabs");
                    text.push(next);
                }
                _ => text.push(next),
            }
        }
    }

    fn cut_string(&mut self, text: String) -> Result<String, Flaw> {
        // A text that was cut off is kept as far as it goes; the repair says that it was.
        if self.is_cut() { Ok(text) } else { Err(Flaw) }
    }

    /// Whether the string ends here. A quote that nothing of JSON follows is one inside of the string.
    fn is_closed(&mut self, quote: Quote) -> bool {
        let Some(after) = self.rest().strip_prefix(quote.close) else {
            return false;
        };
        if !self.is_lenient() {
            return true;
        }
        let next = after.trim_start();
        // `"he said "no" to it",`: a closing quote is one that JSON could go on after.
        let is_end = next.is_empty()
            || next.starts_with([',', '}', ']', ':', ';'])
            || next.starts_with("//")
            || next.starts_with("/*")
            || next.starts_with('#')
            || after.starts_with('\n')
            || after.starts_with("\r\n");
        if !is_end {
            self.repair("read quotes inside of a string as part of it");
        }
        is_end
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Flaw> {
        let Some(next) = self.next() else {
            return if self.is_cut() { Ok(()) } else { Err(Flaw) };
        };
        self.at += next.len_utf8();
        let character = match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(text),
            _ if !self.is_lenient() => return Err(Flaw),
            // Escaped without need, as in other languages.
            '\'' | '`' | '\n' => next,
            _ => {
                self.repair("read an unknown escape as it stands");
                text.push('\\');
                next
            }
        };
        text.push(character);
        Ok(())
    }

    fn unicode(&mut self, text: &mut String) -> Result<(), Flaw> {
        let Some(first) = self.four_digits() else {
            if !self.is_lenient() {
                return Err(Flaw);
            }
            self.repair("read an unknown escape as it stands");
            text.push_str("\\u");
            return Ok(());
        };
        let mut code = first;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.four_digits() {
                Some(second @ 0xdc00..=0xdfff) => {
                    code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                }
                // A lone high surrogate: the escape after it is read by itself.
                _ => self.at = before,
            }
        }
        match char::from_u32(code) {
            Some(character) => text.push(character),
            None if self.is_lenient() => {
                self.repair("replaced half of a character");
                text.push(char::REPLACEMENT_CHARACTER);
            }
            None => return Err(Flaw),
        }
        Ok(())
    }

    fn four_digits(&mut self) -> Option<u32> {
        // `get`, since the four bytes may end inside of a character.
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
