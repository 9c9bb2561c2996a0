//! Evaluates expressions: one arm for each form, the longer ones in the file of their family.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{Expression, ExpressionId, ExpressionKind, RangeEnd};

use crate::control;
use crate::equal::{equal, insert, lookup};
use crate::frame::Frame;
use crate::json::below;
use crate::machine::Machine;
use crate::stop::{Flow, Stop, UNSPECIFIED, decode_error, limit, raise, unsupported};
use crate::value::{Function, Value};

/// A range as a list has this many elements at most.
const LONGEST_RANGE: i128 = 100_000;

impl Machine<'_> {
    /// The value of an expression.
    pub fn evaluate(&mut self, frame: &mut Frame, id: ExpressionId) -> Flow<Value> {
        let body = std::sync::Arc::clone(&frame.body);
        let expression = body.expression(id);
        let found = self.tick().and_then(|()| value(self, frame, expression));
        self.note(&body, expression.span, &found);
        found
    }

    /// `xs[i]`, `m[k]`, `j[i]`
    pub fn index(&mut self, base: &Value, index: &Value) -> Flow<Value> {
        if let (Value::Json(_), Value::Text(name)) = (base, index) {
            return json_field(self, base, name);
        }
        if let (Value::Json(json), Value::Int(index)) = (base, index) {
            let found = json
                .list()
                .and_then(|them| them.get(usize::try_from(*index).ok()?));
            return match found {
                Some(found) => Ok(Value::json(found.clone())),
                None => decode_error(self.db, &format!("$[{index}]")),
            };
        }
        let found = if let (Value::List(elements), Value::Int(index)) = (base, index) {
            usize::try_from(*index)
                .ok()
                .and_then(|it| elements.get(it).cloned())
        } else if let Value::Map(entries) = base {
            lookup(entries, index).cloned()
        } else {
            return unsupported(format!("{base:?} has no elements"));
        };
        match found {
            Some(found) => Ok(found),
            None => raise(
                self.db,
                BuiltinError::OutOfRange,
                vec![Value::text(UNSPECIFIED)],
            ),
        }
    }

    /// The ints of a range, the end not included, which may therefore be one beyond the largest int.
    pub fn range(
        &mut self,
        frame: &mut Frame,
        start: ExpressionId,
        end: ExpressionId,
        range_end: RangeEnd,
    ) -> Flow<(i128, i128)> {
        let start = self.evaluate(frame, start)?;
        let end = self.evaluate(frame, end)?;
        match (start, end, range_end) {
            (Value::Int(start), Value::Int(end), RangeEnd::Exclusive) => {
                Ok((start.into(), end.into()))
            }
            (Value::Int(start), Value::Int(end), RangeEnd::Inclusive) => {
                Ok((start.into(), i128::from(end) + 1))
            }
            other => unsupported(format!("{other:?} is no range")),
        }
    }
}

