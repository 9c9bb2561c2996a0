//! The text of strings: the indentation of blocks is taken out first, then escapes are read.

use gsw_source::Name;

use crate::lexer::string::Piece;
use crate::lexer::{Lexer, LexicalErrorKind};

/// What is cut off the pieces of a string before its escapes are read.
pub(super) struct Layout {
    /// Bytes that every line after the first loses.
    indentation: usize,
    /// Bytes that the first piece loses at its start.
    leading: usize,
    /// Bytes that the last piece loses at its end.
    trailing: usize,
    /// How many pieces there are.
    count: usize,
}

/// A range of source bytes that is text.
#[derive(Clone, Copy)]
pub(super) struct Text {
    start: usize,
    end: usize,
    /// Whether it starts where a line does, so that indentation is cut there.
    at_line_start: bool,
}

impl Layout {
    pub(super) const fn line() -> Self {
        Self {
            indentation: 0,
            leading: 0,
            trailing: 0,
            count: 0,
        }
    }

    /// The common indentation and the outer line breaks are cut.
    pub(super) fn block(bytes: &[u8], pieces: &[Piece]) -> Self {
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return Self::line();
        };
        let first_text = &bytes[first.start..first.end];
        let leading = first_text
            .iter()
            .position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
            .filter(|index| first_text[*index] == b'\n')
            .map_or(0, |index| index + 1);
        let last_text = &bytes[last.start..last.end];
        let trailing = last_text
            .iter()
            .rposition(|byte| !matches!(byte, b' ' | b'\t'))
            .filter(|index| last_text[*index] == b'\n')
            .map_or(0, |index| {
                let has_return = index > 0 && last_text[index - 1] == b'\r';
                last_text.len() - index + usize::from(has_return)
            });
        Self {
            indentation: common_indentation(bytes, pieces),
            leading,
            trailing,
            count: pieces.len(),
        }
    }

    /// Bytes that every line after the first loses.
    pub(super) const fn indentation(&self) -> usize {
        self.indentation
    }

    /// What is left of the piece at `index`.
    pub(super) fn piece(&self, index: usize, piece: Piece) -> Text {
        let is_first = index == 0;
        let is_last = index + 1 == self.count;
        let leading = if is_first { self.leading } else { 0 };
        let trailing = if is_last { self.trailing } else { 0 };
        let end = piece.end.saturating_sub(trailing);
        Text {
            start: (piece.start + leading).min(end.max(piece.start)),
            end: end.max(piece.start),
            at_line_start: leading > 0,
        }
    }
}

/// The longest indentation that all non-blank lines after the first share; a blank closing line counts.
fn common_indentation(bytes: &[u8], pieces: &[Piece]) -> usize {
    let mut common: Option<&[u8]> = None;
    for (index, piece) in pieces.iter().enumerate() {
        let mut line = piece.start;
        while let Some(length) = bytes[line..piece.end]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            line += length + 1;
            let blanks = bytes[line..piece.end]
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t'))
                .count();
            let after = line + blanks;
            let is_blank = after < piece.end && matches!(bytes[after], b'\n' | b'\r');
            let is_closing = after == piece.end && index + 1 == pieces.len();
            if is_blank && !is_closing {
                continue;
            }
            let indentation = &bytes[line..after];
            let shared = common.map_or(indentation.len(), |common| {
                common
                    .iter()
                    .zip(indentation)
                    .take_while(|(a, b)| a == b)
                    .count()
            });
            common = Some(&indentation[..shared]);
        }
    }
    common.map_or(0, <[u8]>::len)
}

impl Lexer<'_> {
    /// The text of a piece without indentation and escapes.
    pub(super) fn unescape(&mut self, text: Text, indentation: usize) -> Name {
        let source = self.text;
        let plain = &source[text.start..text.end];
        if !text.at_line_start && !plain.contains(['\\', '\n']) {
            return Name::new(plain);
        }
        let mut result = String::with_capacity(plain.len());
        let mut position = text.start;
        if text.at_line_start {
            position += self.blanks(position, text.end, indentation);
        }
        while position < text.end {
            let rest = &source[position..text.end];
            let Some(character) = rest.chars().next() else {
                break;
            };
            match character {
                '\\' => position += self.escape(position, text.end, &mut result),
                '\r' if rest.starts_with("\r\n") => position += 1,
                '\n' => {
                    result.push('\n');
                    position += 1;
                    position += self.blanks(position, text.end, indentation);
                }
                _ => {
                    result.push(character);
                    position += character.len_utf8();
                }
            }
        }
        Name::from(result)
    }

    /// How many blanks, at most `limit`, are at `position`.
    fn blanks(&self, position: usize, end: usize, limit: usize) -> usize {
        self.bytes[position..end]
            .iter()
            .take(limit)
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    }

    /// Reads the escape at `position` into `result` and returns its length.
    fn escape(&mut self, position: usize, end: usize, result: &mut String) -> usize {
        let source = self.text;
        let rest = &source[position + 1..end];
        let Some(character) = rest.chars().next() else {
            self.report_at(LexicalErrorKind::UnknownEscape, position, end);
            return 1;
        };
        let plain = match character {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '\\' | '"' | '$' => character,
            'u' => return self.unicode_escape(position, rest, result),
            _ => {
                let length = 1 + character.len_utf8();
                self.report_at(LexicalErrorKind::UnknownEscape, position, position + length);
                return length;
            }
        };
        result.push(plain);
        2
    }

    /// Reads `u{1F600}` after a backslash at `position` and returns the length of the whole escape.
    fn unicode_escape(&mut self, position: usize, rest: &str, result: &mut String) -> usize {
        let digits = rest
            .strip_prefix("u{")
            .and_then(|digits| digits.split_once('}'))
            .map(|(digits, _)| digits)
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(digits) = digits else {
            self.report_at(LexicalErrorKind::NoSuchCharacter, position, position + 2);
            return 2;
        };
        let length = digits.len() + 4;
        let value = (1..=6)
            .contains(&digits.len())
            .then(|| {
                u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
            })
            .flatten();
        match value {
            Some(character) => result.push(character),
            None => self.report_at(
                LexicalErrorKind::NoSuchCharacter,
                position,
                position + length,
            ),
        }
        length
    }
}
