//! The one list of what parses, has a meaning, and cannot be compiled yet.

use gsw_names::declared_name;
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::item_ast;

use crate::errors;
use crate::hir::{Body, ExpressionKind, PromptMode};

/// What of the language cannot be compiled yet.
#[derive(Clone, Copy)]
pub enum Missing<'name> {
    /// `skill s { … }`
    Skill,
    Mcp,
    /// `m.call(…)` of an MCP server.
    McpCall,
    /// `hook h { … }`
    Hook,
    Stream,
    Revise,
    /// The setting `session`.
    Session,
    /// `m.*` where no tools are listed.
    AllOf,
    /// An agent in a list of tools.
    AgentAsTool,
    /// A `human` in a list of tools.
    HumanAsTool,
    /// `test … cassette "file"`
    Cassette,
    /// A name that the library will have.
    Name(&'name str),
}

impl Missing<'_> {
    /// The report of its use at `place`.
    pub fn at(self, place: Place) -> Diagnostic {
        let what = match self {
            Self::Skill => "a `skill`",
            Self::Mcp => "an MCP server",
            Self::McpCall => "a call of an MCP server",
            Self::Hook => "a `hook`",
            Self::Stream => "`.stream`",
            Self::Revise => "`revise`",
            Self::Session => "`session`",
            Self::AgentAsTool => "an agent as a tool",
            Self::HumanAsTool => "a `human` as a tool",
            Self::Cassette => "a `cassette`",
            Self::AllOf => "`.*` outside of `tools`",
            Self::Name(name) => &format!("`{name}`"),
        };
        errors::not_compiled_yet(place, what)
    }
}

/// A report when `item` as a whole cannot be compiled yet.
pub fn item_not_yet_supported(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    let missing = match item.kind(db) {
        ItemKind::Skill => Missing::Skill,
        ItemKind::Mcp => Missing::Mcp,
        ItemKind::Hook => Missing::Hook,
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
        | ItemKind::Human
        | ItemKind::Test
        | ItemKind::Permissions
        | ItemKind::Invalid => return None,
    };
    let tree = item_ast(db, item)?;
    let span = declared_name(&tree).map_or(tree.span, |it| it.span);
    Some(missing.at(Place::Item { item, span }))
}

/// What in `body` cannot be compiled yet.
pub fn body_not_yet_supported(body: &Body) -> Vec<Diagnostic> {
    let unsupported = body.expressions.iter().filter_map(|it| {
        let ExpressionKind::PromptCall { mode, .. } = it.kind else {
            return None;
        };
        let missing = match mode {
            PromptMode::Value | PromptMode::Detail => return None,
            PromptMode::Stream => Missing::Stream,
            PromptMode::Revise => Missing::Revise,
        };
        Some(missing.at(Place::Item {
            item: body.item,
            span: it.span,
        }))
    });
    unsupported.collect()
}
