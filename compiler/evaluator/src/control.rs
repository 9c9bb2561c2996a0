//! Branches, loops, errors: what decides which code runs.

use std::rc::Rc;

use gsw_infer::hir::{Arm, ExpressionId, ExpressionKind, Pattern};
use gsw_names::types::Type;

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, give_up};
use crate::value::Value;

impl Machine<'_> {
    /// An expression that decides which code runs.
    pub fn control(&mut self, frame: &mut Frame, kind: &ExpressionKind, ty: &Type) -> Flow<Value> {
        match kind {
            ExpressionKind::Otherwise { value, fallback } => match self.evaluate(frame, *value)? {
                Value::None => self.evaluate(frame, *fallback),
                value => Ok(value),
            },
            ExpressionKind::Chain { base, local, body } => match self.evaluate(frame, *base)? {
                Value::None => Ok(Value::None),
                value => {
                    frame.bind(*local, value);
                    self.evaluate(frame, *body)
                }
            },
            ExpressionKind::If {
                condition,
                then,
                otherwise,
            } => match (self.condition(frame, *condition)?, otherwise) {
                (true, Some(_)) => self.evaluate(frame, *then),
                (true, None) => self.evaluate(frame, *then).map(|_| Value::Unit),
                (false, Some(otherwise)) => self.evaluate(frame, *otherwise),
                (false, None) => Ok(Value::Unit),
            },
            ExpressionKind::Match { value, arms } => {
                let value = self.evaluate(frame, *value)?;
                match self.first_arm(frame, arms, &value)? {
                    Some(body) => self.evaluate(frame, body),
                    None => give_up("no arm matches"),
                }
            }
            ExpressionKind::Catch { value, arms } => self.catch(frame, *value, arms),
            ExpressionKind::Block { statements, tail } => self.block(frame, statements, *tail),
            ExpressionKind::For {
                pattern,
                iterable,
                body,
            } => self.for_loop(frame, pattern, *iterable, *body),
            ExpressionKind::While { condition, body } => {
                while self.condition(frame, *condition)? {
                    if self.is_broken(frame, *body)? {
                        break;
                    }
                }
                Ok(Value::Unit)
            }
            ExpressionKind::Return(value) => {
                let value = value.map_or(Ok(Value::Unit), |it| self.evaluate(frame, it))?;
                Err(Stop::Return(value))
            }
            ExpressionKind::Break => Err(Stop::Break),
            ExpressionKind::Continue => Err(Stop::Continue),
            ExpressionKind::Fail(error) => match self.evaluate(frame, *error)? {
                Value::Error(item, fields) => Err(Stop::Raise(Raised { item, fields })),
                other => give_up(format!("{other:?} is no error")),
            },
            ExpressionKind::Emit(value) => self.evaluate(frame, *value).map(|_| Value::Unit),
            ExpressionKind::Call { callee, arguments } => self.call(frame, callee, arguments),
            other => self.concurrent(frame, other, ty),
        }
    }

    /// A condition.
    pub fn condition(&mut self, frame: &mut Frame, id: ExpressionId) -> Flow<bool> {
        match self.evaluate(frame, id)? {
            Value::Bool(it) => Ok(it),
            other => give_up(format!("{other:?} is no condition")),
        }
    }

    /// The body of the first arm that matches.
    fn first_arm(
        &mut self,
        frame: &mut Frame,
        arms: &[Arm],
        value: &Value,
    ) -> Flow<Option<ExpressionId>> {
        for arm in arms {
            if !self.matches(frame, &arm.pattern, value)? {
                continue;
            }
            let holds = match arm.guard {
                Some(guard) => self.condition(frame, guard)?,
                None => true,
            };
            if holds {
                return Ok(Some(arm.body));
            }
        }
        Ok(None)
    }

    fn catch(&mut self, frame: &mut Frame, value: ExpressionId, arms: &[Arm]) -> Flow<Value> {
        match self.evaluate(frame, value) {
            Err(Stop::Raise(raised)) => {
                let error = Value::Error(raised.item, Rc::clone(&raised.fields));
                match self.first_arm(frame, arms, &error)? {
                    Some(body) => self.evaluate(frame, body),
                    None => Err(Stop::Raise(raised)),
                }
            }
            other => other,
        }
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame,
        pattern: &Pattern,
        iterable: ExpressionId,
        body: ExpressionId,
    ) -> Flow<Value> {
        let hir = std::sync::Arc::clone(&frame.body);
        if let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = &hir.expression(iterable).kind
        {
            let (from, to) = self.range(frame, *start, *end, *range_end)?;
            for value in from..to {
                if self.is_last_turn(frame, pattern, &Value::Int(value), body)? {
                    break;
                }
            }
            return Ok(Value::Unit);
        }
        for value in self.elements(frame, iterable)? {
            if self.is_last_turn(frame, pattern, &value, body)? {
                break;
            }
        }
        Ok(Value::Unit)
    }

    /// The elements of a list, or the pairs of a map.
    pub fn elements(&mut self, frame: &mut Frame, iterable: ExpressionId) -> Flow<Vec<Value>> {
        match self.evaluate(frame, iterable)? {
            Value::List(elements) => Ok(elements.to_vec()),
            Value::Map(entries) => {
                let pairs = entries
                    .iter()
                    .map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
                Ok(pairs.collect())
            }
            other => give_up(format!("{other:?} has no elements")),
        }
    }

    fn is_last_turn(
        &mut self,
        frame: &mut Frame,
        pattern: &Pattern,
        value: &Value,
        body: ExpressionId,
    ) -> Flow<bool> {
        if !self.matches(frame, pattern, value)? {
            return give_up("a pattern of `for` does not match");
        }
        self.is_broken(frame, body)
    }

    /// Runs the body of a loop once; whether it asked to leave the loop.
    fn is_broken(&mut self, frame: &mut Frame, body: ExpressionId) -> Flow<bool> {
        match self.evaluate(frame, body) {
            Ok(_) | Err(Stop::Continue) => Ok(false),
            Err(Stop::Break) => Ok(true),
            Err(other) => Err(other),
        }
    }
}
