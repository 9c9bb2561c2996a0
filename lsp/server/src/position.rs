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
        match text[start..].find('\n') {
            Some(index) => start += index + 1,
            None => return text.len(),
        }
    }
    start + encoding.bytes_before(line_at(text, start), position.character)
}

/// The line that starts at byte `start`, without its end.
fn line_at(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    line.strip_suffix('\r').unwrap_or(line)
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
    let index = file_line_index(db, file);
    let line = index.utf16_position(text, offset).line;
    let start = index.utf16_offset(text, Utf16Position { line, character: 0 });
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(start as usize..end).unwrap_or_default();
    lsp::Position {
        line,
        character: before.chars().map(|it| encoding.units(it)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, offset_in, position};
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
    fn what_lies_outside_is_the_nearest_end() {
        let at = |line, character| offset_in(TEXT, Encoding::Utf16, Position { line, character });
        assert_eq!(at(0, 99), 1);
        assert_eq!(at(99, 0), TEXT.len());
        assert_eq!(at(3, 99), TEXT.len());
    }
}
