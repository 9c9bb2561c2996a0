//! From the text of an answer to a value that passes the check.
//!
//! A model that is asked for JSON writes something close to it: a sentence before it, a block of code around it, numbers as
//! text, variants in another case, a trailing comma, no end. Most such answers have one sensible meaning, and asking again
//! costs a request. So the text is read along the schema of the type, and the check of the type decides.
//!
//! This is schema-aligned parsing, as BAML calls it: of the values that the text may stand for, take the one that passes the
//! check and needs the fewest repairs. It approximates a minimum-distance parse (Aho and Peterson, 1972) by trying readings
//! in the order of how much they change:
//!
//! 1. the whole text as JSON (`answer: exact` ends here);
//! 2. JSON inside of the text: blocks of code, values in prose, the last one first, since models conclude at the end;
//! 3. these values, coerced along the schema;
//! 4. the text with its syntax repaired, as it is and then coerced;
//! 5. the text itself as a value;
//! 6. with `answer: "keep_valid"`, the first of 1, 2 and 4, coerced, of which something is left when list items that do not fit
//!    are left out.
//!
//! Invariants:
//! - What fits is never changed: each reading is tried only after those that change less.
//! - Every change and every loss is a sentence in [`Reading::repairs`], or an issue in [`Reading::dropped`].
//! - Nothing is a value before the check passes it; `fit` only chooses between changes.
//! - Time grows with the length of the text alone: candidates, depth and steps are bounded, since anybody may have written it.
//! - The content of a hidden field is part of no repair and no issue.
//!
//! ```text
//! type Bug { line: int, severity: Severity }                       // enum Severity { Low, High }
//! Sure: {line: "12", severity: "HIGH"}   is read as   {"line": 12, "severity": "High"}
//! ```
//!
//! Its repairs: the text around it was dropped, keys were put in quotes, `"12"` was read as an integer, `HIGH` as `High`.

mod candidate;
mod coerce;
mod fit;
mod keep_valid;
mod literal;
mod parse;
mod prose;

use candidate::Candidate;
use coerce::coerced;
use gsw_engine::model::Check;
use gsw_notation::issue::Issue;
use serde_json::Value;

use crate::settings::Exactness;
pub(crate) use parse::strict as strict_json;

/// A value that passed the check.
#[derive(Debug)]
pub(crate) struct Reading {
    pub value: Value,
    /// What had to be repaired, in words.
    pub repairs: Vec<String>,
    /// What was wrong with the items that were left out, one issue each.
    pub dropped: Vec<Issue>,
}

/// The most issues that are kept of a wrong answer.
const MOST_ISSUES: usize = 100;

/// Reads an answer; without a schema it is plain text.
pub(crate) fn read(
    text: &str,
    schema: Option<&Value>,
    exactness: Exactness,
    check: &mut Check<'_>,
) -> Result<Reading, Vec<Issue>> {
    let Some(schema) = schema else {
        return as_text(text, check);
    };
    let mut reader = Reader {
        schema,
        check,
        issues: None,
    };
    // Tried first and alone: what is right JSON and fits is never read in another way.
    let exact = candidate::whole(text);
    if let Some(reading) = exact.iter().find_map(|it| reader.fits(it)) {
        return Ok(reading);
    }
    let reading = match exactness {
        Exactness::Exact => None,
        Exactness::Lenient => reader.leniently(text, exact.as_ref()),
        Exactness::KeepValid => {
            let fitting = reader.leniently(text, exact.as_ref());
            fitting.or_else(|| reader.keeping_valid(text, exact.as_ref()))
        }
    };
    if let Some(reading) = reading {
        return Ok(reading);
    }
    Err(reader.issues.unwrap_or_else(|| vec![no_json(text, schema)]))
}

fn as_text(text: &str, check: &mut Check<'_>) -> Result<Reading, Vec<Issue>> {
    let value = Value::String(text.to_owned());
    check(&value)?;
    Ok(Reading {
        value,
        repairs: Vec::new(),
        dropped: Vec::new(),
    })
}

struct Reader<'a, 'b> {
    schema: &'a Value,
    check: &'a mut Check<'b>,
    /// Those of the plainest candidate.
    issues: Option<Vec<Issue>>,
}

impl Reader<'_, '_> {
    /// The reading that takes the fewest repairs: found in the text, coerced, repaired, and both.
    fn leniently(&mut self, text: &str, exact: Option<&Candidate>) -> Option<Reading> {
        let found = candidate::strict(text);
        if let Some(reading) = found.iter().find_map(|it| self.fits(it)) {
            return Some(reading);
        }
        let repaired = candidate::repaired(text);
        let strict: Vec<&Candidate> = exact.into_iter().chain(&found).collect();
        let repaired: Vec<&Candidate> = repaired.iter().collect();
        let all = [&*strict, &*repaired].concat();
        if let Some(reading) = self.coerced_of(&strict, &all) {
            return Some(reading);
        }
        if let Some(reading) = repaired.iter().find_map(|it| self.fits(it)) {
            return Some(reading);
        }
        if let Some(reading) = self.coerced_of(&repaired, &all) {
            return Some(reading);
        }
        // Last, since any text is a text: an earlier reading with structure is more likely what was meant.
        self.coerced(&candidate::text(text))
    }

