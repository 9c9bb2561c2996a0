//! Reads what models write instead of JSON: repairs what has one meaning, names each repair, and stops at what has none.
//!
//! The parser begins at a bracket (or inside of a list or object whose bracket is missing) and goes forward only; looking ahead, it
//! reads to the next quote at most. Where it stops, it keeps what it has read, so that one can see what the broken value was meant
//! to be, but that is never an answer.

mod blank;
mod container;
mod string;

use gsw_notation::path::Step;
use gsw_notation::text::shortened;

use super::node::{End, Node};
use super::number;
use super::repair::{RepairKind, Repairs};
use super::strict::MOST_DEPTH;
use super::work::Work;

/// What was read from a bracket on.
#[derive(Debug)]
pub(crate) struct Parsed<'t> {
    pub node: Node<'t>,
    /// Where it ends in the text.
    pub end: usize,
    pub repairs: Repairs,
    /// Why the node is not whole.
    pub flaw: Option<Flaw>,
}

/// A place where the text has no one meaning.
#[derive(Clone, Debug)]
pub(crate) struct Flaw {
    pub steps: Vec<Step<'static>>,
    pub expected: &'static str,
    pub found: String,
}

pub(crate) struct Parser<'t, 'w> {
    text: &'t str,
    at: usize,
    steps: Vec<Step<'t>>,
    /// The closing brackets that are due, the innermost one last.
    due: Vec<u8>,
    repairs: Repairs,
    flaw: Option<Flaw>,
    work: &'w Work,
}

/// What a string or bare text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Key,
    Field,
    Item,
}

/// Reads the list or object that begins at `start`.
pub(crate) fn value<'t>(text: &'t str, start: usize, work: &Work) -> Parsed<'t> {
    let mut parser = Parser::new(text, start, work);
    let node = parser.value(Role::Item);
    parser.finish(node)
}

/// Reads the inside of an object whose opening brace is missing.
pub(crate) fn fields<'t>(text: &'t str, start: usize, work: &Work) -> Parsed<'t> {
    let mut parser = Parser::new(text, start, work);
    parser.repair(RepairKind::MissingStart, || "put in the opening `{`".into());
    let node = parser.object();
    parser.finish(node)
}

/// Reads the inside of a list whose opening bracket is missing.
pub(crate) fn items<'t>(text: &'t str, start: usize, work: &Work) -> Parsed<'t> {
    let mut parser = Parser::new(text, start, work);
    parser.repair(RepairKind::MissingStart, || "put in the opening `[`".into());
    let node = parser.list(b']');
    parser.finish(node)
}

/// Whether a key and a colon follow, after blanks.
pub(crate) fn is_key_ahead(text: &str) -> bool {
    after_key(text).is_some_and(|it| it.starts_with(':'))
}

/// What follows a key and the blanks after it.
fn after_key(text: &str) -> Option<&str> {
    let text = trim_blanks(text);
    let close = match text.chars().next()? {
        it @ ('"' | '\'' | '`' | '”') => it,
        '“' => '”',
        '„' => '“',
        '‘' => '’',
        '«' => '»',
        _ => {
            let end = text.find(|it: char| !is_key_character(it))?;
            return (end > 0).then(|| trim_blanks(&text[end..]));
        }
    };
    let mut is_escaped = false;
    for (at, it) in text.char_indices().skip(1) {
        match it {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if it == close => return Some(trim_blanks(&text[at + it.len_utf8()..])),
            _ => {}
        }
    }
    None
}

/// A text without the blanks that it begins with, those that cannot be seen included.
fn trim_blanks(text: &str) -> &str {
    text.trim_start_matches(is_blank)
}

fn is_blank(it: char) -> bool {
    it.is_whitespace() || matches!(it, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}')
}

/// Whether a key without quotes may hold this.
fn is_key_character(it: char) -> bool {
    it.is_alphanumeric() || matches!(it, '_' | '-' | '$' | '.')
}

impl<'t, 'w> Parser<'t, 'w> {
    fn new(text: &'t str, at: usize, work: &'w Work) -> Self {
        Self {
            text,
            at,
            steps: Vec::new(),
            due: Vec::new(),
            repairs: Repairs::default(),
            flaw: None,
            work,
        }
    }

