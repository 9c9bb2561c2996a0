//! A strict JSON parser: no duplicate keys, no numbers beyond floats, nesting bounded.

use serde_json::{Map, Number, Value};

use crate::codec::path::{self, Step};
use crate::codec::{MAX_DEPTH, describe};
use crate::model::Issue;

/// The tree of a JSON text. Numbers keep their digits.
///
/// # Errors
/// Where and why it is none.
pub fn parse(text: &str) -> Result<Value, Issue> {
    let mut parser = Parser {
        text,
        at: 0,
        steps: Vec::new(),
    };
    parser.space();
    let value = parser.value()?;
    parser.space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.unexpected("the end of the text")),
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The byte that is looked at; always at a character's start.
    at: usize,
    steps: Vec<Step>,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<Value, Issue> {
        match self.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('"') => self.string().map(Value::String),
            Some('-' | '0'..='9') => self.number(),
            Some('t') => self.word("true", Value::Bool(true)),
            Some('f') => self.word("false", Value::Bool(false)),
            Some('n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    fn nested(
        &mut self,
        parse: impl Fn(&mut Self) -> Result<Value, Issue>,
    ) -> Result<Value, Issue> {
        if self.steps.len() >= MAX_DEPTH {
            // The whole path would be longer than any message should be.
            let expected = format!("at most {MAX_DEPTH} levels");
            return Err(describe::issue(
                "$".into(),
                expected,
                "deeper nesting".into(),
            ));
        }
        self.skip();
        self.space();
        parse(self)
    }

    fn object(&mut self) -> Result<Value, Issue> {
        let mut entries = Map::new();
        if self.take('}') {
            return Ok(Value::Object(entries));
        }
        loop {
            if self.peek() != Some('"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string()?;
            if entries.contains_key(&key) {
                let found = format!("{} twice", Value::from(key));
                return Err(self.issue("each key once", found));
            }
            self.space();
            self.demand(':')?;
            self.space();
            self.steps.push(Step::Key(key.clone()));
            let value = self.value()?;
            self.steps.pop();
            entries.insert(key, value);
            self.space();
            if self.take('}') {
                return Ok(Value::Object(entries));
            }
            self.demand(',')?;
            self.space();
        }
    }

    fn array(&mut self) -> Result<Value, Issue> {
        let mut elements = Vec::new();
        if self.take(']') {
            return Ok(Value::Array(elements));
        }
        loop {
            self.steps.push(Step::Index(elements.len()));
            elements.push(self.value()?);
            self.steps.pop();
            self.space();
            if self.take(']') {
                return Ok(Value::Array(elements));
            }
            self.demand(',')?;
            self.space();
        }
    }

    fn string(&mut self) -> Result<String, Issue> {
        self.skip();
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
            let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                None => return Err(self.unexpected("the end of a string")),
                Some('"') => {
                    self.skip();
                    return Ok(text);
                }
                Some('\\') => {
                    self.skip();
                    text.push(self.escape()?);
                }
                Some(_) => return Err(self.unexpected("an escaped character")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Issue> {
        let char = match self.peek() {
            Some(it @ ('"' | '\\' | '/')) => it,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                self.skip();
                return self.unicode();
            }
            _ => return Err(self.unexpected("an escape of JSON")),
        };
        self.skip();
        Ok(char)
    }

    fn unicode(&mut self) -> Result<char, Issue> {
        let mut code = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&code) {
            self.demand('\\')?;
            self.demand('u')?;
            let low = self.hexadecimal()?;
            if !(0xdc00..0xe000).contains(&low) {
                return Err(self.unexpected("the second half of a surrogate pair"));
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        char::from_u32(code).ok_or_else(|| self.unexpected("the first half of a surrogate pair"))
    }

    fn hexadecimal(&mut self) -> Result<u32, Issue> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|it| it.to_digit(16)) else {
                return Err(self.unexpected("a hexadecimal digit"));
            };
            self.skip();
            code = code * 16 + digit;
        }
        Ok(code)
    }

    fn number(&mut self) -> Result<Value, Issue> {
        let start = self.at;
        self.take('-');
        if self.take('0') {
            if matches!(self.peek(), Some('0'..='9')) {
                return Err(self.unexpected("no digit after a leading 0"));
            }
        } else {
            self.digits()?;
        }
        if self.take('.') {
            self.digits()?;
        }
        if self.take('e') || self.take('E') {
            if !self.take('+') {
                self.take('-');
            }
            self.digits()?;
        }
        let digits = &self.text[start..self.at];
        if !digits.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(self.issue("a number that a float can hold", digits.into()));
        }
        Ok(Value::Number(Number::from_string_unchecked(digits.into())))
    }

    fn digits(&mut self) -> Result<(), Issue> {
        if !matches!(self.peek(), Some('0'..='9')) {
            return Err(self.unexpected("a digit"));
        }
        while matches!(self.peek(), Some('0'..='9')) {
            self.skip();
        }
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Issue> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected("a JSON value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.skip();
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Goes on behind the character that is looked at.
    fn skip(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.skip();
        }
        is_there
    }

    fn demand(&mut self, wanted: char) -> Result<(), Issue> {
        if self.take(wanted) {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{wanted}`")))
        }
    }

    fn unexpected(&mut self, expected: &str) -> Issue {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        let what = match self.peek() {
            Some(char) => format!("`{char}`"),
            None => "the end of the text".into(),
        };
        self.issue(expected, format!("{what} at line {line}, column {column}"))
    }

    fn issue(&self, expected: &str, found: String) -> Issue {
        describe::issue(path::text(&self.steps), expected.into(), found)
    }
}
