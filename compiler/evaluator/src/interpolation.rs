//! `"…${e}…"` and `x.to_string()`.

use gsw_infer::hir::Part;
use gsw_names::alias_target;
use gsw_names::substitute;
use gsw_names::types::Type;

use crate::frame::Frame;
use crate::json::{Json, text};
use crate::machine::Machine;
use crate::number_text::{duration_text, float_text};
use crate::stop::{Flow, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn interpolate(&mut self, frame: &mut Frame, parts: &[Part]) -> Flow<Value> {
        let mut whole = String::new();
        for part in parts {
            match part {
                Part::Text(it) => whole += it,
                Part::Expression(id) => {
                    let ty = frame.concrete(&frame.body.expression(*id).ty);
                    let value = self.evaluate(frame, *id)?;
                    whole += &self.text_of(&value, &ty)?;
                }
            }
        }
        self.spend(whole.len() / 16)?;
        Ok(Value::text(whole))
    }

    /// A value inside a string; the type distinguishes an empty list of strings from other lists.
    pub fn text_of(&mut self, value: &Value, ty: &Type) -> Flow<String> {
        if let Type::Checked(item, arguments) = ty {
            let below = substitute(&alias_target(self.db, *item), arguments);
            return self.text_of(value, &below);
        }
        if let Type::Optional(inside) = ty
            && !matches!(value, Value::None)
        {
            return self.text_of(value, inside);
        }
        if *ty == Type::Secret {
            return unsupported("secrets");
        }
        if let (Value::List(elements), Type::List(of)) = (value, ty)
            && is_text(self, of)
        {
            let texts: Vec<String> = elements
                .iter()
                .map(|it| self.text_of(it, of))
                .collect::<Flow<_>>()?;
            return Ok(texts.join("\n"));
        }
        match value {
            Value::Text(it) => Ok(it.to_string()),
            Value::Duration(it) => Ok(duration_text(*it)),
            Value::Float(it) => Ok(float_text(*it)),
            Value::Unit
            | Value::None
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Json(_)
            | Value::List(_)
            | Value::Tuple(_)
            | Value::Map(_)
            | Value::Record(..)
            | Value::Variant(..)
            | Value::Error(..)
            | Value::Function(_)
            | Value::Task(_)
            | Value::Queue(_) => {
                let json = self.json_of(value)?;
                if let Json::Text(it) = &json {
                    return Ok(it.to_string());
                }
                Ok(text(&json))
            }
        }
    }
}

fn is_text(machine: &Machine, ty: &Type) -> bool {
    if let Type::Checked(item, _) = ty {
        return is_text(machine, &alias_target(machine.db, *item));
    }
    matches!(ty, Type::String | Type::Literals(_))
}
