//! Questions to a range, `(0..n).any(f)`: functions of the library that go from one end to the other answer them, so that no
//! list is made. What gives a list makes one.

use gsw_names::types::Type;
use gsw_names::{is_std, module_scope};
use gsw_source::ItemId;

use crate::hir::{Callee, ExpressionId, ExpressionKind, RangeEnd};
use crate::infer::hir_builder::HirBuilder;

/// The call of a method of lists, which was made last; of a range, that of the function of its name for ranges, if there is one.
pub(super) fn without_list(hir: &mut HirBuilder, call: ExpressionId) -> ExpressionId {
    let ExpressionKind::Call {
        callee: Callee::Item {
            item,
            type_arguments,
        },
        arguments,
    } = &hir.arena.get(call).kind
    else {
        return call;
    };
    let Some((0, list)) = arguments.first() else {
        return call;
    };
    let range = hir.arena.get(*list);
    let ExpressionKind::Range {
        start,
        end,
        range_end,
    } = range.kind
    else {
        return call;
    };
    let Some(item) = of_ranges(hir, *item) else {
        return call;
    };
    let (span, whole) = (range.span, hir.span(call));
    // The type of the elements is known.
    let type_arguments = type_arguments[1..].to_vec();
    let mut arguments = arguments.clone();
    let result = hir.arena.get(call).ty.clone();
    hir.arena.pop();
    let is_closed = match range_end {
        RangeEnd::Exclusive => false,
        RangeEnd::Inclusive => true,
    };
    let closed = hir.push(ExpressionKind::Bool(is_closed), Type::Bool, span);
    arguments[0].1 = hir.push(
        ExpressionKind::Tuple(vec![start, end, closed]),
        Type::Tuple([Type::Int, Type::Int, Type::Bool].into()),
        span,
    );
    let callee = Callee::Item {
        item,
        type_arguments,
    };
    hir.push(ExpressionKind::Call { callee, arguments }, result, whole)
}

/// The function for ranges of a method of lists: `range_any` of `any`.
fn of_ranges(hir: &HirBuilder, method: ItemId) -> Option<ItemId> {
    let file = method.file(hir.db);
    let name = format!("range_{}", method.name(hir.db));
    let found = module_scope(hir.db, file).items.get(name.as_str()).copied();
    found.filter(|_| is_std(hir.db, file))
}
