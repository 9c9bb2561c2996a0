//! `answer: "keep_valid"`: of a list, the items that do not fit are left out, and each is named.
//!
//! A value is checked, and every issue is blamed on the innermost list item that it is in; these items are taken out, and what
//! is left is checked again, since a check of a whole record or list may fail only then. An issue outside of every item, such
//! as a missing field of the answer itself, cannot be helped: then the value does not fit.
//!
//! - A part of a tuple is no item, although a tuple is a list to JSON: without it the rest means nothing.
//! - A value that is in a list only because it was read as a list of one is no item either: a list that the answer does not have
//!   would be left.
//! - An item that does not fit without what was taken out of it goes as well, and is named as well.

use std::collections::BTreeMap;

use gsw_engine::model::Check;
use gsw_notation::issue::Issue;
use gsw_notation::path::{self, Step};
use serde_json::Value;

use super::shape::Shapes;

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

/// Steps to a place in the value that was read.
type Steps = Vec<Step<'static>>;

/// The places of items, and what is wrong with each.
type Dropped = BTreeMap<Steps, Issue>;

/// What is known of the value that was read, besides its JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    pub shapes: &'a Shapes,
    /// The places of lists that one value was read as.
    pub singles: &'a [Steps],
}

/// The value without what does not fit, if the rest does; else what is wrong with it.
pub(super) fn kept(
    mut value: Value,
    known: Known<'_>,
    issues: Vec<Issue>,
    check: &mut Check<'_>,
) -> Result<Kept, Vec<Issue>> {
    let mut dropped = Dropped::new();
    let mut wrong = issues;
    for _ in 0..MOST_ROUNDS {
        let Some(named) = take_out(&mut value, known, &wrong, &dropped) else {
            return Err(wrong);
        };
        for (place, issue) in named {
            let issue = known.named(&place, issue, &dropped);
            dropped.insert(place, issue);
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

/// Removes the items that contain these issues; returns them by the places where they were read. `None` where an issue is in no
/// item.
fn take_out(
    value: &mut Value,
    known: Known<'_>,
    issues: &[Issue],
    dropped: &Dropped,
) -> Option<Vec<(Steps, Issue)>> {
    let mut wrong: BTreeMap<Steps, &Issue> = BTreeMap::new();
    for issue in issues {
        let item = known.item_of(&issue.path, dropped)?;
        wrong.entry(item).or_insert(issue);
    }
    let is_inner =
        |it: &[Step<'static>]| (1..it.len()).any(|length| wrong.contains_key(&it[..length]));
    let outermost: Vec<(&Steps, &Issue)> = wrong
        .iter()
        .filter(|it| !is_inner(it.0))
        .map(|(place, issue)| (place, *issue))
        .collect();
    let named = outermost
        .iter()
        .map(|(place, issue)| (as_read(place, dropped), (*issue).clone()))
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

impl Known<'_> {
    /// The innermost list item that a path leads into.
    fn item_of(self, path: &str, dropped: &Dropped) -> Option<Steps> {
        let mut steps = path::steps(path)?;
        let last = (0..steps.len()).rev().find(|&it| {
            let list = &steps[..it];
            matches!(steps[it], Step::Index(_))
                && self.shapes.may_be_list(list)
                && !self.is_single(&as_read(list, dropped))
        })?;
        steps.truncate(last + 1);
        Some(steps)
    }

    fn is_single(self, list: &[Step<'static>]) -> bool {
        self.singles.iter().any(|it| it == list)
    }

    /// The issue of an item that is left out, in the words of the answer.
    fn named(self, place: &[Step<'static>], issue: Issue, dropped: &Dropped) -> Issue {
        // The rest of the path is inside of the item and leads through no other one, so nothing before it was taken out.
        let steps = path::steps(&issue.path).unwrap_or_default();
        let inside = steps.get(place.len()..).unwrap_or_default();
        let whole = [place, inside].concat();
        let is_less = dropped.range(whole.clone()..).next();
        let is_less = is_less.is_some_and(|(it, _)| it.starts_with(&whole));
        let found = match is_less {
            true => format!("{}, without what is left out of it", issue.found),
            false => issue.found,
        };
        Issue::new(path::text(&self.written(whole)), issue.expected, found)
    }

    /// A place as the answer has it: a value that was read as a list of one is in no list there.
    fn written(self, place: Steps) -> Steps {
        let steps = place.iter().enumerate();
        let written = steps.filter(|(index, _)| !self.is_single(&place[..*index]));
        written.map(|it| it.1.clone()).collect()
    }
}

/// Where what is now at `place` was before these items were taken out.
fn as_read(place: &[Step<'static>], dropped: &Dropped) -> Steps {
    let mut found: Steps = Vec::with_capacity(place.len());
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

    use super::super::shape::Shapes;
    use super::{Kept, Known, kept};

    /// Accepts lists of `{"n": number, "tags": [text], "pair": (number, number)}`, where a list of tags that is there has some;
    /// finds this many issues at most.
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
            if item["tags"] == json!([]) {
                wrong(format!("$[{index}].tags"), &item["tags"]);
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
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let pair =
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}]});
        let item = json!({
            "type": "object",
            "properties": {"n": {"type": "integer"}, "tags": texts, "pair": pair},
        });
        let shapes = Shapes::of(&json!({"type": "array", "items": item}));
        let known = Known {
            shapes: &shapes,
            singles: &[],
        };
        kept(value.clone(), known, issues, &mut |it| check(it, most))
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
    fn what_does_not_fit_without_an_item_is_left_out_and_named_as_well() {
        let answer = json!([{"n": 1, "tags": [1, 2]}, {"n": 2, "tags": ["x", 3]}, {"n": 3}]);
        let kept = read(&answer, usize::MAX).expect("the rest fits");
        assert_eq!(kept.value, json!([{"n": 2, "tags": ["x"]}, {"n": 3}]));
        let expected = ["$[0].tags", "$[0].tags[0]", "$[0].tags[1]", "$[1].tags[1]"];
        assert_eq!(paths(&kept), expected);
        assert_eq!(kept.dropped[0].found, "[], without what is left out of it");
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
