//! `answer: "keep_valid"`: of a list, the items that do not fit are left out, and each is named.
//!
//! A value is checked, and every issue is blamed on the innermost list item that it lies in; these items are taken out, and what is
//! left is checked again, since a check of a whole record or list may fail only then. An issue outside of every item, such as a
//! missing field of the answer itself, cannot be helped: then the value does not fit.
//!
//! A tuple is a list to JSON. What is taken out of one makes it too short, which is blamed on the item around it; that item
//! then stands for what was taken out of it, under the issue that was found first.

use std::collections::BTreeMap;

use gsw_engine::model::Check;
use gsw_notation::issue::Issue;
use gsw_notation::path::{self, Step};
use serde_json::Value;

/// How often values of one answer are checked at most. Each check finds some fifty issues, so this is enough for thousands of items.
pub(super) const MOST_ROUNDS: u32 = 64;

/// A value of which the items that do not fit are left out.
#[derive(Debug)]
pub(super) struct Kept {
    pub value: Value,
    /// One for each item, in the order of the answer; its path is that in the answer.
    pub dropped: Vec<Issue>,
    /// Whether a list of which something was left out has lost all of its items.
    pub is_emptied: bool,
}

/// Steps to an item in the answer, and what is wrong with it.
type Dropped = BTreeMap<Vec<Step<'static>>, Issue>;

/// The value without what does not fit, if the rest does; `rounds` are those that are left.
pub(super) fn kept(value: &Value, rounds: &mut u32, check: &mut Check<'_>) -> Option<Kept> {
    let mut value = value.clone();
    let mut dropped = Dropped::new();
    let mut is_emptied = false;
    loop {
        *rounds = rounds.checked_sub(1)?;
        let issues = match check(&value) {
            Ok(()) => break,
            Err(issues) => issues,
        };
        let mut wrong: BTreeMap<Vec<Step<'static>>, Issue> = BTreeMap::new();
        for issue in issues {
            wrong.entry(item_of(&issue.path)?).or_insert(issue);
        }
        let outermost: Vec<_> = wrong
            .keys()
            .filter(|it| !(1..it.len()).any(|length| wrong.contains_key(&it[..length])))
            .cloned()
            .collect();
        let named: Vec<_> = outermost
            .iter()
            .map(|it| (in_answer(it, &dropped), wrong.remove(it)))
            .collect();
        // From the last one on, so that the places of the others stay.
        for place in outermost.iter().rev() {
            is_emptied |= take_out(&mut value, place)? == 0;
        }
        for (place, issue) in named {
            name(&mut dropped, place, issue?);
        }
    }
    Some(Kept {
        value,
        dropped: dropped.into_values().collect(),
        is_emptied,
    })
}

/// The innermost list item that a path leads into.
fn item_of(path: &str) -> Option<Vec<Step<'static>>> {
    let mut steps = path::steps(path)?;
    let last = steps.iter().rposition(|it| matches!(it, Step::Index(_)))?;
    steps.truncate(last + 1);
    Some(steps)
}

