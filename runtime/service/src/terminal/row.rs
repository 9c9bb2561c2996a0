//! A row of a terminal: styled pieces of text, cut to its width.

use gsw_trace::Shown;
use unicode_width::UnicodeWidthChar;

/// How a piece of text looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Plain,
    Dim,
    Good,
    Bad,
    Warn,
    /// It is on its way.
    Busy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colors {
    On,
    Off,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    pieces: Vec<(Tone, String)>,
}

impl Row {
    /// Adds a piece of text, in which nothing can move the cursor.
    #[must_use]
    pub fn with(mut self, tone: Tone, text: &str) -> Self {
        self.pieces.push((tone, Shown::line(text).to_string()));
        self
    }

    /// The row with at most this many cells, and how many it has.
    #[must_use]
    pub fn cut(&self, longest: usize, colors: Colors) -> (String, usize) {
        let whole: usize = self.pieces.iter().map(|it| cells(&it.1)).sum();
        // What does not fit ends with a sign that something is missing.
        let room = if whole > longest {
            longest.saturating_sub(1)
        } else {
            longest
        };
        let (mut text, mut used) = (String::new(), 0);
        for (tone, piece) in &self.pieces {
            let mut end = piece.len();
            for (at, next) in piece.char_indices() {
                let width = next.width().unwrap_or(0);
                if used + width > room {
                    end = at;
                    break;
                }
                used += width;
            }
            paint(&mut text, *tone, &piece[..end], colors);
            if end < piece.len() {
                break;
            }
        }
        if whole > longest && longest > 0 {
            text.push('…');
            used += 1;
        }
        (text, used)
    }
}

fn cells(text: &str) -> usize {
    text.chars().map(|it| it.width().unwrap_or(0)).sum()
}

fn paint(out: &mut String, tone: Tone, text: &str, colors: Colors) {
    let code = match tone {
        Tone::Plain => "",
        Tone::Dim => "2",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Warn => "33",
        Tone::Busy => "36",
    };
    if colors == Colors::Off || code.is_empty() || text.is_empty() {
        out.push_str(text);
    } else {
        out.push_str(&format!("\x1b[{code}m{text}\x1b[0m"));
    }
}

#[cfg(test)]
mod tests {
    use super::{Colors, Row, Tone};

    #[test]
    fn rows_are_cut_by_cells() {
        let row = Row::default()
            .with(Tone::Plain, "ab 日本")
            .with(Tone::Bad, "cd\u{1b}[2J");
        assert_eq!(row.cut(20, Colors::Off), ("ab 日本cd␛[2J".to_owned(), 13));
        assert_eq!(row.cut(7, Colors::Off), ("ab 日…".to_owned(), 6));
        assert_eq!(
            row.cut(9, Colors::On),
            ("ab 日本\u{1b}[31mc\u{1b}[0m…".to_owned(), 9)
        );
        assert_eq!(row.cut(0, Colors::Off), (String::new(), 0));
    }
}
