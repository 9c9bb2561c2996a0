//! Positions of the protocol: lines from 0, and in them units of the encoding that client and server agreed on.

use gsw_source::{Database, File, Span, Utf16Position, file_line_index};
use tower_lsp::ls_types as lsp;

/// What a position counts in its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// What a client gets that says nothing.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The first encoding that the client offers and the server knows; it knows all.
    pub fn agreed(offered: Option<&Vec<lsp::PositionEncodingKind>>) -> Self {
        let known = |it: &lsp::PositionEncodingKind| match it.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        offered
            .into_iter()
            .flatten()
            .find_map(known)
            .unwrap_or_default()
    }

    pub fn kind(self) -> lsp::PositionEncodingKind {
        match self {
            Self::Utf8 => lsp::PositionEncodingKind::UTF8,
            Self::Utf16 => lsp::PositionEncodingKind::UTF16,
            Self::Utf32 => lsp::PositionEncodingKind::UTF32,
        }
    }

    fn units(self, character: char) -> u32 {
        let count = match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        };
        // At most four.
        u32::try_from(count).unwrap_or(1)
    }

    /// The units of a text.
    fn count(self, text: &str) -> u32 {
        match text.is_ascii() {
            true => u32::try_from(text.len()).unwrap_or(u32::MAX),
            false => text.chars().map(|it| self.units(it)).sum(),
        }
    }

    /// The bytes of `line` before its unit `character`; past its end, all of it.
    fn bytes_before(self, line: &str, character: u32) -> usize {
        let mut units = 0;
        for (index, it) in line.char_indices() {
            if units >= character {
                return index;
            }
            units += self.units(it);
        }
        line.len()
    }
}

/// The byte of `text` at a position; past the end of a line that line's end, past the last line the end.
pub fn offset_in(text: &str, encoding: Encoding, position: lsp::Position) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match length_with_end(&text[start..]) {
            Some(length) => start += length,
            None => return text.len(),
        }
    }
    start + encoding.bytes_before(line_at(text, start), position.character)
}

/// The bytes of the first line with its end; `None` for the last line.
fn length_with_end(text: &str) -> Option<usize> {
    let end = text.find(['\n', '\r'])?;
    Some(match text[end..].starts_with("\r\n") {
        true => end + 2,
        false => end + 1,
    })
}

/// The line that starts at byte `start`, without its end.
fn line_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    rest.split(['\n', '\r']).next().unwrap_or_default()
}

/// The byte of `file` at a position.
pub fn offset(db: &Database, encoding: Encoding, file: File, position: lsp::Position) -> u32 {
    let text = file.text(db);
    let line = Utf16Position {
        line: position.line,
        character: 0,
    };
    let index = file_line_index(db, file);
    let start = index.utf16_offset(text, line);
    if position.line >= index.line_count() {
        return start;
    }
    let before = encoding.bytes_before(line_at(text, start as usize), position.character);
    start + u32::try_from(before).unwrap_or(0)
}

/// The range of a span of `file`.
pub fn range(db: &Database, encoding: Encoding, file: File, span: Span) -> lsp::Range {
    lsp::Range {
        start: position(db, encoding, file, span.start),
        end: position(db, encoding, file, span.end),
    }
}

/// The position of a byte of `file`.
pub fn position(db: &Database, encoding: Encoding, file: File, offset: u32) -> lsp::Position {
    let text = file.text(db);
    let (line, before) = file_line_index(db, file).line_until(text, offset);
    // The two characters of a line's end are no part of the line.
    let is_end = text.as_bytes().get(offset as usize) == Some(&b'\n');
    let before = before
        .strip_suffix('\r')
        .filter(|_| is_end)
        .unwrap_or(before);
    lsp::Position {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        character: encoding.count(before),
    }
}

/// Positions of bytes that come in their order, each counted from the last one: a line may be as long as a file.
pub struct Forward<'text> {
    text: &'text str,
    encoding: Encoding,
    at: usize,
    position: lsp::Position,
}

impl<'text> Forward<'text> {
    pub fn new(text: &'text str, encoding: Encoding) -> Self {
        Self {
            text,
            encoding,
            at: 0,
            position: lsp::Position::new(0, 0),
        }
    }

    /// The position of a byte that is not before the last one.
    pub fn to(&mut self, offset: u32) -> lsp::Position {
        let offset = offset as usize;
        let bytes = self.text.as_bytes();
        let mut begun = self.at;
        for at in self.at..offset.min(bytes.len()) {
            let ends_line = match bytes[at] {
                b'\n' => true,
                b'\r' => bytes.get(at + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends_line {
                begun = at + 1;
                self.position.line += 1;
                self.position.character = 0;
            }
        }
        let last = self.text.get(begun..offset).unwrap_or_default();
        self.position.character += self.encoding.count(last);
        self.at = offset;
        self.position
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Forward, offset_in, position};
    use gsw_source::{Database, File};
    use tower_lsp::ls_types::Position;

    const TEXT: &str = "a\r\nZoë 😀!\n\nend";

    #[test]
    fn every_encoding_leads_there_and_back() {
        let db = Database::default();
        let file = File::new(&db, "a.gsw".into(), TEXT.into());
        let columns = [
            (Encoding::Utf8, 9),
            (Encoding::Utf16, 6),
            (Encoding::Utf32, 5),
        ];
        for (encoding, character) in columns {
            let at = u32::try_from(TEXT.find('!').unwrap()).unwrap();
            let found = position(&db, encoding, file, at);
            assert_eq!(found, Position { line: 1, character });
            assert_eq!(offset_in(TEXT, encoding, found), at as usize);
            assert_eq!(super::offset(&db, encoding, file, found), at);
        }
    }

    #[test]
    fn no_position_is_in_the_end_of_a_line() {
        let db = Database::default();
        let file = File::new(&db, "a.gsw".into(), TEXT.into());
        for at in [1, 2] {
            let end = Position {
                line: 0,
                character: 1,
            };
            assert_eq!(position(&db, Encoding::Utf16, file, at), end);
        }
    }

    #[test]
    fn positions_in_order_are_those_of_any_order() {
        let db = Database::default();
        let text = "a\r\nZoë 😀!\n\nend\n";
        let file = File::new(&db, "a.gsw".into(), text.into());
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let mut forward = Forward::new(text, encoding);
            for at in [0, 1, 3, 8, 12, 13, 14, 15, 15, 18] {
                assert_eq!(forward.to(at), position(&db, encoding, file, at), "{at}");
            }
        }
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let db = Database::default();
        let text = "a\rbc\r\n\r\rd";
        let file = File::new(&db, "a.gsw".into(), text.into());
        let mut forward = Forward::new(text, Encoding::Utf16);
        for (at, line, character) in [
            (0, 0, 0),
            (2, 1, 0),
            (3, 1, 1),
            (6, 2, 0),
            (7, 3, 0),
            (8, 4, 0),
        ] {
            let place = Position { line, character };
            assert_eq!(position(&db, Encoding::Utf16, file, at), place);
            assert_eq!(forward.to(at), place);
            assert_eq!(offset_in(text, Encoding::Utf16, place), at as usize);
            assert_eq!(super::offset(&db, Encoding::Utf16, file, place), at);
        }
    }

    #[test]
    fn what_lies_outside_is_the_nearest_end() {
        let at = |line, character| offset_in(TEXT, Encoding::Utf16, Position { line, character });
        assert_eq!(at(0, 99), 1);
        assert_eq!(at(99, 0), TEXT.len());
        assert_eq!(at(3, 99), TEXT.len());
    }
}
