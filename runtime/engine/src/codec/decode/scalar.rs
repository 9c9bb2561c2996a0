//! Reads values that have no parts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gsw_abi::builtin;
use gsw_abi::types::{Type, TypeId};
use gsw_notation::{calendar, duration, number};
use serde_json::{Number, Value};

use crate::codec::checker::Secrets;
use crate::codec::decode::{Decoder, Numbers};
use crate::codec::tree;
use crate::media;
use crate::value::string;

impl Decoder<'_> {
    pub(super) fn scalar(&mut self, ty: TypeId, tree: &Value) -> Option<u64> {
        let word = match (self.types.get(ty), tree) {
            (Type::Unit, Value::Null) => Some(0),
            (Type::Bool, Value::Bool(it)) => Some(u64::from(*it)),
            (Type::Int, Value::Number(it)) => self.int(it).map(|it| it as u64),
            (Type::Float, Value::Number(it)) => finite(it).map(f64::to_bits),
            (Type::Float, Value::String(it)) => number::special(it).map(f64::to_bits),
            (Type::Time, Value::String(it)) => calendar::parse_rfc3339(it).map(|it| it as u64),
            (Type::Duration, Value::Number(it)) => {
                duration::from_seconds_text(&it.to_string()).map(|it| it as u64)
            }
            (Type::String, Value::String(it)) => Some(string::new_of(self.checker.heap(), ty, it)),
            (Type::Secret, Value::String(it)) => {
                let ty = match self.checker.secrets() {
                    Secrets::AsText => builtin::STRING,
                    Secrets::ByName => builtin::SECRET,
                };
                Some(string::new_of(self.checker.heap(), ty, it))
            }
            (Type::Literals(texts), Value::String(it)) if texts.contains(it) => {
                Some(string::new_of(self.checker.heap(), ty, it))
            }
            (Type::Bytes, Value::String(it)) => {
                let bytes = STANDARD.decode(it).ok();
                bytes.map(|it| string::new_bytes(self.checker.heap(), &it))
            }
            (Type::Media, Value::Object(_)) => {
                media::from_tree(tree).map(|it| media::new(self.checker.heap(), &it))
            }
            (Type::Json, tree) => return self.json(tree),
            _ => None,
        };
        match word {
            Some(word) => Some(word),
            None => {
                if let (Type::Time, Value::String(it)) = (self.types.get(ty), tree)
                    && calendar::is_too_far(it)
                {
                    let found = self.found(ty, tree);
                    return self.fail(calendar::RANGE.into(), found);
                }
                self.mismatch(ty, tree)
            }
        }
    }

    /// `3`, `3.0` and `3e2`, but not `3.5`.
    pub(super) fn int(&self, number: &Number) -> Option<i64> {
        let digits = number.as_str();
        match self.numbers {
            Numbers::Written => number::int(digits),
            Numbers::OfJson if digits.contains(['.', 'e', 'E']) => {
                finite(number).and_then(number::int_of_float)
            }
            Numbers::OfJson => number.as_i64(),
        }
    }

    fn json(&mut self, value: &Value) -> Option<u64> {
        match tree::build(self.checker.heap(), value) {
            Ok(word) => Some(word),
            Err(issue) => self.fail(issue.expected, issue.found),
        }
    }
}

fn finite(number: &Number) -> Option<f64> {
    number.as_f64().filter(|it| it.is_finite())
}
