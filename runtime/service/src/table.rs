//! Tables: rows of cells, with their columns below each other.

use unicode_width::UnicodeWidthStr;

/// Rows of a table, each column as wide as its widest cell; what is in the last one may be of any length.
#[must_use]
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cells() {
        let rows = [["ID", "äöü"], ["long", "b"]].map(|it| it.map(str::to_owned));
        assert_eq!(table(&rows), "ID    äöü\nlong  b\n");
        assert_eq!(table::<2>(&[]), "");
    }

    #[test]
    fn what_a_row_costs_does_not_grow_with_the_rows() {
        let rows: Vec<_> = (0..20_000)
            .map(|it| [it.to_string(), "x".repeat(10)])
            .collect();
        let begun = Instant::now();
        assert_eq!(table(&rows).lines().count(), rows.len());
        // With the widths measured for each cell it would be minutes.
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{:?}",
            begun.elapsed()
        );
    }
}
