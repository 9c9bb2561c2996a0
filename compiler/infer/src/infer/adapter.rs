//! A declared function where one of other types is wanted: the lambda that converts between them.

use std::sync::Arc;

use gsw_names::types::{FunctionType, Type};
use gsw_names::{Parameter, Presence, substitute};
use gsw_source::{ItemId, ItemKind, Name, Span};

use crate::hir::{Callee, Expression, ExpressionId, ExpressionKind, Lambda, LocalId, LocalKind};
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;

/// A declaration's name where a function of other, convertible types is wanted, or of fewer parameters because the rest
/// have defaults: a lambda that calls it.
pub(super) fn adapted_function(
    hir: &mut HirBuilder,
    id: ExpressionId,
    wanted: &FunctionType,
) -> Option<ExpressionId> {
    let Expression { kind, span, .. } = hir.arena.get(id);
    // Only a declaration's name is adapted: around any other expression the lambda would evaluate that at each call.
    let ExpressionKind::FunctionValue {
        item,
        type_arguments,
    } = kind
    else {
        return None;
    };
    let (item, span, type_arguments) = (*item, *span, type_arguments.clone());
    let signature = lookup::signature(hir.db, item);
    let (taken, rest) = signature
        .parameters
        .split_at_checked(wanted.parameters.len())?;
    // A prompt's call is a form of its own, which the lambda below does not make.
    let is_plain = !matches!(item.kind(hir.db), ItemKind::Prompt);
    if !is_plain || rest.iter().any(|it| it.default == Presence::Absent) {
        return None;
    }
    // Opened and closed whether or not it works out, so that a failed attempt leaves the frames as they were.
    hir.locals.open_frame(None);
    let built = adapting_call(hir, item, type_arguments, taken, wanted, span);
    let captures = hir.locals.close_frame().captures;
    let (parameters, body) = built?;
    let ty = Type::Function(Arc::new(FunctionType {
        latent: None,
        ..wanted.clone()
    }));
    let lambda = Lambda {
        parameters,
        body,
        captures,
    };
    Some(hir.push(ExpressionKind::Lambda(lambda), ty, span))
}

fn adapting_call(
    hir: &mut HirBuilder,
    item: ItemId,
    type_arguments: Vec<Type>,
    taken: &[Parameter],
    wanted: &FunctionType,
    span: Span,
) -> Option<(Vec<LocalId>, ExpressionId)> {
    let mut locals = Vec::with_capacity(taken.len());
    let mut arguments = Vec::with_capacity(taken.len());
    for (index, (parameter, ty)) in (0u32..).zip(taken.iter().zip(&wanted.parameters)) {
        let local = hir
            .locals
            .add(Name::default(), ty.clone(), LocalKind::Parameter, span);
        let value = hir.local_value(local, span);
        let target = substitute(&parameter.ty, &type_arguments);
        // From the wanted type to the parameter's: parameters are converted against the direction of the result.
        arguments.push((index, hir.try_coerce(value, &target)?));
        locals.push(local);
    }
    let result = &lookup::signature(hir.db, item).result;
    let result = substitute(result, &type_arguments);
    let callee = Callee::Item {
        item,
        type_arguments,
    };
    let call = hir.push(ExpressionKind::Call { callee, arguments }, result, span);
    Some((locals, hir.try_coerce(call, &wanted.result)?))
}
