//! JSON as it is defined, read at once into a value: what most answers are.
//!
//! Numbers keep their digits; an object with one key twice is refused, since JSON leaves open which of them counts.

use serde_json::{Map, Value};

use super::number;

/// How deep values may nest.
pub(crate) const MOST_DEPTH: usize = 512;

/// The whole text as JSON, with blanks around.
pub(crate) fn strict(text: &str) -> Option<Value> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
    };
    reader.blanks();
    let value = reader.value()?;
    reader.blanks();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Option<Value> {
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'-' | b'0'..=b'9' => {
                let rest = &self.text[self.at..];
                let length = number::strict_length(rest.as_bytes())?;
                self.at += length;
                Some(number::value(&rest[..length]))
            }
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => None,
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let is_it = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_it.then_some(value)
    }

    fn nested(&mut self, read: fn(&mut Self) -> Option<Value>) -> Option<Value> {
        if self.depth == MOST_DEPTH {
            return None;
        }
        self.depth += 1;
        self.at += 1;
        self.blanks();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Some(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.ends(b']')? {
                return Some(Value::Array(items));
            }
        }
    }

    fn object(&mut self) -> Option<Value> {
        let mut fields = Map::new();
        if self.take(b'}') {
            return Some(Value::Object(fields));
        }
        loop {
            if self.peek() != Some(b'"') {
                return None;
            }
            let key = self.string()?;
            self.blanks();
            if !self.take(b':') {
                return None;
            }
            self.blanks();
            let value = self.value()?;
            if fields.insert(key, value).is_some() {
                return None;
            }
            if self.ends(b'}')? {
                return Some(Value::Object(fields));
            }
        }
    }

    /// After an item: whether this bracket follows; nothing where neither it nor a comma does.
    fn ends(&mut self, close: u8) -> Option<bool> {
        self.blanks();
        if self.take(close) {
            return Some(true);
        }
        if !self.take(b',') {
            return None;
        }
        self.blanks();
        Some(false)
    }

    fn string(&mut self) -> Option<String> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek()? == b'"' {
            let text = self.text[start..self.at].to_owned();
            self.at += 1;
            return Some(text);
        }
        let mut text = self.text[start..self.at].to_owned();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(text);
                }
                b'\\' => {
                    let escape = escaped(&self.text[self.at..])?;
                    text.push(escape.character?);
                    self.at += escape.length;
                }
                _ => return None,
            }
            let start = self.at;
            self.plain();
            text.push_str(&self.text[start..self.at]);
        }
    }

    /// Moves to a quote, a backslash or a control character.
    fn plain(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_special = |it: &u8| matches!(*it, b'"' | b'\\' | 0..=0x1f);
        self.at += rest.iter().position(is_special).unwrap_or(rest.len());
    }
}

/// An escape of JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Escape {
    pub length: usize,
    /// The character that it stands for; none where it is half of one.
    pub character: Option<char>,
}

/// The escape that a text begins with; none if JSON has no such escape.
pub(crate) fn escaped(text: &str) -> Option<Escape> {
    let character = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        _ => return None,
    };
    Some(Escape {
        length: 2,
        character: Some(character),
    })
}

fn unicode(text: &str) -> Option<Escape> {
    let code = |at: usize| {
        let digits = text.get(at..at + 4)?;
        let is_code = digits.bytes().all(|it| it.is_ascii_hexdigit());
        is_code.then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let first = code(2)?;
    if (0xd800..0xdc00).contains(&first)
        && text.get(6..8) == Some("\\u")
        && let Some(second @ 0xdc00..=0xdfff) = code(8)
    {
        let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return Some(Escape {
            length: 12,
            character: char::from_u32(code),
        });
    }
    Some(Escape {
        length: 6,
        character: char::from_u32(first),
    })
}
