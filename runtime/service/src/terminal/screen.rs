//! The part of the terminal below the log that is drawn again and again.
//!
//! The cursor is never hidden and no mode of the terminal is changed, so there is nothing to restore when the process dies:
//! between two writes the cursor is below the last row, where a shell would continue.

use std::fmt::Write as _;
use std::io::Write;

use crate::terminal::row::{Colors, Row};

/// Terminals that know them show what is between these two at once; others ignore them.
const TOGETHER: (&str, &str) = ("\x1b[?2026h", "\x1b[?2026l");

/// How large a terminal is, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Width in cells, of which a wide character takes two.
    pub columns: usize,
    pub rows: usize,
}

/// What the terminal shows at the moment.
#[derive(Debug)]
pub struct Screen {
    colors: Colors,
    /// The cells of the rows that are drawn.
    drawn: Vec<usize>,
}

impl Screen {
    pub const fn new(colors: Colors) -> Self {
        Self {
            colors,
            drawn: Vec::new(),
        }
    }

    /// Prints `above` for good and draws `rows` below it, in one piece. Rows that are too wide are cut, lines above are not.
    pub fn draw(&mut self, out: &mut dyn Write, size: Size, above: &[Row], rows: &[Row]) {
        let mut text = String::from(TOGETHER.0);
        self.go_up(&mut text, size);
        for line in above {
            let _ = writeln!(text, "{}\x1b[K", line.cut(usize::MAX, self.colors).0);
        }
        self.drawn.clear();
        // One cell stays free: in the last one, some terminals have already broken the line.
        let longest = size.columns.saturating_sub(1);
        for row in rows {
            let (row, cells) = row.cut(longest, self.colors);
            let _ = writeln!(text, "{row}\x1b[K");
            self.drawn.push(cells);
        }
        text.push_str("\x1b[J");
        text.push_str(TOGETHER.1);
        send(out, &text);
    }

    pub fn clear(&mut self, out: &mut dyn Write, size: Size) {
        if !self.drawn.is_empty() {
            self.draw(out, size, &[], &[]);
        }
    }

    /// What is drawn stays for good.
    pub fn keep(&mut self) {
        self.drawn.clear();
    }

    /// Goes to the first row that is drawn. A terminal that became narrower since has broken rows into several.
    fn go_up(&self, text: &mut String, size: Size) {
        let columns = size.columns.max(1);
        let rows: usize = self
            .drawn
            .iter()
            .map(|cells| cells.div_ceil(columns).max(1))
            .sum();
        text.push('\r');
        if rows > 0 {
            let _ = write!(text, "\x1b[{}A", rows.min(size.rows.saturating_sub(1)));
        }
    }
}

fn send(out: &mut dyn Write, text: &str) {
    // A closed terminal is no reason to stop a run.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
