//! Steps and modifiers, as far as time and models do not matter.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{ExpressionId, Modifiers, Retry};
use gsw_names::builtin_error;

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Stop, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// Runs `body` under modifiers: budget ⊃ reflect ⊃ retry ⊃ timeout ⊃ body.
    pub fn modified(
        &mut self,
        frame: &mut Frame,
        modifiers: &Modifiers,
        body: impl Fn(&mut Machine, &mut Frame) -> Flow<Value>,
    ) -> Flow<Value> {
        let Modifiers {
            // Only models use up a budget.
            budget: _,
            reflect,
            retry,
            timeout,
        } = modifiers;
        let further = match retry {
            Some(Retry {
                count,
                // How long nothing happens between attempts is not seen.
                backoff: _,
                max: _,
            }) => {
                let count = self.evaluate(frame, *count)?;
                let Value::Int(count) = count else {
                    return unsupported(format!("{count:?} attempts"));
                };
                count
            }
            None => 0,
        };
        let mut attempt = 0;
        let begun = self.once_calls;
        loop {
            match run_attempt(self, frame, *timeout, &body) {
                Err(Stop::Raise(raised))
                    if attempt < further
                        && self.once_calls == begun
                        && is_retried(self, raised.item) =>
                {
                    attempt += 1;
                    self.may_wait("a retry waits where others may look")?;
                }
                Err(Stop::Raise(raised)) if reflect.is_some() => {
                    return unsupported(format!("reflection on `{}`", raised.item.name(self.db)));
                }
                result => return result,
            }
        }
    }
}

fn run_attempt(
    machine: &mut Machine,
    frame: &mut Frame,
    timeout: Option<ExpressionId>,
    body: &impl Fn(&mut Machine, &mut Frame) -> Flow<Value>,
) -> Flow<Value> {
    let limit = match timeout {
        Some(timeout) => {
            let limit = machine.evaluate(frame, timeout)?;
            let Value::Duration(limit) = limit else {
                return unsupported(format!("a timeout of {limit:?}"));
            };
            limit
        }
        None => i64::MAX,
    };
    let before = machine.slept;
    let result = machine.node(|it| body(it, frame));
    if machine.slept - before >= limit || (limit < 1_000_000_000 && limit != i64::MAX) {
        return unsupported("a timeout may run out");
    }
    result
}

fn is_retried(machine: &Machine, item: gsw_source::ItemId) -> bool {
    let never = [BuiltinError::Unauthorized, BuiltinError::QuotaExceeded];
    !machine.is_fault(item)
        && !builtin_error(machine.db, item).is_some_and(|it| never.contains(&it))
}
