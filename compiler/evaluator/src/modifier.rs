//! Steps and modifiers, as far as time and models do not matter.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::Modifiers;
use gsw_names::builtin_error;

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Stop, give_up};
use crate::value::Value;

impl Machine<'_> {
    /// Runs `body` under modifiers: budget ⊃ reflect ⊃ retry ⊃ timeout ⊃ body.
    pub fn modified(
        &mut self,
        frame: &mut Frame,
        modifiers: &Modifiers,
        body: impl Fn(&mut Self, &mut Frame) -> Flow<Value>,
    ) -> Flow<Value> {
        let further = match &modifiers.retry {
            Some(retry) => match self.evaluate(frame, retry.count)? {
                Value::Int(count) => count,
                other => return give_up(format!("{other:?} attempts")),
            },
            None => 0,
        };
        let mut attempt = 0;
        loop {
            let result = self.attempt(frame, modifiers, &body);
            match result {
                Err(Stop::Raise(raised)) if attempt < further && self.is_retried(raised.item) => {
                    attempt += 1;
                    self.may_wait("a retry waits where others may look")?;
                }
                Err(Stop::Raise(raised)) if modifiers.reflect.is_some() => {
                    return give_up(format!("reflection on `{}`", raised.item.name(self.db)));
                }
                other => return other,
            }
        }
    }

    fn attempt(
        &mut self,
        frame: &mut Frame,
        modifiers: &Modifiers,
        body: &impl Fn(&mut Self, &mut Frame) -> Flow<Value>,
    ) -> Flow<Value> {
        let limit = match modifiers.timeout {
            Some(timeout) => match self.evaluate(frame, timeout)? {
                Value::Duration(limit) => limit,
                other => return give_up(format!("a timeout of {other:?}")),
            },
            None => i64::MAX,
        };
        let before = self.slept;
        let result = self.node(|it| body(it, frame));
        if self.slept - before >= limit || (limit < 1_000_000_000 && limit != i64::MAX) {
            return give_up("a timeout may run out");
        }
        result
    }

    fn is_retried(&self, item: gsw_source::ItemId) -> bool {
        let never = [BuiltinError::Unauthorized, BuiltinError::QuotaExceeded];
        !self.is_fault(item) && !builtin_error(self.db, item).is_some_and(|it| never.contains(&it))
    }
}
