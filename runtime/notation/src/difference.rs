//! Where two texts differ, line by line, as people read it.

use std::fmt::Write;

/// How many equal lines are shown around those that differ.
const AROUND: usize = 2;
/// The most lines that are shown.
const MOST_LINES: usize = 60;
/// The most pairs of lines that are compared; beyond it all between the first and the last difference is shown as different.
const MOST_PAIRS: usize = 4 << 20;

/// What happened to a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Same,
    Old,
    New,
}

impl Mark {
    const fn sign(self) -> char {
        match self {
            Self::Same => ' ',
            Self::Old => '-',
            Self::New => '+',
        }
    }
}

/// Writes the lines that differ, old ones after `-` and new ones after `+`, with some around.
pub fn write(old: &[String], new: &[String], text: &mut String) {
    let lines = marked(old, new);
    let is_near = |index: usize| {
        let from = index.saturating_sub(AROUND);
        let to = (index + AROUND + 1).min(lines.len());
        lines[from..to].iter().any(|it| it.0 != Mark::Same)
    };
    let near: Vec<usize> = (0..lines.len()).filter(|it| is_near(*it)).collect();
    let mut last = None;
    for &index in near.iter().take(MOST_LINES) {
        if last.is_some_and(|it| it + 1 != index) {
            text.push_str("    …\n");
        }
        last = Some(index);
        let (mark, line) = lines[index];
        let _ = writeln!(text, "  {} {line}", mark.sign());
    }
    if near.len() > MOST_LINES {
        let _ = writeln!(text, "  … {} lines in all", near.len());
    }
}

/// How many lines two texts have in common, in order.
#[must_use]
pub fn common(old: &[String], new: &[String]) -> usize {
    let lines = marked(old, new);
    lines.iter().filter(|it| it.0 == Mark::Same).count()
}

fn marked<'a>(old: &'a [String], new: &'a [String]) -> Vec<(Mark, &'a String)> {
    let same = |(a, b): &(&String, &String)| a == b;
    let before = old.iter().zip(new).take_while(same).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let both = old_rest.iter().rev().zip(new_rest.iter().rev());
    let after = both.take_while(same).count();
    let mut lines: Vec<_> = old[..before].iter().map(|it| (Mark::Same, it)).collect();
    between(
        &old_rest[..old_rest.len() - after],
        &new_rest[..new_rest.len() - after],
        &mut lines,
    );
    lines.extend(old[old.len() - after..].iter().map(|it| (Mark::Same, it)));
    lines
}

/// The longest common subsequence of the middle, by the textbook's table.
fn between<'a>(old: &'a [String], new: &'a [String], lines: &mut Vec<(Mark, &'a String)>) {
    let width = new.len() + 1;
    if old.len().saturating_mul(width) > MOST_PAIRS {
        lines.extend(old.iter().map(|it| (Mark::Old, it)));
        lines.extend(new.iter().map(|it| (Mark::New, it)));
        return;
    }
    // `longest[i * width + j]`: how many lines `old[i..]` and `new[j..]` have in common.
    let mut longest = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i * width + j] = if old[i] == new[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            lines.push((Mark::Same, &old[i]));
            (i, j) = (i + 1, j + 1);
        } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            lines.push((Mark::Old, &old[i]));
            i += 1;
        } else {
            lines.push((Mark::New, &new[j]));
            j += 1;
        }
    }
    lines.extend(old[i..].iter().map(|it| (Mark::Old, it)));
    lines.extend(new[j..].iter().map(|it| (Mark::New, it)));
}

#[cfg(test)]
mod tests {
    use super::{common, write};

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn shown(old: &str, new: &str) -> String {
        let mut shown = String::new();
        write(&lines(old), &lines(new), &mut shown);
        shown
    }

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(
            shown("a\nb\nc\nd\ne\nf", "a\nb\nc\nx\ny\ne\nf"),
            "    b\n    c\n  - d\n  + x\n  + y\n    e\n    f\n"
        );
        assert_eq!(shown("a\nb", "a\nb"), "");
        assert_eq!(shown("", "a"), "  + a\n");
    }

    #[test]
    fn what_is_equal_between_two_differences_stays_equal() {
        assert_eq!(
            shown("a\n1\n2\n3\n4\n5\n6\nb", "x\n1\n2\n3\n4\n5\n6\ny"),
            "  - a\n  + x\n    1\n    2\n    …\n    5\n    6\n  - b\n  + y\n"
        );
        assert_eq!(common(&lines("a\nb\nc"), &lines("b\nx\nc")), 2);
    }

    #[test]
    fn texts_that_are_too_long_to_compare_are_shown_all_the_same() {
        let old: Vec<String> = (0..5_000).map(|it| format!("old {it}")).collect();
        let new: Vec<String> = (0..5_000).map(|it| format!("new {it}")).collect();
        let mut shown = String::new();
        write(&old, &new, &mut shown);
        assert!(shown.ends_with("  … 10000 lines in all\n"), "{shown}");
    }
}
