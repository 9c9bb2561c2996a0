//! JSON that is still arriving: what can be used of it already, each byte of it read once.
//!
//! A text comes in pieces that are cut anywhere. What is of use before its end is what the receiver says by [`Shape`]: a
//! string or list that may be used while it grows, a record that may be used while fields are missing. Everything else is
//! handed over when it is whole.
//!
//! **Invariants.**
//! - What was handed over is never taken back: a later piece adds to it, or the text is `Lost`. Only the end of a thought whose
//!   beginning a template of the conversation has written makes all of it a draft: then the value begins anew.
//! - How the text is cut decides nothing but how a growing string is divided.
//! - The work is linear in the text; between two pieces nothing is kept but the value that is not whole.
//!
//! A model may write something before the value (prose, a fence, a thought) and something after it: the first place where a
//! value of the shape can be read, and that is in no thought, is where it begins, and after its end only that mark is looked
//! for. What is not JSON is not repaired here; a caller with the whole text can do that.

mod scan;

use serde::de::IgnoredAny;

use crate::thought::Follower;
use scan::{Collected, Text};

/// What may be used of a value before it is whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing: the value has to be complete.
    Whole,
    /// A string: its beginning.
    Text,
    /// A list: its first elements, each of them whole.
    List,
    /// The fields that [`Fields`] knows under this number.
    Record(u32),
}

/// What a receiver knows of its records.
pub trait Fields {
    /// The place of a field in a record, and what may be used of it.
    fn field(&self, record: u32, name: &str) -> Option<(u32, Shape)>;
}

