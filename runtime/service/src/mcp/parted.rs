//! Runs whose client has been asked by a result, until it calls again – for the same thing: what was agreed to is what is done.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gsw_driver::engine::runs::new_id;
use serde_json::{Map, Number, Value};

use crate::mcp::call::Ongoing;

/// The most that are kept; the client of the oldest has gone then.
const MOST: usize = 1_000;
/// How long the end of a run is kept whose client has not called again.
const KEPT: Duration = Duration::from_secs(600);

/// Runs by the tokens that their clients return, the oldest first.
#[derive(Default)]
pub(super) struct Parted(VecDeque<Parting>);

struct Parting {
    token: String,
    since: Instant,
    ongoing: Ongoing,
}

impl Parted {
    /// The token for a run that is left here, and the run that has no place any more.
    pub fn add(&mut self, ongoing: Ongoing) -> (String, Option<Ongoing>) {
        let long_over = |it: &Parting| it.ongoing.has_ended() && it.since.elapsed() > KEPT;
        self.0.retain(|it| !long_over(it));
        let oldest = match self.0.len() >= MOST {
            true => self.0.pop_front().map(|it| it.ongoing),
            false => None,
        };
        // It cannot be guessed, so that no other call gets the run.
        let token = new_id().to_string();
        self.0.push_back(Parting {
            token: token.clone(),
            since: Instant::now(),
            ongoing,
        });
        (token, oldest)
    }

    /// The run of a token, for a client that calls the same workflow with the same input as before. Any other call leaves it
    /// where it is: a person may have agreed to what this one does, and to nothing else.
    pub fn take(
        &mut self,
        token: &str,
        workflow: usize,
        input: &Map<String, Value>,
    ) -> Result<Ongoing, NotTaken> {
        let place = self.0.iter().position(|it| it.token == token);
        let place = place.ok_or(NotTaken::Unknown)?;
        let found = &self.0[place].ongoing;
        if found.workflow != workflow || !is_same_object(&found.input, input) {
            return Err(NotTaken::OfAnotherCall);
        }
        let taken = self.0.remove(place).map(|it| it.ongoing);
        taken.ok_or(NotTaken::Unknown)
    }
}

/// Why a token leads to no run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotTaken {
    Unknown,
    OfAnotherCall,
}

/// Whether two inputs are equal, in whatever order.
fn is_same_object(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let is_in_other = |(name, value)| other.get(name).is_some_and(|it| is_same(value, it));
    one.len() == other.len() && one.iter().all(is_in_other)
}

fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Object(one), Value::Object(other)) => is_same_object(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (one, other) => one == other,
    }
}

/// Whether two numbers are written alike, or are the same float: a client may write `1.50` as `1.5`. Of whole numbers a float
/// could hold two for one, so they are compared by their digits.
fn is_same_number(one: &Number, other: &Number) -> bool {
    let (one, other) = (one.to_string(), other.to_string());
    let float = |text: &str| {
        let is_float = text.contains(['.', 'e', 'E']);
        is_float.then(|| text.parse::<f64>().ok()).flatten()
    };
    one == other || matches!((float(&one), float(&other)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_str};

    use super::is_same;

    fn same(one: &str, other: &str) -> bool {
        let value = |text: &str| from_str::<Value>(text).expect("it is JSON");
        is_same(&value(one), &value(other))
    }

    #[test]
    fn inputs_are_the_same_in_any_order_and_however_a_float_is_written() {
        assert!(same(
            r#"{"a": 1, "b": {"c": [1.50, null], "d": "x"}}"#,
            r#"{"b": {"d": "x", "c": [1.5, null]}, "a": 1}"#
        ));
        for (one, other) in [
            (r#"{"a": 1}"#, r#"{"a": 2}"#),
            (r#"{"a": 1}"#, r#"{"a": "1"}"#),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": null}"#),
            (r#"{"a": 1, "b": null}"#, r#"{"a": 1}"#),
            ("[1, 2]", "[2, 1]"),
            ("[1]", "[1, 1]"),
            ("9007199254740993", "9007199254740992"),
            ("1.5", "1.25"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }
}
