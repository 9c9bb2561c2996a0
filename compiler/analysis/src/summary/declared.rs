//! The `!` of a head against what a call raises: errors of modifiers that it leaves out, and listed ones that never come.

use gsw_infer::hir::Body;
use gsw_names::types::{ErrorName, ErrorSet};
use gsw_names::{lower_throws, source_text};
use gsw_source::{Db, Diagnostic, ItemId, Place, Span};
use gsw_syntax::ast::{Item, ItemBody, ModifierKind, Signature};
use gsw_syntax::item_ast;

use super::facts::nothing;
use super::head::add_head;
use crate::errors;

/// What is wrong with the list of `body`'s item, whose block raises `raised`.
pub(super) fn head_diagnostics(
    db: &dyn Db,
    body: &Body,
    declared: &ErrorSet,
    raised: &ErrorSet,
) -> Vec<Diagnostic> {
    let item = body.item;
    let tree = item_ast(db, item);
    let Some(signature) = tree.as_deref().and_then(signature) else {
        return Vec::new();
    };
    let mut head = nothing();
    // What the head itself raises has no expression in the body, so it is reported at the modifier instead.
    add_head(db, item, &mut head);
    let mut found = Vec::new();
    let names = names(declared);
    for kind in &head.errors.kinds.without(&declared.kinds) {
        let timeout = |it: &&gsw_syntax::ast::Modifier| matches!(it.kind, ModifierKind::Timeout(_));
        let modifier = signature.modifiers.iter().find(timeout);
        let span = modifier.map_or(signature.name.span, |it| it.span);
        let place = Place::Item { item, span };
        let owner = item.name(db);
        if !declared.open {
            let missing = [kind.name.to_string()];
            let end = declared_end(db, item);
            found.push(errors::undeclared_errors(
                place, &missing, owner, &names, end,
            ));
        }
    }
    let mut raised = raised.clone();
    raised.extend(&head.errors);
    // A body that may raise anything may raise whatever is listed.
    if !raised.open {
        never_raised(db, item, signature, &raised, &mut found);
    }
    found
}

fn signature(item: &Item) -> Option<&Signature> {
    match &item.body {
        ItemBody::Function(function) => Some(&function.signature),
        ItemBody::Workflow { signature, .. } | ItemBody::Tool { signature, .. } => Some(signature),
        ItemBody::Import(_)
        | ItemBody::Record(_)
        | ItemBody::Alias { .. }
        | ItemBody::Enum(_)
        | ItemBody::Error(_)
        | ItemBody::Const(_)
        | ItemBody::Agent { .. }
        | ItemBody::Prompt { .. }
        | ItemBody::Mcp { .. }
        | ItemBody::Hook { .. }
        | ItemBody::Human { .. }
        | ItemBody::External { .. }
        | ItemBody::Skill { .. }
        | ItemBody::Test { .. }
        | ItemBody::Permissions { .. }
        | ItemBody::Invalid => None,
    }
}

fn never_raised(
    db: &dyn Db,
    item: ItemId,
    signature: &Signature,
    raised: &ErrorSet,
    found: &mut Vec<Diagnostic>,
) {
    let listed = signature.throws.as_deref().unwrap_or_default();
    for (index, entry) in listed.iter().enumerate() {
        let alone = std::slice::from_ref(entry);
        let set = lower_throws(db, item.file(db), alone, &mut Vec::new(), item);
        if set.open || !set.kinds.is_disjoint(&raised.kinds) {
            continue;
        }
        let place = |span| Place::Item { item, span };
        // The comma goes with the entry, and the `!` with the only entry.
        let cut = match index.checked_sub(1).and_then(|it| listed.get(it)) {
            Some(before) => Span::new(before.span.end, entry.span.end),
            None => match listed.get(1) {
                Some(after) => Span::new(entry.span.start, after.span.start),
                None => Span::new(mark(db, item, entry.span), entry.span.end),
            },
        };
        let name = source_text(db, item, entry.span);
        found.push(errors::never_raised(
            place(entry.span),
            &name,
            item.name(db),
            place(cut),
        ));
    }
}

/// Where the ` !` before the only error of a list begins.
fn mark(db: &dyn Db, item: ItemId, error: Span) -> u32 {
    let before = source_text(db, item, Span::new(0, error.start));
    let rest = before.trim_end();
    let rest = rest.strip_suffix('!').unwrap_or(rest).trim_end();
    u32::try_from(rest.len()).unwrap_or(error.start)
}

/// The names in a set, for messages.
pub(super) fn names(set: &ErrorSet) -> Vec<String> {
    let kinds = set.kinds.iter();
    kinds
        .map(|ErrorName { name, .. }| name.to_string())
        .collect()
}

/// The place right after the errors that a signature lists.
pub(super) fn declared_end(db: &dyn Db, item: ItemId) -> Option<Place> {
    let tree = item_ast(db, item)?;
    let end = signature(&tree)?.throws.as_ref()?.last()?.span.end;
    Some(Place::Item {
        item,
        span: Span::new(end, end),
    })
}
