//! What a program that embeds the engine gives to its runs: tools, variables and secrets.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::call::Call;

/// A tool's answer: a future of JSON of its result type, or of a description of what went wrong.
pub type Answer = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;

/// Performs the tools that a program declares with `@host`; one per engine, shared by its runs.
pub trait HostTools: Send + Sync {
    /// Calls a tool with its arguments by name. Dropping the future cancels the call.
    fn call(&self, tool: &str, input: Value, call: &Call) -> Answer;
}

/// What `env.get` and `secret` find: what the host sets, then the environment of the process unless it is closed.
#[derive(Clone, Default)]
pub struct Variables {
    variables: BTreeMap<String, String>,
    secrets: BTreeMap<String, String>,
    used: UsedSecrets,
    beyond: Beyond,
}

/// The values of secrets that runs have used, so that they can be kept out of what is recorded.
#[derive(Clone, Default)]
pub struct UsedSecrets(Arc<Mutex<BTreeSet<String>>>);

impl UsedSecrets {
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        // Nothing that can panic runs while the lock is held.
        let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        values.iter().cloned().collect()
    }

    fn add(&self, value: &str) {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !values.contains(value) {
            values.insert(value.to_owned());
        }
    }
}

impl std::fmt::Debug for UsedSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values are never printed.
        f.write_str("UsedSecrets")
    }
}

/// Where is looked for what the host did not set.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// In the environment of the process.
    #[default]
    Process,
    Nothing,
}

impl Variables {
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.variables.insert(name.into(), value.into());
    }

    /// Sets a secret, which `env.get` does not see.
    pub fn set_secret(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.secrets.insert(name.into(), value.into());
    }

    /// Says where to look for what is not set.
    pub fn look_beyond(&mut self, beyond: Beyond) {
        self.beyond = beyond;
    }

    /// A variable, as `env.get` sees it.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        let set = self.variables.get(name).cloned();
        set.or_else(|| match self.beyond {
            Beyond::Nothing => None,
            // The system refuses such names by a panic.
            Beyond::Process if name.is_empty() || name.contains(['=', '\0']) => None,
            Beyond::Process => std::env::var_os(name).map(|it| it.to_string_lossy().into_owned()),
        })
    }

    /// A secret: one that is set, else the variable of this name.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<String> {
        let set = self.secrets.get(name).cloned();
        let value = set.or_else(|| self.variable(name));
        if let Some(value) = &value {
            self.used.add(value);
        }
        value
    }

    /// The secrets that were looked up here and in every copy.
    #[must_use]
    pub fn used_secrets(&self) -> UsedSecrets {
        self.used.clone()
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values are never printed.
        f.debug_struct("Variables")
            .field("variables", &self.variables.keys())
            .field("secrets", &self.secrets.keys())
            .field("beyond", &self.beyond)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Beyond, Variables};

    #[test]
    fn a_secret_is_no_variable_and_a_variable_may_be_a_secret() {
        let mut variables = Variables::default();
        variables.look_beyond(Beyond::Nothing);
        variables.set("PLACE", "here");
        variables.set_secret("TOKEN", "t0k3n");
        assert_eq!(variables.variable("PLACE").as_deref(), Some("here"));
        assert_eq!(variables.secret("PLACE").as_deref(), Some("here"));
        assert_eq!(variables.variable("TOKEN"), None);
        assert_eq!(variables.secret("TOKEN").as_deref(), Some("t0k3n"));
        assert_eq!(variables.variable("PATH"), None);
        assert!(!format!("{variables:?}").contains("t0k3n"));
    }
}
