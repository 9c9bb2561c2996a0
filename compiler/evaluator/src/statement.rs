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
        let mut result = run_statements(self, frame, statements, tail, &mut deferred);
        for body in deferred.into_iter().rev() {
            if let Err(Stop::Unsupported(_)) = result {
                return result;
            }
            match (self.evaluate(frame, body), &result) {
                (Ok(_), _) => {}
                // The error that came first is raised.
                (Err(Stop::Raise(_)), Err(Stop::Raise(_) | Stop::Cancelled)) => {}
                (Err(stop), _) => result = Err(stop),
            }
        }
        result
    }
}

fn run_statements(
    machine: &mut Machine,
    frame: &mut Frame,
    statements: &[Statement],
    tail: Option<ExpressionId>,
    deferred: &mut Vec<ExpressionId>,
) -> Flow<Value> {
    for statement in statements {
        if let StatementKind::Defer(body) = &statement.kind {
            deferred.push(*body);
        } else {
            run_statement(machine, frame, &statement.kind)?;
        }
    }
    tail.map_or(Ok(Value::Unit), |it| machine.evaluate(frame, it))
}

fn run_statement(machine: &mut Machine, frame: &mut Frame, kind: &StatementKind) -> Flow<()> {
    match kind {
        StatementKind::Let { pattern, value } => {
            let value = machine.evaluate(frame, *value)?;
            if machine.matches(frame, pattern, &value)? {
                return Ok(());
            }
            unsupported("a pattern of `let` does not match")
        }
        StatementKind::Var { local, value } => {
            let value = machine.evaluate(frame, *value)?;
            frame.bind(*local, value);
            Ok(())
        }
        StatementKind::Assign {
            local,
            path,
            change,
            value,
        } => machine.assign(frame, *local, path, *change, *value),
        StatementKind::Expression(id) => machine.evaluate(frame, *id).map(drop),
        StatementKind::Assert {
            condition, message, ..
        } => {
            if machine.condition(frame, *condition)? {
                return Ok(());
            }
            let message = match message {
                Some(message) => machine.evaluate(frame, *message)?,
                None => Value::text(UNSPECIFIED),
            };
            raise(machine.db, BuiltinError::AssertionFailed, vec![message])
        }
        StatementKind::AssertFails { value, pattern, .. } => {
            let error = match machine.evaluate(frame, *value) {
                Err(Stop::Raise(raised)) => Value::Error(raised.item, raised.fields),
                Ok(_) => Value::Unit,
                Err(other) => return Err(other),
            };
            if !matches!(error, Value::Unit) && machine.matches(frame, pattern, &error)? {
                return Ok(());
            }
            raise(
                machine.db,
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
