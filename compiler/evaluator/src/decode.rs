//! JSON to values, led by their types.

use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{KnownItem, Parameter, Presence, alias_target, item_signature, substitute};
use gsw_source::ItemId;
use serde_json::Value as Tree;

use crate::construct::type_arguments;
use crate::equal::insert;
use crate::json::{Json, below, of_tree};
use crate::machine::Machine;
use crate::number_text::nanoseconds;
use crate::stop::{Flow, decode_error, unsupported};
use crate::value::Value;

impl Machine<'_> {
    /// The arguments of a workflow from an object of its parameters.
    pub fn input(&mut self, item: ItemId, input: &Tree) -> Flow<Vec<(u32, Value)>> {
        let signature = &item_signature(self.db, item).signature;
        let mut arguments = Vec::new();
        for (index, parameter) in (0u32..).zip(&signature.parameters) {
            match input.get(parameter.name.as_str()) {
                Some(tree) => {
                    let Some(json) = of_tree(tree) else {
                        return decode_error(self.db, "$");
                    };
                    let value = self.decode(&json, &parameter.ty, "$")?;
                    arguments.push((index, value));
                }
                None if parameter.default == Presence::Present => {}
                None if matches!(parameter.ty, Type::Optional(_)) => {
                    arguments.push((index, Value::None));
                }
                None => return unsupported(format!("`{}` is missing", parameter.name)),
            }
        }
        Ok(arguments)
    }

    /// A value of a type, or `DecodeError`.
    pub fn decode(&mut self, json: &Json, ty: &Type, path: &str) -> Flow<Value> {
        self.tick()?;
        match ty {
            Type::Json => Ok(Value::json(json.clone())),
            Type::Unit => fitting(
                self,
                path,
                matches!(json, Json::Null).then_some(Value::Unit),
            ),
            Type::Bool => fitting(self, path, bool_of(json)),
            Type::Int => fitting(self, path, int_of(json)),
            Type::Float => fitting(self, path, float_of(json)),
            Type::String => fitting(self, path, json.text().map(Value::text)),
            Type::Literals(texts) => {
                let text = json.text();
                let known = text.filter(|it| texts.iter().any(|text| **text == **it));
                fitting(self, path, known.map(Value::text))
            }
            Type::Duration => match duration_of(json) {
                Some(value) => Ok(value),
                None => unsupported("decoding of this as a duration"),
            },
            Type::Optional(_) if matches!(json, Json::Null) => Ok(Value::None),
            Type::Optional(inside) => self.decode(json, inside, path),
            Type::Checked(item, arguments) => {
                let below = substitute(&alias_target(self.db, *item), arguments);
                let value = self.decode(json, &below, path)?;
                let passes = self.passes(&value, ty)?;
                fitting(self, path, passes.then_some(value))
            }
            Type::List(of) => decode_list(self, json, of, path),
            Type::Tuple(parts) => decode_tuple(self, json, parts, path),
            Type::Map(key, of) => decode_map(self, json, key, of, path),
            Type::Record(item, arguments) if KnownItem::Set.is(self.db, *item) => {
                decode_set(self, *item, json, arguments, path)
            }
            Type::Record(item, _) => decode_record(self, *item, json, ty, path),
            Type::Enum(item, _) => decode_variant(self, *item, json, ty, path),
            Type::Error | Type::Time | Type::Bytes => {
                unsupported("decoding of errors, times and bytes")
            }
            Type::Secret
            | Type::Image
            | Type::Document
            | Type::Session
            | Type::Agent
            | Type::Never
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => decode_error(self.db, path),
        }
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

/// The value, or `DecodeError` at `path` where the JSON does not fit.
fn fitting(machine: &Machine<'_>, path: &str, value: Option<Value>) -> Flow<Value> {
    value.map_or_else(|| decode_error(machine.db, path), Ok)
}

fn decode_list(machine: &mut Machine<'_>, json: &Json, of: &Type, path: &str) -> Flow<Value> {
    let Some(them) = json.list() else {
        return decode_error(machine.db, path);
    };
    let mut elements = Vec::new();
    for (index, it) in them.iter().enumerate() {
        elements.push(machine.decode(it, of, &format!("{path}[{index}]"))?);
    }
    Ok(Value::list(elements))
}

fn decode_set(
    machine: &mut Machine<'_>,
    item: ItemId,
    json: &Json,
    arguments: &[Type],
    path: &str,
) -> Flow<Value> {
    let (Some(them), [of]) = (json.list(), arguments) else {
        return decode_error(machine.db, path);
    };
    let mut members = Vec::new();
    for (index, it) in them.iter().enumerate() {
        let at = format!("{path}[{index}]");
        let element = machine.decode(it, of, &at)?;
        let before = members.len();
        insert(&mut members, element, Value::Bool(true));
        if members.len() == before {
            return decode_error(machine.db, &at);
        }
    }
    Ok(Value::Record(item, Rc::new(vec![Value::map(members)])))
}

fn decode_tuple(machine: &mut Machine<'_>, json: &Json, parts: &[Type], path: &str) -> Flow<Value> {
    let Some(them) = json.list().filter(|it| it.len() == parts.len()) else {
        return decode_error(machine.db, path);
    };
    let mut elements = Vec::new();
    for (index, (it, part)) in them.iter().zip(parts).enumerate() {
        elements.push(machine.decode(it, part, &format!("{path}[{index}]"))?);
    }
    Ok(Value::tuple(elements))
}

fn decode_map(
    machine: &mut Machine<'_>,
    json: &Json,
    key: &Type,
    of: &Type,
    path: &str,
) -> Flow<Value> {
    let Some(entries) = json.object() else {
        return decode_error(machine.db, path);
    };
    let mut map = Vec::new();
    for (name, it) in entries {
        let at = below(path, name);
        let number = name.parse().ok().filter(|_| *key == Type::Int);
        let name = number.map_or_else(|| Json::Text(Rc::clone(name)), Json::Int);
        let name = machine.decode(&name, key, &at)?;
        let value = machine.decode(it, of, &at)?;
        insert(&mut map, name, value);
    }
    Ok(Value::map(map))
}

fn decode_record(
    machine: &mut Machine<'_>,
    item: ItemId,
    json: &Json,
    ty: &Type,
    path: &str,
) -> Flow<Value> {
    let Some(entries) = json.object() else {
        return decode_error(machine.db, path);
    };
    let declared = machine.record_fields(item);
    let fields = decode_fields(machine, item, 0, &declared, entries, ty, path)?;
    let record = Value::Record(item, Rc::new(fields));
    match machine.broken_check(&record, &type_arguments(ty))? {
        Some(index) => decode_error(machine.db, &below(path, &declared[index].wire)),
        None => Ok(record),
    }
}

fn decode_variant(
    machine: &mut Machine<'_>,
    item: ItemId,
    json: &Json,
    ty: &Type,
    path: &str,
) -> Flow<Value> {
    for (index, variant) in (0u32..).zip(machine.variants(item)) {
        if variant.fields.is_empty() {
            if matches!(json, Json::Text(it) if **it == *variant.wire) {
                return Ok(Value::Variant(item, index, Rc::default()));
            }
            continue;
        }
        let Json::Object(entries) = json else {
            continue;
        };
        let mut kinds = entries.iter().filter(|(key, _)| &**key == "kind");
        if kinds.any(|(_, it)| matches!(it, Json::Text(it) if **it == *variant.wire)) {
            let fields = decode_fields(machine, item, index, &variant.fields, entries, ty, path)?;
            return Ok(Value::Variant(item, index, Rc::new(fields)));
        }
    }
    let is_payload = matches!(json, Json::Object(_))
        && machine
            .variants(item)
            .iter()
            .any(|it| !it.fields.is_empty());
    decode_error(
        machine.db,
        &if is_payload {
            format!("{path}.kind")
        } else {
            path.to_owned()
        },
    )
}

fn decode_fields(
    machine: &mut Machine<'_>,
    item: ItemId,
    variant: u32,
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
            Some((_, it)) => fields.push(machine.decode(it, &field_type, &at)?),
            None if field.default == Presence::Present => {
                fields.push(machine.field_default(item, variant, index, &types)?);
            }
            None if matches!(field_type, Type::Optional(_)) => fields.push(Value::None),
            None => return decode_error(machine.db, &at),
        }
    }
    Ok(fields)
}