/// What has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change<'a> {
    /// What follows belongs to this field of the record that was begun last and has not ended.
    Field(u32),
    /// A string, list or record begins, empty.
    Begin(Shape),
    /// The string continues with this.
    Text(&'a str),
    /// The list continues with this element, as JSON.
    Element(&'a str),
    /// A whole value, as JSON.
    Whole(&'a str),
    /// What was begun last is whole.
    End,
    /// All that was handed over was a draft.
    Anew,
}

/// A text of JSON in the middle of its arrival.
#[derive(Debug)]
pub struct Growing {
    root: Shape,
    state: State,
    /// What is open, outermost first.
    levels: Vec<Level>,
    has_begun: bool,
    /// The thoughts in the text around the value.
    thoughts: Follower,
}

#[derive(Debug)]
enum State {
    /// Before the value.
    Before,
    /// A value is to begin.
    Value(Shape),
    /// A key or the end of the record is to come.
    Key,
    KeyText(Collected),
    Colon,
    /// A comma or the end of what is open is to come.
    After,
    /// Inside a string that grows.
    Text(Text),
    /// Inside a value that is handed over when it is whole.
    Whole(Collected),
    Done,
    /// What comes is no JSON of the shape.
    Lost,
}

#[derive(Debug)]
enum Level {
    Record {
        id: u32,
        /// The key that was read last, and its field.
        key: String,
        field: Option<(u32, Shape)>,
    },
    List {
        /// How many elements are whole.
        len: usize,
    },
}

impl Growing {
    /// Nothing of a value of this shape has arrived.
    #[must_use]
    pub fn new(root: Shape) -> Self {
        Self {
            root,
            state: State::Before,
            levels: Vec::new(),
            has_begun: false,
            thoughts: Follower::default(),
        }
    }

    /// Takes the next piece and says what it brings.
    pub fn feed(&mut self, piece: &str, fields: &dyn Fields, tell: &mut dyn FnMut(Change<'_>)) {
        let mut rest = piece;
        while !rest.is_empty() {
            rest = match &self.state {
                State::Done | State::Lost => self.past(rest, tell),
                State::Before => self.seek(rest, tell),
                State::Text(_) => self.text(rest, tell),
                State::KeyText(_) => self.key_text(rest, fields),
                State::Whole(_) => self.whole(rest, tell),
                State::Value(_) | State::Key | State::Colon | State::After => self.mark(rest, tell),
            };
        }
    }

    /// Whether the value is whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// The path of what is arriving; `None` when nothing is.
    #[must_use]
    pub fn open(&self) -> Option<String> {
        match self.state {
            State::Before | State::Done | State::Lost => return None,
            State::Value(_)
            | State::Key
            | State::KeyText(_)
            | State::Colon
            | State::After
            | State::Text(_)
            | State::Whole(_) => {}
        }
        // Between two values it is what holds both that is not whole.
        let is_in_value = matches!(
            self.state,
            State::Value(_) | State::Text(_) | State::Whole(_)
        );
        let around = self.levels.len().saturating_sub(1);
        let mut path = "$".to_owned();
        for (depth, level) in self.levels.iter().enumerate() {
            if depth == around && !is_in_value {
                break;
            }
            match level {
                Level::Record { key, .. } => {
                    path.push('.');
                    path.push_str(key);
                }
                Level::List { len } => path.push_str(&format!("[{len}]")),
            }
        }
        Some(path)
    }

    /// Looks for where a value of the shape may begin.
    fn seek<'a>(&mut self, rest: &'a str, tell: &mut dyn FnMut(Change<'_>)) -> &'a str {
        let opening = match self.root {
            Shape::Record(_) => '{',
            Shape::List => '[',
            Shape::Text => '"',
            Shape::Whole => return "",
        };
        let begins = |it: char| !self.thoughts.takes(it) && it == opening;
        match rest.find(begins) {
            Some(at) => {
                self.state = State::Value(self.root);
                self.mark(&rest[at..], tell)
            }
            None => "",
        }
    }

    /// Looks in what comes after the value for the end of a thought that it was a draft in.
    fn past<'a>(&mut self, rest: &'a str, tell: &mut dyn FnMut(Change<'_>)) -> &'a str {
        let mut characters = rest.chars();
        if !characters.any(|it| self.thoughts.closes(it)) {
            return "";
        }
        *self = Self::new(self.root);
        tell(Change::Anew);
        characters.as_str()
    }

    /// Takes one character of punctuation, or the first of a value.
    fn mark<'a>(&mut self, rest: &'a str, tell: &mut dyn FnMut(Change<'_>)) -> &'a str {
        let rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        let Some(first) = rest.chars().next() else {
            return rest;
        };
        let after = &rest[first.len_utf8()..];
        match (&self.state, first) {
            (State::Value(shape), _) => return self.value(*shape, first, rest, tell),
            (State::Key, '"') => {
                self.begin(tell);
                self.state = State::KeyText(Collected::string());
            }
            (State::Colon, ':') => {
                let shape = match self.levels.last() {
                    Some(Level::Record { field, .. }) => field.map_or(Shape::Whole, |it| it.1),
                    Some(Level::List { .. }) | None => Shape::Whole,
                };
                self.state = State::Value(shape);
            }
            (State::After, ',') => {
                self.state = match self.levels.last() {
                    Some(Level::Record { .. }) => State::Key,
                    Some(Level::List { .. }) | None => State::Value(Shape::Whole),
                }
            }
            (State::Key | State::After, '}') if self.is_in_record() => self.end(tell),
            (State::After, ']') if !self.is_in_record() => self.end(tell),
            _ => self.lose(),
        }
        after
    }

    /// A value of this shape begins with `first`, where `rest` begins.
    fn value<'a>(
        &mut self,
        shape: Shape,
        first: char,
        rest: &'a str,
        tell: &mut dyn FnMut(Change<'_>),
    ) -> &'a str {
        let after = &rest[first.len_utf8()..];
        match (shape, first) {
            (Shape::Text, '"') => self.state = State::Text(Text::default()),
            (Shape::List, '[') => {
                self.levels.push(Level::List { len: 0 });
                self.state = State::Value(Shape::Whole);
            }
            (Shape::Record(id), '{') => {
                self.levels.push(Level::Record {
                    id,
                    key: String::new(),
                    field: None,
                });
                self.state = State::Key;
            }
            // An empty list, or one with a comma after its last element.
            (Shape::Whole, ']') if matches!(self.levels.last(), Some(Level::List { .. })) => {
                self.end(tell);
                return after;
            }
            // What it is not, such as `null` where a text may be, is handed over when it is whole.
            (Shape::Whole | Shape::List | Shape::Record(_), '"') => {
                self.state = State::Whole(Collected::string());
                return after;
            }
            (Shape::Whole | Shape::Text | Shape::List | Shape::Record(_), _) => {
                match Collected::beginning_with(first) {
                    Some(collected) => self.state = State::Whole(collected),
                    None => self.lose(),
                }
                return rest;
            }
        }
        match (shape, self.levels.len()) {
            // A bracket alone may as well be prose.
            (Shape::Record(_) | Shape::List, 1) => {}
            (Shape::Record(_) | Shape::List | Shape::Text | Shape::Whole, _) => {
                self.name_field(tell);
                self.has_begun = true;
                tell(Change::Begin(shape));
            }
        }
        after
    }

    /// What was read last shows that the value has begun.
    fn begin(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        if !std::mem::replace(&mut self.has_begun, true) {
            tell(Change::Begin(self.root));
        }
    }

    /// Says of which field the value is that begins.
    fn name_field(&self, tell: &mut dyn FnMut(Change<'_>)) {
        // A level that has just been entered is the value itself.
        let entered = match self.state {
            State::Key | State::Value(_) => 1,
            State::Before
            | State::KeyText(_)
            | State::Colon
            | State::After
            | State::Text(_)
            | State::Whole(_)
            | State::Done
            | State::Lost => 0,
        };
        let around = self.levels.len().checked_sub(1 + entered);
        if let Some(Level::Record {
            field: Some((field, _)),
            ..
        }) = around.and_then(|it| self.levels.get(it))
        {
            tell(Change::Field(*field));
        }
    }

    fn text<'a>(&mut self, rest: &'a str, tell: &mut dyn FnMut(Change<'_>)) -> &'a str {
        let State::Text(text) = &mut self.state else {
            return rest;
        };
        match text.take(rest, &mut |piece| tell(Change::Text(piece))) {
            scan::Taken::All => "",
            scan::Taken::Ended(after) => {
                self.has_ended(tell);
                after
            }
            scan::Taken::Broken => {
                self.lose();
                ""
            }
        }
    }

    fn key_text<'a>(&mut self, rest: &'a str, fields: &dyn Fields) -> &'a str {
        let State::KeyText(collected) = &mut self.state else {
            return rest;
        };
        let Some(after) = collected.take(rest) else {
            return "";
        };
        let read: Option<String> = serde_json::from_str(collected.text()).ok();
        match (read, self.levels.last_mut()) {
            (Some(name), Some(Level::Record { id, key, field })) => {
                *field = fields.field(*id, &name);
                *key = name;
                self.state = State::Colon;
            }
            (Some(_) | None, _) => self.lose(),
        }
        after
    }

    fn whole<'a>(&mut self, rest: &'a str, tell: &mut dyn FnMut(Change<'_>)) -> &'a str {
        let State::Whole(collected) = &mut self.state else {
            return rest;
        };
        let Some(after) = collected.take(rest) else {
            return "";
        };
        let State::Whole(collected) = std::mem::replace(&mut self.state, State::After) else {
            return rest;
        };
        let text = collected.text();
        if !is_json(text) {
            return self.prose(text, after);
        }
        self.begin(tell);
        match self.levels.last_mut() {
            Some(Level::List { len }) => {
                *len += 1;
                tell(Change::Element(text));
            }
            Some(Level::Record {
                field: Some((field, _)),
                ..
            }) => {
                tell(Change::Field(*field));
                tell(Change::Whole(text));
            }
            // A key that the record does not have.
            Some(Level::Record { field: None, .. }) => {}
            None => self.state = State::Done,
        }
        after
    }

    /// A word that is no JSON, as in brackets of prose; a mark of a thought may begin with one.
    fn prose<'a>(&mut self, word: &str, after: &'a str) -> &'a str {
        self.lose();
        for character in word.chars() {
            self.thoughts.takes(character);
        }
        after
    }

    fn is_in_record(&self) -> bool {
        matches!(self.levels.last(), Some(Level::Record { .. }))
    }

    /// The innermost record or list is whole.
    fn end(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        self.begin(tell);
        self.levels.pop();
        self.has_ended(tell);
    }

    fn has_ended(&mut self, tell: &mut dyn FnMut(Change<'_>)) {
        self.state = match self.levels.is_empty() {
            true => State::Done,
            false => State::After,
        };
        tell(Change::End);
    }

    /// What has come is no JSON of the shape. Before anything was handed over, the value may begin further on.
    fn lose(&mut self) {
        self.levels.clear();
        self.state = match self.has_begun {
            true => State::Lost,
            false => State::Before,
        };
    }
}

/// Whether what was collected may be JSON. Of strings and what is in brackets the receiver knows.
fn is_json(text: &str) -> bool {
    text.starts_with(['"', '[', '{']) || serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod generated;
#[cfg(test)]
mod tests;
