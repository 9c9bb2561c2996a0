//! Expressions: what each kind is worth.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_semantics::hir::{Expression, ExpressionId, ExpressionKind, RangeEnd};
use gsw_semantics::types::Type;

use crate::decode::below;
use crate::equal::{equal, lookup};
use crate::frame::Frame;
use crate::json::Json;
use crate::machine::Machine;
use crate::stop::{Flow, give_up, limit, misfit, raise};
use crate::value::{Function, Value};

/// A range as a list has so many elements at most.
const LONGEST_RANGE: i64 = 100_000;

impl Machine<'_> {
    /// The value of an expression.
    pub fn evaluate(&mut self, frame: &mut Frame, id: ExpressionId) -> Flow<Value> {
        let body = std::sync::Arc::clone(&frame.body);
        let expression = body.expression(id);
        let found = self.tick().and_then(|()| self.value(frame, expression));
        self.note(&body, expression.span, &found);
        found
    }

    fn value(&mut self, frame: &mut Frame, expression: &Expression) -> Flow<Value> {
        match &expression.kind {
            ExpressionKind::Int(it) => Ok(Value::Int(*it)),
            ExpressionKind::Float(bits) => Ok(Value::Float(f64::from_bits(*bits))),
            ExpressionKind::Bool(it) => Ok(Value::Bool(*it)),
            ExpressionKind::None => Ok(Value::None),
            ExpressionKind::Unit => Ok(Value::Unit),
            ExpressionKind::Duration(it) => Ok(Value::Duration(*it)),
            ExpressionKind::String(it) => Ok(Value::text(it.as_str())),
            ExpressionKind::Local(local) => frame.get(*local),
            ExpressionKind::Constant(item) => self.constant(*item),
            ExpressionKind::FunctionValue {
                item,
                type_arguments,
            } => {
                let types = type_arguments.iter().map(|it| frame.concrete(it)).collect();
                Ok(Value::Function(Rc::new(Function::Item(*item, types))))
            }
            ExpressionKind::ConstructorValue { item, variant } => Ok(Value::Function(Rc::new(
                Function::Constructor(*item, *variant),
            ))),
            ExpressionKind::Lambda(lambda) => Ok(Value::Function(Rc::new(Function::Closure(
                frame.closure(lambda),
            )))),
            ExpressionKind::Invalid => give_up("the program is wrong"),
            kind => {
                let ty = frame.concrete(&expression.ty);
                self.compound(frame, kind, &ty)
            }
        }
    }

    /// The values of several expressions, in order.
    pub fn evaluate_all(&mut self, frame: &mut Frame, ids: &[ExpressionId]) -> Flow<Vec<Value>> {
        ids.iter().map(|id| self.evaluate(frame, *id)).collect()
    }

    /// An expression with parts that are evaluated first.
    fn compound(&mut self, frame: &mut Frame, kind: &ExpressionKind, ty: &Type) -> Flow<Value> {
        match kind {
            ExpressionKind::List(them) => Ok(Value::list(self.evaluate_all(frame, them)?)),
            ExpressionKind::Tuple(them) => Ok(Value::tuple(self.evaluate_all(frame, them)?)),
            ExpressionKind::Map(entries) => self.map_literal(frame, entries),
            ExpressionKind::Record { item, fields, base } => {
                self.record_literal(frame, *item, fields, *base, ty)
            }
            ExpressionKind::Variant {
                item,
                variant,
                fields,
            } => {
                let fields = self.payload(frame, (*item, *variant), fields, ty)?;
                Ok(Value::Variant(*item, *variant, Rc::new(fields)))
            }
            ExpressionKind::ErrorValue { item, fields } => {
                let fields = self.payload(frame, (*item, 0), fields, ty)?;
                Ok(Value::Error(*item, Rc::new(fields)))
            }
            ExpressionKind::Field { base, index } | ExpressionKind::TupleField { base, index } => {
                match self.evaluate(frame, *base)? {
                    Value::Record(_, fields) | Value::Tuple(fields) | Value::Error(_, fields) => {
                        Ok(fields[*index as usize].clone())
                    }
                    other => give_up(format!("{other:?} has no fields")),
                }
            }
            ExpressionKind::JsonField { base, name } => {
                let base = self.evaluate(frame, *base)?;
                self.json_field(&base, name)
            }
            ExpressionKind::Index { base, index } => {
                let base = self.evaluate(frame, *base)?;
                let index = self.evaluate(frame, *index)?;
                self.index(&base, &index)
            }
            other => self.operation(frame, other, ty),
        }
    }

    /// An operator or conversion.
    fn operation(&mut self, frame: &mut Frame, kind: &ExpressionKind, ty: &Type) -> Flow<Value> {
        match kind {
            ExpressionKind::Interpolation(parts) => self.interpolate(frame, parts),
            ExpressionKind::Unary { operator, operand } => {
                let operand = self.evaluate(frame, *operand)?;
                let value = self.unary(*operator, &operand)?;
                self.computed(value, ty)
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                let value = self.binary(frame, *operator, *left, *right)?;
                self.computed(value, ty)
            }
            ExpressionKind::In { value, container } => self.contains(frame, *value, *container),
            ExpressionKind::Range {
                start,
                end,
                range_end,
            } => {
                let (from, to) = self.range(frame, *start, *end, *range_end)?;
                if to.saturating_sub(from) > LONGEST_RANGE {
                    return limit("a range is too long");
                }
                Ok(Value::list((from..to).map(Value::Int).collect()))
            }
            ExpressionKind::Coerce { value, coercion } => {
                let value = self.evaluate(frame, *value)?;
                self.coerce(value, *coercion, ty)
            }
            ExpressionKind::As(value) => {
                let value = self.evaluate(frame, *value)?;
                self.convert(&value, ty)
            }
            other => self.control(frame, other, ty),
        }
    }

    fn map_literal(
        &mut self,
        frame: &mut Frame,
        entries: &[(ExpressionId, ExpressionId)],
    ) -> Flow<Value> {
        let mut map = Vec::new();
        for (key, value) in entries {
            let key = self.evaluate(frame, *key)?;
            let value = self.evaluate(frame, *value)?;
            insert(&mut map, key, value);
        }
        Ok(Value::map(map))
    }

    /// `xs[i]`, `m[k]`, `j[i]`
    fn index(&mut self, base: &Value, index: &Value) -> Flow<Value> {
        let found = match (base, index) {
            (Value::List(elements), Value::Int(index)) => usize::try_from(*index)
                .ok()
                .and_then(|it| elements.get(it).cloned()),
            (Value::Map(entries), key) => lookup(entries, key).cloned(),
            (Value::Json(json), Value::Int(index)) => {
                let found = match &**json {
                    Json::List(them) => usize::try_from(*index).ok().and_then(|it| them.get(it)),
                    _ => None,
                };
                return match found {
                    Some(found) => Ok(Value::json(found.clone())),
                    None => misfit(self.db, &format!("$[{index}]")),
                };
            }
            (Value::Json(_), Value::Text(name)) => return self.json_field(base, name),
            _ => return give_up(format!("{base:?} has no elements")),
        };
        match found {
            Some(found) => Ok(found),
            None => raise(self.db, BuiltinError::OutOfRange, Vec::new()),
        }
    }

    /// `j.name`
    fn json_field(&mut self, base: &Value, name: &str) -> Flow<Value> {
        let Value::Json(json) = base else {
            return give_up(format!("{base:?} is no json"));
        };
        let found = match &**json {
            Json::Object(entries) => entries.iter().find(|(key, _)| **key == *name),
            _ => None,
        };
        match found {
            Some((_, found)) => Ok(Value::json(found.clone())),
            None => misfit(self.db, &below("$", name)),
        }
    }

    /// The ints of a range, the end not included.
    pub fn range(
        &mut self,
        frame: &mut Frame,
        start: ExpressionId,
        end: ExpressionId,
        range_end: RangeEnd,
    ) -> Flow<(i64, i64)> {
        let start = self.evaluate(frame, start)?;
        let end = self.evaluate(frame, end)?;
        match (start, end, range_end) {
            (Value::Int(start), Value::Int(end), RangeEnd::Exclusive) => Ok((start, end)),
            (Value::Int(_), Value::Int(i64::MAX), RangeEnd::Inclusive) => {
                give_up("a range ends at the largest int")
            }
            (Value::Int(start), Value::Int(end), RangeEnd::Inclusive) => Ok((start, end + 1)),
            other => give_up(format!("{other:?} is no range")),
        }
    }

    /// `x in xs`
    fn contains(
        &mut self,
        frame: &mut Frame,
        value: ExpressionId,
        container: ExpressionId,
    ) -> Flow<Value> {
        let value = self.evaluate(frame, value)?;
        let body = std::sync::Arc::clone(&frame.body);
        if let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = &body.expression(container).kind
        {
            let (from, to) = self.range(frame, *start, *end, *range_end)?;
            return match value {
                Value::Int(it) => Ok(Value::Bool((from..to).contains(&it))),
                other => give_up(format!("{other:?} in a range")),
            };
        }
        let container = self.evaluate(frame, container)?;
        Ok(Value::Bool(match (&value, &container) {
            (_, Value::List(elements)) => elements.iter().any(|it| equal(it, &value)),
            (_, Value::Map(entries)) => lookup(entries, &value).is_some(),
            (Value::Text(part), Value::Text(whole)) => whole.contains(&**part),
            _ => return give_up(format!("{value:?} in {container:?}")),
        }))
    }
}

/// Sets the value of a key, which keeps its place.
pub fn insert(map: &mut Vec<(Value, Value)>, key: Value, value: Value) {
    match map.iter_mut().find(|(it, _)| equal(it, &key)) {
        Some((_, old)) => *old = value,
        None => map.push((key, value)),
    }
}
