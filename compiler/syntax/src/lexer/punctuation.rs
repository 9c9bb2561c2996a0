//! Operators, brackets and characters that mean nothing.

use crate::lexer::{Lexer, LexicalErrorKind, name};
use crate::token::{LineStart, TokenKind, Value};

/// Signs of print, as an editor of texts puts them in, and what they stand for.
const SIGNS: [(char, TokenKind, &str); 10] = [
    ('≤', TokenKind::LessEqual, "<="),
    ('≥', TokenKind::GreaterEqual, ">="),
    ('≠', TokenKind::BangEqual, "!="),
    ('–', TokenKind::Minus, "-"),
    ('—', TokenKind::Minus, "-"),
    ('−', TokenKind::Minus, "-"),
    ('×', TokenKind::Star, "*"),
    ('÷', TokenKind::Slash, "/"),
    ('→', TokenKind::Arrow, "->"),
    ('⇒', TokenKind::FatArrow, "=>"),
];

impl Lexer<'_> {
    /// Reads the operator or bracket at the current position.
    pub(super) fn punctuation(&mut self) {
        let start = self.position;
        let rest = &self.bytes[start..];
        if rest.starts_with(b"||") && self.is_default() {
            return self.foreign(2, TokenKind::QuestionQuestion, "??");
        }
        if rest.starts_with(b"||") {
            return self.foreign(2, TokenKind::Or, "or");
        }
        if self.is_dash_comment() {
            return self.skip_line(2);
        }
        if rest.starts_with(b"&&") {
            return self.foreign(2, TokenKind::And, "and");
        }
        if let Some((kind, length)) = three(rest).or_else(|| two(rest)).or_else(|| one(rest)) {
            self.position += length;
            if kind == TokenKind::BraceClose && self.closes_interpolation() {
                self.push(TokenKind::InterpolationClose, start);
                self.continue_string();
            } else {
                self.count_bracket(kind);
                self.push(kind, start);
            }
            return;
        }
        match rest {
            [b'\'', b'\'', b'\'', ..] => self.foreign_quotes("'''", "'''"),
            [b'\'', ..] => self.foreign_quotes("'", "'"),
            [b'`', ..] => self.foreign_quotes("`", "`"),
            [b'#', b'"', ..] if self.is_unmarked_raw_string() => self.unmarked_raw_string(),
            [b'#', b'[', ..] if self.line_start != LineStart::Inside => self.foreign_attribute(),
            [b'#', ..] if self.is_hash_comment() => self.skip_line(1),
            _ => match self.text[start..].chars().next() {
                Some('“') => self.foreign_quotes("“", "”"),
                Some('‘') => self.foreign_quotes("‘", "’"),
                first => match SIGNS.iter().find(|it| first == Some(it.0)) {
                    Some((sign, kind, ours)) => self.foreign(sign.len_utf8(), *kind, ours),
                    None => self.unknown_characters(),
                },
            },
        }
    }

    /// Reads an operator of other languages as ours.
    fn foreign(&mut self, length: usize, kind: TokenKind, ours: &'static str) {
        let start = self.position;
        self.position += length;
        self.report(LexicalErrorKind::ForeignOperator(ours), start);
        self.push(kind, start);
    }

    /// Skips a comment of another language.
    pub(super) fn foreign_comment(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let length = rest.find("*/").map_or(2, |length| length + 2);
        self.position += length;
        self.report_at(LexicalErrorKind::ForeignBlockComment, start, start + 2);
    }

    /// Skips `#[derive(Debug)]`, up to the end of its line where it has no other.
    fn foreign_attribute(&mut self) {
        let start = self.position;
        let line = self.text[start..].split('\n').next().unwrap_or("");
        let length = line.rfind(']').map_or(line.len(), |length| length + 1);
        self.position += length;
        self.report(LexicalErrorKind::ForeignAttribute, start);
    }

    /// Whether the `#` here seems to start a comment: brackets that close after it on its line belong to the code.
    fn is_hash_comment(&self) -> bool {
        let line = self.text[self.position..].split('\n').next().unwrap_or("");
        let is_first = self.line_start != LineStart::Inside;
        self.frames.is_empty() && (is_first || !line.contains(['}', ')', ']']))
    }

    /// Whether a comment of another language starts here: `-- such a line`.
    fn is_dash_comment(&self) -> bool {
        let rest = &self.bytes[self.position..];
        let is_first = self.line_start != LineStart::Inside && self.frames.is_empty();
        let text = rest.strip_prefix(b"-- ").filter(|_| is_first);
        text.and_then(<[u8]>::first)
            .is_some_and(u8::is_ascii_alphabetic)
    }

    /// Skips a comment to the end of its line; the sign that starts it is this many bytes long.
    fn skip_line(&mut self, sign: usize) {
        let start = self.position;
        let rest = &self.bytes[start..];
        let line = rest.iter().position(|byte| *byte == b'\n');
        self.position += line.unwrap_or(rest.len());
        self.report_at(LexicalErrorKind::ForeignLineComment, start, start + sign);
    }

    /// Whether the `||` here precedes what is used instead of nothing, a plain value that ends the expression, and not
    /// between conditions.
    fn is_default(&self) -> bool {
        let rest = &self.text[self.position + 2..];
        let line = rest.split('\n').next().unwrap_or("").trim_start();
        let Some(after) = after_plain_value(line) else {
            return false;
        };
        let is_last = after.is_empty() || after.starts_with([')', '}', ']', ',', ';', '|']);
        let before = self.lexed.tokens.iter().rev();
        let mut operand =
            before.take_while(|it| it.kind != TokenKind::Equal && !it.kind.is_opener());
        let is_condition = operand.any(|it| {
            let of_conditions = [
                TokenKind::EqualEqual,
                TokenKind::BangEqual,
                TokenKind::Less,
                TokenKind::LessEqual,
                TokenKind::Greater,
                TokenKind::GreaterEqual,
                TokenKind::And,
                TokenKind::Or,
                TokenKind::Not,
                TokenKind::In,
            ];
            of_conditions.contains(&it.kind)
        });
        is_last && !is_condition
    }

    /// Reads a string in quotes of another language as one of ours; a quote without partner on its line is skipped.
    fn foreign_quotes(&mut self, open: &str, close: &str) {
        let start = self.position;
        let inside_start = start + open.len();
        let line = self.text[inside_start..].split('\n').next().unwrap_or("");
        let Some(length) = line.find(close) else {
            self.position = inside_start;
            self.report(LexicalErrorKind::ForeignQuotes(None), start);
            return;
        };
        self.position = inside_start + length + close.len();
        let inside = &line[..length];
        let is_meant = open == "`" || !inside.contains('$');
        let is_plain = is_meant && !inside.contains(['\\', '"']);
        let mended = is_plain.then(|| format!("\"{inside}\""));
        let text = name(inside);
        self.report(LexicalErrorKind::ForeignQuotes(mended), start);
        self.push_value(TokenKind::String, start, Value::Text(text));
    }

    /// Skips a run of characters that start no token, with one report.
    fn unknown_characters(&mut self) {
        let start = self.position;
        let mut characters = self.text[start..].chars();
        let Some(first) = characters.next() else {
            return;
        };
        self.position += first.len_utf8();
        for character in characters {
            // Unusual blanks and other characters are reported apart.
            if character.is_whitespace() != first.is_whitespace() {
                break;
            }
            if character.is_ascii()
                && !matches!(character, '#' | '$' | '&' | '\\' | '^' | '`' | '~')
            {
                break;
            }
            self.position += character.len_utf8();
        }
        self.report(LexicalErrorKind::UnknownCharacter(first), start);
    }
}

