//! Records, variants and errors with their defaults and checks; conversions.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{BodyPart, Coercion, ExpressionId};
use gsw_names::types::Type;
use gsw_names::{Parameter, Presence, alias_target, substitute};
use gsw_source::{ItemId, ItemKind};

use crate::frame::Frame;
use crate::json::Json;
use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, decode_error, raise, unsupported};
use crate::value::Value;

/// The type arguments of a record, enum or checked alias.
pub fn type_arguments(ty: &Type) -> Rc<[Type]> {
    if let Type::Record(_, arguments) | Type::Enum(_, arguments) | Type::Checked(_, arguments) = ty
    {
        arguments.iter().cloned().collect()
    } else {
        [].into()
    }
}

impl Machine<'_> {
    /// `R { field: value, ..base }`
    pub fn record_literal(
        &mut self,
        frame: &mut Frame,
        item: ItemId,
        fields: &[(u32, ExpressionId)],
        base: Option<ExpressionId>,
        ty: &Type,
    ) -> Flow<Value> {
        let mut given = self.numbered(frame, fields)?;
        if let Some(base) = base {
            let Value::Record(_, base) = self.evaluate(frame, base)? else {
                return unsupported("a base is no record");
            };
            for (index, value) in (0u32..).zip(base.iter()) {
                if !given.iter().any(|(it, _)| *it == index) {
                    given.push((index, value.clone()));
                }
            }
        }
        let declared = self.record_fields(item);
        let types = type_arguments(ty);
        let fields = filled(self, item, 0, &declared, given, &types)?;
        let record = Value::Record(item, Rc::new(fields));
        match self.broken_check(&record, &types)? {
            Some(_) => raise(
                self.db,
                BuiltinError::AssertionFailed,
                vec![Value::text(UNSPECIFIED)],
            ),
            None => Ok(record),
        }
    }

    /// The fields of a variant or error.
    pub fn payload(
        &mut self,
        frame: &mut Frame,
        item: ItemId,
        variant: u32,
        fields: &[(u32, ExpressionId)],
        ty: &Type,
    ) -> Flow<Vec<Value>> {
        let given = self.numbered(frame, fields)?;
        let declared = if item.kind(self.db) == ItemKind::Enum {
            self.variant(item, variant)?.fields
        } else {
            self.record_fields(item)
        };
        filled(self, item, variant, &declared, given, &type_arguments(ty))
    }

    /// Numbered expressions as numbered values, in the order of evaluation.
    pub fn numbered(
        &mut self,
        frame: &mut Frame,
        fields: &[(u32, ExpressionId)],
    ) -> Flow<Vec<(u32, Value)>> {
        let mut given = Vec::new();
        for (index, value) in fields {
            given.push((*index, self.evaluate(frame, *value)?));
        }
        Ok(given)
    }

    /// The default of a field.
    pub fn field_default(
        &mut self,
        item: ItemId,
        variant: u32,
        field: u32,
        types: &Rc<[Type]>,
    ) -> Flow<Value> {
        let body = self.body(item, BodyPart::FieldDefault { variant, field })?;
        self.run_body(body, Rc::clone(types), Vec::new())
    }

    /// The first field of a record whose `where` does not hold.
    pub fn broken_check(&mut self, record: &Value, types: &Rc<[Type]>) -> Flow<Option<usize>> {
        let Value::Record(item, fields) = record else {
            return Ok(None);
        };
        for (index, field) in self.record_fields(*item).iter().enumerate() {
            if field.check == Presence::Absent {
                continue;
            }
            let body = self.body(*item, BodyPart::FieldCheck(index as u32))?;
            let arguments = vec![fields[index].clone(), record.clone()];
            if !holds(self, body, types, arguments)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// A conversion that is not written in source.
    pub fn coerce(&mut self, value: Value, coercion: Coercion, ty: &Type) -> Flow<Value> {
        match coercion {
            Coercion::ToOptional | Coercion::Widen | Coercion::FromNever => Ok(value),
            Coercion::ToJson => Ok(Value::json(self.json_of(&value)?)),
            Coercion::Check => self.admitted(value, ty),
            Coercion::ToArgument => unsupported("tools of servers"),
            Coercion::ToSecret => unsupported("secrets"),
        }
    }

    /// What an operator computed, as a value of `ty`: in a generic function that may have checks.
    pub fn computed(&mut self, value: Value, ty: &Type) -> Flow<Value> {
        if matches!(ty, Type::Checked(..)) {
            return self.admitted(value, ty);
        }
        Ok(value)
    }

    /// A value that is to be one of `ty`, when the checks of `ty` hold.
    pub fn admitted(&mut self, value: Value, ty: &Type) -> Flow<Value> {
        if self.passes(&value, ty)? {
            return Ok(value);
        }
        raise(
            self.db,
            BuiltinError::AssertionFailed,
            vec![Value::text(UNSPECIFIED)],
        )
    }

    /// Whether a value satisfies all checks of its type itself, those of aliases below included.
    pub fn passes(&mut self, value: &Value, ty: &Type) -> Flow<bool> {
        if let Type::Checked(item, arguments) = ty {
            let below = substitute(&alias_target(self.db, *item), arguments);
            if !self.passes(value, &below)? {
                return Ok(false);
            }
            let body = self.body(*item, BodyPart::AliasCheck)?;
            return holds(self, body, &type_arguments(ty), vec![value.clone()]);
        }
        if let Type::Optional(inside) = ty
            && !matches!(value, Value::None)
        {
            return self.passes(value, inside);
        }
        if let (Type::List(of), Value::List(elements)) = (ty, value) {
            for element in elements.iter() {
                if !self.passes(element, of)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub fn convert(&mut self, value: &Value, ty: &Type) -> Flow<Value> {
        if let Value::Json(json) = value {
            return self.decode(json, ty, "$");
        }
        let Value::Text(text) = value else {
            return Ok(value.clone());
        };
        if matches!(ty, Type::Checked(..)) {
            // A union with a check is decoded as JSON is, which runs the check.
            return self.decode(&Json::Text(text.clone()), ty, "$");
        }
        let Type::Literals(texts) = ty else {
            return Ok(value.clone());
        };
        if texts.iter().any(|it| **it == **text) {
            Ok(value.clone())
        } else {
            decode_error(self.db, "$")
        }
    }
}

fn filled(
    machine: &mut Machine,
    item: ItemId,
    variant: u32,
    declared: &[Parameter],
    given: Vec<(u32, Value)>,
    types: &Rc<[Type]>,
) -> Flow<Vec<Value>> {
    let mut fields = Vec::new();
    for (index, field) in (0u32..).zip(declared) {
        match given.iter().find(|(it, _)| *it == index) {
            Some((_, value)) => fields.push(value.clone()),
            None if field.default == Presence::Present => {
                fields.push(machine.field_default(item, variant, index, types)?);
            }
            None => fields.push(Value::None),
        }
    }
    Ok(fields)
}

fn holds(
    machine: &mut Machine,
    body: std::sync::Arc<gsw_infer::hir::Body>,
    types: &Rc<[Type]>,
    arguments: Vec<Value>,
) -> Flow<bool> {
    let value = machine.run_body(body, Rc::clone(types), arguments)?;
    let Value::Bool(it) = value else {
        return unsupported(format!("a check gives {value:?}"));
    };
    Ok(it)
}
