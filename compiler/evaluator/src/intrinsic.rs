//! The rows of the table of runtime calls that the standard library names.
//!
//! The table is larger than what can be evaluated: files, models and time are not here. So a row is matched together with the
//! forms of its arguments, and whatever is not listed is refused by name ([`unsupported`]): a constant that needs it is reported,
//! and a random program that calls it counts as not compared.

mod list;
mod map;
mod number;
mod queue;
mod string;
mod structure;

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall as Row;
use gsw_names::types::Type;
use gsw_names::{Signature, builtin_error, substitute};

use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// Calls the row `row` with the arguments of its declaration.
    pub fn intrinsic(
        &mut self,
        row: Row,
        signature: &Signature,
        types: &Rc<[Type]>,
        arguments: &[Value],
    ) -> Flow<Value> {
        self.spend(arguments.iter().map(size).sum())?;
        let result = substitute(&signature.result, types);
        let parameter = signature.parameters.first();
        let first = parameter.map_or(Type::Unit, |it| substitute(&it.ty, types));
        if let Some(value) = intrinsic_of_any_value(self, row, &first, arguments)? {
            return Ok(value);
        }
        match arguments.first() {
            Some(Value::List(_)) => self.list_intrinsic(row, &result, arguments),
            Some(Value::Map(_)) => self.map_intrinsic(row, arguments),
            Some(Value::Text(_)) => self.string_intrinsic(row, arguments),
            Some(Value::Int(_) | Value::Float(_) | Value::Duration(_)) => {
                self.number_intrinsic(row, arguments)
            }
            Some(Value::Queue(_)) => self.queue_intrinsic(row, arguments),
            Some(Value::Json(_)) => self.json_intrinsic(row, arguments),
            Some(
                Value::Unit
                | Value::None
                | Value::Bool(_)
                | Value::Tuple(_)
                | Value::Record(..)
                | Value::Variant(..)
                | Value::Error(..)
                | Value::Function(_)
                | Value::Task(_),
            )
            | None => unsupported(format!("`{}`", row.name())),
        }
    }
}

/// The rows that do not belong to the form of their first argument; `None` for all others.
fn intrinsic_of_any_value(
    machine: &mut Machine,
    row: Row,
    first: &Type,
    arguments: &[Value],
) -> Flow<Option<Value>> {
    let value = match (row, arguments) {
        (Row::value_to_json, [value]) => Value::json(machine.json_of(value)?),
        (Row::value_to_string, [value]) => Value::text(machine.text_of(value, first)?),
        (Row::error_message, [Value::Error(item, fields)]) => {
            // Only these two have a message that the program gave them.
            let says = builtin_error(machine.db, *item).is_some_and(|it| {
                matches!(it, BuiltinError::Failed | BuiltinError::AssertionFailed)
            });
            if says {
                fields[0].clone()
            } else {
                Value::text(UNSPECIFIED)
            }
        }
        (Row::log | Row::trust_noted, _) => Value::Unit,
        (Row::sleep, [Value::Duration(length)]) => {
            machine.slept = machine.slept.saturating_add((*length).max(0));
            machine.wait()?;
            Value::Unit
        }
        (Row::task_cancel, [Value::Task(task)]) => {
            task.borrow_mut().cancel()?;
            Value::Unit
        }
        (Row::queue_new, _) => machine.queue_intrinsic(row, arguments)?,
        (Row::json_parse, _) => machine.json_intrinsic(row, arguments)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// How much work a value may make, roughly.
fn size(value: &Value) -> usize {
    match value {
        Value::List(elements) => elements.len(),
        Value::Map(entries) => entries.len(),
        Value::Text(text) => text.len() / 16,
        Value::Unit
        | Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Duration(_)
        | Value::Json(_)
        | Value::Tuple(_)
        | Value::Record(..)
        | Value::Variant(..)
        | Value::Error(..)
        | Value::Function(_)
        | Value::Task(_)
        | Value::Queue(_) => 0,
    }
}
