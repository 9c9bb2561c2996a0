//! What a program can be permitted, and what a list of permissions is.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

/// Some permissions, each with what it lists.
pub type Permitted = BTreeMap<Permission, Vec<String>>;

/// What a program can be permitted, by its `permissions` block and by `gsw.toml`; sorts by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Permission {
    #[serde(rename = "env")]
    Env,
    #[serde(rename = "exec")]
    Exec,
    #[serde(rename = "fs.read")]
    FsRead,
    #[serde(rename = "fs.write")]
    FsWrite,
    #[serde(rename = "net")]
    Net,
}

impl Permission {
    /// In the order in which people are told of them.
    pub const ALL: [Self; 5] = [
        Self::FsRead,
        Self::FsWrite,
        Self::Net,
        Self::Exec,
        Self::Env,
    ];

    /// As it is written, also after `uses`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FsRead => "fs.read",
            Self::FsWrite => "fs.write",
            Self::Net => "net",
            Self::Exec => "exec",
            Self::Env => "env",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The names of all, in their order.
    #[must_use]
    pub fn names() -> [&'static str; 5] {
        Self::ALL.map(Self::name)
    }
}

impl Display for Permission {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Permission, Permitted};

    /// The manifest of a program and the records of a run have them as objects.
    #[test]
    fn in_json_they_are_keys_by_their_names_in_order() {
        let lists = Permission::ALL.map(|it| (it, vec![it.to_string()]));
        let text = serde_json::to_string(&Permitted::from(lists)).expect("keys are texts");
        let mut names = Permission::names();
        names.sort_unstable();
        let shown = names.map(|it| format!("{it:?}:[{it:?}]"));
        assert_eq!(text, format!("{{{}}}", shown.join(",")));
    }
}
