//! Lists and objects: their brackets, commas, colons and keys.

use std::borrow::Cow;

use gsw_notation::path::Step;

use super::string::Quote;
use super::{Parser, Role, broken, is_key_ahead, is_key_character};
use crate::answer::node::{End, Node};
use crate::answer::repair::RepairKind;

/// What comes before the current place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    Nothing,
    Part,
    Comma,
}

/// What is between two parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Part,
    Ends(End),
    /// The parser has stopped.
    Stopped,
}

impl<'t> Parser<'t, '_> {
    /// The fields after an opening brace.
    pub(super) fn object(&mut self) -> Node<'t> {
        let mut fields = Vec::new();
        let mut end = None;
        if self.enter(b'}') {
            let mut before = Before::Nothing;
            end = loop {
                match self.next(b'}', before) {
                    Next::Ends(end) => break Some(end),
                    Next::Stopped => break None,
                    Next::Part => {}
                }
                let Some(key) = self.key() else { break None };
                self.blanks();
                self.steps.push(Step::Key(key));
                let value = match self.has_stopped() {
                    false => self.value(Role::Field),
                    true => Node::Null,
                };
                if let Some(Step::Key(key)) = self.steps.pop() {
                    fields.push((key, value));
                }
                if self.has_stopped() {
                    break None;
                }
                before = Before::Part;
            };
            self.due.pop();
        }
        let end = broken(end);
        Node::Object { fields, end }
    }

    /// The items after an opening bracket.
    pub(super) fn list(&mut self, close: u8) -> Node<'t> {
        let mut items = Vec::new();
        let mut end = None;
        if self.enter(close) {
            let mut before = Before::Nothing;
            end = loop {
                match self.next(close, before) {
                    Next::Ends(end) => break Some(end),
                    Next::Stopped => break None,
                    Next::Part => {}
                }
                self.steps.push(Step::Index(items.len()));
                let item = self.value(Role::Item);
                self.steps.pop();
                items.push(item);
                if self.has_stopped() {
                    break None;
                }
                before = Before::Part;
            };
            self.due.pop();
        }
        let end = broken(end);
        Node::List { items, end }
    }

    /// Moves to the next part, or past the end.
    fn next(&mut self, close: u8, mut before: Before) -> Next {
        loop {
            self.blanks();
            if self.has_stopped() {
                return Next::Stopped;
            }
            match self.peek() {
                None => return self.cut(close, before),
                Some(it @ (b'}' | b']' | b')')) => {
                    let is_own = it == close;
                    // What the bracket around this ends, ends this as well.
                    let is_outer = !is_own && self.due.contains(&it);
                    if (is_own || is_outer) && before == Before::Comma {
                        self.repair(RepairKind::TrailingComma, || {
                            "left out a trailing comma".into()
                        });
                    }
                    if is_own {
                        self.skip(1);
                        return Next::Ends(End::Closed);
                    }
                    if is_outer {
                        return self.missing_end(close);
                    }
                    self.skip(1);
                    self.repair(RepairKind::ExtraBracket, || {
                        format!("left out a `{}` too many", char::from(it))
                    });
                }
                Some(b',') => {
                    self.skip(1);
                    if before != Before::Part {
                        // In a list an item may be missing there; in an object the check knows what is.
                        if close != b'}' {
                            self.stop_at("an item", "a comma without one before it".into());
                            return Next::Stopped;
                        }
                        self.repair(RepairKind::ExtraComma, || {
                            "left out a comma too many".into()
                        });
                    }
                    before = Before::Comma;
                }
                Some(b';') if before == Before::Part => {
                    self.skip(1);
                    self.repair(RepairKind::Semicolon, || {
                        "read a semicolon as a comma".into()
                    });
                    before = Before::Comma;
                }
                Some(_) if before == Before::Part => return self.without_comma(close),
                Some(_) => return Next::Part,
            }
        }
    }

    fn missing_end(&mut self, close: u8) -> Next {
        self.repair(RepairKind::MissingEnd, || {
            format!("put in the missing `{}`", char::from(close))
        });
        Next::Ends(End::Missing)
    }

    /// The text ended inside a container.
    fn cut(&mut self, close: u8, before: Before) -> Next {
        // Of what has no part at all, or a comma at its end, more was to come.
        if before != Before::Part {
            self.stop("what follows a comma or an opening bracket");
            return Next::Stopped;
        }
        self.missing_end(close)
    }

    /// After a part without a comma: another one, if something like a part begins.
    fn without_comma(&mut self, close: u8) -> Next {
        let begins = if close == b'}' {
            is_key_ahead(self.rest())
        } else {
            let begins = |it: char| it.is_alphanumeric() || "{[(\"'`“‘„-_".contains(it);
            self.rest().starts_with(begins)
        };
        if !begins {
            self.stop("a comma or a closing bracket");
            return Next::Stopped;
        }
        self.repair(RepairKind::MissingComma, || "put in a missing comma".into());
        Next::Part
    }

    /// A key with its colon.
    fn key(&mut self) -> Option<Cow<'t, str>> {
        let quote = self.quote();
        let key = match quote {
            Some(quote) => self.string(quote, Role::Key),
            None => {
                let rest = self.rest();
                let length = rest
                    .find(|it: char| !is_key_character(it))
                    .unwrap_or(rest.len());
                if length == 0 {
                    self.stop("a key");
                    return None;
                }
                self.skip(length);
                Cow::Borrowed(&rest[..length])
            }
        };
        if self.has_stopped() {
            return None;
        }
        self.steps.push(Step::Key(key.clone()));
        if quote.is_none() {
            self.repair(RepairKind::UnquotedKey, || "put the key in quotes".into());
        }
        self.blanks();
        self.colon(quote);
        self.steps.pop();
        (!self.has_stopped()).then_some(key)
    }

    /// After a key that may be in quotes.
    fn colon(&mut self, quote: Option<Quote>) {
        if self.take(b':') {
            return;
        }
        let rest = self.rest();
        let odd = ["=>", "->", "="]
            .into_iter()
            .find(|it| rest.starts_with(it));
        if let Some(odd) = odd {
            self.skip(odd.len());
            self.repair(RepairKind::OddColon, || format!("read `{odd}` as a colon"));
            return;
        }
        // A hyphen may be the sign of a number or stand for the colon.
        let begins = |it: char| it.is_alphanumeric() || "{[\"'".contains(it);
        if quote.is_some() && rest.starts_with(begins) {
            self.repair(RepairKind::MissingColon, || "put in a missing colon".into());
            return;
        }
        self.stop("a colon after a key");
    }
}
