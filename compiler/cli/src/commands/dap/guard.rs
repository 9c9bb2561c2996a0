//! What a breakpoint asks before it stops a run: a condition, a hit count; and what a log point writes instead.

use serde_json::Value;

use super::expression::{Expression, Names, shown};

/// What is asked where a breakpoint is met.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    condition: Option<Expression>,
    hits: Option<HitCondition>,
    /// Logged in the place of a stop.
    message: Option<Vec<Piece>>,
}

/// Which of its hits count, the first being 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HitCondition {
    Exactly(u64),
    AtLeast(u64),
    AtMost(u64),
    /// At each multiple of this count.
    Every(u64),
}

/// A piece of a log message.
#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Value(Expression),
}

/// What a run does where a breakpoint is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Pass,
    Log(String),
    Stop,
    /// The condition cannot be evaluated, for this reason.
    Unclear(String),
}

impl Guard {
    /// Reads what the client sends with a breakpoint.
    pub fn read(breakpoint: &Value) -> Result<Self, String> {
        let text = |name: &str| {
            let text = breakpoint[name].as_str().map(str::trim);
            text.filter(|it| !it.is_empty())
        };
        Ok(Self {
            condition: text("condition").map(Expression::parse).transpose()?,
            hits: text("hitCondition").map(HitCondition::parse).transpose()?,
            message: text("logMessage").map(pieces).transpose()?,
        })
    }

    /// What a run does here, of which `hits` counts how often its condition held.
    pub fn verdict(&self, names: &Names<'_>, hits: &mut u64) -> Verdict {
        match self.condition.as_ref().map(|it| it.holds(names)) {
            Some(Err(reason)) => {
                return Verdict::Unclear(format!("the condition cannot be evaluated: {reason}"));
            }
            Some(Ok(false)) => return Verdict::Pass,
            Some(Ok(true)) | None => {}
        }
        *hits += 1;
        if self.hits.is_some_and(|it| !it.holds(*hits)) {
            return Verdict::Pass;
        }
        match &self.message {
            Some(pieces) => Verdict::Log(pieces.iter().map(|it| it.text(names)).collect()),
            None => Verdict::Stop,
        }
    }
}

impl HitCondition {
    /// `5` or `== 5`, `>= 5`, `> 5`, `<= 5`, `< 5`, `% 5`.
    fn parse(text: &str) -> Result<Self, String> {
        let digits = text.find(|it: char| it.is_ascii_digit());
        let (operator, number) = text.split_at(digits.unwrap_or(text.len()));
        let number = number.parse::<u64>().ok().filter(|it| *it > 0);
        let found = number.and_then(|number| match operator.trim() {
            "" | "=" | "==" => Some(Self::Exactly(number)),
            ">=" => Some(Self::AtLeast(number)),
            ">" => Some(Self::AtLeast(number.saturating_add(1))),
            "<=" => Some(Self::AtMost(number)),
            "<" => Some(Self::AtMost(number - 1)),
            "%" => Some(Self::Every(number)),
            _ => None,
        });
        found.ok_or_else(|| format!("`{text}` is no hit count; write `5`, `>= 5` or `% 5`"))
    }

    const fn holds(self, hits: u64) -> bool {
        match self {
            Self::Exactly(wanted) => hits == wanted,
            Self::AtLeast(least) => hits >= least,
            Self::AtMost(most) => hits <= most,
            Self::Every(step) => hits.is_multiple_of(step),
        }
    }
}

/// The pieces of a log message: text, and expressions in `{ }`.
fn pieces(message: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, after) = after
            .split_once('}')
            .ok_or_else(|| format!("a `{{` of `{message}` is not closed"))?;
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Value(Expression::parse(inside)?));
        rest = after;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

impl Piece {
    fn text(&self, names: &Names<'_>) -> String {
        match self {
            Self::Text(it) => it.clone(),
            // A message that misses a value says more than none.
            Self::Value(it) => match it.value(names) {
                Ok(value) => shown(&value),
                Err(reason) => format!("<{reason}>"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Guard, Verdict};

    fn verdicts(breakpoint: &Value) -> Vec<Verdict> {
        let guard = Guard::read(breakpoint).expect("it can be read");
        let mut hits = 0;
        let values = 1..=4;
        let each = values.map(|n| guard.verdict(&|it| (it == "n").then(|| json!(n)), &mut hits));
        each.collect()
    }

    #[test]
    fn conditions_and_hit_counts_let_a_run_pass() {
        let stops = |breakpoint: Value| -> Vec<usize> {
            let found = verdicts(&breakpoint).into_iter().enumerate();
            let stopped = found.filter(|it| it.1 == Verdict::Stop);
            stopped.map(|it| it.0 + 1).collect()
        };
        assert_eq!(stops(json!({})), [1, 2, 3, 4]);
        assert_eq!(stops(json!({"condition": "n > 2"})), [3, 4]);
        assert_eq!(stops(json!({"hitCondition": "2"})), [2]);
        assert_eq!(stops(json!({"hitCondition": "> 2"})), [3, 4]);
        assert_eq!(stops(json!({"hitCondition": "% 2"})), [2, 4]);
        assert_eq!(
            stops(json!({"condition": "n > 1", "hitCondition": "2"})),
            [3]
        );
    }

    #[test]
    fn a_log_point_writes_and_a_condition_that_fails_says_why() {
        let logged = verdicts(&json!({"logMessage": "n is {n}, {x}", "hitCondition": "1"}));
        let wanted = "n is 1, <no `x` is in scope>".to_owned();
        assert_eq!(logged[0], Verdict::Log(wanted));
        assert_eq!(logged[1], Verdict::Pass);
        let unclear = verdicts(&json!({"condition": "x"}));
        assert!(matches!(&unclear[0], Verdict::Unclear(it) if it.contains("`x`")));
        for wrong in [
            json!({"condition": "n >"}),
            json!({"hitCondition": "often"}),
            json!({"logMessage": "{n"}),
        ] {
            assert!(Guard::read(&wrong).is_err(), "{wrong}");
        }
    }
}
