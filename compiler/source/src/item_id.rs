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

impl ItemKind {
    /// The word that declares it; `None` for what nothing can name.
    #[must_use]
    pub const fn keyword(self) -> Option<&'static str> {
        match self {
            Self::Function => Some("fn"),
            Self::Record | Self::Alias => Some("type"),
            Self::Enum => Some("enum"),
            Self::Error => Some("error"),
            Self::Const => Some("const"),
            Self::Agent => Some("agent"),
            Self::Prompt => Some("prompt"),
            Self::Workflow => Some("workflow"),
            Self::Tool => Some("tool"),
            Self::Mcp => Some("mcp"),
            Self::Hook => Some("hook"),
            Self::Human => Some("human"),
            Self::External => Some("external"),
            Self::Skill => Some("skill"),
            Self::Import | Self::Test | Self::Permissions | Self::Invalid => None,
        }
    }

    /// Whether it has parameters and a result, and is called by its name.
    #[must_use]
    pub const fn is_callable(self) -> bool {
        match self {
            Self::Function
            | Self::Prompt
            | Self::Workflow
            | Self::Tool
            | Self::Human
            | Self::External => true,
            Self::Import
            | Self::Record
            | Self::Alias
            | Self::Enum
            | Self::Error
            | Self::Const
            | Self::Agent
            | Self::Mcp
            | Self::Hook
            | Self::Skill
            | Self::Test
            | Self::Permissions
            | Self::Invalid => false,
        }
    }

    /// Whether it declares what values are made of: a type, or an error with its fields.
    #[must_use]
    pub const fn is_data(self) -> bool {
        self.is_type() || matches!(self, Self::Error)
    }

    /// Whether it declares a type.
    #[must_use]
    pub const fn is_type(self) -> bool {
        match self {
            Self::Record | Self::Alias | Self::Enum => true,
            Self::Import
            | Self::Function
            | Self::Error
            | Self::Const
            | Self::Agent
            | Self::Prompt
            | Self::Workflow
            | Self::Tool
            | Self::Mcp
            | Self::Hook
            | Self::Human
            | Self::External
            | Self::Skill
            | Self::Test
            | Self::Permissions
            | Self::Invalid => false,
        }
    }
}

/// A declaration, by file, kind, name and how many of that kind and name come before it.
///
/// The name of a method is `Type.method`, of a test its text, of an import its path; otherwise the declared name.
// SAFETY: `revisions = usize::MAX` keeps every interned value for good, so an id without a lifetime never dangles.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct ItemId {
    /// The file that it is in.
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
