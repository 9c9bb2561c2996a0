//! How tools may be repeated, and `once` calls where code may run again.

use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Place};
use gsw_syntax::ast;

use super::place_in;
use crate::bodies::item_bodies;
use crate::errors;
use crate::hir::{Body, BodyPart, Callee, ExpressionId, ExpressionKind, Modifiers};
use crate::summary::item_summary;
use crate::tree::{declared_name, item_tree};
use crate::types::{Effect, EffectSet};
use crate::walk::{Child, children};

/// How a tool may be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RepeatClass {
    /// It has no effect.
    Pure,
    /// It only looks at the outside.
    Reads,
    /// A second call with the same key gives the first result.
    Idempotent,
    /// Never by itself.
    Once,
}

/// The class of the tool `item`: as written, else told by its effects.
pub fn repeat_class(db: &dyn Db, item: ItemId) -> RepeatClass {
    const READS: EffectSet = EffectSet(
        Effect::FsRead as u16 | Effect::Env as u16 | Effect::Time as u16 | Effect::Random as u16,
    );
    let tree = item_tree(db, item);
    if let Some(ast::ItemBody::Tool { signature, .. }) = tree.as_deref().map(|it| &it.body) {
        match signature.repeat {
            Some(ast::RepeatClass::Pure(_)) => return RepeatClass::Pure,
            Some(ast::RepeatClass::Reads(_)) => return RepeatClass::Reads,
            Some(ast::RepeatClass::Idempotent(_)) => return RepeatClass::Idempotent,
            Some(ast::RepeatClass::Once(_)) => return RepeatClass::Once,
            None => {}
        }
    }
    let effects = item_summary(db, item).item.effects;
    if effects == EffectSet::default() {
        RepeatClass::Pure
    } else if effects.union(READS) == READS {
        RepeatClass::Reads
    } else {
        RepeatClass::Once
    }
}

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let head = (body.part == BodyPart::Main).then(|| &item_bodies(db, body.item).modifiers);
    let region = head.and_then(region_of);
    visit(db, body, body.root, region, found);
}

/// `region` is the word that makes the code around run again.
fn visit(
    db: &dyn Db,
    body: &Body,
    id: ExpressionId,
    region: Option<&'static str>,
    found: &mut Vec<Diagnostic>,
) {
    let expression = body.expression(id);
    let inner_region = match &expression.kind {
        ExpressionKind::Step { modifiers, .. } | ExpressionKind::Modified { modifiers, .. } => {
            region_of(modifiers).or(region)
        }
        ExpressionKind::Race(_) => Some("race"),
        _ => region,
    };
    if let (
        Some(word),
        ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            ..
        },
    ) = (region, &expression.kind)
        && item.kind(db) == ItemKind::Tool
        && repeat_class(db, *item) == RepeatClass::Once
    {
        found.push(report(db, place_in(body, expression.span), *item, word));
    }
    for child in children(&expression.kind) {
        let inner = match child {
            Child::Inline(inner) => inner,
            Child::Closure(lambda, _) => lambda.body,
        };
        visit(db, body, inner, inner_region, found);
    }
}

fn report(db: &dyn Db, place: Place, tool: ItemId, word: &str) -> Diagnostic {
    let diagnostic = errors::repeats_once_effect(place, tool.name(db), word);
    let tree = item_tree(db, tool);
    match tree.as_deref().and_then(declared_name) {
        Some(name) => {
            let declared = Place::Item {
                item: tool,
                span: name.span,
            };
            diagnostic.label(declared, errors::declared_once())
        }
        None => diagnostic,
    }
}

fn region_of(modifiers: &Modifiers) -> Option<&'static str> {
    if modifiers.retry.is_some() {
        Some("retry")
    } else if modifiers.reflect.is_some() {
        Some("reflect")
    } else {
        None
    }
}
