//! The judges of `reflect … with`, whose parameters get facts by their names.

use gsw_abi::judge::Fact;
use gsw_infer::hir::{Body, BodyPart, Expression, ExpressionKind, Modifiers};
use gsw_infer::infer_item;
use gsw_names::{item_signature, types::Type};
use gsw_source::{Db, ItemId, Span};

/// For each judge that `item` names, where, and the facts that its parameters take.
pub fn facts(db: &dyn Db, item: ItemId) -> Vec<(Span, Vec<Option<&'static str>>)> {
    let inferred = infer_item(db, item);
    let mut found = Vec::new();
    for body in &inferred.bodies {
        let of_head = (body.part == BodyPart::Main).then_some(&inferred.modifiers);
        let inside = body.expressions.iter().filter_map(modifiers);
        for modifiers in of_head.into_iter().chain(inside) {
            let with = modifiers.reflect.as_ref().and_then(|it| it.with);
            let judge = with.map(|it| body.expression(it));
            found.extend(judge.map(|it| (it.span, told(db, body, it))));
        }
    }
    found
}

fn modifiers(it: &Expression) -> Option<&Modifiers> {
    if let ExpressionKind::Step { modifiers, .. } | ExpressionKind::Modified { modifiers, .. } =
        &it.kind
    {
        return Some(modifiers);
    }
    None
}

fn told(db: &dyn Db, body: &Body, judge: &Expression) -> Vec<Option<&'static str>> {
    let Type::Function(function) = &judge.ty else {
        return Vec::new();
    };
    let names: Vec<&str> = if let ExpressionKind::FunctionValue { item, .. } = &judge.kind {
        let parameters = item_signature(db, *item).signature.parameters.iter();
        parameters.map(|it| it.name.as_str()).collect()
    } else if let ExpressionKind::Lambda(lambda) = &judge.kind {
        let parameters = lambda.parameters.iter();
        parameters.map(|it| body.local(*it).name.as_str()).collect()
    } else {
        // Of a value only the type is known.
        Vec::new()
    };
    let names = (0..function.parameters.len()).map(|it| names.get(it).copied());
    let facts = Fact::assigned(names).into_iter();
    facts.map(|it| it.map(Fact::name)).collect()
}
