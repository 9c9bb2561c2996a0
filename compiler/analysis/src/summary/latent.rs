//! Function values that become values of a type which says what they may raise and do.

use gsw_infer::hir::ExpressionId;
use gsw_names::types::{EffectSet, ErrorSet, Latent, Type};

use crate::call_summary::{ArgumentEffects, Summary};

/// A function that raises or does what its new type leaves out.
pub(super) struct Leak {
    pub(super) value: ExpressionId,
    pub(super) ty: Type,
    /// The errors that the type leaves out.
    pub(super) errors: ErrorSet,
    /// The effects that it leaves out.
    pub(super) effects: EffectSet,
}

/// What `ty` leaves out of what calling the functions in `value` does.
pub(super) fn leak(value: ExpressionId, ty: &Type, call: &Summary) -> Option<Leak> {
    let promise = promise(ty)?;
    let is_unknown = call.errors.open || call.arguments == ArgumentEffects::Added;
    let errors = match promise.errors.open {
        true => ErrorSet::default(),
        false => ErrorSet {
            kinds: &call.errors.kinds - &promise.errors.kinds,
            open: is_unknown,
        },
    };
    let effects = EffectSet(call.effects.0 & !promise.effects.0);
    let is_kept = errors.is_empty() && effects == EffectSet::default();
    (!is_kept).then(|| Leak {
        value,
        ty: ty.clone(),
        errors,
        effects,
    })
}

/// What the first function in a type promises.
fn promise(ty: &Type) -> Option<&Latent> {
    match ty {
        Type::Function(function) => function.latent.as_ref(),
        Type::Optional(it) | Type::List(it) | Type::Map(_, it) => promise(it),
        Type::Tuple(them) => them.iter().find_map(promise),
        Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => None,
    }
}
