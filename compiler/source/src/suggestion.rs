//! Did-you-mean: the name that was most likely meant, of those that there are.
//!
//! The nearest by edits comes first, where swapping two neighbours is one edit; then one that is shortened or lengthened by
//! whole words (`prio` for `priority`, `system_prompt` for `system`), then an abbreviation (`msg` for `message`), then a word for the same.
//!
//! Only a slip is certain, and applied unasked: the same letters in another case or with other `_`, or one or two edits of a name
//! that no other candidate is near to. Everything else may be another thing (`dropLast` is no `drop`, `before_model` no
//! `before_tool`), so it is offered.

use crate::{Applicability, Diagnostic, Name};

/// A name that may have been meant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Suggestion {
    pub name: Name,
    pub applicability: Applicability,
}

impl Suggestion {
    /// A name that means what was written beyond doubt.
    pub fn certain(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            applicability: Applicability::Certain,
        }
    }

    /// A name that may mean something else.
    pub fn offered(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            applicability: Applicability::Offered,
        }
    }

    /// The same, left to the author.
    #[must_use]
    pub fn left_to_author(self) -> Self {
        Self::offered(self.name)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

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
pub fn meant<'a>(name: &str, candidates: impl IntoIterator<Item = &'a Name>) -> Option<Suggestion> {
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
        forms.iter().find_map(shortest).map(Suggestion::offered)
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
pub fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a Name>,
) -> Option<Suggestion> {
    // A name of one or two letters is near to too many others.
    let limit = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        length => length / 3,
    };
    let near: Vec<(usize, &Name)> = candidates
        .into_iter()
        .filter(|it| *it != name && it.len().abs_diff(name.len()) <= limit * 4)
        .map(|it| (distance(name, it), it))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    // A letter is left out more often than typed wrong, so of two equally near names the longer is meant.
    let (least, best) = near
        .iter()
        .min_by_key(|(distance, it)| (*distance, usize::MAX - it.len()))?;
    let others = near
        .iter()
        .filter(|(distance, it)| it != best && *distance <= least + 1);
    Some(
        match is_slip(name, best, *least) && (*least == 0 || others.count() == 0) {
            true => Suggestion::certain((*best).clone()),
            false => Suggestion::offered((*best).clone()),
        },
    )
}

/// Names are one where they differ in case or in `_`.
fn distance(name: &str, candidate: &str) -> usize {
    let letters = |it: &str| it.to_lowercase().replace('_', "");
    match letters(name) == letters(candidate) {
        true => 0,
        false => edit_distance(name, candidate),
    }
}

/// A name whose doubled letters stand once.
fn undoubled(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.dedup();
    letters
}

/// Whether a name that is this many edits away is the same name, typed wrong. A longer name with the same beginning is another
/// one (`item` and `items`), as is one with another number or with another first letter (`name` and `game`).
fn is_slip(name: &str, candidate: &str, distance: usize) -> bool {
    let digits = |it: &str| it.chars().filter(char::is_ascii_digit).collect::<String>();
    let sorted = |it: &str| {
        let mut letters: Vec<char> = it.chars().collect();
        letters.sort_unstable();
        letters
    };
    let shortest = name.chars().count().min(candidate.chars().count());
    let is_swap = distance == 1 && sorted(name) == sorted(candidate);
    let is_longer = name.starts_with(candidate) || candidate.starts_with(name);
    let is_typed_wrong = distance <= 2
        && distance * 4 <= shortest
        && name.chars().next() == candidate.chars().next()
        && !is_longer
        && digits(name) == digits(candidate);
    let is_doubled = distance == 1 && undoubled(name) == undoubled(candidate);
    distance == 0 || is_swap || is_doubled || is_typed_wrong
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
pub fn did_you_mean(diagnostic: Diagnostic, suggestion: Option<&Suggestion>) -> Diagnostic {
    let Some(suggestion) = suggestion else {
        return diagnostic;
    };
    let place = diagnostic.place;
    let name = suggestion.as_str();
    diagnostic.suggest(name, place, name, suggestion.applicability)
}

#[cfg(test)]
mod tests {
    use super::{Suggestion, edit_distance, meant, nearest};
    use crate::{Applicability, Name};

    #[test]
    fn a_swap_is_one_edit() {
        assert_eq!(edit_distance("coutn", "count"), 1);
        assert_eq!(edit_distance("widht", "width"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn far_names_are_not_offered() {
        let names = [Name::new("count"), Name::new("total")];
        assert_eq!(nearest("coutn", &names), Some(Suggestion::certain("count")));
        assert_eq!(nearest("zebra", &names), None);
        assert_eq!(nearest("z", &[Name::new("a")]), None);
    }

    #[test]
    fn only_a_slip_is_certain() {
        let is_certain = |name: &str, candidates: &[&str]| {
            let names: Vec<Name> = candidates.iter().map(Name::new).collect();
            let found = meant(name, &names);
            found.is_some_and(|it| it.applicability == Applicability::Certain)
        };
        assert!(is_certain("sortBy", &["sort", "sort_by", "sort_by_desc"]));
        assert!(is_certain("lne", &["len", "max"]));
        assert!(is_certain("contians", &["contains", "count"]));
        assert!(is_certain("fitler", &["filter", "filter_map"]));
        assert!(is_certain("lok", &["look", "list"]));
        assert!(is_certain("Bugg", &["Bug"]));
        assert!(is_certain("max_turn_s", &["max_turns"]));
        // What is added says something else.
        assert!(!is_certain("dropLast", &["drop", "drop_while"]));
        assert!(!is_certain("findLast", &["find"]));
        assert!(!is_certain("before_model", &["before_tool", "after_tool"]));
        assert!(!is_certain("cache_control", &["cache"]));
        assert!(!is_certain("sqr", &["sqrt"]));
        assert!(!is_certain("item", &["items"]));
        assert!(!is_certain("log10", &["log12"]));
        assert!(!is_certain("name", &["game"]));
        // Two are equally near.
        assert!(!is_certain("counx", &["count", "coung"]));
        assert!(!is_certain("retries", &["retry"]));
    }

    #[test]
    fn other_forms_of_a_name_are_offered_after_slips() {
        let meant = |name: &str, candidates: &[&str]| {
            let names: Vec<Name> = candidates.iter().map(Name::new).collect();
            meant(name, &names).map(|it| it.name.to_string())
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
