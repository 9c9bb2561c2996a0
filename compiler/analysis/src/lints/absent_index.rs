//! `s.index_of("a") == -1`: in other languages -1 is the place of what is not there, which here has none.

use gsw_infer::hir::{
    BinaryOperator, Body, Callee, Coercion, ExpressionId, ExpressionKind, LocalId, PatternKind,
    StatementKind,
};
use gsw_names::module_path;
use gsw_source::{Db, Diagnostic};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Binary {
            operator: operator @ (BinaryOperator::Equal | BinaryOperator::NotEqual),
            left,
            right,
        } = expression.kind
        else {
            continue;
        };
        for (place, number) in [(left, right), (right, left)] {
            let number = plain(body, number);
            if is_place(db, body, plain(body, place))
                && let Some(ConstantValue::Int(..0)) = known_value(db, body, number)
            {
                let place = body.place(body.expression(number).span);
                found.push(errors::absent_index(place, operator));
            }
        }
    }
}

/// What an expression is before it is made an optional.
fn plain(body: &Body, id: ExpressionId) -> ExpressionId {
    if let ExpressionKind::Coerce {
        value,
        coercion: Coercion::ToOptional,
    } = body.expression(id).kind
    {
        return value;
    }
    id
}

/// Whether a value is a place in a list or text, or `none`: given by the library, or bound to a name that is.
fn is_place(db: &dyn Db, body: &Body, id: ExpressionId) -> bool {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::Local(local) = kind {
        return bound(body, *local).is_some_and(|it| is_place(db, body, it));
    }
    let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        ..
    } = kind
    else {
        return false;
    };
    let module = module_path(db, item.file(db));
    matches!(module, Some("std/list" | "std/string"))
        && matches!(
            item.name(db).as_str(),
            "index_of" | "last_index_of" | "find_index"
        )
}

/// What a `let` binds to a name.
fn bound(body: &Body, local: LocalId) -> Option<ExpressionId> {
    let blocks = body.expressions.iter().filter_map(|it| {
        let ExpressionKind::Block { statements, .. } = &it.kind else {
            return None;
        };
        Some(statements)
    });
    blocks.flatten().find_map(|it| {
        let StatementKind::Let { pattern, value } = &it.kind else {
            return None;
        };
        (pattern.kind == PatternKind::Binding(local)).then_some(*value)
    })
}
