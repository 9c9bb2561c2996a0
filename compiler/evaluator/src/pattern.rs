//! Patterns: whether they match, and what they bind.

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{BodyPart, ListRest, Pattern, PatternKind};
use gsw_names::builtin_error;

use crate::equal::equal;
use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// Whether `pattern` matches; its names are bound on the way.
    pub fn matches(&mut self, frame: &mut Frame, pattern: &Pattern, value: &Value) -> Flow<bool> {
        self.tick()?;
        Ok(match (&pattern.kind, value) {
            (PatternKind::Wildcard, _) => true,
            (PatternKind::Binding(local), _) => {
                frame.bind(*local, value.clone());
                true
            }
            (PatternKind::Int(it), Value::Int(value) | Value::Duration(value)) => it == value,
            (PatternKind::Float(bits), Value::Float(value)) => f64::from_bits(*bits) == *value,
            (PatternKind::Bool(it), Value::Bool(value)) => it == value,
            (PatternKind::String(it), Value::Text(value)) => **it == **value,
            (PatternKind::Range { start, end }, Value::Int(value)) => {
                (*start..=*end).contains(value)
            }
            (PatternKind::Constant(item), _) => {
                let body = self.body(*item, BodyPart::Main)?;
                equal(&self.run_body(body, [].into(), Vec::new())?, value)
            }
            (PatternKind::None, _) => matches!(value, Value::None),
            (PatternKind::Some(_), Value::None) => false,
            (PatternKind::Some(inside), _) => self.matches(frame, inside, value)?,
            (
                PatternKind::Variant {
                    variant, fields, ..
                },
                Value::Variant(_, it, values),
            ) => variant == it && fields_match(self, frame, fields, values)?,
            (PatternKind::Error { item, fields }, Value::Error(it, values)) => {
                item == it && fields_match(self, frame, fields, values)?
            }
            (PatternKind::ModelError, Value::Error(it, _)) => {
                builtin_error(self.db, *it).is_some_and(|it| it <= BuiltinError::ProviderError)
            }
            (
                PatternKind::Record { fields },
                Value::Record(_, values) | Value::Error(_, values),
            ) => fields_match(self, frame, fields, values)?,
            (PatternKind::Tuple(parts), Value::Tuple(values)) => {
                all_match(self, frame, parts, values)?
            }
            (
                PatternKind::List {
                    before,
                    rest,
                    after,
                },
                Value::List(values),
            ) => list_matches(self, frame, before, rest.as_ref(), after, values)?,
            (PatternKind::Or(them), _) => {
                for it in them {
                    if self.matches(frame, it, value)? {
                        return Ok(true);
                    }
                }
                false
            }
            (kind, _) => return unsupported(format!("{kind:?} against {value:?}")),
        })
    }
}

fn fields_match(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    fields: &[(u32, Pattern)],
    values: &[Value],
) -> Flow<bool> {
    for (index, pattern) in fields {
        if !machine.matches(frame, pattern, &values[*index as usize])? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn all_match(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    them: &[Pattern],
    values: &[Value],
) -> Flow<bool> {
    for (pattern, value) in them.iter().zip(values) {
        if !machine.matches(frame, pattern, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn list_matches(
    machine: &mut Machine<'_>,
    frame: &mut Frame,
    before: &[Pattern],
    rest: Option<&ListRest>,
    after: &[Pattern],
    values: &[Value],
) -> Flow<bool> {
    let fixed = before.len() + after.len();
    if values.len() < fixed || (rest.is_none() && values.len() > fixed) {
        return Ok(false);
    }
    let tail = values.len() - after.len();
    if !all_match(machine, frame, before, values)? {
        return Ok(false);
    }
    if let Some(ListRest::Bound(local)) = rest {
        frame.bind(*local, Value::list(values[before.len()..tail].to_vec()));
    }
    all_match(machine, frame, after, &values[tail..])
}