/// What follows the text, number or empty list that a line begins with.
fn after_plain_value(line: &str) -> Option<&str> {
    let after = if let Some(text) = line.strip_prefix('"') {
        text.split_once('"')?.1
    } else if line.starts_with(|it: char| it.is_ascii_digit()) {
        line.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_'))
    } else {
        line.strip_prefix("[]")
            .or_else(|| line.strip_prefix("{}"))?
    };
    Some(after.trim_start())
}

fn three(rest: &[u8]) -> Option<(TokenKind, usize)> {
    rest.starts_with(b"..=")
        .then_some((TokenKind::DotDotEqual, 3))
}

fn two(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let kind = match rest.get(..2)? {
        b"?." => TokenKind::QuestionDot,
        b".." => TokenKind::DotDot,
        b"??" => TokenKind::QuestionQuestion,
        b"==" => TokenKind::EqualEqual,
        b"!=" => TokenKind::BangEqual,
        b"=>" => TokenKind::FatArrow,
        b"->" => TokenKind::Arrow,
        b"+=" => TokenKind::PlusEqual,
        b"-=" => TokenKind::MinusEqual,
        b"*=" => TokenKind::StarEqual,
        b"/=" => TokenKind::SlashEqual,
        b"%=" => TokenKind::PercentEqual,
        b"<=" => TokenKind::LessEqual,
        b">=" => TokenKind::GreaterEqual,
        _ => return None,
    };
    Some((kind, 2))
}

fn one(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let kind = match rest.first()? {
        b'(' => TokenKind::ParenOpen,
        b')' => TokenKind::ParenClose,
        b'[' => TokenKind::BracketOpen,
        b']' => TokenKind::BracketClose,
        b'{' => TokenKind::BraceOpen,
        b'}' => TokenKind::BraceClose,
        b',' => TokenKind::Comma,
        b';' => TokenKind::Semicolon,
        b':' => TokenKind::Colon,
        b'.' => TokenKind::Dot,
        b'?' => TokenKind::Question,
        b'!' => TokenKind::Bang,
        b'=' => TokenKind::Equal,
        b'+' => TokenKind::Plus,
        b'-' => TokenKind::Minus,
        b'*' => TokenKind::Star,
        b'/' => TokenKind::Slash,
        b'%' => TokenKind::Percent,
        b'<' => TokenKind::Less,
        b'>' => TokenKind::Greater,
        b'|' => TokenKind::Pipe,
        b'@' => TokenKind::At,
        _ => return None,
    };
    Some((kind, 1))
}
