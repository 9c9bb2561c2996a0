//! From the text of an answer to a value that passes the check.
//!
//! A model that is asked for JSON writes something close to it: a sentence before it, a block of code around it, numbers as
//! text, variants in another case, a trailing comma, no end. Most such answers have one sensible meaning, and asking again
//! costs a request. So the text is read along the schema of the type, which is called schema-aligned parsing, and the check of the
//! type decides.
//!
//! The law: *take a fitting answer and damage one place; every other part is in the value, in a named repair, or in the error.*
//! What cannot be known is a misfit, which is shown back to the model. So an answer is read in one way, and that way is:
//!
//! 1. `strict`: the whole text as JSON. What fits as it is is taken as it is; `answer: exact` ends here.
//! 2. `scan`: the outermost values in the text, with their syntax repaired by `parse`. What the model thought aloud is not looked at.
//! 3. `choose`: the last of them that looks like an answer, seen from afar by `resemble`; for a list, several in a row; where
//!    there are no brackets, `plain`: the text itself.
//! 4. `coerce`: the value changed along the `shape` of the schema.
//! 5. the check; with `answer: "keep_valid"`, without list items that do not pass it.
//!
//! Invariants:
//! - What fits is never changed.
//! - A piece of a larger value never stands for it, and is never wrapped into a list.
//! - Every change and every loss is a repair of a kind that has a name (`repair`), with its place; or an issue.
//! - Nothing is a value before the check passes it.
//! - Work grows with the length of the text alone (`work`); depth is bounded. Anybody may have written the answer.
//! - The content of a hidden field is part of no repair and no issue.
//!
//! ```text
//! type Bug { line: int, severity: Severity }                       // enum Severity { Low, High }
//! Sure: {line: "12", severity: "HIGH"}   is read as   {"line": 12, "severity": "High"}
//! ```
//!
//! Its repairs: the text around it was left out, keys were put in quotes, `"12"` was read as an int, `HIGH` as `High`.

mod choose;
mod coerce;
mod exact;
mod frame;
mod keep_valid;
mod node;
mod number;
mod parse;
mod place;
mod plain;
mod repair;
mod resemble;
mod scan;
mod shape;
mod strict;
mod word;
mod work;

use gsw_engine::model::Check;
use gsw_notation::issue::Issue;
use gsw_notation::path;
use gsw_notation::text::shortened;
use serde_json::Value;

use crate::settings::Exactness;
use choose::{Chooser, Chosen};
use coerce::{Coerced, coerced};
use keep_valid::Known;
use node::Node;
pub(crate) use number::value as number_value;
use parse::Flaw;
use repair::Repairs;
use scan::Top;
pub(crate) use scan::spoken;
use shape::Shapes;
pub(crate) use shape::WRAPPED;
pub(crate) use strict::{Tree, strict as strict_json, strict_tree};
use work::Work;

/// A value that passed the check.
#[derive(Debug)]
pub(crate) struct Reading {
    pub value: Value,
    /// What had to be repaired, each in a sentence that begins with the name of its kind.
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
    match schema {
        Some(schema) => read_counted(text, schema, exactness, check, &Work::on(text)),
        None => as_text(text, check),
    }
}

fn as_text(text: &str, check: &mut Check<'_>) -> Result<Reading, Vec<Issue>> {
    let value = Value::String(text.to_owned());
    check(&value)?;
    Ok(Reading::whole(value))
}

fn read_counted(
    text: &str,
    schema: &Value,
    exactness: Exactness,
    check: &mut Check<'_>,
    work: &Work,
) -> Result<Reading, Vec<Issue>> {
    let shapes = Shapes::of(schema);
    let exact = strict_json(text);
    let mut issues = Vec::new();
    if let Some(value) = &exact {
        issues = exact::excess(value, &shapes);
        if issues.is_empty() {
            match check(value) {
                Ok(()) => return Ok(Reading::whole(exact.unwrap_or_default())),
                Err(found) => issues = found,
            }
        } else if exactness == Exactness::Exact {
            issues.extend(check(value).err().unwrap_or_default());
        }
    }
    let reader = Reader {
        text,
        schema,
        shapes: &shapes,
        work,
    };
    let read = match exactness {
        Exactness::Exact if exact.is_none() => Err(vec![exact::no_json(text, &shapes)]),
        Exactness::Exact => Err(issues),
        Exactness::Lenient | Exactness::KeepValid => {
            let wrong = match reader.chosen(exact.as_ref()) {
                Ok(chosen) => reader.fitted(chosen, exactness, check),
                Err(issue) => Err(vec![issue]),
            };
            // Also keys that have no place, which may be misspelt. What else is wrong before it is repaired is no mistake.
            issues.retain(|it| it.expected == exact::NO_SUCH_KEY);
            wrong.map_err(|wrong| merged(wrong, issues))
        }
    };
    read.map_err(|mut issues| {
        issues.truncate(MOST_ISSUES);
        issues
    })
}

