//! Branches, loops, errors: what decides which code runs.

use std::rc::Rc;

use gsw_infer::hir::{Arm, ExpressionId, ExpressionKind, LocalId, Pattern};

use crate::expression::ints;
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn condition(&mut self, frame: &mut Frame, id: ExpressionId) -> Flow<bool> {
        let value = self.evaluate(frame, id)?;
        let Value::Bool(it) = value else {
            return unsupported(format!("{value:?} is no condition"));
        };
        Ok(it)
    }

    /// The elements of a list, or the pairs of a map.
    pub fn elements(&mut self, frame: &mut Frame, iterable: ExpressionId) -> Flow<Vec<Value>> {
        elements_of(&self.evaluate(frame, iterable)?)
    }
}

fn elements_of(iterated: &Value) -> Flow<Vec<Value>> {
    if let Value::List(elements) = iterated {
        return Ok(elements.to_vec());
    }
    let Value::Map(entries) = iterated else {
        return unsupported(format!("{iterated:?} has no elements"));
    };
    let pairs = entries
        .iter()
        .map(|(key, value)| Value::tuple(vec![key.clone(), value.clone()]));
    Ok(pairs.collect())
}

pub fn otherwise(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    value: ExpressionId,
    fallback: ExpressionId,
) -> Flow<Value> {
    let value = machine.evaluate(frame, value)?;
    if matches!(value, Value::None) {
        return machine.evaluate(frame, fallback);
    }
    Ok(value)
}

pub fn chain(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    base: ExpressionId,
    local: LocalId,
    body: ExpressionId,
) -> Flow<Value> {
    let base = machine.evaluate(frame, base)?;
    if matches!(base, Value::None) {
        return Ok(Value::None);
    }
    frame.bind(local, base);
    machine.evaluate(frame, body)
}

pub fn conditional(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    condition: ExpressionId,
    then: ExpressionId,
    otherwise: Option<ExpressionId>,
) -> Flow<Value> {
    match (machine.condition(frame, condition)?, otherwise) {
        (true, Some(_)) => machine.evaluate(frame, then),
        (true, None) => machine.evaluate(frame, then).map(|_| Value::Unit),
        (false, Some(otherwise)) => machine.evaluate(frame, otherwise),
        (false, None) => Ok(Value::Unit),
    }
}

pub fn matching(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    value: ExpressionId,
    arms: &[Arm],
) -> Flow<Value> {
    let value = machine.evaluate(frame, value)?;
    match first_arm(machine, frame, arms, &value)? {
        Some(body) => machine.evaluate(frame, body),
        None => unsupported("no arm matches"),
    }
}

pub fn while_loop(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    condition: ExpressionId,
    body: ExpressionId,
) -> Flow<Value> {
    while machine.condition(frame, condition)? {
        if is_broken(machine, frame, body)? {
            break;
        }
    }
    Ok(Value::Unit)
}

pub fn fail(machine: &mut Machine<'_>, frame: &mut Frame, error: ExpressionId) -> Flow<Value> {
    let error = machine.evaluate(frame, error)?;
    let Value::Error(item, fields) = error else {
        return unsupported(format!("{error:?} is no error"));
    };
    Err(Stop::Raise(Raised { item, fields }))
}

/// The body of the first arm that matches.
fn first_arm(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    arms: &[Arm],
    value: &Value,
) -> Flow<Option<ExpressionId>> {
    for arm in arms {
        if !machine.matches(frame, &arm.pattern, value)? {
            continue;
        }
        let holds = match arm.guard {
            Some(guard) => machine.condition(frame, guard)?,
            None => true,
        };
        if holds {
            return Ok(Some(arm.body));
        }
    }
    Ok(None)
}

/// `value catch { arms }`
pub fn catch(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    value: ExpressionId,
    arms: &[Arm],
) -> Flow<Value> {
    match machine.evaluate(frame, value) {
        Err(Stop::Raise(raised)) => {
            let error = Value::Error(raised.item, Rc::clone(&raised.fields));
            match first_arm(machine, frame, arms, &error)? {
                Some(body) => machine.evaluate(frame, body),
                None => Err(Stop::Raise(raised)),
            }
        }
        other => other,
    }
}

pub fn for_loop(
    machine: &mut Machine<'_>,
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
        let (from, to) = machine.range(frame, *start, *end, *range_end)?;
        for value in ints(from..to) {
            if is_last_turn(machine, frame, pattern, &Value::Int(value), body)? {
                break;
            }
        }
        return Ok(Value::Unit);
    }
    let iterated = machine.evaluate(frame, iterable)?;
    if let Value::Queue(queue) = &iterated {
        loop {
            let item = machine.pop(queue)?;
            if matches!(item, Value::None) || is_last_turn(machine, frame, pattern, &item, body)? {
                return Ok(Value::Unit);
            }
        }
    }
    for value in elements_of(&iterated)? {
        if is_last_turn(machine, frame, pattern, &value, body)? {
            break;
        }
    }
    Ok(Value::Unit)
}

fn is_last_turn(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    pattern: &Pattern,
    value: &Value,
    body: ExpressionId,
) -> Flow<bool> {
    if !machine.matches(frame, pattern, value)? {
        return unsupported("a pattern of `for` does not match");
    }
    is_broken(machine, frame, body)
}

/// Runs the body of a loop once; whether it asked to leave the loop.
fn is_broken(machine: &mut Machine<'_>, frame: &mut Frame, body: ExpressionId) -> Flow<bool> {
    match machine.evaluate(frame, body) {
        Ok(_) | Err(Stop::Continue) => Ok(false),
        Err(Stop::Break) => Ok(true),
        Err(other) => Err(other),
    }
}