#[expect(
    clippy::too_many_lines,
    reason = "one arm a form: rustc names what a new form must join"
)]
fn value(machine: &mut Machine, frame: &mut Frame, expression: &Expression) -> Flow<Value> {
    use ExpressionKind as Kind;
    match &expression.kind {
        Kind::Int(it) => Ok(Value::Int(*it)),
        Kind::Float(bits) => Ok(Value::Float(f64::from_bits(*bits))),
        Kind::Bool(it) => Ok(Value::Bool(*it)),
        Kind::None => Ok(Value::None),
        Kind::Unit => Ok(Value::Unit),
        Kind::Duration(it) => Ok(Value::Duration(*it)),
        Kind::String(it) => Ok(Value::text(it.as_str())),
        Kind::Local(local) => frame.get(*local),
        Kind::Constant(item) => machine.constant(*item),
        Kind::FunctionValue {
            item,
            type_arguments,
        } => {
            let types = type_arguments.iter().map(|it| frame.concrete(it)).collect();
            Ok(Value::function(Function::Item(*item, types)))
        }
        Kind::ConstructorValue { item, variant } => {
            Ok(Value::function(Function::Constructor(*item, *variant)))
        }
        Kind::Lambda(lambda) => Ok(Value::function(Function::Closure(frame.closure(lambda)))),
        Kind::List(them) => Ok(Value::list(evaluate_all(machine, frame, them)?)),
        Kind::Tuple(them) => Ok(Value::tuple(evaluate_all(machine, frame, them)?)),
        Kind::Map(entries) => map_literal(machine, frame, entries),
        Kind::Record { item, fields, base } => {
            let ty = frame.concrete(&expression.ty);
            machine.record_literal(frame, *item, fields, *base, &ty)
        }
        Kind::Variant {
            item,
            variant,
            fields,
        } => {
            let ty = frame.concrete(&expression.ty);
            let fields = machine.payload(frame, *item, *variant, fields, &ty)?;
            Ok(Value::Variant(*item, *variant, Rc::new(fields)))
        }
        Kind::ErrorValue { item, fields } => {
            let ty = frame.concrete(&expression.ty);
            let fields = machine.payload(frame, *item, 0, fields, &ty)?;
            Ok(Value::Error(*item, Rc::new(fields)))
        }
        Kind::Field { base, index } | Kind::TupleField { base, index } => {
            field(machine, frame, *base, *index)
        }
        Kind::JsonField { base, name } => {
            let base = machine.evaluate(frame, *base)?;
            json_field(machine, &base, name)
        }
        Kind::Index { base, index } => {
            let base = machine.evaluate(frame, *base)?;
            let index = machine.evaluate(frame, *index)?;
            machine.index(&base, &index)
        }
        Kind::Interpolation(parts) => machine.interpolate(frame, parts),
        Kind::Unary { operator, operand } => {
            let operand = machine.evaluate(frame, *operand)?;
            let value = machine.unary(*operator, &operand)?;
            machine.computed(value, &frame.concrete(&expression.ty))
        }
        Kind::Binary {
            operator,
            left,
            right,
        } => {
            let value = machine.binary(frame, *operator, *left, *right)?;
            machine.computed(value, &frame.concrete(&expression.ty))
        }
        Kind::In { value, container } => contains(machine, frame, *value, *container),
        Kind::Range {
            start,
            end,
            range_end,
        } => range_list(machine, frame, *start, *end, *range_end),
        Kind::Coerce { value, coercion } => {
            let ty = frame.concrete(&expression.ty);
            let value = machine.evaluate(frame, *value)?;
            machine.coerce(value, *coercion, &ty)
        }
        Kind::As(value) => {
            let ty = frame.concrete(&expression.ty);
            let value = machine.evaluate(frame, *value)?;
            machine.convert(&value, &ty)
        }
        Kind::Otherwise { value, fallback } => {
            control::otherwise(machine, frame, *value, *fallback)
        }
        Kind::Chain { base, local, body } => control::chain(machine, frame, *base, *local, *body),
        Kind::If {
            condition,
            then,
            otherwise,
        } => control::conditional(machine, frame, *condition, *then, *otherwise),
        Kind::Match { value, arms } => control::matching(machine, frame, *value, arms),
        Kind::Catch { value, arms } => control::catch(machine, frame, *value, arms),
        Kind::Block { statements, tail } => machine.block(frame, statements, *tail),
        Kind::For {
            pattern,
            iterable,
            body,
        } => control::for_loop(machine, frame, pattern, *iterable, *body),
        Kind::Matches { value, pattern } => {
            let value = machine.evaluate(frame, *value)?;
            machine.matches(frame, pattern, &value).map(Value::Bool)
        }
        Kind::While { condition, body } => control::while_loop(machine, frame, *condition, *body),
        Kind::Return(value) => {
            let value = value.map_or(Ok(Value::Unit), |it| machine.evaluate(frame, it))?;
            Err(Stop::Return(value))
        }
        Kind::Break => Err(Stop::Break),
        Kind::Continue => Err(Stop::Continue),
        Kind::Fail(error) => control::fail(machine, frame, *error),
        Kind::Emit(value) => machine.evaluate(frame, *value).map(|_| Value::Unit),
        Kind::Call { callee, arguments } => machine.call(frame, callee, arguments),
        Kind::Spawn(lambda) => Ok(machine.spawn(frame.closure(lambda))),
        Kind::Await(tasks) => machine.await_tasks(frame, *tasks),
        Kind::Race { tasks, policy } => machine.race_tasks(frame, *tasks, *policy),
        Kind::ParallelFor {
            iterable,
            limit,
            policy,
            body,
        } => {
            let ty = frame.concrete(&expression.ty);
            let work = machine.iterations(frame, *iterable, *limit, body)?;
            Ok(Value::list(machine.parallel(work, *policy, &ty)?))
        }
        Kind::Parallel { branches, policy } => {
            let ty = frame.concrete(&expression.ty);
            let work = branches.iter().map(|it| (frame.closure(it), Vec::new()));
            let results = machine.parallel(work.collect(), *policy, &ty)?;
            Ok(Value::tuple(results))
        }
        Kind::Step {
            was,
            name,
            modifiers,
            body,
        } => {
            if let Some(was) = was {
                machine.evaluate(frame, *was)?;
            }
            machine.evaluate(frame, *name)?;
            machine.node(|it| it.modified(frame, modifiers, |it, frame| it.evaluate(frame, *body)))
        }
        Kind::Modified { modifiers, body } => {
            machine.modified(frame, modifiers, |it, frame| it.evaluate(frame, *body))
        }
        Kind::Undo(lambda) => machine.register_undo(frame.closure(lambda)),
        Kind::SpawnDetached { .. } => unsupported("runs of their own"),
        Kind::PromptCall { .. } | Kind::PromptText { .. } | Kind::OfferedTool { .. } => {
            unsupported("models")
        }
        Kind::Invalid => unsupported("the program is wrong"),
    }
}