/// The place in the answer of what is now at `place`, once these items were taken out.
fn in_answer(place: &[Step<'static>], dropped: &Dropped) -> Vec<Step<'static>> {
    let mut found: Vec<Step<'static>> = Vec::with_capacity(place.len());
    for step in place {
        let step = match step {
            Step::Key(_) => step.clone(),
            Step::Index(index) => {
                let mut index = *index;
                let mut first = found.clone();
                first.push(Step::Index(0));
                let siblings = dropped
                    .range(first..)
                    .map(|it| it.0)
                    .take_while(|it| it.starts_with(&found))
                    .filter(|it| it.len() == found.len() + 1);
                for sibling in siblings {
                    match sibling.last() {
                        Some(Step::Index(before)) if *before <= index => index += 1,
                        Some(Step::Index(_) | Step::Key(_)) | None => break,
                    }
                }
                Step::Index(index)
            }
        };
        found.push(step);
    }
    found
}

/// Notes an item; it also stands for what was taken out of it before.
fn name(dropped: &mut Dropped, place: Vec<Step<'static>>, issue: Issue) {
    let inside: Vec<_> = dropped
        .range(place.clone()..)
        .map(|it| it.0)
        .take_while(|it| it.starts_with(&place))
        .cloned()
        .collect();
    let mut found = None;
    for it in inside {
        found = found.or(dropped.remove(&it).map(|issue| (it, issue)));
    }
    let issue = match found {
        Some((_, first)) => first,
        None => {
            // The rest of the path is inside of the item, which nothing was taken out of.
            let steps = path::steps(&issue.path).unwrap_or_default();
            let inside = steps.get(place.len()..).unwrap_or_default();
            let whole = [place.clone(), inside.to_vec()].concat();
            Issue::new(path::text(&whole), issue.expected, issue.found)
        }
    };
    dropped.insert(place, issue);
}

/// Gives how many items are left in the list.
fn take_out(value: &mut Value, place: &[Step<'static>]) -> Option<usize> {
    let (last, list) = place.split_last()?;
    let mut value = value;
    for step in list {
        value = part(value, step)?;
    }
    match (value, last) {
        (Value::Array(items), Step::Index(index)) if *index < items.len() => {
            items.remove(*index);
            Some(items.len())
        }
        _ => None,
    }
}

fn part<'a>(value: &'a mut Value, step: &Step<'static>) -> Option<&'a mut Value> {
    match step {
        Step::Index(index) => value.as_array_mut()?.get_mut(*index),
        Step::Key(key) => value.as_object_mut()?.get_mut(&**key),
    }
}

#[cfg(test)]
mod tests {
    use gsw_notation::issue::Issue;
    use serde_json::{Value, json};

    use super::{Kept, MOST_ROUNDS, kept};

    /// Accepts lists of `{"n": number, "tags": [text], "pair": (number, number)}`; finds so many issues at most.
    fn check(value: &Value, most: usize) -> Result<(), Vec<Issue>> {
        let mut issues = Vec::new();
        let mut wrong = |path: String, found: &Value| {
            issues.push(Issue::new(path, "something else".into(), found.to_string()));
        };
        let Some(items) = value.as_array() else {
            wrong("$".into(), value);
            return Err(issues);
        };
        for (index, item) in items.iter().enumerate() {
            if !item["n"].is_u64() {
                wrong(format!("$[{index}].n"), &item["n"]);
            }
            for (place, tag) in item["tags"].as_array().into_iter().flatten().enumerate() {
                if !tag.is_string() {
                    wrong(format!("$[{index}].tags[{place}]"), tag);
                }
            }
            if let Some(pair) = item["pair"].as_array() {
                for (place, part) in pair.iter().enumerate().filter(|it| !it.1.is_u64()) {
                    wrong(format!("$[{index}].pair[{place}]"), part);
                }
                if pair.len() != 2 {
                    wrong(format!("$[{index}].pair"), &item["pair"]);
                }
            }
        }
        issues.truncate(most);
        if issues.is_empty() {
            Ok(())
        } else {
            Err(issues)
        }
    }

    fn read(value: &Value, most: usize) -> Option<Kept> {
        let mut rounds = MOST_ROUNDS;
        kept(value, &mut rounds, &mut |it| check(it, most))
    }

    fn paths(kept: &Kept) -> Vec<&str> {
        kept.dropped.iter().map(|it| &*it.path).collect()
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_named_by_its_place_in_the_answer() {
        let answer = json!([
            {"n": "a"}, {"n": 1}, {"n": "b"}, {"n": 2, "tags": [1, "x", 2]}, {"n": "c"}, {"n": 3},
        ]);
        // Whether all issues come at once or one by one.
        for most in [usize::MAX, 1] {
            let kept = read(&answer, most).expect("the rest fits");
            assert_eq!(
                kept.value,
                json!([{"n": 1}, {"n": 2, "tags": ["x"]}, {"n": 3}])
            );
            let expected = ["$[0].n", "$[2].n", "$[3].tags[0]", "$[3].tags[2]", "$[4].n"];
            assert_eq!(paths(&kept), expected);
            assert_eq!(kept.dropped[1].found, "\"b\"");
            assert!(!kept.is_emptied);
        }
    }

    #[test]
    fn a_tuple_is_left_out_with_the_item_around_it() {
        let answer = json!([{"n": 1, "pair": [1, "x"]}, {"n": 2, "pair": [1, 2]}]);
        let kept = read(&answer, usize::MAX).expect("the rest fits");
        assert_eq!(kept.value, json!([{"n": 2, "pair": [1, 2]}]));
        assert_eq!(paths(&kept), ["$[0].pair[1]"]);
    }

    #[test]
    fn what_is_wrong_outside_of_items_is_no_item() {
        assert!(read(&json!({"n": 1}), usize::MAX).is_none());
        let kept = read(&json!([{"n": "a"}]), usize::MAX).expect("nothing is left, which fits");
        assert!(kept.is_emptied);
    }

    #[test]
    fn rounds_are_bounded() {
        let answer: Value = (0..200).map(|_| json!({"n": "a"})).collect();
        assert!(read(&answer, 1).is_none());
        let kept = read(&answer, 50).expect("fifty at a time are few rounds");
        assert_eq!((kept.dropped.len(), kept.is_emptied), (200, true));
    }
}
