//! A JSON parser in two manners: strict, or repairing what models write and naming each repair.

mod lenient;
mod number;
mod string;

pub(crate) use number::loose_number;
use serde_json::{Map, Value};

/// How deep values may nest.
const MOST_DEPTH: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    Strict,
    Lenient,
}

/// The text is not JSON, or cannot be repaired.
#[derive(Debug)]
struct Flaw;

/// A parser at a place of a text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    manner: Manner,
    repairs: Vec<&'static str>,
    /// Up to where whole tokens were read.
    whole: usize,
    /// The whole objects and lists inside of those that turned out broken; the last one first.
    parts: Vec<Value>,
}

/// The whole text as JSON, with blanks around; duplicate keys are refused.
pub(crate) fn strict(text: &str) -> Option<Value> {
    let (value, length) = Parser::strict_prefix(text);
    value.filter(|_| text[length..].trim_ascii().is_empty())
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, manner: Manner) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            manner,
            repairs: Vec::new(),
            whole: 0,
            parts: Vec::new(),
        }
    }

    /// The JSON value that the text begins with, if it does, and how far was read.
    fn strict_prefix(text: &'a str) -> (Option<Value>, usize) {
        let mut parser = Self::new(text, Manner::Strict);
        let value = parser.value().ok();
        (value, parser.at)
    }

    /// Reads the object or list that the text begins with. Adds it, or where it is broken the whole ones inside of it; gives
    /// how far was read, which is at least one byte.
    pub fn strict_parts(text: &'a str, found: &mut Vec<Value>) -> usize {
        let mut parser = Self::new(text, Manner::Strict);
        match parser.value() {
            Ok(value) => {
                found.push(value);
                parser.at
            }
            Err(Flaw) => {
                found.extend(parser.parts.into_iter().rev());
                // What a string without an end holds is looked through as well.
                parser.whole
            }
        }
    }

    /// The value that the text begins with, repaired, and what was repaired; `None` if nothing had to be.
    pub fn lenient(text: &'a str) -> Option<(Value, Vec<String>)> {
        let mut parser = Self::new(text, Manner::Lenient);
        let value = parser.value().ok()?;
        parser.blanks();
        if !parser.rest().is_empty() {
            // A repair too, since the text may have been another answer; what needs none of these is preferred.
            parser.repair("dropped text after the answer");
        }
        let repairs = parser.repairs.iter().map(|it| (*it).to_owned()).collect();
        (!parser.repairs.is_empty()).then_some((value, repairs))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, expected: char) -> bool {
        let is_next = self.next() == Some(expected);
        if is_next {
            self.at += expected.len_utf8();
        }
        is_next
    }

    fn is_lenient(&self) -> bool {
        self.manner == Manner::Lenient
    }

    fn repair(&mut self, what: &'static str) {
        // Each kind once: a long answer may need the same in a thousand places.
        if !self.repairs.contains(&what) {
            self.repairs.push(what);
        }
    }

    fn value(&mut self) -> Result<Value, Flaw> {
        self.blanks();
        let value = match self.next() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('"') => self.string().map(Value::String),
            // Numbers and words as well: in an answer of a model they end in other ways than in JSON.
            Some(_) if self.is_lenient() => self.lenient_scalar(),
            Some('-' | '0'..='9') => self.number(),
            Some(_) => self.word(),
            None => Err(Flaw),
        }?;
        // Up to here every token is whole; a search that goes on after a failure starts from this place,
        // so each byte is read a bounded number of times.
        self.whole = self.at;
        Ok(value)
    }

    fn nested(&mut self, parse: fn(&mut Self) -> Result<Value, Flaw>) -> Result<Value, Flaw> {
        // The parser recurses, and the text may be an attack on the stack of the turn.
        if self.depth == MOST_DEPTH {
            return Err(Flaw);
        }
        self.depth += 1;
        self.at += 1;
        self.whole = self.at;
        let value = parse(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self) -> Result<Value, Flaw> {
        let words = [
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("null", Value::Null),
        ];
        for (word, value) in words {
            if self.rest().starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(Flaw)
    }

    fn array(&mut self) -> Result<Value, Flaw> {
        let mut items = Vec::new();
        match self.items(&mut items) {
            Ok(()) => Ok(items.into()),
            Err(Flaw) => Err(self.broken(items)),
        }
    }

    fn items(&mut self, items: &mut Vec<Value>) -> Result<(), Flaw> {
        loop {
            self.blanks();
            if self.ends(']', items.is_empty())? {
                return Ok(());
            }
            match self.value() {
                Ok(item) => items.push(item),
                // The text ended within the item: what came before is kept, the broken item is not.
                Err(Flaw) if self.is_cut() => return Ok(()),
                Err(Flaw) => return Err(Flaw),
            }
            if self.separated(']')? {
                return Ok(());
            }
        }
    }

    fn object(&mut self) -> Result<Value, Flaw> {
        let mut fields = Map::new();
        match self.fields(&mut fields) {
            Ok(()) => Ok(fields.into()),
            Err(Flaw) => Err(self.broken(fields.into_iter().map(|it| it.1))),
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>) -> Result<(), Flaw> {
        loop {
            self.blanks();
            if self.ends('}', fields.is_empty())? {
                return Ok(());
            }
            let field = self.field();
            match field {
                Ok((name, value)) if fields.contains_key(&name) => {
                    if !self.is_lenient() {
                        // Strict JSON leaves open which of two equal keys counts, so such text is not taken without a repair.
                        return Err(self.broken([value]));
                    }
                    self.repair("took the last of several fields of one name");
                    fields.insert(name, value);
                }
                Ok((name, value)) => {
                    fields.insert(name, value);
                }
                Err(Flaw) if self.is_cut() => return Ok(()),
                Err(Flaw) => return Err(Flaw),
            }
            if self.separated('}')? {
                return Ok(());
            }
        }
    }

    /// What holds these values is broken; those that are whole are kept for who looks for parts.
    fn broken(
        &mut self,
        inside: impl IntoIterator<Item = Value, IntoIter: DoubleEndedIterator>,
    ) -> Flaw {
        if !self.is_lenient() {
            // Numbers and strings inside of broken text are too often no answer.
            let is_part = |it: &Value| it.is_object() || it.is_array();
            self.parts.extend(inside.into_iter().rev().filter(is_part));
        }
        Flaw
    }

    fn field(&mut self) -> Result<(String, Value), Flaw> {
        // The key is read before it is known whether a value follows; an object cut off in between loses that field alone.
        let name = self.name()?;
        self.blanks();
        if !self.take(':') {
            return Err(Flaw);
        }
        self.whole = self.at;
        Ok((name, self.value()?))
    }

    fn name(&mut self) -> Result<String, Flaw> {
        match self.next() {
            Some('"') => self.string(),
            Some(_) if self.is_lenient() => self.lenient_name(),
            _ => Err(Flaw),
        }
    }

    /// Whether the list or object ends here, before another item.
    fn ends(&mut self, close: char, is_empty: bool) -> Result<bool, Flaw> {
        if self.is_lenient() && self.is_cut() {
            return Ok(true);
        }
        if self.next() != Some(close) {
            return Ok(false);
        }
        if !is_empty {
            if !self.is_lenient() {
                return Err(Flaw);
            }
            self.repair("dropped a trailing comma");
        }
        self.at += close.len_utf8();
        Ok(true)
    }

    /// Takes the separator after an item; says whether the list or object ends there.
    fn separated(&mut self, close: char) -> Result<bool, Flaw> {
        self.blanks();
        if self.take(close) {
            return Ok(true);
        }
        if self.take(',') {
            return Ok(false);
        }
        if !self.is_lenient() {
            return Err(Flaw);
        }
        if self.is_cut() {
            return Ok(true);
        }
        self.lenient_separator()
    }
}
