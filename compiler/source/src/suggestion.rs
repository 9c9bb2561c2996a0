//! Did-you-mean: the nearest of some names by edits, where swapping two neighbours is one edit.

use crate::{Diagnostic, Name};

/// One of the nearest `candidates` that is near enough to `name` to be what was meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a Name>) -> Option<Name> {
    // A name of one or two letters is near to too many others.
    let limit = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        length => length / 3,
    };
    let mut best: Option<(usize, &Name)> = None;
    for candidate in candidates {
        if candidate == name || candidate.len().abs_diff(name.len()) > limit * 4 {
            continue;
        }
        let distance = if candidate.eq_ignore_ascii_case(name) {
            0
        } else {
            edit_distance(name, candidate)
        };
        // A letter is left out more often than typed wrong, so of two equally near names the longer is meant.
        let is_better = best.is_none_or(|(least, it)| {
            distance < least || (distance == least && candidate.len() > it.len())
        });
        if distance <= limit && is_better {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name.clone())
}

/// Damerau's distance, restricted to no edit inside a swapped pair.
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, &a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in right.iter().enumerate() {
            let mut cost = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && a == right[j - 1] && left[i - 1] == b {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

/// Adds the nearest name as a note and as a fix, where there is one.
#[must_use]
pub fn did_you_mean(diagnostic: Diagnostic, suggestion: Option<&str>) -> Diagnostic {
    let Some(name) = suggestion else {
        return diagnostic;
    };
    let place = diagnostic.place;
    diagnostic
        .note(format!("did you mean `{name}`?"))
        .fix(format!("write `{name}`"), place, name)
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, nearest};
    use crate::Name;

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(edit_distance("coutn", "count"), 1);
        assert_eq!(edit_distance("widht", "width"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn far_names_are_not_offered() {
        let names = [Name::new("count"), Name::new("total")];
        assert_eq!(nearest("coutn", &names), Some(Name::new("count")));
        assert_eq!(nearest("zebra", &names), None);
        assert_eq!(nearest("z", &[Name::new("a")]), None);
    }
}
