//! The leaves of the arguments of a call, each of which is looked for in what is trusted.

use gsw_abi::types::{Enum, Field, KIND, Trust, Type, TypeId, TypeTable};
use serde_json::{Map, Value};

/// The most leaves of one call that are searched for, and the most places that are reported: a model that gives more is
/// not waited for.
const MOST_LEAVES: usize = 250;
const MOST_PLACES: usize = 20;
/// How many characters of a name that the program does not know are shown in a place.
const LONGEST_NAME: usize = 40;

/// Looks through the arguments of one call.
pub(super) struct Arguments<'a, F> {
    types: &'a TypeTable,
    is_trusted: F,
    leaves: usize,
    /// The places that hold what occurs in no trusted text, as `to` or `to[2].address`.
    pub(super) refused: Vec<String>,
}

impl<'a, F: Fn(&str) -> bool> Arguments<'a, F> {
    pub(super) const fn new(types: &'a TypeTable, is_trusted: F) -> Self {
        Self {
            types,
            is_trusted,
            leaves: 0,
            refused: Vec::new(),
        }
    }

    /// What is given for the parameters that are `trusted`. What is left out is a default of the program.
    pub(super) fn check(&mut self, prefix: &str, parameters: &[Field], input: &Value) {
        for parameter in parameters.iter().filter(|it| it.trust == Trust::Trusted) {
            for name in [&parameter.wire, &parameter.name] {
                if let Some(value) = input.get(name) {
                    self.value(&format!("{prefix}{name}"), parameter.ty, value);
                }
                if parameter.wire == parameter.name {
                    break;
                }
            }
        }
    }

    fn value(&mut self, place: &str, ty: TypeId, value: &Value) {
        match (self.types.get(self.types.base(ty)), value) {
            (_, Value::Null) => {}
            (Type::Optional(of), value) => self.value(place, *of, value),
            (Type::List(of) | Type::Set { of, .. }, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(&format!("{place}[{index}]"), *of, item);
                }
            }
            (Type::Tuple(parts), Value::Array(items)) if parts.len() == items.len() => {
                for (index, (part, item)) in parts.iter().zip(items).enumerate() {
                    self.value(&format!("{place}[{index}]"), *part, item);
                }
            }
            (Type::Record(it), Value::Object(values)) => self.fields(place, &it.fields, values),
            (Type::Enum(it), Value::Object(values)) => self.variant(place, it, values),
            (_, value) => self.json(place, value),
        }
    }

    fn fields(&mut self, place: &str, fields: &[Field], values: &Map<String, Value>) {
        for (name, value) in values {
            match fields
                .iter()
                .find(|it| it.wire == *name || it.name == *name)
            {
                Some(field) => self.value(&format!("{place}.{name}"), field.ty, value),
                // Whatever it is: the names of a record are the program's words, and this is none.
                None => self.entry(place, name, value),
            }
        }
    }

    fn variant(&mut self, place: &str, of: &Enum, values: &Map<String, Value>) {
        let kind = values.get(KIND).and_then(Value::as_str);
        let variant = of.variants.iter().find(|it| Some(it.wire.as_str()) == kind);
        let fields = variant.map_or(&[][..], |it| &it.fields);
        self.fields(place, fields, values);
    }

    /// A value whose type says nothing of its parts: the names in it are data, too.
    fn json(&mut self, place: &str, value: &Value) {
        match value {
            Value::Null => {}
            Value::Bool(it) => self.leaf(place, &[it.to_string()]),
            Value::String(text) => self.leaf(place, std::slice::from_ref(text)),
            Value::Number(number) => self.leaf(place, &written(number.as_str())),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.json(&format!("{place}[{index}]"), item);
                }
            }
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.entry(place, name, value);
                }
            }
        }
    }

    fn entry(&mut self, place: &str, name: &String, value: &Value) {
        // The name is a stranger's: it must not pass for a sentence of ours.
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        let place = format!("{place}[{}]", Value::String(shown));
        self.leaf(&place, std::slice::from_ref(name));
        self.json(&place, value);
    }

    /// A leaf by the ways in which it may be written.
    fn leaf(&mut self, place: &str, ways: &[String]) {
        self.leaves += 1;
        let is_held = self.leaves <= MOST_LEAVES && ways.iter().any(|it| (self.is_trusted)(it));
        if !is_held
            && self.refused.len() < MOST_PLACES
            && self.refused.last().is_none_or(|it| it != place)
        {
            self.refused.push(place.to_owned());
        }
    }
}

/// The ways in which people write a number: `12`, `12.0`, `12.00`.
fn written(number: &str) -> Vec<String> {
    let whole = number.strip_suffix(".0").unwrap_or(number);
    let mut ways = vec![number.to_owned()];
    if whole.bytes().all(|it| it.is_ascii_digit()) {
        ways.extend([
            whole.to_owned(),
            format!("{whole}.0"),
            format!("{whole}.00"),
        ]);
    }
    ways
}
