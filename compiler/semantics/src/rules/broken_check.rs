//! Values that are known before the program runs and that the `where` of where they go does not admit.

use gsw_source::{Db, Diagnostic, ItemId, ItemKind};

use super::place_in;
use crate::alias::alias_target;
use crate::bodies::item_bodies;
use crate::constant::{ConstantValue, check_source, known_value, satisfies};
use crate::errors;
use crate::hir::{Body, BodyPart, Coercion, ExpressionKind};
use crate::types::Type;

/// A test may try on purpose what a check refuses.
pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.item.kind(db) == ItemKind::Test {
        return;
    }
    for expression in &body.expressions {
        match &expression.kind {
            ExpressionKind::Coerce {
                value,
                coercion: Coercion::Check,
            } => {
                let known = known_value(db, body, *value);
                let broken = known.and_then(|it| broken_alias(db, &expression.ty, &it));
                if let Some((alias, source)) = broken {
                    let place = place_in(body, body.expression(*value).span);
                    found.push(errors::broken_check(place, alias.name(db), &source));
                }
            }
            ExpressionKind::Record { item, fields, .. } => {
                for (index, value) in fields {
                    let part = BodyPart::FieldCheck(*index);
                    let known = known_value(db, body, *value);
                    if known.is_some_and(|it| breaks(db, *item, part, &it)) {
                        let place = place_in(body, body.expression(*value).span);
                        let source = check_source(db, *item, part);
                        found.push(errors::broken_check(place, item.name(db), &source));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The alias of `ty`, or of what it stands for, whose check the value breaks.
fn broken_alias(db: &dyn Db, ty: &Type, value: &ConstantValue) -> Option<(ItemId, String)> {
    let mut ty = ty.clone();
    while let Type::Checked(alias, _) = ty {
        if breaks(db, alias, BodyPart::AliasCheck, value) {
            return Some((alias, check_source(db, alias, BodyPart::AliasCheck)));
        }
        ty = alias_target(db, alias);
    }
    None
}

fn breaks(db: &dyn Db, item: ItemId, part: BodyPart, value: &ConstantValue) -> bool {
    let bodies = &item_bodies(db, item).bodies;
    let check = bodies.iter().find(|it| it.part == part);
    check.is_some_and(|it| satisfies(db, it, value) == Some(false))
}
