//! The smallest edits that make one text of another: the lines that both have stay, and of the others what they begin and end with.
//!
//! Which lines stay is found as Eugene W. Myers describes in *An O(ND) Difference Algorithm and Its Variations* (1986).

use gsw_source::{File, LocatedEdit, Span};

/// Texts with more other lines than this are exchanged from the first to the last of these; a guess at what is worth its time.
const MOST: usize = 500;

/// The edits that make `new` of `old`, which is in `file` from byte `start` on.
pub fn differences(file: File, start: u32, old: &str, new: &str) -> Vec<LocatedEdit> {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut kept = common_lines(&old_lines, &new_lines);
    kept.push((old_lines.len(), new_lines.len()));
    let (old_starts, new_starts) = (starts(&old_lines), starts(&new_lines));
    let mut edits = Vec::new();
    let (mut old_line, mut new_line) = (0, 0);
    for (old_kept, new_kept) in kept {
        let old_bytes = old_starts[old_line]..old_starts[old_kept];
        let new_bytes = new_starts[new_line]..new_starts[new_kept];
        let at = start + bytes(old_bytes.start);
        edits.extend(difference(file, at, &old[old_bytes], &new[new_bytes]));
        (old_line, new_line) = (old_kept + 1, new_kept + 1);
    }
    edits
}

/// The byte at which each line starts, and that at which the last one ends.
fn starts(lines: &[&str]) -> Vec<usize> {
    let mut starts = vec![0];
    let mut end = 0;
    for line in lines {
        end += line.len();
        starts.push(end);
    }
    starts
}

fn bytes(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The one edit that makes `new` of `old`, which begins at byte `start`: what both begin and end with stays as it is.
fn difference(file: File, start: u32, old: &str, new: &str) -> Option<LocatedEdit> {
    if old == new {
        return None;
    }
    let same = |pair: &(char, char)| pair.0 == pair.1;
    let head: usize = old
        .chars()
        .zip(new.chars())
        .take_while(same)
        .map(|(it, _)| it.len_utf8())
        .sum();
    let tail: usize = old[head..]
        .chars()
        .rev()
        .zip(new[head..].chars().rev())
        .take_while(same)
        .map(|(it, _)| it.len_utf8())
        .sum();
    let span = Span::new(start + bytes(head), start + bytes(old.len() - tail));
    Some(LocatedEdit::new(file, span, &new[head..new.len() - tail]))
}

/// The lines that stay, by their numbers in both texts, in order.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let backwards = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = backwards.take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let between = between(&old[head..old_end], &new[head..new_end]);
    let mut kept: Vec<_> = (0..head).map(|it| (it, it)).collect();
    kept.extend(between.into_iter().map(|(a, b)| (a + head, b + head)));
    kept.extend((0..tail).map(|it| (old_end + it, new_end + it)));
    kept
}

/// The common lines of texts that neither begin nor end alike; none where there are too many others.
///
/// Diagonal `k` holds the places that are `k` lines further in the old text than in the new one. With `reached` as its index,
/// shifted so that none is negative, is known how far in the old text this many changes lead on it.
fn between(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let most = MOST.min(old.len() + new.len());
    let middle = most + 1;
    let mut reached = vec![0; 2 * most + 3];
    let mut earlier = Vec::new();
    for changes in 0..=most {
        earlier.push(reached.clone());
        for diagonal in (middle - changes..=middle + changes).step_by(2) {
            let mut x = match comes_from(&reached, diagonal, middle, changes) {
                From::Above => reached[diagonal + 1],
                From::Left => reached[diagonal - 1] + 1,
            };
            let mut y = x + middle - diagonal;
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[diagonal] = x;
            if x >= old.len() && y >= new.len() {
                return path_back(old.len(), new.len(), &earlier, middle);
            }
        }
    }
    Vec::new()
}

/// Whether the last change before a place is a line of the new text or one of the old text.
enum From {
    Above,
    Left,
}

fn comes_from(reached: &[usize], diagonal: usize, middle: usize, changes: usize) -> From {
    let is_lowest = diagonal == middle - changes;
    let is_highest = diagonal == middle + changes;
    match is_lowest || (!is_highest && reached[diagonal - 1] < reached[diagonal + 1]) {
        true => From::Above,
        false => From::Left,
    }
}

/// The common lines on the way to the ends of both texts; `earlier` is what was reached before each change.
fn path_back(
    mut x: usize,
    mut y: usize,
    earlier: &[Vec<usize>],
    middle: usize,
) -> Vec<(usize, usize)> {
    let mut kept = Vec::new();
    for (changes, reached) in earlier.iter().enumerate().rev() {
        let diagonal = x + middle - y;
        let (from_x, from_y) = match (changes, comes_from(reached, diagonal, middle, changes)) {
            (0, _) => (0, 0),
            (_, From::Above) => {
                let from = reached[diagonal + 1];
                (from, from + middle - (diagonal + 1))
            }
            (_, From::Left) => {
                let from = reached[diagonal - 1];
                (from, from + middle - (diagonal - 1))
            }
        };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            kept.push((x, y));
        }
        (x, y) = (from_x, from_y);
    }
    kept.reverse();
    kept
}
