//! JSON as it is defined, read at once into a value: what most answers are.
//!
//! Numbers keep their digits; an object with one key twice is refused, since JSON leaves open which of them counts.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::number;

/// How deep values may nest.
pub(crate) const MOST_DEPTH: usize = 512;

/// What a text is read into.
pub(crate) trait Tree<'t>: Sized {
    /// Those of an object that is read.
    type Fields: Default;

    fn null() -> Self;
    fn bool(value: bool) -> Self;
    fn number(digits: &'t str) -> Self;
    fn text(text: Cow<'t, str>) -> Self;
    fn list(items: Vec<Self>) -> Self;
    /// Adds a field. A duplicate key is refused by this or by [`object`](Self::object).
    fn field(fields: &mut Self::Fields, key: Cow<'t, str>, value: Self) -> Option<()>;
    fn object(fields: Self::Fields) -> Option<Self>;
}

impl Tree<'_> for Value {
    type Fields = Map<String, Self>;

    fn null() -> Self {
        Self::Null
    }

    fn bool(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(digits: &str) -> Self {
        number::value(digits)
    }

    fn text(text: Cow<'_, str>) -> Self {
        Self::String(text.into_owned())
    }

    fn list(items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn field(fields: &mut Self::Fields, key: Cow<'_, str>, value: Self) -> Option<()> {
        fields
            .insert(key.into_owned(), value)
            .is_none()
            .then_some(())
    }

    fn object(fields: Self::Fields) -> Option<Self> {
        Some(Self::Object(fields))
    }
}

/// The whole text as JSON, with blanks around.
pub(crate) fn strict(text: &str) -> Option<Value> {
    strict_tree(text)
}

/// The same, as a value of any kind.
pub(crate) fn strict_tree<'t, T: Tree<'t>>(text: &'t str) -> Option<T> {
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

impl<'t> Reader<'t> {
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

    fn value<T: Tree<'t>>(&mut self) -> Option<T> {
        match self.peek()? {
            b'"' => self.string().map(T::text),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::list),
            b'-' | b'0'..=b'9' => {
                let rest = &self.text[self.at..];
                let length = number::strict_length(rest.as_bytes())?;
                self.at += length;
                Some(T::number(&rest[..length]))
            }
            b't' => self.word("true", T::bool(true)),
            b'f' => self.word("false", T::bool(false)),
            b'n' => self.word("null", T::null()),
            _ => None,
        }
    }

    fn word<T>(&mut self, word: &str, value: T) -> Option<T> {
        let is_it = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_it.then_some(value)
    }

    fn nested<T>(&mut self, read: fn(&mut Self) -> Option<T>) -> Option<T> {
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

    fn list<T: Tree<'t>>(&mut self) -> Option<T> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Some(T::list(items));
        }
        loop {
            items.push(self.value()?);
            if self.ends(b']')? {
                return Some(T::list(items));
            }
        }
    }

    fn object<T: Tree<'t>>(&mut self) -> Option<T> {
        let mut fields = T::Fields::default();
        if self.take(b'}') {
            return T::object(fields);
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
            T::field(&mut fields, key, value)?;
            if self.ends(b'}')? {
                return T::object(fields);
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

    fn string(&mut self) -> Option<Cow<'t, str>> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek()? == b'"' {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Some(text.into());
        }
        let mut text = self.text[start..self.at].to_owned();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(text.into());
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
    /// The character of the escape; `None` for one half of a surrogate pair.
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
