//! The one list of what parses, has a meaning, and cannot be compiled yet.

use gsw_abi::setting::Setting;
use gsw_names::declared_name;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::item_ast;

use crate::errors;

/// What of the language cannot be compiled yet.
#[derive(Clone, Copy)]
pub enum Missing {
    /// `skill s { … }`
    Skill,
    /// A setting that nothing reads yet.
    Setting(Setting),
}

impl Missing {
    /// All but the settings, which their own table lists.
    pub const ALL: [Self; 1] = [Self::Skill];

    /// What it is, as a noun.
    #[must_use]
    pub fn what(self) -> String {
        match self {
            Self::Skill => "a `skill`".into(),
            Self::Setting(setting) => format!("the setting `{}`", setting.name()),
        }
    }

    /// What to write until then.
    #[must_use]
    pub const fn instead(self) -> &'static str {
        match self {
            Self::Skill => {
                "instructions for a model are a folder with a `SKILL.md`, which the setting `skills: [\"./skills/release-notes\"]` lists; what it may do is a `tool`"
            }
            Self::Setting(_) => "leave it out: it would do nothing",
        }
    }

    /// The report of its use at `place`.
    pub fn at(self, place: Place) -> Diagnostic {
        errors::not_compiled_yet(place, &self.what()).note(self.instead())
    }
}

/// A report when `item` as a whole cannot be compiled yet.
pub fn item_not_yet_supported(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    let missing = match item.kind(db) {
        ItemKind::Skill => Missing::Skill,
        ItemKind::Import
        | ItemKind::Function
        | ItemKind::Record
        | ItemKind::Alias
        | ItemKind::Enum
        | ItemKind::Error
        | ItemKind::Const
        | ItemKind::Agent
        | ItemKind::Prompt
        | ItemKind::Workflow
        | ItemKind::Tool
        | ItemKind::Mcp
        | ItemKind::Hook
        | ItemKind::Human
        | ItemKind::External
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => return None,
    };
    let tree = item_ast(db, item)?;
    let span = declared_name(&tree).map_or(tree.span, |it| it.span);
    Some(missing.at(Place::Item { item, span }))
}
