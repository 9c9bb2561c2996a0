//! Indices of lists that are never there: other languages count from the end with them.

use gsw_infer::hir::{Body, ExpressionKind};
use gsw_names::source_text;
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic};

use crate::constant::{ConstantValue, known_value};
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Index { base, index } = expression.kind else {
            continue;
        };
        let base = body.expression(base);
        let index_span = body.expression(index).span;
        if let Type::List(_) = base.ty
            && let Some(ConstantValue::Int(number)) = known_value(db, body, index)
            && number < 0
        {
            let place = body.place(index_span);
            let list = source_text(db, body.item, base.span);
            found.push(errors::negative_index(place, &list, number));
        }
    }
}
