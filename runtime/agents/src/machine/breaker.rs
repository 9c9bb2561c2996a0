//! Calls of tools that fail again and again in the same way: after the third time the same call is not made any more, so that a
//! model cannot spend a whole budget on it.

use gsw_engine::model::{ToolCall, ToolOutcome};
use serde_json::Value;

/// How often a call may fail in the same way.
const MOST_FAILURES: u32 = 3;

/// The calls of a conversation that have failed.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    failed: Vec<Failed>,
    /// The calls of the turn whose outcomes are awaited: name and input, in order.
    awaited: Vec<(String, Value)>,
}

#[derive(Debug)]
struct Failed {
    name: String,
    input: Value,
    error: String,
    times: u32,
}

impl Breaker {
    /// Why a call is not made, when it has failed too often in the same way.
    pub(super) fn refusal(&self, call: &ToolCall) -> Option<String> {
        let mut failed = self.failed.iter();
        let it = failed.find(|it| it.name == call.name && it.input == call.input)?;
        (it.times >= MOST_FAILURES).then(|| {
            format!(
                "not called: `{}` has failed {} times with these arguments and the same error; do something else. The error: {}",
                it.name, it.times, it.error
            )
        })
    }

    /// Notes the calls whose outcomes come next.
    pub(super) fn await_outcomes(&mut self, calls: &[ToolCall]) {
        let called = calls.iter().map(|it| (it.name.clone(), it.input.clone()));
        self.awaited = called.collect();
    }

    /// The outcomes of the calls that were made, in their order.
    pub(super) fn note(&mut self, outcomes: &[ToolOutcome]) {
        for ((name, input), outcome) in std::mem::take(&mut self.awaited).into_iter().zip(outcomes)
        {
            let mut failed = self.failed.iter();
            let known = failed.position(|it| it.name == name && it.input == input);
            match (known, outcome.is_error) {
                (Some(at), true) if self.failed[at].error == outcome.content => {
                    self.failed[at].times += 1;
                }
                (known, is_error) => {
                    if let Some(at) = known {
                        self.failed.swap_remove(at);
                    }
                    if is_error {
                        self.failed.push(Failed {
                            name,
                            input,
                            error: outcome.content.clone(),
                            times: 1,
                        });
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gsw_engine::model::{ToolCall, ToolOutcome};
    use serde_json::json;

    use super::Breaker;

    fn call(input: &str) -> ToolCall {
        ToolCall {
            id: "1".into(),
            tool: 0,
            name: "load".into(),
            input: json!({ "path": input }),
        }
    }

    fn fail(breaker: &mut Breaker, input: &str, error: &str) {
        breaker.await_outcomes(&[call(input)]);
        breaker.note(&[ToolOutcome {
            media: Vec::new(),
            id: "1".into(),
            content: error.into(),
            is_error: error != "fine",
        }]);
    }

    #[test]
    fn the_same_failure_three_times_ends_a_call() {
        let mut breaker = Breaker::default();
        for error in ["no", "no"] {
            fail(&mut breaker, "a", error);
        }
        assert_eq!(breaker.refusal(&call("a")), None);
        fail(&mut breaker, "a", "no");
        assert!(breaker.refusal(&call("a")).is_some());
        assert_eq!(breaker.refusal(&call("b")), None, "other arguments");
    }

    #[test]
    fn another_error_or_a_success_begins_the_count_anew() {
        let mut breaker = Breaker::default();
        for error in ["no", "no", "busy", "no", "no", "fine", "no", "no"] {
            fail(&mut breaker, "a", error);
            assert_eq!(breaker.refusal(&call("a")), None, "{error}");
        }
    }
}