    /// The first candidate that fits once it is coerced. Where a list is wanted, an item of a list in the text does not stand for
    /// the list: the other items would be lost.
    fn coerced_of(&mut self, candidates: &[&Candidate], all: &[&Candidate]) -> Option<Reading> {
        let wants_list = self.has_kind_of_answer(&Value::Array(Vec::new()));
        let lists: Vec<&Value> = all
            .iter()
            .map(|it| &it.value)
            .filter(|it| it.is_array())
            .collect();
        let is_item = |it: &Candidate| {
            let is_one = wants_list && !it.value.is_array();
            is_one && lists.iter().any(|list| holds(list, &it.value))
        };
        let mut whole = candidates.iter().filter(|it| !is_item(it));
        whole.find_map(|it| self.coerced(it))
    }

    fn fits(&mut self, candidate: &Candidate) -> Option<Reading> {
        match (self.check)(&candidate.value) {
            Ok(()) => Some(Reading {
                value: candidate.value.clone(),
                repairs: candidate.repairs.clone(),
                dropped: Vec::new(),
            }),
            Err(mut issues) => {
                issues.truncate(MOST_ISSUES);
                // Of the first candidate that failed, which is the one that changes least: its issues are what the model can act on.
                self.issues.get_or_insert(issues);
                None
            }
        }
    }

    fn coerced(&mut self, candidate: &Candidate) -> Option<Reading> {
        let (value, repairs) = coerced(&candidate.value, self.schema);
        // Without a change it is the value that failed before; the check need not say so twice.
        if repairs.is_empty() || (self.check)(&value).is_err() {
            return None;
        }
        let repairs = [candidate.repairs.clone(), repairs].concat();
        let dropped = Vec::new();
        Some(Reading {
            value,
            repairs,
            dropped,
        })
    }

    /// The first reading that fits once list items that do not are left out. In prose numbers in brackets look like lists, so
    /// there something must be left of each.
    fn keeping_valid(&mut self, text: &str, exact: Option<&Candidate>) -> Option<Reading> {
        let (found, repaired) = (candidate::strict(text), candidate::repaired(text));
        let mut rounds = keep_valid::MOST_ROUNDS;
        let whole = exact.into_iter().map(|it| (it, Emptied::Fits));
        let parts = found.iter().chain(&repaired);
        let mut candidates = whole.chain(parts.map(|it| (it, Emptied::DoesNotFit)));
        candidates.find_map(|(candidate, emptied)| {
            // One item, or an object around some, is no list of which others are left out.
            if !self.has_kind_of_answer(&candidate.value) {
                return None;
            }
            let (value, repairs) = coerced(&candidate.value, self.schema);
            let kept = keep_valid::kept(&value, &mut rounds, self.check)?;
            if kept.is_emptied && emptied == Emptied::DoesNotFit {
                return None;
            }
            Some(Reading {
                value: kept.value,
                repairs: [candidate.repairs.clone(), repairs].concat(),
                dropped: kept.dropped,
            })
        })
    }

    fn has_kind_of_answer(&self, value: &Value) -> bool {
        let schema = fit::resolved(self.schema, self.schema);
        let types = fit::types(schema);
        types.is_empty()
            || match value {
                Value::Array(_) => types.contains(&"array"),
                Value::Object(_) => types.contains(&"object"),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            }
    }
}

/// Whether the value is somewhere in the list.
fn holds(list: &Value, value: &Value) -> bool {
    let mut waiting = vec![list];
    while let Some(it) = waiting.pop() {
        match it {
            Value::Array(items) => {
                if items.contains(value) {
                    return true;
                }
                waiting.extend(items);
            }
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// What becomes of a list that has lost all of its items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Emptied {
    Fits,
    DoesNotFit,
}

fn no_json(text: &str, schema: &Value) -> Issue {
    const SHOWN: usize = 80;
    let mut found: String = text.trim().chars().take(SHOWN).collect();
    if text.trim().chars().nth(SHOWN).is_some() {
        found.push('…');
    }
    // Any part of it may be the value of a hidden field.
    if coerce::hides(schema) {
        found = "text that is hidden".into();
    }
    let expected = schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("value");
    let expected = format!("a JSON {expected}");
    Issue {
        path: "$".into(),
        message: format!("$: expected {expected}, found `{found}`"),
        expected,
        found,
    }
}

#[cfg(test)]
mod tests;
