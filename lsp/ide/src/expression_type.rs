//! The types that inference found, by the spans of what has them.

use gsw_infer::hir::Local;
use gsw_infer::infer_item;
use gsw_names::item_signature;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId, Span};

/// The type of the expression that is exactly at `span` of `item`, before any conversion that is not written.
pub fn expression_type(db: &dyn Db, item: ItemId, span: Span) -> Option<Type> {
    let bodies = &infer_item(db, item).bodies;
    // Children come before their parents, and a conversion has the span of its operand.
    let mut expressions = bodies.iter().flat_map(|it| &it.expressions);
    expressions
        .find(|it| it.span == span && it.ty != Type::Invalid)
        .map(|it| it.ty.clone())
}

/// The type of the narrowest expression around the byte at `inside`.
pub fn narrowest(db: &dyn Db, item: ItemId, inside: u32) -> Option<Type> {
    let bodies = &infer_item(db, item).bodies;
    let expressions = bodies.iter().flat_map(|it| &it.expressions);
    expressions
        .filter(|it| it.span.touches(inside) && it.span.start < it.span.end)
        .min_by_key(|it| it.span.end - it.span.start)
        .map(|it| it.ty.clone())
}

/// The local that is declared at `declared` of `item`; parameters of the item itself are none.
pub fn local(db: &dyn Db, item: ItemId, declared: Span) -> Option<&Local> {
    let bodies = &infer_item(db, item).bodies;
    let mut locals = bodies.iter().flat_map(|it| &it.locals);
    locals.find(|it| it.span == declared)
}

/// The type of the local or parameter that is declared at `declared` of `item`.
pub fn local_type(db: &dyn Db, item: ItemId, declared: Span) -> Option<Type> {
    let local = local(db, item, declared).map(|it| it.ty.clone());
    local.or_else(|| {
        let mut parameters = item_signature(db, item).signature.parameters.iter();
        parameters
            .find(|it| it.span == declared)
            .map(|it| it.ty.clone())
    })
}