/// Issues of both, one for each place.
fn merged(mut first: Vec<Issue>, second: Vec<Issue>) -> Vec<Issue> {
    for issue in second {
        if !first
            .iter()
            .take(MOST_ISSUES)
            .any(|it| it.path == issue.path)
        {
            first.push(issue);
        }
    }
    first
}

impl Reading {
    fn whole(value: Value) -> Self {
        Self {
            value,
            repairs: Vec::new(),
            dropped: Vec::new(),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    schema: &'a Value,
    shapes: &'a Shapes,
    work: &'a Work,
}

impl<'a> Reader<'a> {
    /// The value that the text is read as.
    fn chosen(&self, exact: Option<&'a Value>) -> Result<Chosen<'a>, Issue> {
        if let Some(value) = exact {
            return Ok(Chosen {
                node: Node::of(value),
                repairs: Repairs::default(),
                flaw: None,
            });
        }
        let spoken = scan::spoken(self.text);
        let root = self.shapes.root;
        let is_answer = |it: &Node<'_>| {
            let is_item = self
                .shapes
                .item(root)
                .is_some_and(|of| self.shapes.resembles(it, of));
            is_item || self.shapes.resembles(it, root)
        };
        let found = scan::tops(spoken.text, self.work, is_answer);
        if found.is_given_up {
            return Err(self.no_answer(None));
        }
        let first_flaw = found.first_flaw.clone();
        let tops_flaw = found.tops.iter().find_map(|it| it.flaw.clone());
        let chooser = Chooser {
            text: spoken.text,
            shapes: self.shapes,
            work: self.work,
        };
        let bullets = match found.tops.iter().any(Top::has_texts) {
            true => None,
            false => plain::bullets(spoken.text, self.shapes).map(Chosen::plain),
        };
        let chosen = bullets
            .or_else(|| chooser.choose(found))
            .or_else(|| plain::plain(spoken.text, self.shapes).map(Chosen::plain));
        let Some(mut chosen) = chosen else {
            return Err(self.no_answer(tops_flaw.or(first_flaw)));
        };
        if let Some(flaw) = chosen.flaw {
            return Err(self.broken(&flaw));
        }
        let mut repairs = spoken.repairs;
        repairs.add(chosen.repairs);
        if self.shapes.hides {
            repairs.conceal();
        }
        chosen.repairs = repairs;
        Ok(Chosen {
            flaw: None,
            ..chosen
        })
    }

    /// The value once it is coerced, if it passes.
    fn fitted(
        &self,
        chosen: Chosen<'_>,
        exactness: Exactness,
        check: &mut Check<'_>,
    ) -> Result<Reading, Vec<Issue>> {
        let mut repairs = chosen.repairs;
        let Coerced {
            value,
            repairs: changes,
            issues,
            singles,
        } = coerced(&chosen.node, self.shapes, self.work);
        repairs.add(changes);
        if repairs.lose_too_much() {
            let expected = "an answer near to what was asked for".into();
            let found = "more parts that do not belong there than can be named".into();
            return Err(vec![Issue::new("$".into(), expected, found)]);
        }
        let checked = check(&value);
        if issues.is_empty() && checked.is_ok() {
            let repairs = repairs.into_texts();
            return Ok(Reading {
                repairs,
                ..Reading::whole(value)
            });
        }
        let issues = merged(issues, checked.err().unwrap_or_default());
        if exactness != Exactness::KeepValid {
            return Err(issues);
        }
        let known = Known {
            shapes: self.shapes,
            singles: &singles,
        };
        let kept = keep_valid::kept(value, known, issues, check)?;
        Ok(Reading {
            value: kept.value,
            repairs: repairs.into_texts(),
            dropped: kept.dropped,
        })
    }

    fn broken(&self, flaw: &Flaw) -> Issue {
        // Any part of it may be the value of a hidden field.
        if self.shapes.hides {
            return Issue::new(
                "$".into(),
                "whole JSON".into(),
                "text that is hidden".into(),
            );
        }
        Issue::new(
            path::text(&flaw.steps),
            flaw.expected.into(),
            flaw.found.clone(),
        )
    }

    fn no_answer(&self, flaw: Option<Flaw>) -> Issue {
        if let Some(flaw) = flaw {
            return self.broken(&flaw);
        }
        const SHOWN: usize = 80;
        let mut found = shortened(self.text.trim(), SHOWN);
        if self.shapes.hides {
            found = "text that is hidden".into();
        }
        let expected = self.schema.get("type").and_then(Value::as_str);
        let expected = format!("a JSON {}", expected.unwrap_or("value"));
        Issue {
            path: "$".into(),
            message: format!("$: expected {expected}, found `{found}`"),
            expected,
            found,
        }
    }
}

#[cfg(test)]
mod tests;
