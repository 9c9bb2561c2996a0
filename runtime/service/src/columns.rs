//! Help texts, laid out for the width of the terminal: a line is broken between words, never inside of one.

use unicode_width::UnicodeWidthStr;

use crate::environment;

/// Longer lines are hard to read, however wide the terminal is; also the width where there is no terminal.
const WIDEST: usize = 100;

/// With fewer columns the right side goes below the left one.
const SIDE_BY_SIDE: usize = 60;

/// How far the left side goes at most before the right side begins on the next line.
const LEFT: usize = 34;

/// How many columns a help text may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Columns(usize);

impl Columns {
    /// As wide as the terminal, else as `COLUMNS` says.
    #[must_use]
    pub fn of_terminal() -> Self {
        let terminal = terminal_size::terminal_size().map(|it| usize::from(it.0.0));
        let said = || environment::text("COLUMNS")?.parse().ok();
        Self::new(
            terminal
                .filter(|it| *it > 0)
                .or_else(said)
                .unwrap_or(WIDEST),
        )
    }

    #[must_use]
    pub fn new(columns: usize) -> Self {
        Self(columns.clamp(1, WIDEST))
    }

    #[must_use]
    pub const fn count(self) -> usize {
        self.0
    }

    /// Paragraphs: lines that belong to one sentence are joined, and what is indented keeps its indentation.
    #[must_use]
    pub fn paragraphs(self, text: &str) -> String {
        let mut out = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let words = line.trim_start();
            let indent = line.len() - words.len();
            let mut filled = Filled::new(self, indent, indent);
            filled.words(words);
            while let Some(next) = lines.next_if(|it| !words.is_empty() && goes_on(it)) {
                filled.words(next);
            }
            out.push_str(&filled.done());
        }
        out
    }

    /// Lines that are laid out already: only those that are too long are broken.
    #[must_use]
    pub fn lines(self, text: &str) -> String {
        let mut out = String::new();
        for line in text.lines() {
            let words = line.trim_start();
            if line.width() <= self.0 {
                out.push_str(line);
                out.push('\n');
                continue;
            }
            let indent = line.len() - words.len();
            let mut filled = Filled::new(self, indent, indent + 4);
            filled.words(words);
            out.push_str(&filled.done());
        }
        out
    }

    /// Rows of two sides, indented, with all right sides in one column.
    #[must_use]
    pub fn rows(self, rows: &[(String, String)]) -> String {
        let widest = rows.iter().map(|it| it.0.width()).filter(|it| *it <= LEFT);
        let right = widest.max().unwrap_or(0) + 4;
        // Numbers, say of exit codes, leave room enough.
        let is_narrow = self.0 < SIDE_BY_SIDE && right * 3 > self.0;
        let mut out = String::new();
        for (left, text) in rows {
            let mut filled = Filled::new(self, 2, 6);
            filled.words(left);
            if text.is_empty() {
                out.push_str(&filled.done());
                continue;
            }
            if is_narrow {
                filled.below(6);
            } else {
                filled.beside(right);
            }
            filled.words(text);
            out.push_str(&filled.done());
        }
        out
    }
}

/// Whether a line of documentation continues the paragraph above it: it is neither empty nor indented, and begins no item of a
/// list, table, heading or block.
fn goes_on(line: &str) -> bool {
    line.chars()
        .next()
        .is_some_and(|it| it.is_alphabetic() || "`(\"".contains(it))
        && !line.starts_with("```")
}

/// A text that is filled word by word.
struct Filled {
    columns: Columns,
    text: String,
    /// How many columns the last line has.
    used: usize,
    /// How many columns of it are blank at its beginning.
    indent: usize,
    /// Where further lines begin.
    hanging: usize,
}

impl Filled {
    fn new(columns: Columns, indent: usize, hanging: usize) -> Self {
        Self {
            columns,
            text: " ".repeat(indent),
            used: indent,
            indent,
            hanging,
        }
    }

    fn words(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let width = word.width();
            let blank = usize::from(self.used > self.indent);
            if blank == 1 && self.used + blank + width > self.columns.0 {
                self.below(self.hanging);
            } else if blank == 1 {
                self.text.push(' ');
                self.used += 1;
            }
            self.text.push_str(word);
            self.used += width;
        }
    }

    /// Continues at a column of this line, or of the next one when it has been passed.
    fn beside(&mut self, column: usize) {
        if self.used + 2 > column {
            return self.below(column);
        }
        self.text.push_str(&" ".repeat(column - self.used));
        (self.used, self.indent, self.hanging) = (column, column, column);
    }

    /// Continues at a column of the next line.
    fn below(&mut self, column: usize) {
        self.text.push('\n');
        self.text.push_str(&" ".repeat(column));
        (self.used, self.indent, self.hanging) = (column, column, column);
    }

    fn done(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::Columns;

    fn row(left: &str, right: &str) -> (String, String) {
        (left.into(), right.into())
    }

    #[test]
    fn right_sides_stand_in_one_column_and_break_between_words() {
        let rows = [
            row("--n <int>", "How many there are of them"),
            row("--a-name-that-is-much-too-long <for the column>", "Below"),
            row("--quiet", ""),
        ];
        let wide = Columns::new(60).rows(&rows);
        assert_eq!(
            wide,
            "  --n <int>  How many there are of them
  --a-name-that-is-much-too-long <for the column>
             Below
  --quiet
"
        );
        let narrow = Columns::new(24).rows(&rows);
        assert_eq!(
            narrow,
            "  --n <int>
      How many there are
      of them
  --a-name-that-is-much-too-long
      <for the column>
      Below
  --quiet
"
        );
    }

    #[test]
    fn paragraphs_are_joined_and_keep_their_indentation() {
        let text = Columns::new(12).paragraphs("one two three\nfour\n\n- a\n- b\n  five six seven");
        assert_eq!(
            text,
            "one two\nthree four\n\n- a\n- b\n  five six\n  seven\n"
        );
    }
}
