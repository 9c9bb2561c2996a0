//! Where the providers' keys and addresses come from: the process's environment, or a table in tests.

use std::fmt;
use std::sync::Arc;

/// Reads variables by name; cheap to clone.
#[derive(Clone)]
pub struct Environment(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Environment {
    /// The process's own. An empty variable counts as absent.
    #[must_use]
    pub fn process() -> Self {
        Self(Arc::new(|name| std::env::var(name).ok()))
    }

    #[must_use]
    pub fn by(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    /// Exactly these variables, whatever the process has.
    #[must_use]
    pub fn of(variables: &[(&str, &str)]) -> Self {
        let table: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Self(Arc::new(move |name| {
            table
                .iter()
                .find(|(it, _)| it == name)
                .map(|(_, value)| value.clone())
        }))
    }

    /// The variable's value without surrounding blanks; `None` when it is absent or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        let value = (self.0)(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values are keys, so none is ever printed.
        f.write_str("Environment")
    }
}
