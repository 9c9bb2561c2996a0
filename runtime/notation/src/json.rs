//! A strict JSON parser: no duplicate keys, no numbers beyond floats, nesting bounded.

mod build;
pub mod growing;

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::issue::Issue;
use crate::number::{self, EXACT, HELD};
use crate::path::{self, Step};

pub use build::{Build, Tree};

/// How deep arrays and objects of a JSON text may nest.
pub const MAX_DEPTH: usize = 512;

/// How deep the objects are in which the runtime writes values of a program: events, records, messages.
const AROUND: usize = 64;

/// The tree of a JSON text. Numbers keep their digits.
///
/// # Errors
/// Where and why it is none.
pub fn parse(text: &str) -> Result<Value, Issue> {
    parse_into(text, &mut Tree)
}

/// The tree of a JSON text that the runtime has written, which holds a value of a program inside of its own objects.
///
/// # Errors
/// Where and why it is none: the value nests deeper than any that is read.
pub fn written(text: &str) -> Result<Value, Issue> {
    parse_within(MAX_DEPTH + AROUND, text, &mut Tree)
}

/// What a JSON text of a user, a model or a program holds. `serde_json` by itself reads nothing that nests as deep as a value may.
///
/// # Errors
/// Why it is none, or not of this type.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let tree = written(text).map_err(|issue| issue.message)?;
    serde_json::from_value(tree).map_err(|error| error.to_string())
}

/// Whether arrays and objects of a JSON text nest deeper than [`MAX_DEPTH`].
#[must_use]
pub fn is_too_deep(text: &str) -> bool {
    is_deeper(text, MAX_DEPTH)
}

/// Whether arrays and objects of a JSON text nest deeper than this.
#[must_use]
pub fn is_deeper(text: &str, most: usize) -> bool {
    let (mut depth, mut is_string, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > most {
                    return true;
                }
            }
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// What `build` makes of a JSON text; where it is to end early, an issue that says nothing.
///
/// # Errors
/// Where and why it is none.
pub fn parse_into<B: Build>(text: &str, build: &mut B) -> Result<B::Value, Issue> {
    parse_within(MAX_DEPTH, text, build)
}

fn parse_within<B: Build>(most_depth: usize, text: &str, build: &mut B) -> Result<B::Value, Issue> {
    // Programs on Windows write one, and RFC 8259 lets readers skip it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut parser = Parser {
        most_depth,
        text,
        at: 0,
        steps: Vec::new(),
        build,
    };
    parser.space();
    let value = parser.value()?;
    parser.space();
    match parser.peek() {
        None => Ok(value),
        Some(_) => {
            parser.build.discard(value);
            Err(parser.unexpected("the end of the text"))
        }
    }
}

struct Parser<'a, 'b, B> {
    most_depth: usize,
    text: &'a str,
    /// The current byte; always at a character's start.
    at: usize,
    steps: Vec<Step<'a>>,
    build: &'b mut B,
}

impl<'a, B: Build> Parser<'a, '_, B> {
    fn value(&mut self) -> Result<B::Value, Issue> {
        if self.build.has_ended() {
            return Err(self.issue("more memory", "none".into()));
        }
        match self.peek() {
            Some('{') => {
                self.open()?;
                self.object()
            }
            Some('[') => {
                self.open()?;
                self.array()
            }
            Some('"') => self.string().map(|text| self.build.text(text)),
            Some('-' | '0'..='9') => self.number(),
            Some('t') => self.word("true").map(|()| self.build.bool(true)),
            Some('f') => self.word("false").map(|()| self.build.bool(false)),
            Some('n') => self.word("null").map(|()| self.build.null()),
            _ => Err(self.unexpected("a JSON value")),
        }
    }

    /// Continues after an opening bracket.
    fn open(&mut self) -> Result<(), Issue> {
        if self.steps.len() >= self.most_depth {
            // The whole path would be longer than any message should be.
            let expected = format!("at most {MAX_DEPTH} levels");
            return Err(Issue::new("$".into(), expected, "deeper nesting".into()));
        }
        self.skip();
        self.space();
        Ok(())
    }

    fn object(&mut self) -> Result<B::Value, Issue> {
        let mut object = self.build.object();
        match self.entries(&mut object) {
            Ok(()) => Ok(self.build.end_object(object)),
            Err(issue) => {
                self.build.discard_object(object);
                Err(issue)
            }
        }
    }

    fn entries(&mut self, object: &mut B::Object) -> Result<(), Issue> {
        let mut goes_on = !self.take('}');
        while goes_on {
            self.key(object)?;
            let value = self.value()?;
            if let Some(Step::Key(key)) = self.steps.pop() {
                self.build.insert(object, key, value);
            }
            goes_on = self.goes_on('}')?;
        }
        Ok(())
    }

    /// Takes a key and its colon, and goes one step down. Apart from what recurs, so that little of the native stack is
    /// used.
    fn key(&mut self, object: &B::Object) -> Result<(), Issue> {
        if self.peek() != Some('"') {
            return Err(self.unexpected("a key in quotes"));
        }
        let key = self.string()?;
        if self.build.has_key(object, &key) {
            let found = format!("{} twice", Value::from(key));
            return Err(self.issue("each key once", found));
        }
        self.space();
        self.demand(':')?;
        self.space();
        self.steps.push(Step::Key(key));
        Ok(())
    }

    /// After a part of a list or object: takes the closing bracket, or a comma; whether another part follows.
    fn goes_on(&mut self, close: char) -> Result<bool, Issue> {
        self.space();
        if self.take(close) {
            return Ok(false);
        }
        self.demand(',')?;
        self.space();
        Ok(true)
    }

    fn array(&mut self) -> Result<B::Value, Issue> {
        let mut list = self.build.list();
        match self.elements(&mut list) {
            Ok(()) => Ok(self.build.end_list(list)),
            Err(issue) => {
                self.build.discard_list(list);
                Err(issue)
            }
        }
    }

    fn elements(&mut self, list: &mut B::List) -> Result<(), Issue> {
        let mut goes_on = !self.take(']');
        let mut index = 0;
        while goes_on {
            self.steps.push(Step::Index(index));
            let element = self.value()?;
            self.steps.pop();
            self.build.push(list, element);
            index += 1;
            goes_on = self.goes_on(']')?;
        }
        Ok(())
    }

    /// The text of a string; its own where it has no escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, Issue> {
        self.skip();
        let mut text = Cow::Borrowed("");
        loop {
            let rest = &self.text[self.at..];
            let is_special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
            let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
            text += &rest[..plain];
            self.at += plain;
            match self.peek() {
                None => return Err(self.unexpected("the end of a string")),
                Some('"') => {
                    self.skip();
                    return Ok(text);
                }
                Some('\\') => {
                    self.skip();
                    let char = self.escape()?;
                    text.to_mut().push(char);
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

    fn number(&mut self) -> Result<B::Value, Issue> {
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
        if !number::is_held(digits) {
            return Err(self.issue(HELD, digits.into()));
        }
        let made = self.build.number(digits);
        made.ok_or_else(|| self.issue(EXACT, digits.into()))
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

    fn word(&mut self, word: &str) -> Result<(), Issue> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected("a JSON value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.skip();
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Moves to the next character.
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
        Issue::new(path::text(&self.steps), expected.into(), found)
    }
}
