//! Branches, loops, errors: what decides which code runs.

use std::rc::Rc;

use gsw_infer::hir::{Arm, ExpressionId, ExpressionKind, LocalId, Pattern};

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// `value ?? fallback`
    pub fn otherwise(
        &mut self,
        frame: &mut Frame,
        value: ExpressionId,
        fallback: ExpressionId,
    ) -> Flow<Value> {
        let value = self.evaluate(frame, value)?;
        if matches!(value, Value::None) {
            return self.evaluate(frame, fallback);
        }
        Ok(value)
    }

    /// `base?.…`
    pub fn chain(
        &mut self,
        frame: &mut Frame,
        base: ExpressionId,
        local: LocalId,
        body: ExpressionId,
    ) -> Flow<Value> {
        let base = self.evaluate(frame, base)?;
        if matches!(base, Value::None) {
            return Ok(Value::None);
        }
        frame.bind(local, base);
        self.evaluate(frame, body)
    }

    /// `if`
    pub fn conditional(
        &mut self,
        frame: &mut Frame,
        condition: ExpressionId,
        then: ExpressionId,
        otherwise: Option<ExpressionId>,
    ) -> Flow<Value> {
        match (self.condition(frame, condition)?, otherwise) {
            (true, Some(_)) => self.evaluate(frame, then),
            (true, None) => self.evaluate(frame, then).map(|_| Value::Unit),
            (false, Some(otherwise)) => self.evaluate(frame, otherwise),
            (false, None) => Ok(Value::Unit),
        }
    }

    /// `match`
    pub fn matching(
        &mut self,
        frame: &mut Frame,
        value: ExpressionId,
        arms: &[Arm],
    ) -> Flow<Value> {
        let value = self.evaluate(frame, value)?;
        match self.first_arm(frame, arms, &value)? {
            Some(body) => self.evaluate(frame, body),
            None => unsupported("no arm matches"),
        }
    }

    /// `while`
    pub fn while_loop(
        &mut self,
        frame: &mut Frame,
        condition: ExpressionId,
        body: ExpressionId,
    ) -> Flow<Value> {
        while self.condition(frame, condition)? {
            if self.is_broken(frame, body)? {
                break;
            }
        }
        Ok(Value::Unit)
    }

    /// `fail e`
    pub fn fail(&mut self, frame: &mut Frame, error: ExpressionId) -> Flow<Value> {
        let error = self.evaluate(frame, error)?;
        let Value::Error(item, fields) = error else {
            return unsupported(format!("{error:?} is no error"));
        };
        Err(Stop::Raise(Raised { item, fields }))
    }

    /// A condition.
    pub fn condition(&mut self, frame: &mut Frame, id: ExpressionId) -> Flow<bool> {
        let value = self.evaluate(frame, id)?;
        let Value::Bool(it) = value else {
            return unsupported(format!("{value:?} is no condition"));
        };
        Ok(it)
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

    /// `value catch { arms }`
    pub fn catch(&mut self, frame: &mut Frame, value: ExpressionId, arms: &[Arm]) -> Flow<Value> {
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

    /// `for`
    pub fn for_loop(
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
        let iterated = self.evaluate(frame, iterable)?;
        if let Value::List(elements) = &iterated {
            return Ok(elements.to_vec());
        }
        let Value::Map(entries) = &iterated else {
            return unsupported(format!("{iterated:?} has no elements"));
        };
        let pairs = entries
            .iter()
            .map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
        Ok(pairs.collect())
    }

    fn is_last_turn(
        &mut self,
        frame: &mut Frame,
        pattern: &Pattern,
        value: &Value,
        body: ExpressionId,
    ) -> Flow<bool> {
        if !self.matches(frame, pattern, value)? {
            return unsupported("a pattern of `for` does not match");
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
