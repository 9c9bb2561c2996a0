//! From text to tokens. Comments, doc comments, values and lexical errors are put aside.

mod block_string;
mod error;
mod number;
mod punctuation;
mod string;

pub use error::{LexicalError, LexicalErrorKind, number_too_large};

use gsw_source::{Name, Span};
use rustc_hash::FxHashMap;

use crate::token::{LineStart, Token, TokenKind, Value, Word};
use crate::trivia::{Comment, CommentKind, CommentPosition, DocComment};

/// Everything that the lexer finds in a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lexed {
    /// The tokens, without line breaks.
    pub tokens: Vec<Token>,
    /// What literal tokens stand for.
    pub values: Vec<Value>,
    /// Doc comments by the first byte of the token after them.
    pub docs: FxHashMap<u32, DocComment>,
    /// The `//!` lines, joined.
    pub module_docs: Option<String>,
    pub comments: Vec<Comment>,
    /// What is wrong with the text.
    pub errors: Vec<LexicalError>,
}

/// Cuts `text` into tokens. Never fails: wrong text becomes errors and is left out or read as what it resembles.
#[must_use]
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        position: 0,
        line_start: LineStart::Margin,
        pending_docs: None,
        frames: Vec::new(),
        has_raw_ends: true,
        lexed: Lexed::default(),
    };
    lexer.lexed.tokens.reserve(text.len() / 4);
    if text.starts_with('\u{feff}') {
        lexer.position = '\u{feff}'.len_utf8();
    }
    lexer.run();
    lexer.lexed
}

/// Whether `text` is a name and nothing besides: no reserved word, and no blank around it.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let Lexed { tokens, errors, .. } = lex(text);
    let is_whole = |it: Span| it.start == 0 && it.end as usize == text.len();
    let is_word = matches!(tokens.as_slice(), [only] if only.kind == TokenKind::Identifier && is_whole(only.span));
    is_word && errors.is_empty()
}

/// The state of one pass over a file.
pub(crate) struct Lexer<'text> {
    pub(crate) text: &'text str,
    pub(crate) bytes: &'text [u8],
    pub(crate) position: usize,
    pub(crate) line_start: LineStart,
    pending_docs: Option<DocComment>,
    /// Strings whose interpolation is being read, outermost first.
    pub(crate) frames: Vec<string::Frame>,
    /// Whether the end of a raw string may be ahead: where there was none, none is looked for again.
    has_raw_ends: bool,
    pub(crate) lexed: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'/' if self.peek(1) == Some(b'*') => self.foreign_comment(),
                b'\n' => self.line_break(),
                b' ' | b'\t' | b'\r' => {
                    self.position += 1;
                    if self.line_start == LineStart::Margin {
                        self.line_start = LineStart::Indented;
                    }
                }
                b'/' if self.peek(1) == Some(b'/') => self.comment(),
                b'"' => self.string(),
                b'r' if self.is_raw_string() => self.raw_string(),
                b'0'..=b'9' => self.number(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
                _ => self.punctuation(),
            }
        }
        self.close_frames();
    }

    /// The byte `ahead` bytes after the current one.
    pub(crate) fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.position + ahead).copied()
    }

    /// Adds a token that reaches from `start` to the current position.
    pub(crate) fn push(&mut self, kind: TokenKind, start: usize) {
        self.push_token(kind, Word::Other, start, 0);
    }

    /// Adds a literal token with its value.
    pub(crate) fn push_value(&mut self, kind: TokenKind, start: usize, value: Value) {
        let index = offset(self.lexed.values.len());
        self.lexed.values.push(value);
        self.push_token(kind, Word::Other, start, index);
    }

    fn push_token(&mut self, kind: TokenKind, word: Word, start: usize, value: u32) {
        if let Some(docs) = self.pending_docs.take() {
            self.lexed.docs.insert(offset(start), docs);
        }
        self.lexed.tokens.push(Token {
            kind,
            word,
            line_start: self.line_start,
            value,
            span: span(start, self.position),
        });
        self.line_start = LineStart::Inside;
    }

    /// Notes that the bytes from `start` to the current position are wrong.
    pub(crate) fn report(&mut self, kind: LexicalErrorKind, start: usize) {
        self.report_at(kind, start, self.position);
    }

    /// Notes that the bytes `start..end` are wrong.
    pub(crate) fn report_at(&mut self, kind: LexicalErrorKind, start: usize, end: usize) {
        self.lexed.errors.push(LexicalError {
            kind,
            span: span(start, end),
        });
    }

    fn line_break(&mut self) {
        if self.interpolation_ends_with_line() {
            self.unterminated_interpolation();
        }
        self.line_start = LineStart::Margin;
        self.position += 1;
    }

    fn word(&mut self) {
        let start = self.position;
        while matches!(
            self.peek(0),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')
        ) {
            self.position += 1;
        }
        let text = &self.text[start..self.position];
        if text.len() > LONGEST_NAME {
            self.report(LexicalErrorKind::LongName, start);
        }
        if text == "_" {
            self.push(TokenKind::Underscore, start);
        } else if let Some(keyword) = TokenKind::keyword(text) {
            self.push(keyword, start);
        } else {
            let word = Word::classify(text);
            self.push_token(TokenKind::Identifier, word, start, 0);
        }
    }

    fn comment(&mut self) {
        let start = self.position;
        let end = self.bytes[start..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(self.bytes.len(), |length| start + length);
        let line = self.text[start..end].trim_end_matches('\r');
        self.position = end;
        let kind = match line.as_bytes() {
            [_, _, b'!', ..] => CommentKind::ModuleDoc,
            [_, _, b'/', b'/', ..] => CommentKind::Plain,
            [_, _, b'/', ..] => CommentKind::Doc,
            _ => CommentKind::Plain,
        };
        match kind {
            CommentKind::Plain => {}
            CommentKind::Doc => {
                let text = doc_text(line);
                match &mut self.pending_docs {
                    Some(docs) => add_line(&mut docs.text, text),
                    None => {
                        self.pending_docs = Some(DocComment {
                            start: offset(start),
                            text: text.to_owned(),
                        });
                    }
                }
            }
            CommentKind::ModuleDoc => {
                let text = doc_text(line);
                match &mut self.lexed.module_docs {
                    Some(docs) => add_line(docs, text),
                    None => self.lexed.module_docs = Some(text.to_owned()),
                }
            }
        }
        let position = match self.line_start {
            LineStart::Inside => CommentPosition::Trailing,
            LineStart::Indented | LineStart::Margin => CommentPosition::OwnLine,
        };
        self.lexed.comments.push(Comment {
            span: span(start, start + line.len()),
            kind,
            position,
        });
    }
}

/// The longest name, in bytes.
const LONGEST_NAME: usize = 200;

/// A doc line without its three leading characters and one space.
fn doc_text(line: &str) -> &str {
    let text = &line[3..];
    text.strip_prefix(' ').unwrap_or(text)
}

fn add_line(text: &mut String, line: &str) {
    text.push('\n');
    text.push_str(line);
}

/// A byte offset as spans keep it; longer texts than 4 GiB are refused where files are read.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// The span of the bytes `start..end`.
pub(crate) fn span(start: usize, end: usize) -> Span {
    Span::new(offset(start), offset(end))
}

/// A name or text as the tree keeps it.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text)
}
