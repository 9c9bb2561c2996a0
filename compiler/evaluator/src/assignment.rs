//! Assignments to variables and to their parts.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{Change, ExpressionId, LocalId, PlacePart, PlaceStep};
use gsw_names::types::Type;
use gsw_names::{alias_target, substitute};

use crate::construct::type_arguments;
use crate::equal::{equal, insert, lookup};
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, raise, unsupported};
use crate::value::Value;

/// One step of a path, evaluated.
struct Step {
    key: Key,
    /// The type of the part.
    ty: Type,
}

enum Key {
    Field(usize),
    Element(Value),
}

/// When what holds a changed part is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checks {
    Now,
    /// By a later assignment of the same part.
    Later,
}

impl Machine<'_> {
    /// `x = e`, `x.f[i] += e`
    pub fn assign(
        &mut self,
        frame: &mut Frame,
        local: LocalId,
        path: &[PlaceStep],
        change: Change,
        value: ExpressionId,
    ) -> Flow<()> {
        let value = self.evaluate(frame, value)?;
        let mut steps = Vec::new();
        for PlaceStep { part, ty } in path {
            let key = match part {
                PlacePart::Field(index) => Key::Field(*index as usize),
                PlacePart::Element(key) => Key::Element(self.evaluate(frame, *key)?),
            };
            let ty = frame.concrete(ty);
            steps.push(Step { key, ty });
        }
        let whole = frame.get(local)?;
        let new = match change {
            Change::Set | Change::SetUnchecked => value,
            Change::Operator(operator) => {
                let old = part(self, &whole, &steps)?;
                let new = self.apply(operator, &old, &value)?;
                let ty = match steps.last() {
                    Some(step) => step.ty.clone(),
                    None => frame.concrete(&frame.body.local(local).ty),
                };
                self.computed(new, &ty)?
            }
            Change::Converted { old, right, new } => {
                let part = part(self, &whole, &steps)?;
                frame.bind(old, part);
                frame.bind(right, value);
                self.evaluate(frame, new)?
            }
        };
        let ty = frame.concrete(&frame.body.local(local).ty);
        let checks = match change {
            Change::SetUnchecked => Checks::Later,
            Change::Set | Change::Operator(_) | Change::Converted { .. } => Checks::Now,
        };
        let whole = with_part(self, &whole, &ty, &steps, new, checks)?;
        frame.set(local, whole)
    }
}

/// What a path leads to.
fn part(machine: &mut Machine, whole: &Value, steps: &[Step]) -> Flow<Value> {
    let mut part = whole.clone();
    for step in steps {
        part = match &step.key {
            Key::Field(index) => {
                let (Value::Record(_, fields) | Value::Tuple(fields)) = &part else {
                    return unsupported(format!("{part:?} has no such part"));
                };
                fields[*index].clone()
            }
            Key::Element(key) => machine.index(&part, key)?,
        };
    }
    Ok(part)
}

/// `whole` with another value where a path leads to, checked from the inside out.
fn with_part(
    machine: &mut Machine,
    whole: &Value,
    ty: &Type,
    steps: &[Step],
    new: Value,
    checks: Checks,
) -> Flow<Value> {
    let Some((first, rest)) = steps.split_first() else {
        return Ok(new);
    };
    let is_new_entry = |key| matches!(whole, Value::Map(entries) if lookup(entries, key).is_none());
    let part = match &first.key {
        Key::Element(key) if rest.is_empty() && is_new_entry(key) => new,
        Key::Element(_) | Key::Field(_) => {
            let part = part(machine, whole, std::slice::from_ref(first))?;
            with_part(machine, &part, &first.ty, rest, new, checks)?
        }
    };
    let changed = match &first.key {
        Key::Field(index) => with_field(whole, *index, part)?,
        Key::Element(key) => with_element(machine, whole, key, part)?,
    };
    match checks {
        Checks::Now => check_changed(machine, &changed, ty)?,
        Checks::Later => {}
    }
    Ok(changed)
}

fn with_field(whole: &Value, index: usize, part: Value) -> Flow<Value> {
    let replaced = |fields: &[Value]| {
        let mut fields = fields.to_vec();
        fields[index] = part;
        fields
    };
    if let Value::Record(item, fields) = whole {
        Ok(Value::Record(*item, Rc::new(replaced(fields))))
    } else if let Value::Tuple(parts) = whole {
        Ok(Value::tuple(replaced(parts)))
    } else {
        unsupported(format!("{whole:?} has no such part"))
    }
}

fn with_element(machine: &Machine, whole: &Value, key: &Value, part: Value) -> Flow<Value> {
    if let (Value::List(elements), Value::Int(index)) = (whole, key) {
        let mut elements = (**elements).clone();
        let place = usize::try_from(*index).ok();
        let Some(element) = place.and_then(|it| elements.get_mut(it)) else {
            let message = vec![Value::text(UNSPECIFIED)];
            return raise(machine.db, BuiltinError::OutOfRange, message);
        };
        *element = part;
        Ok(Value::list(elements))
    } else if let Value::Map(entries) = whole {
        let mut entries = (**entries).clone();
        match entries.iter_mut().find(|(it, _)| equal(it, key)) {
            Some((_, value)) => *value = part,
            None => insert(&mut entries, key.clone(), part),
        }
        Ok(Value::map(entries))
    } else {
        unsupported(format!("{whole:?} has no such part"))
    }
}

/// Whether a value of which a part has changed satisfies the checks of its type.
fn check_changed(machine: &mut Machine, changed: &Value, ty: &Type) -> Flow<()> {
    let mut base = ty.clone();
    while let Type::Checked(item, arguments) = &base {
        base = substitute(&alias_target(machine.db, *item), arguments);
    }
    let is_broken = machine
        .broken_check(changed, &type_arguments(&base))?
        .is_some()
        || matches!(ty, Type::Checked(..)) && !machine.passes(changed, ty)?;
    if is_broken {
        let message = vec![Value::text(UNSPECIFIED)];
        return raise(machine.db, BuiltinError::AssertionFailed, message);
    }
    Ok(())
}
