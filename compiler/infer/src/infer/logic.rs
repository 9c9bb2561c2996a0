//! `and` and `or`.

use gsw_names::types::Type;
use gsw_syntax::ast;

use crate::errors::{elsewhere, habits};
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
    let Some(left) = truth(cx, operator, left, None) else {
        // Only for mistakes inside of it.
        cx.expression(infix.right, &Expected::Anything);
        return cx.hir.invalid(infix.span);
    };
    let right = cx.expression(infix.right, &near);
    let Some(right) = truth(cx, operator, right, Some(infix)) else {
        return cx.hir.invalid(infix.span);
    };
    let kind = ExpressionKind::Binary {
        operator,
        left,
        right,
    };
    cx.hir.push(kind, Type::Bool, infix.span)
}

/// `s in ["a", "b"]` for `s == "a" or "b"`; the outer `None` where the right side is no value like the one compared with.
fn one_of(cx: &Context, infix: Infix<'_>) -> Option<Option<String>> {
    let is_value = |it: &ast::Expression| matches!(it.kind, ast::ExpressionKind::Literal(_));
    let text = |it: &ast::Expression| gsw_names::source_text(cx.db, cx.hir.item, it.span);
    if !is_value(infix.right) {
        return None;
    }
    let ast::ExpressionKind::Binary {
        operator,
        left,
        right,
        ..
    } = &infix.left.kind
    else {
        return None;
    };
    use ast::BinaryOperator as Operator;
    if matches!(operator, Operator::In | Operator::NotIn | Operator::Or) {
        return Some(None);
    }
    (*operator == ast::BinaryOperator::Equal).then(|| {
        let (value, one, other) = (text(left), text(right), text(infix.right));
        Some(format!("{value} in [{one}, {other}]"))
    })
}

/// The expression as a bool; `None` when it is none, which was reported. `infix` is what it is the right side of.
fn truth(
    cx: &mut Context,
    operator: BinaryOperator,
    id: ExpressionId,
    infix: Option<Infix<'_>>,
) -> Option<ExpressionId> {
    if cx.hir.ty(id) == Type::Invalid {
        return None;
    }
    if let Some(found) = cx.hir.try_coerce(id, &Type::Bool) {
        return Some(found);
    }
    let report = mismatch(&cx.hir, id, &Type::Bool);
    let ty = cx.hir.ty(id);
    let is_optional = matches!(cx.hir.table.unchecked(&ty), Type::Optional(_));
    if let Some(infix) = infix.filter(|_| operator == BinaryOperator::Or)
        && let Some(instead) = one_of(cx, infix)
    {
        let place = cx.hir.place(infix.span);
        let instead = instead.map(|it| (place, it));
        cx.hir.report(habits::one_of_texts(report, instead));
        return None;
    }
    cx.hir
        .report(match operator == BinaryOperator::Or && is_optional {
            true => elsewhere::or_of_optional(report),
            false => report,
        });
    None
}
