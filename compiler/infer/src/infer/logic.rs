//! `and` and `or`.

use gsw_names::types::Type;

use crate::errors::elsewhere;
use crate::hir::{BinaryOperator, ExpressionId, ExpressionKind};
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::mismatch::mismatch;
use crate::infer::operator::Infix;

/// A side that is no bool is one report: what the author of `note or "none"` wants is no bool either, so nothing is known of the
/// whole.
pub(super) fn infer_logic(
    cx: &mut Context,
    operator: BinaryOperator,
    infix: Infix<'_>,
) -> ExpressionId {
    let near = Expected::Hint(Type::Bool);
    let left = cx.expression(infix.left, &near);
    let Some(left) = truth(cx, operator, left) else {
        // Only for mistakes inside of it.
        cx.expression(infix.right, &Expected::Anything);
        return cx.hir.invalid(infix.span);
    };
    let right = cx.expression(infix.right, &near);
    let Some(right) = truth(cx, operator, right) else {
        return cx.hir.invalid(infix.span);
    };
    let kind = ExpressionKind::Binary {
        operator,
        left,
        right,
    };
    cx.hir.push(kind, Type::Bool, infix.span)
}

/// The expression as a bool; `None` when it is none, which was reported.
fn truth(cx: &mut Context, operator: BinaryOperator, id: ExpressionId) -> Option<ExpressionId> {
    if cx.hir.ty(id) == Type::Invalid {
        return None;
    }
    if let Some(found) = cx.hir.try_coerce(id, &Type::Bool) {
        return Some(found);
    }
    let report = mismatch(&cx.hir, id, &Type::Bool);
    let ty = cx.hir.ty(id);
    let is_optional = matches!(cx.hir.table.unchecked(&ty), Type::Optional(_));
    cx.hir
        .report(match operator == BinaryOperator::Or && is_optional {
            true => elsewhere::or_of_optional(report),
            false => report,
        });
    None
}
