//! The items of the standard library that the compiler knows by name.

use gsw_source::{Db, ItemId};

use crate::module::prelude_file;
use crate::scope::module_scope;

/// An item of the prelude that has a meaning of its own to the compiler; built-in errors stand in the table of
/// [`gsw_abi::builtin::BuiltinError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownItem {
    /// What `prompt.detail(…)` gives.
    Response,
    /// What each iteration of `parallel for … errors settle` gives.
    Result,
    /// What a judge after `reflect … with` gives.
    Reflection,
    /// The judge of a `reflect` that names none.
    ReflectOnFailure,
    /// What does not fit in an answer.
    Issue,
    /// The calls that a mock has answered.
    Calls,
}

impl KnownItem {
    pub const ALL: &'static [Self] = &[
        Self::Response,
        Self::Result,
        Self::Reflection,
        Self::ReflectOnFailure,
        Self::Issue,
        Self::Calls,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Response => "Response",
            Self::Result => "Result",
            Self::Reflection => "Reflection",
            Self::ReflectOnFailure => "reflect_on_failure",
            Self::Issue => "Issue",
            Self::Calls => "Calls",
        }
    }

    /// Its declaration; `None` only while the prelude itself is broken.
    #[must_use]
    pub fn item(self, db: &dyn Db) -> Option<ItemId> {
        prelude_item(db, self.name())
    }

    /// Whether `item` declares it.
    #[must_use]
    pub fn is(self, db: &dyn Db, item: ItemId) -> bool {
        item.name(db) == self.name() && prelude_file(db) == Some(item.file(db))
    }
}

/// The item of the prelude called `name`.
pub(crate) fn prelude_item(db: &dyn Db, name: &str) -> Option<ItemId> {
    module_scope(db, prelude_file(db)?).items.get(name).copied()
}
