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
//! 5. the text itself as a value.
//!
//! Invariants:
//! - What fits is never changed: each reading is tried only after those that change less.
//! - Every change and every loss is a sentence in [`Reading::repairs`].
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
    if exactness == Exactness::Lenient
        && let Some(reading) = reader.leniently(text, exact.as_ref())
    {
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
        if let Some(reading) = exact
            .into_iter()
            .chain(&found)
            .find_map(|it| self.coerced(it))
        {
            return Some(reading);
        }
        let repaired = candidate::repaired(text);
        if let Some(reading) = repaired.iter().find_map(|it| self.fits(it)) {
            return Some(reading);
        }
        if let Some(reading) = repaired.iter().find_map(|it| self.coerced(it)) {
            return Some(reading);
        }
        // Last, since any text is a text: an earlier reading with structure is more likely what was meant.
        self.coerced(&candidate::text(text))
    }

    fn fits(&mut self, candidate: &Candidate) -> Option<Reading> {
        match (self.check)(&candidate.value) {
            Ok(()) => Some(Reading {
                value: candidate.value.clone(),
                repairs: candidate.repairs.clone(),
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
        Some(Reading { value, repairs })
    }
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
