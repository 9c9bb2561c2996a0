//! Between byte offsets and the lines and columns that people and editors count.

use crate::{Db, File};

/// Where the lines of a text start. `\n`, `\r\n` and `\r` end one, as editors have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineIndex {
    /// The first byte of each line.
    starts: Vec<u32>,
}

/// A place as people count: both from 1, columns in Unicode scalar values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Counted from 1, as editors show it.
    pub line: u32,
    /// Counted from 1, as editors show it.
    pub column: u32,
}

/// A place as the language server protocol counts: both from 0, columns in UTF-16 code units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Utf16Position {
    /// From 0.
    pub line: u32,
    /// From 0.
    pub character: u32,
}

/// The line index of `file`.
#[salsa::tracked(returns(ref))]
pub fn file_line_index(db: &dyn Db, file: File) -> LineIndex {
    LineIndex::new(file.text(db))
}

impl LineIndex {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends_line = |index: usize| match bytes[index] {
            b'\n' => true,
            b'\r' => bytes.get(index + 1) != Some(&b'\n'),
            _ => false,
        };
        let breaks = (0..bytes.len()).filter(|index| ends_line(*index));
        let starts = std::iter::once(0).chain(breaks.map(|index| offset(index + 1)));
        Self {
            starts: starts.collect(),
        }
    }

    /// The place of the byte at `offset` of `text`; past the end, the end.
    #[must_use]
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let (line, before) = self.line_until(text, offset);
        Position {
            line: count(line) + 1,
            // A mark of the byte order is no character of the line.
            column: count(before.trim_start_matches('\u{feff}').chars().count()) + 1,
        }
    }

    /// Line and column as an editor counts.
    #[must_use]
    pub fn utf16_position(&self, text: &str, offset: u32) -> Utf16Position {
        let (line, before) = self.line_until(text, offset);
        Utf16Position {
            line: count(line),
            character: count(before.encode_utf16().count()),
        }
    }

    /// The byte at an editor's position; past the end of a line, its end.
    #[must_use]
    pub fn utf16_offset(&self, text: &str, position: Utf16Position) -> u32 {
        let Some(start) = self.starts.get(position.line as usize) else {
            return offset(text.len());
        };
        let line = text[*start as usize..]
            .split(['\n', '\r'])
            .next()
            .unwrap_or_default();
        let mut units = 0;
        for (index, character) in line.char_indices() {
            if units >= position.character {
                return start + offset(index);
            }
            units += count(character.len_utf16());
        }
        start + offset(line.len())
    }

    /// How many lines there are, an empty last one included.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        count(self.starts.len())
    }

    /// The line of `offset`, from 0, and its text up to there.
    #[must_use]
    pub fn line_until<'text>(&self, text: &'text str, offset: u32) -> (usize, &'text str) {
        let line = self
            .starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        let start = self.starts[line] as usize;
        let mut end = (offset as usize).min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (line, &text[start.min(end)..end])
    }
}

fn offset(position: usize) -> u32 {
    count(position)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{LineIndex, Position, Utf16Position};

    const TEXT: &str = "a\nZoë 😀!\r\n\nend";

    #[test]
    fn columns_count_scalar_values() {
        let index = LineIndex::new(TEXT);
        let exclamation = u32::try_from(TEXT.find('!').unwrap()).unwrap();
        let position = index.position(TEXT, exclamation);
        assert_eq!(position, Position { line: 2, column: 6 });
    }

    #[test]
    fn editors_count_utf16() {
        let index = LineIndex::new(TEXT);
        let exclamation = u32::try_from(TEXT.find('!').unwrap()).unwrap();
        let position = index.utf16_position(TEXT, exclamation);
        assert_eq!(
            position,
            Utf16Position {
                line: 1,
                character: 6
            }
        );
        assert_eq!(index.utf16_offset(TEXT, position), exclamation);
    }

    #[test]
    fn places_outside_are_clamped() {
        let index = LineIndex::new(TEXT);
        let far = Utf16Position {
            line: 1,
            character: 99,
        };
        assert_eq!(
            index.utf16_offset(TEXT, far) as usize,
            TEXT.find('\r').unwrap()
        );
        let below = Utf16Position {
            line: 99,
            character: 0,
        };
        assert_eq!(index.utf16_offset(TEXT, below) as usize, TEXT.len());
        assert_eq!(index.position(TEXT, 999), Position { line: 4, column: 4 });
        assert_eq!(index.line_count(), 4);
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        let text = "a\rb\r\nc\r\rd";
        let index = LineIndex::new(text);
        let at = |place: &str| {
            let byte = u32::try_from(text.find(place).unwrap()).unwrap();
            index.position(text, byte)
        };
        assert_eq!(index.line_count(), 5);
        for (line, place) in [(1, "a"), (2, "b"), (3, "c"), (5, "d")] {
            assert_eq!(at(place), Position { line, column: 1 }, "{place}");
        }
        let end = Utf16Position {
            line: 0,
            character: 99,
        };
        assert_eq!(index.utf16_offset(text, end), 1);
    }

    #[test]
    fn a_mark_of_the_byte_order_is_no_column() {
        let text = "\u{feff}fn";
        let found = LineIndex::new(text).position(text, 4);
        assert_eq!(found, Position { line: 1, column: 2 });
    }

    #[test]
    fn an_empty_text_has_one_line() {
        let index = LineIndex::new("");
        assert_eq!(index.position("", 0), Position { line: 1, column: 1 });
    }
}
