//! From the text of an answer to a value that passes the check.
//!
//! The text gives candidates, the plainest first: the whole text as JSON, blocks of code, values inside of prose, then the
//! same with mended syntax. Each is checked as it is, then coerced along the schema and checked again. What fits is never
//! changed, and every change or loss is named as a liberty.

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
    /// The value.
    pub value: Value,
    /// What had to be mended, in words.
    pub liberties: Vec<String>,
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
        liberties: Vec::new(),
    })
}

struct Reader<'a, 'b> {
    schema: &'a Value,
    check: &'a mut Check<'b>,
    /// Those of the plainest candidate.
    issues: Option<Vec<Issue>>,
}

impl Reader<'_, '_> {
    /// The reading that takes the fewest liberties: found in the text, coerced, mended, and both.
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
        let mended = candidate::mended(text);
        if let Some(reading) = mended.iter().find_map(|it| self.fits(it)) {
            return Some(reading);
        }
        if let Some(reading) = mended.iter().find_map(|it| self.coerced(it)) {
            return Some(reading);
        }
        self.coerced(&candidate::text(text))
    }

    fn fits(&mut self, candidate: &Candidate) -> Option<Reading> {
        match (self.check)(&candidate.value) {
            Ok(()) => Some(Reading {
                value: candidate.value.clone(),
                liberties: candidate.liberties.clone(),
            }),
            Err(mut issues) => {
                issues.truncate(MOST_ISSUES);
                self.issues.get_or_insert(issues);
                None
            }
        }
    }

    fn coerced(&mut self, candidate: &Candidate) -> Option<Reading> {
        let (value, liberties) = coerced(&candidate.value, self.schema);
        if liberties.is_empty() || (self.check)(&value).is_err() {
            return None;
        }
        let liberties = [candidate.liberties.clone(), liberties].concat();
        Some(Reading { value, liberties })
    }
}

fn no_json(text: &str, schema: &Value) -> Issue {
    const SHOWN: usize = 80;
    let mut found: String = text.trim().chars().take(SHOWN).collect();
    if text.trim().chars().nth(SHOWN).is_some() {
        found.push('…');
    }
    // Where something hidden stands in it, nobody knows.
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
