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

/// How often what is left is checked at most. Each check finds some fifty issues, so this is enough for thousands of items; where it is
/// not, the answer is refused with an issue that says so.
const MOST_ROUNDS: u32 = 64;

/// A value of which the items that do not fit are left out.
#[derive(Debug)]
pub(super) struct Kept {
    pub value: Value,
    /// One for each item, in the order of the answer; its path is that in the answer.
    pub dropped: Vec<Issue>,
}

/// Steps to an item in the answer, and what is wrong with it.
type Dropped = BTreeMap<Vec<Step<'static>>, Issue>;

/// The value without what does not fit, if the rest does; else what is wrong with it.
pub(super) fn kept(
    mut value: Value,
    issues: Vec<Issue>,
    check: &mut Check<'_>,
) -> Result<Kept, Vec<Issue>> {
    let mut dropped = Dropped::new();
    let mut wrong = issues;
    for _ in 0..MOST_ROUNDS {
        let Some(named) = take_out(&mut value, &wrong, &dropped) else {
            return Err(wrong);
        };
        for (place, issue) in named {
            name(&mut dropped, place, issue);
        }
        match check(&value) {
            Ok(()) => {
                let dropped = dropped.into_values().collect();
                return Ok(Kept { value, dropped });
            }
            Err(issues) => wrong = issues,
        }
    }
    let found = format!("more wrong items than {MOST_ROUNDS} checks find");
    let too_many = Issue::new("$".into(), "a list with fewer wrong items".into(), found);
    wrong.insert(0, too_many);
    Err(wrong)
}

/// Takes out the items in which these issues lie; gives them by their places in the answer. `None` where one lies in no item.
fn take_out(
    value: &mut Value,
    issues: &[Issue],
    dropped: &Dropped,
) -> Option<Vec<(Vec<Step<'static>>, Issue)>> {
    let mut wrong: BTreeMap<Vec<Step<'static>>, &Issue> = BTreeMap::new();
    for issue in issues {
        wrong.entry(item_of(&issue.path)?).or_insert(issue);
    }
    let is_inner =
        |it: &[Step<'static>]| (1..it.len()).any(|length| wrong.contains_key(&it[..length]));
    let outermost: Vec<(&Vec<Step<'static>>, &Issue)> = wrong
        .iter()
        .filter(|it| !is_inner(it.0))
        .map(|(place, issue)| (place, *issue))
        .collect();
    let named = outermost
        .iter()
        .map(|(place, issue)| (in_answer(place, dropped), (*issue).clone()))
        .collect();
    // All of one list at once, so that the others move one time; the last lists first, so that the places of the rest stay.
    let mut lists: BTreeMap<&[Step<'static>], Vec<usize>> = BTreeMap::new();
    for (place, _) in &outermost {
        let (Step::Index(index), list) = place.split_last()? else {
            return None;
        };
        lists.entry(list).or_default().push(*index);
    }
    for (list, indices) in lists.iter().rev() {
        let Value::Array(items) = at(value, list)? else {
            return None;
        };
        let (mut index, mut waiting) = (0, indices.iter().peekable());
        items.retain(|_| {
            let is_wrong = waiting.next_if(|it| **it == index).is_some();
            index += 1;
            !is_wrong
        });
        if waiting.peek().is_some() {
            return None;
        }
    }
    Some(named)
}

/// The part of a value at a place.
fn at<'a>(value: &'a mut Value, place: &[Step<'static>]) -> Option<&'a mut Value> {
    place.iter().try_fold(value, part)
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

    use super::{Kept, kept};

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

    fn read(value: &Value, most: usize) -> Result<Kept, Vec<Issue>> {
        let issues = check(value, most).expect_err("something does not fit");
        kept(value.clone(), issues, &mut |it| check(it, most))
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
        assert!(read(&json!({"n": 1}), usize::MAX).is_err());
        let kept = read(&json!([{"n": "a"}]), usize::MAX).expect("nothing is left, which fits");
        assert_eq!((kept.value, kept.dropped.len()), (json!([]), 1));
    }

    #[test]
    fn what_is_too_much_to_check_is_refused_and_says_so() {
        let answer: Value = (0..200).map(|_| json!({"n": "a"})).collect();
        let issues = read(&answer, 1).expect_err("one at a time are too many rounds");
        assert_eq!(issues[0].found, "more wrong items than 64 checks find");
        let kept = read(&answer, 50).expect("fifty at a time are few rounds");
        assert_eq!((kept.dropped.len(), kept.value), (200, json!([])));
    }
}
