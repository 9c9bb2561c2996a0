//! Function values that become values of a type which says what they may raise and do.

use std::mem::discriminant;

use gsw_infer::hir::ExpressionId;
use gsw_names::types::{EffectSet, ErrorSet, Latent, Type, parts};
use gsw_names::{Variance, type_variances};
use gsw_source::Db;

use crate::call_summary::{ArgumentEffects, Summary};

/// A function that raises or does what its new type leaves out.
pub(super) struct Leak {
    pub(super) value: ExpressionId,
    pub(super) ty: Type,
    /// What of it leaves something out.
    pub(super) side: Side,
    /// The errors that the type leaves out.
    pub(super) errors: ErrorSet,
    /// The effects that it leaves out.
    pub(super) effects: EffectSet,
}

/// The side that does what a type leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// The function itself, or one that it gives.
    Function,
    /// A function that code that knows it by the new type may give to it.
    Argument,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Function => Self::Argument,
            Self::Argument => Self::Function,
        }
    }
}

/// What is left out where `value` of type `from`, calling the functions in which does `call`, becomes one of type `to`; at most
/// one thing, since the rest most likely has the same cause.
pub(super) fn leak(
    db: &dyn Db,
    value: ExpressionId,
    from: &Type,
    to: &Type,
    call: &Summary,
) -> Option<Leak> {
    let done = Latent {
        errors: ErrorSet {
            kinds: call.errors.kinds.clone(),
            // A function that calls a parameter of the function around it may raise what that raises, which no type here says.
            open: call.errors.open || call.arguments == ArgumentEffects::Added,
        },
        effects: call.effects,
    };
    // The summary is of all functions in the value together, so it is compared with every promise in the type. That may refuse a
    // record whose functions are each within their own promise; the report names the type, and an annotation helps.
    let own = promises(db, to).into_iter();
    let mut own = own.filter_map(|promise| beyond(Some(&done), Some(promise)));
    let (side, left) = match own.next() {
        Some(left) => (Side::Function, left),
        None => left_inside(db, from, to, Side::Function, Own::Known)?,
    };
    Some(Leak {
        value,
        ty: to.clone(),
        side,
        errors: left.errors,
        effects: left.effects,
    })
}

/// What the functions that a value of this type holds promise.
fn promises<'t>(db: &dyn Db, ty: &'t Type) -> Vec<&'t Latent> {
    match ty {
        Type::Function(function) => function.latent.iter().collect(),
        Type::Optional(it)
        | Type::List(it)
        | Type::Map(_, it)
        | Type::Task(it)
        | Type::Stream(it)
        | Type::Queue(it)
        | Type::Partial(it) => promises(db, it),
        Type::Tuple(them) => them.iter().flat_map(|it| promises(db, it)).collect(),
        // A type that is only taken says nothing of what the value itself does.
        Type::Record(item, them) | Type::Enum(item, them) | Type::Checked(item, them) => them
            .iter()
            .zip(type_variances(db, *item))
            .filter(|(_, variance)| **variance != Variance::Contravariant)
            .flat_map(|(it, _)| promises(db, it))
            .collect(),
        Type::Unit
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
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => Vec::new(),
    }
}

/// Whether a function type's own list is to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Own {
    /// What the function does is known better than its type says.
    Known,
    /// All that is known is its type.
    Compared,
}

/// The first thing that function types in `to` leave out of those in `from`. What takes functions must take all that may be
/// given to it: parameters the other way round.
fn left_inside(
    db: &dyn Db,
    from: &Type,
    to: &Type,
    side: Side,
    own: Own,
) -> Option<(Side, Latent)> {
    let inside = |left: &Type, right: &Type| left_inside(db, left, right, side, own);
    let compared = |left: &Type, right: &Type| left_inside(db, left, right, side, Own::Compared);
    let turned =
        |left: &Type, right: &Type| left_inside(db, right, left, side.other(), Own::Compared);
    if let (Type::Function(left), Type::Function(right)) = (from, to) {
        let beyond = match own {
            Own::Known => None,
            Own::Compared => beyond(left.latent.as_ref(), right.latent.as_ref()),
        };
        let mut parameters = left.parameters.iter().zip(&right.parameters);
        beyond
            .map(|it| (side, it))
            // A function that is given later comes with the types of the new one, so the old parameter's type must promise no less.
            .or_else(|| parameters.find_map(|(left, right)| turned(left, right)))
            .or_else(|| compared(&left.result, &right.result))
    } else if let (Type::Record(item, left), Type::Record(_, right))
    | (Type::Enum(item, left), Type::Enum(_, right))
    | (Type::Checked(item, left), Type::Checked(_, right)) = (from, to)
    {
        let pairs = left.iter().zip(right.iter());
        let mut pairs = pairs.zip(type_variances(db, *item));
        pairs.find_map(|((left, right), variance)| match variance {
            Variance::Covariant => inside(left, right),
            Variance::Contravariant => turned(left, right),
            Variance::Invariant => inside(left, right).or_else(|| turned(left, right)),
        })
    } else if discriminant(from) == discriminant(to) {
        let mut pairs = parts(from).into_iter().zip(parts(to));
        pairs.find_map(|(left, right)| inside(&left, &right))
    } else {
        None
    }
}

/// What is `done` beyond what is promised. What no type says is anything.
fn beyond(done: Option<&Latent>, promise: Option<&Latent>) -> Option<Latent> {
    // A type without a list promises nothing, so nothing can go beyond it.
    let promise = promise?;
    let anything = anything_latent();
    let done = done.unwrap_or(&anything);
    let errors = match promise.errors.open {
        true => ErrorSet::default(),
        false => ErrorSet {
            kinds: done.errors.kinds.without(&promise.errors.kinds),
            open: done.errors.open,
        },
    };
    let effects = EffectSet(done.effects.0 & !promise.effects.0);
    let is_kept = errors.is_empty() && effects == EffectSet::default();
    (!is_kept).then_some(Latent { errors, effects })
}

fn anything_latent() -> Latent {
    Latent {
        errors: ErrorSet {
            open: true,
            ..ErrorSet::default()
        },
        effects: EffectSet::ALL,
    }
}
