//! JSON to values, led by their types.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{Parameter, Presence, alias_target, item_signature, substitute};
use gsw_source::ItemId;
use serde_json::Value as Tree;

use crate::construct::type_arguments;
use crate::expression::insert;
use crate::json::{Json, of_tree};
use crate::machine::Machine;
use crate::number_text::nanoseconds;
use crate::stop::{Flow, give_up, misfit};
use crate::value::Value;

impl Machine<'_> {
    /// The arguments of a workflow from an object of its parameters.
    pub fn input(&mut self, item: ItemId, input: &Tree) -> Flow<Vec<(u32, Value)>> {
        let signature = &item_signature(self.db, item).signature;
        let mut arguments = Vec::new();
        for (index, parameter) in (0u32..).zip(&signature.parameters) {
            match input.get(parameter.name.as_str()) {
                Some(tree) => {
                    let value = self.decode(&of_tree(tree), &parameter.ty, "$")?;
                    arguments.push((index, value));
                }
                None if parameter.default == Presence::Present => {}
                None if matches!(parameter.ty, Type::Optional(_)) => {
                    arguments.push((index, Value::None));
                }
                None => return give_up(format!("`{}` is missing", parameter.name)),
            }
        }
        Ok(arguments)
    }

    /// A value of a type, or `DecodeError`.
    pub fn decode(&mut self, json: &Json, ty: &Type, path: &str) -> Flow<Value> {
        self.tick()?;
        Ok(match (ty, json) {
            (Type::Unit, Json::Null) => Value::Unit,
            (Type::Json, _) => Value::json(json.clone()),
            (Type::Bool, Json::Bool(it)) => Value::Bool(*it),
            (Type::Int, Json::Int(it)) => Value::Int(*it),
            (Type::Int, Json::Float(it)) if it.fract() == 0.0 && it.abs() < 9e18 => {
                Value::Int(*it as i64)
            }
            (Type::Float, Json::Int(it)) => Value::Float(*it as f64),
            (Type::Float, Json::Float(it)) => Value::Float(*it),
            (Type::Float, Json::Text(it)) => match &**it {
                "NaN" => Value::Float(f64::NAN),
                "Infinity" => Value::Float(f64::INFINITY),
                "-Infinity" => Value::Float(f64::NEG_INFINITY),
                _ => return misfit(self.db, path),
            },
            (Type::Duration, Json::Int(it)) if it.unsigned_abs() < 9_000_000_000 => {
                Value::Duration(it * 1_000_000_000)
            }
            (Type::Duration, Json::Float(it)) if it.abs() < 9e9 => {
                Value::Duration(nanoseconds(*it))
            }
            (Type::String, Json::Text(it)) => Value::Text(Rc::clone(it)),
            (Type::Literals(texts), Json::Text(it)) if texts.iter().any(|text| **text == **it) => {
                Value::Text(Rc::clone(it))
            }
            (Type::Optional(_), Json::Null) => Value::None,
            (Type::Optional(inside), _) => self.decode(json, inside, path)?,
            (Type::Checked(item, arguments), _) => {
                let below = substitute(&alias_target(self.db, *item), arguments);
                let value = self.decode(json, &below, path)?;
                if !self.passes(&value, ty)? {
                    return misfit(self.db, path);
                }
                value
            }
            (Type::Error | Type::Time | Type::Bytes | Type::Duration, _) => {
                return give_up("decoding of errors, times and bytes");
            }
            _ => self.decode_compound(json, ty, path)?,
        })
    }

    fn decode_compound(&mut self, json: &Json, ty: &Type, path: &str) -> Flow<Value> {
        match (ty, json) {
            (Type::List(of), Json::List(them)) => {
                let mut elements = Vec::new();
                for (index, it) in them.iter().enumerate() {
                    elements.push(self.decode(it, of, &format!("{path}[{index}]"))?);
                }
                Ok(Value::list(elements))
            }
            (Type::Tuple(parts), Json::List(them)) if parts.len() == them.len() => {
                let mut elements = Vec::new();
                for (index, (it, part)) in them.iter().zip(parts.iter()).enumerate() {
                    elements.push(self.decode(it, part, &format!("{path}[{index}]"))?);
                }
                Ok(Value::tuple(elements))
            }
            (Type::Map(key, of), Json::Object(entries)) => {
                let mut map = Vec::new();
                for (name, it) in entries {
                    let at = below(path, name);
                    let name = match (&**key, name.parse::<i64>()) {
                        (Type::Int, Ok(it)) => Json::Int(it),
                        _ => Json::Text(Rc::clone(name)),
                    };
                    let name = self.decode(&name, key, &at)?;
                    let value = self.decode(it, of, &at)?;
                    insert(&mut map, name, value);
                }
                Ok(Value::map(map))
            }
            (Type::Record(item, _), Json::Object(entries)) => {
                let declared = self.record_fields(*item);
                let fields = self.decode_fields((*item, 0), &declared, entries, ty, path)?;
                let record = Value::Record(*item, Rc::new(fields));
                match self.broken_check(&record, &type_arguments(ty))? {
                    Some(index) => misfit(self.db, &below(path, &declared[index].wire)),
                    None => Ok(record),
                }
            }
            (Type::Enum(item, _), _) => self.decode_variant(*item, json, ty, path),
            _ => misfit(self.db, path),
        }
    }

    fn decode_variant(&mut self, item: ItemId, json: &Json, ty: &Type, path: &str) -> Flow<Value> {
        for (index, variant) in (0u32..).zip(self.variants(item)) {
            match json {
                Json::Text(it) if **it == *variant.wire && variant.fields.is_empty() => {
                    return Ok(Value::Variant(item, index, Rc::default()));
                }
                Json::Object(entries) if !variant.fields.is_empty() => {
                    let mut kinds = entries.iter().filter(|(key, _)| &**key == "kind");
                    let is_it =
                        kinds.any(|(_, it)| matches!(it, Json::Text(it) if **it == *variant.wire));
                    if is_it {
                        let of = (item, index);
                        let fields = self.decode_fields(of, &variant.fields, entries, ty, path)?;
                        return Ok(Value::Variant(item, index, Rc::new(fields)));
                    }
                }
                _ => {}
            }
        }
        let is_payload = matches!(json, Json::Object(_))
            && self.variants(item).iter().any(|it| !it.fields.is_empty());
        misfit(
            self.db,
            &if is_payload {
                format!("{path}.kind")
            } else {
                path.to_owned()
            },
        )
    }

    fn decode_fields(
        &mut self,
        (item, variant): (ItemId, u32),
        declared: &[Parameter],
        entries: &[(Rc<str>, Json)],
        ty: &Type,
        path: &str,
    ) -> Flow<Vec<Value>> {
        let types = type_arguments(ty);
        let mut fields = Vec::new();
        for (index, field) in (0u32..).zip(declared) {
            let at = below(path, &field.wire);
            let field_type = substitute(&field.ty, &types);
            match entries.iter().find(|(key, _)| **key == *field.wire) {
                Some((_, it)) => fields.push(self.decode(it, &field_type, &at)?),
                None if field.default == Presence::Present => {
                    fields.push(self.field_default(item, variant, index, &types)?);
                }
                None if matches!(field_type, Type::Optional(_)) => fields.push(Value::None),
                None => return misfit(self.db, &at),
            }
        }
        Ok(fields)
    }

    /// The default of a parameter, which may use the ones before it.
    pub fn parameter_default(
        &mut self,
        item: ItemId,
        index: u32,
        types: &Rc<[Type]>,
        before: &[Value],
    ) -> Flow<Value> {
        let body = self.body(item, BodyPart::ParameterDefault(index))?;
        self.run_body(body, Rc::clone(types), before.to_vec())
    }

    /// Whether an error is one that can happen anywhere and that `retry` never repeats.
    pub fn is_fault(&self, item: ItemId) -> bool {
        gsw_names::builtin_error(self.db, item).is_some_and(|it| it > BuiltinError::Many)
    }
}

/// The path of an entry of what stands at `path`; a key that is no name stands in brackets.
pub fn below(path: &str, key: &str) -> String {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    let begins = key.chars().next().is_some_and(|it| !it.is_ascii_digit());
    if begins && key.chars().all(is_part) {
        format!("{path}.{key}")
    } else {
        format!("{path}[{}]", Tree::from(key))
    }
}
