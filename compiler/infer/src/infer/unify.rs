//! Whether one type is accepted where another is wanted without changing the value, binding variables on the way.

use gsw_names::types::{FunctionType, Type, TypeVariable};
use gsw_names::{Variance, type_variances};
use gsw_source::{ItemId, Name};

use crate::infer::lookup;
use crate::infer::table::{Side, Table};

/// How a value of one type relates to another type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Same,
    /// The value is of the other type too, without a change of its representation: a checked type where its base is wanted.
    Widen,
}

impl Relation {
    fn and(self, other: Self) -> Self {
        if self == Self::Same { other } else { self }
    }
}

impl Table<'_> {
    /// How `actual` relates to `target`; `None` when the one is not accepted for the other as it is.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a type: rustc names what a new type must join"
    )]
    pub(super) fn relate(&mut self, actual: &Type, target: &Type) -> Option<Relation> {
        let (actual, target) = (self.resolve(actual), self.resolve(target));
        if actual == target {
            return Some(Relation::Same);
        }
        match (&actual, &target) {
            // First, so that no variable is bound to what was reported.
            (Type::Invalid, other) | (other, Type::Invalid) => {
                self.blame_mistake(other);
                Some(Relation::Same)
            }
            (Type::Variable(variable), other) => self.bind_beside(*variable, other, Side::Below),
            (other, Type::Variable(variable)) => {
                let taken = self.taken_by(*variable, other);
                let bound = self.bind_beside(*variable, &taken, Side::Above)?;
                Some(match taken == *other {
                    true => bound,
                    false => Relation::Widen,
                })
            }
            (Type::Text(lower), Type::Text(upper)) => {
                let flows = self.texts.flow(*lower, *upper);
                flows.then_some(Relation::Widen)
            }
            (Type::Text(text), Type::Literals(names)) => {
                let fits = self.texts.limit(*text, names);
                fits.then_some(Relation::Widen)
            }
            // No edge and no bound: taking any string here must not make the literal a `string` elsewhere.
            (Type::Text(_), Type::String | Type::Secret) => Some(Relation::Widen),
            (Type::Literals(_) | Type::String, Type::Text(text)) => {
                let flows = self.text_into(&actual, *text);
                flows.then_some(Relation::Widen)
            }
            (Type::Literals(some), Type::Literals(all)) => some
                .iter()
                .all(|it| all.contains(it))
                .then_some(Relation::Widen),
            (Type::Literals(_), Type::String) => Some(Relation::Widen),
            // An object says by itself which of both it is.
            (Type::Literals(_) | Type::String, Type::Secret) => Some(Relation::Widen),
            (Type::Checked(left, some), Type::Checked(right, others)) if left == right => {
                self.relate_arguments(*left, some, others)
            }
            (Type::Checked(item, arguments), _) => {
                // Only the actual side loses its check: the other way a value would skip it, so that is a conversion (`coerce`).
                let base = lookup::alias_target(self.db, *item, arguments)?;
                self.relate(&base, &target).map(|_| Relation::Widen)
            }
            (Type::Optional(left), Type::Optional(right))
            | (Type::List(left), Type::List(right))
            | (Type::Task(left), Type::Task(right))
            | (Type::Stream(left), Type::Stream(right))
            // Covariant throughout, which is sound because values are immutable: a list of `Percent` read as one of `float` cannot be
            // given other elements.
            | (Type::Partial(left), Type::Partial(right)) => self.relate(left, right),
            // Items go both ways.
            (Type::Queue(left), Type::Queue(right)) => {
                self.relate(left, right)?;
                self.relate(right, left)?;
                Some(Relation::Same)
            }
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                let keys = self.relate(key, other_key)?;
                Some(keys.and(self.relate(value, other_value)?))
            }
            (Type::Tuple(left), Type::Tuple(right)) => self.relate_all(left, right),
            (Type::Record(left, some), Type::Record(right, others))
            | (Type::Enum(left, some), Type::Enum(right, others))
                if left == right =>
            {
                self.relate_arguments(*left, some, others)
            }
            (Type::Function(left), Type::Function(right)) => self.relate_functions(left, right),
            (
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
                | Type::Text(_)
                | Type::Optional(_)
                | Type::List(_)
                | Type::Map(..)
                | Type::Tuple(_)
                | Type::Record(..)
                | Type::Enum(..)
                | Type::Function(_)
                | Type::Task(_)
                | Type::Stream(_)
                | Type::Queue(_)
                | Type::Partial(_),
                _,
            ) => None,
        }
    }

    /// Binds a variable to what is on that side of `ty`.
    fn bind_beside(&mut self, variable: TypeVariable, ty: &Type, side: Side) -> Option<Relation> {
        if !self.holds_text(ty) {
            return self.bind(variable, ty).then_some(Relation::Same);
        }
        // A variable that took the literal's own type would tie all its uses to one union.
        let ty = self.loosened(ty, side);
        self.bind(variable, &ty).then_some(Relation::Widen)
    }

    fn relate_all(&mut self, actual: &[Type], target: &[Type]) -> Option<Relation> {
        if actual.len() != target.len() {
            return None;
        }
        // Variables that were bound before a part fails stay bound. The mismatch is reported then, or a conversion element by element
        // takes over, which asks the same of those variables.
        let mut relation = Relation::Same;
        for (left, right) in actual.iter().zip(target) {
            relation = relation.and(self.relate(left, right)?);
        }
        Some(relation)
    }

    /// The arguments of one declared type, each in the direction in which values of the type use it.
    fn relate_arguments(
        &mut self,
        item: ItemId,
        actual: &[Type],
        target: &[Type],
    ) -> Option<Relation> {
        let mut relation = Relation::Same;
        let variances = type_variances(self.db, item);
        for ((left, right), variance) in actual.iter().zip(target).zip(variances) {
            let argument = match variance {
                Variance::Covariant => self.relate(left, right)?,
                Variance::Contravariant => self.relate(right, left)?,
                Variance::Invariant => {
                    let forth = self.relate(left, right)?;
                    forth.and(self.relate(right, left)?)
                }
            };
            relation = relation.and(argument);
        }
        Some(relation)
    }

    /// Parameters the other way round: a function that takes a `float` may be given a `Percent`.
    fn relate_functions(
        &mut self,
        actual: &FunctionType,
        target: &FunctionType,
    ) -> Option<Relation> {
        let parameters = self.relate_all(&target.parameters, &actual.parameters)?;
        // The errors of the function are checked where it becomes a value of a type that lists errors.
        let promises_more = target.latent.is_some() && target.latent != actual.latent;
        let promise = if promises_more {
            Relation::Widen
        } else {
            Relation::Same
        };
        let result = self.relate(&actual.result, &target.result)?;
        Some(parameters.and(promise).and(result))
    }

    /// The type below the checks of `ty`.
    pub(super) fn unchecked(&self, ty: &Type) -> Type {
        let mut current = self.resolve(ty);
        // An alias of itself is reported, and means nothing.
        while let Type::Checked(item, arguments) = &current {
            let Some(base) = lookup::alias_target(self.db, *item, arguments) else {
                break;
            };
            current = self.resolve(&base);
        }
        current
    }

    /// The type that an operator sees: below checks, and `string` for a union of literals.
    pub(super) fn operand(&self, ty: &Type) -> Type {
        let plain = self.unchecked(ty);
        if matches!(plain, Type::Literals(_) | Type::Text(_)) {
            return Type::String;
        }
        plain
    }

    /// The variable that `ty` is, when its head is unknown.
    pub(super) fn unknown(&self, ty: &Type) -> Option<TypeVariable> {
        let Type::Variable(variable) = self.resolve(ty) else {
            return None;
        };
        Some(variable)
    }

    /// The literals that a string may be where `ty` is wanted.
    pub(super) fn wanted_literals(&self, ty: &Type) -> Option<std::sync::Arc<[Name]>> {
        let plain = self.unchecked(ty);
        if let Type::Optional(inner) = &plain {
            return self.wanted_literals(inner);
        }
        if let Type::Text(text) = plain {
            return self.texts.bound(text);
        }
        let Type::Literals(names) = plain else {
            return None;
        };
        Some(names)
    }

    /// The enum that a variant's bare name belongs to where `ty` is wanted.
    pub(super) fn wanted_enum(&self, ty: &Type) -> Option<(ItemId, std::sync::Arc<[Type]>)> {
        let plain = self.unchecked(ty);
        if let Type::Optional(inner) = &plain {
            return self.wanted_enum(inner);
        }
        let Type::Enum(item, arguments) = plain else {
            return None;
        };
        Some((item, arguments))
    }
}
