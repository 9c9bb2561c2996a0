//! Values as `json`: conversions, reading, and the objects that events show.

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout::json;
use gsw_infer::hir::ExpressionId;
use gsw_names::types::Type;

use crate::family::Family;
use crate::ir::Operand;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};

pub fn json_field(builder: &mut Builder<'_, '_>, base: ExpressionId, name: &str) -> Operand {
    let base = builder.expression(base);
    let name = builder.text(name);
    builder.runtime(builtin::JSON, RuntimeCall::json_field, vec![base, name])
}

impl Emitter<'_, '_> {
    /// A value of a concrete type as `json`.
    pub fn json_form(&mut self, value: Operand, ty: &Type) -> Operand {
        let ty = self.program.base_type(ty);
        let tag = match Family::of(&ty) {
            // Already what is wanted; for the next ones the word is the payload as it is, so no walk by type is needed.
            Family::Json => return value,
            Family::Bool => json::BOOL,
            Family::Int => json::INT,
            Family::Float => json::FLOAT,
            Family::Text if ty == Type::String => json::STRING,
            Family::List(element) if *element == Type::Json => json::LIST,
            Family::Map(key, value) if *key == Type::String && *value == Type::Json => json::OBJECT,
            Family::Nothing
            | Family::Duration
            | Family::Time
            | Family::Text
            | Family::Secret
            | Family::Media
            | Family::List(_)
            | Family::Map(..)
            | Family::Plain => return self.json_by_type(RuntimeCall::value_to_json, value, &ty),
        };
        self.json_of(tag, value)
    }

    /// A value as an argument of a tool that a server has.
    pub fn argument_form(&mut self, value: Operand, ty: &Type) -> Operand {
        let ty = self.program.base_type(ty);
        self.json_by_type(RuntimeCall::value_to_argument, value, &ty)
    }

    fn json_by_type(&mut self, call: RuntimeCall, value: Operand, ty: &Type) -> Operand {
        let id = self.type_id(ty);
        self.runtime(builtin::JSON, call, vec![type_word(id), value])
    }

    /// A `json` with this tag and payload.
    pub fn json_of(&mut self, tag: u32, payload: Operand) -> Operand {
        let arguments = vec![Operand::Word(u64::from(tag)), payload];
        self.runtime(builtin::JSON, RuntimeCall::json_new, arguments)
    }

    /// A value as `json` that observers do not see, with its type; what has no JSON form stays as it is.
    pub fn hidden_json(&mut self, value: Operand, ty: Type) -> (Operand, Type) {
        if !has_json(&ty) {
            return (value, ty);
        }
        let value = self.json_form(value, &ty);
        // By a mark in the value, which everything that shows it looks at.
        let hidden = self.runtime(builtin::JSON, RuntimeCall::json_hidden, vec![value]);
        (hidden, Type::Json)
    }

    /// The output of a node as `json`, or 0 where there is nothing to show.
    pub fn output_json(&mut self, value: Operand, ty: &Type) -> Operand {
        if has_json(ty) {
            self.json_form(value, ty)
        } else {
            Operand::Word(0)
        }
    }

    /// Named values as a `json` object.
    pub fn json_object(&mut self, entries: &[(&str, Operand, &Type)]) -> Operand {
        let ty = builtin::MAP_STRING_JSON;
        let mut map = self.runtime(ty, RuntimeCall::map_new, vec![type_word(ty)]);
        for (name, value, value_type) in entries {
            // Left away and not an error: events show what can be shown.
            if !has_json(value_type) {
                continue;
            }
            let name = self.text(name);
            let value = self.json_form(*value, value_type);
            map = self.runtime(ty, RuntimeCall::map_insert, vec![map, name, value]);
        }
        self.json_of(json::OBJECT, map)
    }
}

/// Whether values of this type can be written down.
pub(super) fn has_json(ty: &Type) -> bool {
    match ty {
        Type::Unit
        | Type::Never
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session
        | Type::Agent => false,
        Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => true,
    }
}