fn bool_of(json: &Json) -> Option<Value> {
    let Json::Bool(it) = json else { return None };
    Some(Value::Bool(*it))
}

/// Up to here every int is a float that stands for no other int.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

fn int_of(json: &Json) -> Option<Value> {
    match json {
        Json::Int(it) => Some(Value::Int(*it)),
        // A larger float may have been rounded from another int.
        Json::Float(it) if it.fract() == 0.0 && it.abs() < MOST_EXACT => {
            Some(Value::Int(*it as i64))
        }
        Json::Null
        | Json::Bool(_)
        | Json::Float(_)
        | Json::Text(_)
        | Json::List(_)
        | Json::Object(_) => None,
    }
}

fn float_of(json: &Json) -> Option<Value> {
    match json {
        Json::Int(it) => Some(Value::Float(*it as f64)),
        Json::Float(it) => Some(Value::Float(*it)),
        Json::Text(it) => match &**it {
            "NaN" => Some(Value::Float(f64::NAN)),
            "Infinity" => Some(Value::Float(f64::INFINITY)),
            "-Infinity" => Some(Value::Float(f64::NEG_INFINITY)),
            _ => None,
        },
        Json::Null | Json::Bool(_) | Json::List(_) | Json::Object(_) => None,
    }
}

/// A duration of this many seconds, where the range of what it holds is not in question.
fn duration_of(json: &Json) -> Option<Value> {
    match json {
        Json::Int(it) if it.unsigned_abs() < 9_000_000_000 => {
            Some(Value::Duration(it * 1_000_000_000))
        }
        Json::Float(it) if it.abs() < 9e9 => Some(Value::Duration(nanoseconds(*it))),
        Json::Int(_)
        | Json::Float(_)
        | Json::Null
        | Json::Bool(_)
        | Json::Text(_)
        | Json::List(_)
        | Json::Object(_) => None,
    }
}
