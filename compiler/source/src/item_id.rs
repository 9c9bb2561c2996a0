//! The identity of a declaration, stable while text around and inside it changes.

use crate::{File, Name};

/// What sort of declaration an item is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum ItemKind {
    Import,
    /// `fn …`, also `fn Type.method`
    Function,
    /// `type R { … }`
    Record,
    Alias,
    Enum,
    Error,
    Const,
    Agent,
    Prompt,
    Workflow,
    Tool,
    Mcp,
    Hook,
    Human,
    External,
    Skill,
    Test,
    Permissions,
    /// Text that is no declaration.
    Invalid,
}

/// A declaration, by file, kind, name and how many of that kind and name stand before it.
///
/// The name of a method is `Type.method`, of a test its text, of an import its path; otherwise the declared name.
// SAFETY: `revisions = usize::MAX` keeps every interned value for good, so an id without a lifetime never dangles.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct ItemId {
    /// The file it stands in.
    #[returns(copy)]
    pub file: File,
    #[returns(copy)]
    pub kind: ItemKind,
    /// Its name as described above; empty when the declaration has none.
    #[returns(ref)]
    pub name: Name,
    /// 0 unless the same kind and name were declared before it in this file, which is reported elsewhere.
    #[returns(copy)]
    pub occurrence: u32,
}