/// The values of several expressions, in order.
fn evaluate_all(
    machine: &mut Machine,
    frame: &mut Frame,
    ids: &[ExpressionId],
) -> Flow<Vec<Value>> {
    ids.iter().map(|id| machine.evaluate(frame, *id)).collect()
}

/// A field of a record or an element of a tuple.
fn field(machine: &mut Machine, frame: &mut Frame, base: ExpressionId, index: u32) -> Flow<Value> {
    let base = machine.evaluate(frame, base)?;
    let (Value::Record(_, fields) | Value::Tuple(fields) | Value::Error(_, fields)) = &base else {
        return unsupported(format!("{base:?} has no fields"));
    };
    Ok(fields[index as usize].clone())
}

fn map_literal(
    machine: &mut Machine,
    frame: &mut Frame,
    entries: &[(ExpressionId, ExpressionId)],
) -> Flow<Value> {
    let mut map = Vec::new();
    for (key, value) in entries {
        let key = machine.evaluate(frame, *key)?;
        let value = machine.evaluate(frame, *value)?;
        insert(&mut map, key, value);
    }
    Ok(Value::map(map))
}

fn json_field(machine: &mut Machine, base: &Value, name: &str) -> Flow<Value> {
    let Value::Json(json) = base else {
        return unsupported(format!("{base:?} is no json"));
    };
    match json.get(name) {
        Some(found) => Ok(Value::json(found.clone())),
        None => decode_error(machine.db, &below("$", name)),
    }
}

/// A range where a list is needed.
fn range_list(
    machine: &mut Machine,
    frame: &mut Frame,
    start: ExpressionId,
    end: ExpressionId,
    range_end: RangeEnd,
) -> Flow<Value> {
    let (from, to) = machine.range(frame, start, end, range_end)?;
    if to - from > LONGEST_RANGE {
        return limit("a range is too long");
    }
    Ok(Value::list(ints(from..to).map(Value::Int).collect()))
}

/// The ints of a range, all of which 64 bits hold.
pub fn ints(range: std::ops::Range<i128>) -> impl Iterator<Item = i64> {
    range.filter_map(|it| i64::try_from(it).ok())
}

fn contains(
    machine: &mut Machine,
    frame: &mut Frame,
    value: ExpressionId,
    container: ExpressionId,
) -> Flow<Value> {
    let value = machine.evaluate(frame, value)?;
    let body = std::sync::Arc::clone(&frame.body);
    if let ExpressionKind::Range {
        start,
        end,
        range_end,
    } = &body.expression(container).kind
    {
        let (from, to) = machine.range(frame, *start, *end, *range_end)?;
        let Value::Int(it) = value else {
            return unsupported(format!("{value:?} in a range"));
        };
        return Ok(Value::Bool((from..to).contains(&it.into())));
    }
    let container = machine.evaluate(frame, container)?;
    Ok(Value::Bool(if let Value::List(elements) = &container {
        elements.iter().any(|it| equal(it, &value))
    } else if let Value::Map(entries) = &container {
        lookup(entries, &value).is_some()
    } else if let (Value::Text(part), Value::Text(whole)) = (&value, &container) {
        whole.contains(&**part)
    } else {
        return unsupported(format!("{value:?} in {container:?}"));
    }))
}
