//! The JSON form of enums with payloads, for generated code.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A value of an enum, as it is read.
#[derive(Debug)]
pub struct Tree(Value);

/// Writes a payload with its kind in front.
///
/// # Errors
/// When the payload has no JSON form.
pub fn write<S: Serializer>(
    kind: &str,
    payload: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let payload = serde_json::to_value(payload).map_err(serde::ser::Error::custom)?;
    let mut object = Map::new();
    object.insert("kind".into(), kind.into());
    if let Value::Object(fields) = payload {
        object.extend(fields);
    }
    object.serialize(serializer)
}

/// Reads a value whose variant is to be determined.
///
/// # Errors
/// When there is none.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tree, D::Error> {
    Value::deserialize(deserializer).map(Tree)
}

impl Tree {
    /// The name of the variant on the wire; empty when there is none.
    #[must_use]
    pub fn kind(&self) -> &str {
        let fields = self.0.as_object();
        let kind = fields.map_or(Some(&self.0), |it| it.get("kind"));
        kind.and_then(Value::as_str).unwrap_or_default()
    }

    /// The payload.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn payload<T: DeserializeOwned, E: Error>(self) -> Result<T, E> {
        serde_json::from_value(self.0).map_err(E::custom)
    }

    /// The error for a variant that the enum does not have.
    pub fn unknown<E: Error>(&self, known: &[&str]) -> E {
        let known = known.join(", ");
        E::custom(format!("{} is not one of {known}", self.0))
    }
}