    fn finish(self, node: Node<'t>) -> Parsed<'t> {
        Parsed {
            node,
            end: self.at,
            repairs: self.repairs,
            flaw: self.flaw,
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The next byte; none at the end of the text, and at the end of a block of code, which ends what is inside of it.
    fn peek(&self) -> Option<u8> {
        let byte = self.text.as_bytes().get(self.at).copied();
        byte.filter(|it| *it != b'`' || !self.rest().starts_with("```"))
    }

    fn skip(&mut self, count: usize) {
        self.at += count;
        self.work.spend(count);
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.skip(usize::from(is_next));
        is_next
    }

    fn repair(&mut self, kind: RepairKind, what: impl FnOnce() -> String) {
        let steps = &self.steps;
        self.repairs.note_at(kind, || owned(steps), what);
    }

    /// Stops: from here on everything only ends.
    fn stop(&mut self, expected: &'static str) {
        if self.flaw.is_some() {
            return;
        }
        let found = match self.rest().chars().next() {
            None => "the end of the answer".into(),
            Some(_) => {
                let rest = self.rest();
                let line = rest.split('\n').next().unwrap_or(rest);
                format!("`{}`", shortened(line.trim_end(), 20))
            }
        };
        self.stop_at(expected, found);
    }

    fn stop_at(&mut self, expected: &'static str, found: String) {
        let steps = owned(&self.steps);
        self.flaw.get_or_insert(Flaw {
            steps,
            expected,
            found,
        });
    }

    fn has_stopped(&self) -> bool {
        self.flaw.is_some()
    }

    fn value(&mut self, role: Role) -> Node<'t> {
        self.work.spend(1);
        if self.work.is_spent() {
            self.stop_at(
                "an answer that can be read",
                "one that takes too long to read".into(),
            );
            return Node::Null;
        }
        match self.peek() {
            Some(b'{') => {
                self.skip(1);
                self.object()
            }
            Some(b'[') => {
                self.skip(1);
                self.list(b']')
            }
            Some(b'(') => {
                self.skip(1);
                self.repair(RepairKind::RoundBrackets, || "read `(…)` as a list".into());
                self.list(b')')
            }
            Some(b',' | b'}' | b']' | b')' | b':') | None => {
                self.stop("a value");
                Node::Null
            }
            Some(_) => match self.quote() {
                Some(quote) => self.texts(quote, role),
                None => self.bare(role),
            },
        }
    }

    /// Goes down into a list or object, unless it is too deep.
    fn enter(&mut self, close: u8) -> bool {
        if self.due.len() == MOST_DEPTH {
            let found = "deeper nesting".into();
            self.stop_at("at most 512 levels", found);
            return false;
        }
        self.due.push(close);
        true
    }

    /// A word or number without quotes; what it means, its schema says.
    fn bare(&mut self, role: Role) -> Node<'t> {
        let rest = self.rest();
        if let Some(length) = number::strict_length(rest.as_bytes())
            && matches!(rest.as_bytes().get(length), Some(b',' | b'}' | b']'))
        {
            self.skip(length);
            return Node::Number(&rest[..length]);
        }
        let length = bare_length(rest);
        let word = rest[..length].trim_end();
        self.skip(length);
        let is_cut = self.at == self.text.len() && word.len() == length;
        match word {
            "true" => return Node::Bool(true),
            "false" => return Node::Bool(false),
            "null" => return Node::Null,
            _ => {}
        }
        if is_cut {
            // The rest of a word or number may be missing, and that could not be seen.
            self.stop_at(
                "the end of a value",
                format!("`{}` at the end of the answer", shortened(word, 20)),
            );
        } else if word.is_empty() || word.contains("...") || word.contains('…') {
            self.at -= length;
            self.stop("a value");
        } else if word.contains(['{', '[', '(', '"']) || (role == Role::Item && word.contains(": "))
        {
            self.at -= length;
            self.stop("a value or quotes around a text");
        } else if number::is_strict(word) {
            return Node::Number(word);
        }
        Node::Bare(word)
    }
}

/// How far a bare text reaches: to a comma, a closing bracket, the end of the line, a comment, or a string after a blank.
fn bare_length(rest: &str) -> usize {
    let mut was_blank = false;
    for (place, it) in rest.char_indices() {
        let is_end = match it {
            ',' | '}' | ']' | ')' | '\n' | ';' => true,
            '/' => {
                was_blank && (rest[place..].starts_with("//") || rest[place..].starts_with("/*"))
            }
            '#' | '"' => was_blank,
            '`' => rest[place..].starts_with("```"),
            _ => false,
        };
        if is_end {
            return place;
        }
        was_blank = it.is_whitespace();
    }
    rest.len()
}

fn owned(steps: &[Step<'_>]) -> Vec<Step<'static>> {
    let owned = |it: &Step<'_>| match it {
        Step::Key(key) => Step::Key(key.to_string().into()),
        Step::Index(index) => Step::Index(*index),
    };
    steps.iter().map(owned).collect()
}

/// An object or list that was not read to its end.
fn broken(end: Option<End>) -> End {
    end.unwrap_or(End::Missing)
}
