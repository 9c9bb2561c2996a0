//! Blocks and statements.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{ExpressionId, Statement, StatementKind};

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Stop, UNSPECIFIED, raise, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// Statements, then the value of `tail`; then what was deferred, last first.
    pub fn block(
        &mut self,
        frame: &mut Frame,
        statements: &[Statement],
        tail: Option<ExpressionId>,
    ) -> Flow<Value> {
        let mut deferred = Vec::new();
        let mut result = self.run_statements(frame, statements, tail, &mut deferred);
        for body in deferred.into_iter().rev() {
            if let Err(Stop::Unsupported(_)) = result {
                return result;
            }
            match (self.evaluate(frame, body), &result) {
                (Ok(_), _) => {}
                // The error that was first goes on.
                (Err(Stop::Raise(_)), Err(Stop::Raise(_) | Stop::Cancelled)) => {}
                (Err(stop), _) => result = Err(stop),
            }
        }
        result
    }

    fn run_statements(
        &mut self,
        frame: &mut Frame,
        statements: &[Statement],
        tail: Option<ExpressionId>,
        deferred: &mut Vec<ExpressionId>,
    ) -> Flow<Value> {
        for statement in statements {
            if let StatementKind::Defer(body) = &statement.kind {
                deferred.push(*body);
            } else {
                self.statement(frame, &statement.kind)?;
            }
        }
        tail.map_or(Ok(Value::Unit), |it| self.evaluate(frame, it))
    }

    fn statement(&mut self, frame: &mut Frame, kind: &StatementKind) -> Flow<()> {
        match kind {
            StatementKind::Let { pattern, value } => {
                let value = self.evaluate(frame, *value)?;
                if self.matches(frame, pattern, &value)? {
                    return Ok(());
                }
                unsupported("a pattern of `let` does not match")
            }
            StatementKind::Var { local, value } => {
                let value = self.evaluate(frame, *value)?;
                frame.bind(*local, value);
                Ok(())
            }
            StatementKind::Assign {
                local,
                path,
                change,
                value,
            } => self.assign(frame, *local, path, *change, *value),
            StatementKind::Expression(id) => self.evaluate(frame, *id).map(drop),
            StatementKind::Assert {
                condition, message, ..
            } => {
                if self.condition(frame, *condition)? {
                    return Ok(());
                }
                let message = match message {
                    Some(message) => self.evaluate(frame, *message)?,
                    None => Value::text(UNSPECIFIED),
                };
                raise(self.db, BuiltinError::AssertionFailed, vec![message])
            }
            StatementKind::AssertFails { value, pattern, .. } => {
                let error = match self.evaluate(frame, *value) {
                    Err(Stop::Raise(raised)) => Value::Error(raised.item, raised.fields),
                    Ok(_) => Value::Unit,
                    Err(other) => return Err(other),
                };
                if !matches!(error, Value::Unit) && self.matches(frame, pattern, &error)? {
                    return Ok(());
                }
                raise(
                    self.db,
                    BuiltinError::AssertionFailed,
                    vec![Value::text(UNSPECIFIED)],
                )
            }
            StatementKind::Defer(_)
            | StatementKind::AssertSnapshot { .. }
            | StatementKind::Mock { .. }
            | StatementKind::MockAgent { .. } => unsupported("mocks"),
        }
    }
}
