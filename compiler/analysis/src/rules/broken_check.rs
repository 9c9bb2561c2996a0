//! Values that are known before the program runs and that the `where` of where they go does not admit.

use gsw_infer::hir::{Body, BodyPart, Coercion, ExpressionId, ExpressionKind};
use gsw_infer::infer_item;
use gsw_names::types::Type;
use gsw_names::{TypeDeclarationKind, alias_target, type_declaration};
use gsw_source::{Db, Diagnostic, ItemId, ItemKind, Span};

use crate::constant::{ConstantValue, check_source, known_value, satisfies};
use crate::errors;

/// A test may try on purpose what a check refuses.
pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    if body.item.kind(db) == ItemKind::Test {
        return;
    }
    check_default(db, body, found);
    for expression in &body.expressions {
        if let ExpressionKind::Coerce {
            value,
            coercion: Coercion::Check,
        } = &expression.kind
        {
            let known = known_value(db, body, *value);
            let broken = known.and_then(|it| broken_alias(db, &expression.ty, &it));
            if let Some((alias, source)) = broken {
                let place = body.place(body.expression(*value).span);
                found.push(errors::broken_check(place, alias.name(db), &source));
            }
        }
        if let ExpressionKind::Record { item, fields, base } = &expression.kind {
            let own = match base {
                None => defaults(db, *item),
                Some(_) => vec![None; field_count(db, *item)],
            };
            let record = Literal {
                item: *item,
                span: expression.span,
                fields,
            };
            check_fields(db, body, &record, own, found);
        }
    }
}

/// A default that its own field does not admit.
fn check_default(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let BodyPart::FieldDefault { variant: 0, field } = body.part else {
        return;
    };
    let part = BodyPart::FieldCheck(field);
    let known = known_value(db, body, body.root);
    if known.is_some_and(|it| breaks(db, body.item, part, &it, &[])) {
        let source = check_source(db, body.item, part);
        let place = body.place(body.expression(body.root).span);
        found.push(errors::broken_check(place, body.item.name(db), &source));
    }
}

struct Literal<'a> {
    item: ItemId,
    span: Span,
    fields: &'a [(u32, ExpressionId)],
}

/// `values` is what the fields have that are not written. A check is looked at where a field of its own or beside it is written.
fn check_fields(
    db: &dyn Db,
    body: &Body,
    record: &Literal,
    mut values: Vec<Option<ConstantValue>>,
    found: &mut Vec<Diagnostic>,
) {
    for (index, value) in record.fields {
        if let Some(slot) = values.get_mut(*index as usize) {
            *slot = known_value(db, body, *value);
        }
    }
    for (index, value) in (0u32..).zip(&values) {
        let Some(value) = value else { continue };
        let part = BodyPart::FieldCheck(index);
        if !breaks(db, record.item, part, value, &values) {
            continue;
        }
        let written = record.fields.iter().find(|it| it.0 == index);
        // A default that is wrong by itself is reported where it is.
        if written.is_none() && breaks(db, record.item, part, value, &[]) {
            continue;
        }
        let span = written.map_or(record.span, |it| body.expression(it.1).span);
        let source = check_source(db, record.item, part);
        let place = body.place(span);
        found.push(errors::broken_check(place, record.item.name(db), &source));
    }
}

/// What the fields of a record have that are left out, as far as known.
fn defaults(db: &dyn Db, item: ItemId) -> Vec<Option<ConstantValue>> {
    let bodies = &infer_item(db, item).bodies;
    let default = |field| {
        let part = BodyPart::FieldDefault { variant: 0, field };
        let body = bodies.iter().find(|it| it.part == part)?;
        known_value(db, body, body.root)
    };
    let count = field_count(db, item);
    (0u32..).take(count).map(default).collect()
}

fn field_count(db: &dyn Db, item: ItemId) -> usize {
    match &type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) => fields.len(),
        TypeDeclarationKind::Enum(_) | TypeDeclarationKind::Alias { .. } => 0,
    }
}

/// The alias of `ty`, or of what it stands for, whose check the value breaks.
fn broken_alias(db: &dyn Db, ty: &Type, value: &ConstantValue) -> Option<(ItemId, String)> {
    let mut ty = ty.clone();
    while let Type::Checked(alias, _) = ty {
        if breaks(db, alias, BodyPart::AliasCheck, value, &[]) {
            return Some((alias, check_source(db, alias, BodyPart::AliasCheck)));
        }
        ty = alias_target(db, alias);
    }
    None
}

fn breaks(
    db: &dyn Db,
    item: ItemId,
    part: BodyPart,
    value: &ConstantValue,
    siblings: &[Option<ConstantValue>],
) -> bool {
    let bodies = &infer_item(db, item).bodies;
    let check = bodies.iter().find(|it| it.part == part);
    check.is_some_and(|it| satisfies(db, it, value, siblings) == Some(false))
}
