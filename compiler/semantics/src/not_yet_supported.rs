//! The one list of what parses, has a meaning, and cannot be compiled yet.

use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};

use crate::errors;
use crate::hir::{Body, ExpressionKind, PromptMode};
use crate::tree::{declared_name, item_tree};

/// A report when `item` as a whole cannot be compiled yet.
pub fn item_not_yet_supported(db: &dyn Db, item: ItemId) -> Option<Diagnostic> {
    let what = match item.kind(db) {
        ItemKind::Skill => "a `skill`",
        ItemKind::Mcp => "an MCP server",
        ItemKind::Hook => "a `hook`",
        _ => return None,
    };
    let tree = item_tree(db, item)?;
    let span = declared_name(&tree).map_or(tree.span, |it| it.span);
    Some(errors::not_compiled_yet(Place::Item { item, span }, what))
}

/// What in `body` cannot be compiled yet.
pub fn body_not_yet_supported(body: &Body) -> Vec<Diagnostic> {
    let unsupported = body.expressions.iter().filter_map(|it| {
        let what = match &it.kind {
            ExpressionKind::PromptCall {
                mode: PromptMode::Stream,
                ..
            } => "`.stream`",
            ExpressionKind::PromptCall {
                mode: PromptMode::Revise,
                ..
            } => "`revise`",
            _ => return None,
        };
        let place = Place::Item {
            item: body.item,
            span: it.span,
        };
        Some(errors::not_compiled_yet(place, what))
    });
    unsupported.collect()
}
