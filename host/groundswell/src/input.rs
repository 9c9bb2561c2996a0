//! The parameters of a workflow by name, for generated code.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::HostError;

/// The parameters of a workflow by their names.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Input(Map<String, Value>);

impl Input {
    /// Adds one.
    ///
    /// # Errors
    /// When it has no JSON form.
    pub fn add(&mut self, name: &str, value: &impl Serialize) -> Result<(), HostError> {
        let value = serde_json::to_value(value)
            .map_err(|error| HostError::Input(format!("`{name}`: {error}")))?;
        self.0.insert(name.to_owned(), value);
        Ok(())
    }
}
