//! The rows of the table of runtime calls that the standard library names.

mod list;
mod map;
mod number;
mod queue;
mod string;
mod structure;

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_names::types::Type;
use gsw_names::{Signature, builtin_error, substitute};

use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// Calls the row `row` with the arguments of its declaration.
    pub fn intrinsic(
        &mut self,
        row: &str,
        signature: &Signature,
        types: &Rc<[Type]>,
        arguments: &[Value],
    ) -> Flow<Value> {
        self.spend(arguments.iter().map(size).sum())?;
        let result = substitute(&signature.result, types);
        let parameter = signature.parameters.first();
        let first = parameter.map_or(Type::Unit, |it| substitute(&it.ty, types));
        match row.split_once('_').map_or(row, |it| it.0) {
            "list" => self.list_intrinsic(row, &result, arguments),
            "map" => self.map_intrinsic(row, arguments),
            "string" => self.string_intrinsic(row, arguments),
            "int" | "float" | "duration" => self.number_intrinsic(row, arguments),
            "queue" => self.queue_intrinsic(row, arguments),
            "json" => self.json_intrinsic(row, arguments),
            _ => other_intrinsic(self, row, &first, arguments),
        }
    }
}

fn other_intrinsic(
    machine: &mut Machine,
    row: &str,
    first: &Type,
    arguments: &[Value],
) -> Flow<Value> {
    match (row, arguments) {
        ("value_to_json", [value]) => Ok(Value::json(machine.json_of(value)?)),
        ("value_to_string", [value]) => Ok(Value::text(machine.text_of(value, first)?)),
        ("error_message", [Value::Error(item, fields)]) => {
            // Only these two carry a message that the program gave them.
            let says = builtin_error(machine.db, *item).is_some_and(|it| {
                matches!(it, BuiltinError::Failed | BuiltinError::AssertionFailed)
            });
            Ok(if says {
                fields[0].clone()
            } else {
                Value::text(UNSPECIFIED)
            })
        }
        ("log", _) => Ok(Value::Unit),
        ("sleep", [Value::Duration(length)]) => {
            machine.slept = machine.slept.saturating_add((*length).max(0));
            machine.wait()?;
            Ok(Value::Unit)
        }
        ("task_cancel", [Value::Task(task)]) => task.borrow_mut().cancel().map(|()| Value::Unit),
        _ => unsupported(format!("`{row}`")),
    }
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
