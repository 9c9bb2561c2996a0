//! Strings: one-line, block and raw, with interpolations flattened into the token stream.
//!
//! A string without `${` is one `String` token. Otherwise it is `StringOpen`, then `StringText` and
//! `InterpolationOpen … InterpolationClose` in any number, then `StringClose`.

use crate::lexer::block_string::Layout;
use crate::lexer::{Lexer, LexicalErrorKind, name};
use crate::token::{TokenKind, Value, Word};

/// A string that is being read.
pub(crate) struct Frame {
    style: Style,
    /// Where its opening quotes start.
    start: usize,
    /// The index of its `StringOpen` token.
    open: usize,
    /// Its pieces of text, in order, with the token that stands for each.
    pieces: Vec<Piece>,
    /// Braces that are open inside the current interpolation.
    braces: u32,
    /// Round and square brackets that are open inside the current interpolation.
    brackets: u32,
}

/// Text between quotes and interpolations.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    token: usize,
}

/// How a string is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Line,
    Block,
}

impl Lexer<'_> {
    /// Reads the string at the current position, up to its end or its first interpolation.
    pub(super) fn string(&mut self) {
        let start = self.position;
        let style = if self.bytes[start..].starts_with(b"\"\"\"") {
            Style::Block
        } else {
            Style::Line
        };
        self.position += style.quotes().len();
        self.push(TokenKind::StringOpen, start);
        self.frames.push(Frame {
            style,
            start,
            open: self.lexed.tokens.len() - 1,
            pieces: Vec::new(),
            braces: 0,
            brackets: 0,
        });
        self.continue_string();
    }

    /// Reads text until the string ends or an interpolation starts.
    pub(super) fn continue_string(&mut self) {
        let Some(style) = self.frames.last().map(|frame| frame.style) else {
            return;
        };
        let start = self.position;
        loop {
            let rest = &self.bytes[self.position..];
            match rest {
                [] => return self.unterminated(start),
                [b'\n', ..] if style == Style::Line => return self.unterminated(start),
                [b'\\', b'\n', ..] if style == Style::Line => self.position += 1,
                [b'\\', _, ..] => self.position += 2,
                [b'$', b'{', ..] => {
                    self.push_piece(start);
                    let open = self.position;
                    self.position += 2;
                    return self.push(TokenKind::InterpolationOpen, open);
                }
                _ if rest.starts_with(style.quotes()) => return self.end_string(start),
                _ => self.position += 1,
            }
        }
    }

    /// Whether a `}` here ends the innermost interpolation.
    pub(super) fn closes_interpolation(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.braces == 0)
    }

    /// Keeps count of the brackets inside the innermost interpolation.
    pub(super) fn count_bracket(&mut self, kind: TokenKind) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let is_closer = kind.is_closer();
        let Some(closer) = kind.closer().or(is_closer.then_some(kind)) else {
            return;
        };
        let open = if closer == TokenKind::BraceClose {
            &mut frame.braces
        } else {
            &mut frame.brackets
        };
        *open = if is_closer {
            open.saturating_sub(1)
        } else {
            *open + 1
        };
    }

    /// Whether a line break here is inside `"${…`, with no bracket open that could explain it.
    pub(super) fn interpolation_ends_with_line(&self) -> bool {
        self.frames.last().is_some_and(|frame| {
            frame.style == Style::Line && frame.braces == 0 && frame.brackets == 0
        })
    }

    /// Ends the innermost string, whose interpolation is not closed.
    pub(super) fn unterminated_interpolation(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.report(LexicalErrorKind::UnterminatedString, frame.start);
        self.push(TokenKind::InterpolationClose, self.position);
        self.push(TokenKind::StringClose, self.position);
        self.give_texts(&frame);
    }

    /// Ends every string that the end of the file leaves open, with one report.
    pub(super) fn close_frames(&mut self) {
        if let Some(outermost) = self.frames.first() {
            let start = outermost.start;
            self.report_at(LexicalErrorKind::UnterminatedString, start, start + 1);
        }
        while let Some(frame) = self.frames.pop() {
            self.push(TokenKind::InterpolationClose, self.position);
            self.push(TokenKind::StringClose, self.position);
            self.give_texts(&frame);
        }
    }

    /// Whether `r"` or `r#"` is here.
    pub(super) fn is_raw_string(&self) -> bool {
        let hashes = self.bytes[self.position + 1..]
            .iter()
            .take_while(|byte| **byte == b'#')
            .count();
        self.peek(1 + hashes) == Some(b'"')
    }

    /// Reads `r"…"` or `r#"…"#`; only the latter may span lines.
    pub(super) fn raw_string(&mut self) {
        let start = self.position;
        let hashes = self.bytes[start + 1..]
            .iter()
            .take_while(|byte| **byte == b'#')
            .count();
        let content = start + hashes + 2;
        let closing = format!("\"{}", "#".repeat(hashes));
        let rest = &self.text[content..];
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let found = rest
            .find(&closing)
            .filter(|length| hashes > 0 || *length < line_end);
        if let Some(length) = found {
            self.position = content + length + closing.len();
            let text = name(&rest[..length].replace("\r\n", "\n"));
            self.push_value(TokenKind::String, start, Value::Text(text));
        } else {
            self.position = content + line_end;
            self.report(LexicalErrorKind::UnterminatedString, start);
            self.push_value(
                TokenKind::String,
                start,
                Value::Text(name(&rest[..line_end])),
            );
        }
    }

    /// Whether the `#"` here begins a raw string that lacks its `r`: it has an end.
    pub(super) fn is_unmarked_raw_string(&mut self) -> bool {
        if !self.has_raw_ends || !self.frames.is_empty() {
            return false;
        }
        self.has_raw_ends = self.text[self.position + 2..].contains("\"#");
        self.has_raw_ends
    }

    /// Reads `#"…"#` as `r#"…"#`. After `prompt`, where no string may stand, the grammar reports the whole form.
    pub(super) fn unmarked_raw_string(&mut self) {
        let (start, content) = (self.position, self.position + 2);
        let rest = &self.text[content..];
        let length = rest.find("\"#").unwrap_or(rest.len());
        let text = name(&rest[..length].replace("\r\n", "\n"));
        self.position = (content + length + 2).min(self.text.len());
        let before = self.lexed.tokens.last();
        if before.is_none_or(|it| it.word != Word::Prompt) {
            self.report_at(LexicalErrorKind::RawWithoutMark, start, start + 1);
        }
        self.push_value(TokenKind::String, start, Value::Text(text));
    }

    /// Keeps the text from `start` to the current position as a piece of the innermost string.
    fn push_piece(&mut self, start: usize) {
        self.push(TokenKind::StringText, start);
        let token = self.lexed.tokens.len() - 1;
        let end = self.position;
        if let Some(frame) = self.frames.last_mut() {
            frame.pieces.push(Piece { start, end, token });
        }
    }

    /// Ends the innermost string at its closing quotes.
    fn end_string(&mut self, start: usize) {
        self.push_piece(start);
        let close = self.position;
        let Some(frame) = self.frames.pop() else {
            return;
        };
        self.position += frame.style.quotes().len();
        self.push(TokenKind::StringClose, close);
        self.give_texts(&frame);
    }

    /// Ends the innermost string at the end of its first line, for want of closing quotes.
    ///
    /// A block string without end would swallow the rest of the file; what follows its first line is read as code
    /// again, so that the declarations after it are still found.
    fn unterminated(&mut self, start: usize) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let opening = frame.start;
        if frame.style == Style::Block {
            let line = self.bytes[start..].iter().position(|byte| *byte == b'\n');
            self.position = line.map_or(self.bytes.len(), |length| start + length);
        }
        let end = match frame.style {
            Style::Line => self.position,
            Style::Block => opening + Style::Block.quotes().len(),
        };
        self.push_piece(start);
        let Some(frame) = self.frames.pop() else {
            return;
        };
        // Where the line also ends the string around this one, that one is what lacks its quotes.
        if !self.interpolation_ends_with_line() {
            self.report_at(LexicalErrorKind::UnterminatedString, opening, end);
        }
        self.push(TokenKind::StringClose, self.position);
        self.give_texts(&frame);
    }

    /// Gives the text tokens of a finished string their values, and makes one token of it when it is all text.
    fn give_texts(&mut self, frame: &Frame) {
        let layout = match frame.style {
            Style::Line => Layout::line(),
            Style::Block => Layout::block(self.bytes, &frame.pieces),
        };
        for (index, piece) in frame.pieces.iter().enumerate() {
            let text = self.unescape(layout.piece(index, *piece), layout.indentation());
            let value = self.lexed.values.len();
            self.lexed.values.push(Value::Text(text));
            self.lexed.tokens[piece.token].value = crate::lexer::offset(value);
        }
        if self.lexed.tokens.len() == frame.open + 3 && frame.pieces.len() == 1 {
            let end = self.lexed.tokens[frame.open + 2].span.end;
            let value = self.lexed.tokens[frame.open + 1].value;
            self.lexed.tokens.truncate(frame.open + 1);
            let token = &mut self.lexed.tokens[frame.open];
            token.kind = TokenKind::String;
            token.value = value;
            token.span.end = end;
        }
    }
}

impl Style {
    fn quotes(self) -> &'static [u8] {
        match self {
            Self::Line => b"\"",
            Self::Block => b"\"\"\"",
        }
    }
}
