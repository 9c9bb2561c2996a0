//! `"…${e}…"` and `x.to_string()`.

use gsw_infer::hir::Part;
use gsw_names::alias_target;
use gsw_names::types::Type;

use crate::frame::Frame;
use crate::json::{Json, text};
use crate::machine::Machine;
use crate::number_text::{duration_text, float_text};
use crate::stop::{Flow, give_up};
use crate::value::Value;

impl Machine<'_> {
    /// A string of parts.
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

    /// A value inside a string; the type tells an empty list of strings from other lists.
    pub fn text_of(&mut self, value: &Value, ty: &Type) -> Flow<String> {
        match ty {
            Type::Checked(item, arguments) => {
                let below = gsw_names::substitute(&alias_target(self.db, *item), arguments);
                return self.text_of(value, &below);
            }
            Type::Optional(inside) if !matches!(value, Value::None) => {
                return self.text_of(value, inside);
            }
            Type::Secret => return give_up("secrets"),
            _ => {}
        }
        Ok(match (value, ty) {
            (Value::Text(it), _) => it.to_string(),
            (Value::Duration(it), _) => duration_text(*it),
            (Value::Float(it), _) => float_text(*it),
            (Value::List(elements), Type::List(of)) if self.is_text(of) => {
                let mut texts = Vec::new();
                for element in elements.iter() {
                    texts.push(self.text_of(element, of)?);
                }
                texts.join("\n")
            }
            _ => match self.json_of(value)? {
                Json::Text(it) => it.to_string(),
                other => text(&other),
            },
        })
    }

    fn is_text(&self, ty: &Type) -> bool {
        match ty {
            Type::String | Type::Literals(_) => true,
            Type::Checked(item, _) => self.is_text(&alias_target(self.db, *item)),
            _ => false,
        }
    }
}
