//! Did-you-mean: the name that was most likely meant, of those that there are.
//!
//! The nearest by edits comes first, where swapping two neighbours is one edit; then one that is shortened or lengthened by
//! whole words (`prio` for `priority`, `system_prompt` for `system`), then an abbreviation (`msg` for `message`), then a word for the same.

use crate::{Diagnostic, Name};

/// Words that people use for each other.
const SAME: &[&[&str]] = &[
    &["body", "content", "message", "text"],
    &["category", "kind", "type"],
    &["cost", "cost_usd", "price"],
    &["count", "amount", "number", "quantity", "qty", "total"],
    &["decode", "deserialize", "loads", "parse"],
    &["delete", "remove", "rm", "unlink"],
    &["dir", "directory", "folder", "path"],
    &["encode", "format", "serialize", "stringify"],
    &["err", "error", "reason"],
    &["exec", "execute", "run", "shell"],
    &["fetch", "get", "load", "open", "read"],
    &["file", "filename", "path"],
    &["functions", "tools"],
    &["heading", "label", "name", "subject", "title"],
    &["headers", "metadata"],
    &["href", "link", "uri", "url"],
    &["identifier", "id", "key"],
    &["instructions", "preamble", "system"],
    &["length", "len", "size"],
    &["list", "listdir", "ls", "readdir"],
    &["create_dir", "make_dir", "mkdir"],
    &["max_completion_tokens", "max_output_tokens", "max_tokens"],
    &["attempts", "retries", "retry"],
    &["concurrency", "limit", "parallelism", "workers"],
    &["put", "save", "store", "write"],
    &["seconds", "secs"],
    &["start", "run", "spawn"],
    &["stop", "cancel", "abort"],
];

/// The one of `candidates` that was most likely meant by `name`, where they are few and belong together: fields, parameters,
/// settings, the members of a module.
pub fn meant<'a>(name: &str, candidates: impl IntoIterator<Item = &'a Name>) -> Option<Name> {
    let candidates: Vec<&Name> = candidates.into_iter().collect();
    let forms: [&dyn Fn(&str) -> bool; 3] = [
        &|it| is_shortened(name, it) || is_shortened(it, name),
        &|it| is_abbreviated(name, it),
        &|it| is_same(name, it),
    ];
    nearest(name, candidates.iter().copied()).or_else(|| {
        // The shortest has the fewest words besides.
        let shortest = |form: &&dyn Fn(&str) -> bool| {
            let fitting = candidates
                .iter()
                .filter(|it| it.as_str() != name && form(it));
            fitting.min_by_key(|it| it.len()).map(|it| (*it).clone())
        };
        forms.iter().find_map(shortest)
    })
}

/// Whether `short` is the beginning of `long`, or one or more of its words: `prio` of `priority`, `fixed` of `to_fixed`.
fn is_shortened(short: &str, long: &str) -> bool {
    // What is shorter begins and ends too many words.
    if short.len() < 3 || short.len() >= long.len() {
        return false;
    }
    let begins = long.strip_prefix(short);
    let is_word = begins.is_some_and(|it| it.starts_with('_'));
    let ends = long.strip_suffix(short).is_some_and(|it| it.ends_with('_'));
    let is_beginning = begins.is_some() && !short.contains('_');
    is_word || ends || is_beginning
}

/// Whether `short` is what the consonants of `long` leave: `msg` of `message`, `cfg` of `config`.
fn is_abbreviated(short: &str, long: &str) -> bool {
    let is_vowel = |it: char| matches!(it, 'a' | 'e' | 'i' | 'o' | 'u');
    let mut letters = long.chars();
    let is_inside = short.chars().all(|it| letters.any(|letter| letter == it));
    short.len() >= 3
        && short.len() < long.len()
        && short.chars().next() == long.chars().next()
        && !short.chars().skip(1).any(is_vowel)
        && is_inside
}

fn is_same(name: &str, other: &str) -> bool {
    let mut groups = SAME.iter();
    groups.any(|it| it.contains(&name) && it.contains(&other))
}

/// One of the nearest `candidates` that is near enough to `name` to be a slip of it.
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

/// Adds the nearest name as a question and a fix, where there is one.
#[must_use]
pub fn did_you_mean(diagnostic: Diagnostic, suggestion: Option<&str>) -> Diagnostic {
    let Some(name) = suggestion else {
        return diagnostic;
    };
    let place = diagnostic.place;
    diagnostic.suggest(name, place, name)
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, meant, nearest};
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

    #[test]
    fn other_forms_of_a_name_are_offered_after_slips() {
        let meant = |name: &str, candidates: &[&str]| {
            let names: Vec<Name> = candidates.iter().map(Name::new).collect();
            meant(name, &names).map(|it| it.to_string())
        };
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(meant("prio", &["title", "priority"]), some("priority"));
        assert_eq!(meant("read_text", &["read_bytes", "read"]), some("read"));
        assert_eq!(meant("to_fixed", &["floor", "fixed"]), some("fixed"));
        assert_eq!(meant("system_prompt", &["model", "system"]), some("system"));
        assert_eq!(meant("tokens", &["max_tokens"]), some("max_tokens"));
        assert_eq!(meant("msg", &["message"]), some("message"));
        assert_eq!(meant("cfg", &["config"]), some("config"));
        assert_eq!(meant("mkdir", &["make_dir", "list"]), some("make_dir"));
        assert_eq!(meant("length", &["len"]), some("len"));
        // What has nothing in common but a letter or two is no suggestion.
        assert_eq!(meant("x", &["xs", "max_x"]), None);
        assert_eq!(meant("it", &["item", "items"]), None);
        assert_eq!(meant("user", &["model"]), None);
    }
}
