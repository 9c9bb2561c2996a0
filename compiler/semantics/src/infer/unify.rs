//! Whether one type is accepted where another is wanted without changing the value, binding variables on the way.

use gsw_source::{ItemId, Name};

use crate::infer::context::Context;
use crate::infer::lookup;
use crate::infer::table::Side;
use crate::types::{FunctionType, Type, TypeVariable};

/// How a value of one type stands to another type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// The same type.
    Same,
    /// A checked type where its base is wanted, or the like: the same bits.
    Forget,
}

impl Relation {
    fn and(self, other: Self) -> Self {
        if self == Self::Same { other } else { self }
    }
}

impl Context<'_> {
    /// How `actual` stands to `target`; `None` when the one is not accepted for the other as it is.
    pub(super) fn relate(&mut self, actual: &Type, target: &Type) -> Option<Relation> {
        let (actual, target) = (self.table.resolve(actual), self.table.resolve(target));
        if actual == target {
            return Some(Relation::Same);
        }
        match (&actual, &target) {
            (Type::Invalid, _) | (_, Type::Invalid) => Some(Relation::Same),
            (Type::Variable(variable), other) => self.bind_beside(*variable, other, Side::Below),
            (other, Type::Variable(variable)) => self.bind_beside(*variable, other, Side::Above),
            (Type::Text(lower), Type::Text(upper)) => {
                let flows = self.table.texts.flow(*lower, *upper);
                flows.then_some(Relation::Forget)
            }
            (Type::Text(text), Type::Literals(names)) => {
                let fits = self.table.texts.limit(*text, names);
                fits.then_some(Relation::Forget)
            }
            (Type::Text(_), Type::String | Type::Secret) => Some(Relation::Forget),
            (Type::Literals(_) | Type::String, Type::Text(text)) => {
                let flows = self.table.text_into(&actual, *text);
                flows.then_some(Relation::Forget)
            }
            (Type::Literals(some), Type::Literals(all)) => some
                .iter()
                .all(|it| all.contains(it))
                .then_some(Relation::Forget),
            (Type::Literals(_), Type::String) => Some(Relation::Forget),
            // An object says by itself which of both it is.
            (Type::Literals(_) | Type::String, Type::Secret) => Some(Relation::Forget),
            (Type::Checked(left, some), Type::Checked(right, others)) if left == right => {
                self.relate_all(some, others)
            }
            (Type::Checked(item, arguments), _) => {
                let base = lookup::alias_target(self.db, *item, arguments)?;
                self.relate(&base, &target).map(|_| Relation::Forget)
            }
            _ => self.relate_parts(&actual, &target),
        }
    }

    /// Binds a variable to what stands on that side of `ty`.
    fn bind_beside(&mut self, variable: TypeVariable, ty: &Type, side: Side) -> Option<Relation> {
        if !self.table.holds_text(ty) {
            return self.table.bind(variable, ty).then_some(Relation::Same);
        }
        let ty = self.table.loosened(ty, side);
        self.table.bind(variable, &ty).then_some(Relation::Forget)
    }

    /// The same for two types with parts.
    fn relate_parts(&mut self, actual: &Type, target: &Type) -> Option<Relation> {
        match (actual, target) {
            (Type::Optional(left), Type::Optional(right))
            | (Type::List(left), Type::List(right))
            | (Type::Task(left), Type::Task(right))
            | (Type::Stream(left), Type::Stream(right))
            | (Type::Partial(left), Type::Partial(right)) => self.relate(left, right),
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                let keys = self.relate(key, other_key)?;
                Some(keys.and(self.relate(value, other_value)?))
            }
            (Type::Tuple(left), Type::Tuple(right)) => self.relate_all(left, right),
            (Type::Record(left, some), Type::Record(right, others))
            | (Type::Enum(left, some), Type::Enum(right, others))
                if left == right =>
            {
                self.relate_all(some, others)
            }
            (Type::Function(left), Type::Function(right)) => self.relate_functions(left, right),
            _ => None,
        }
    }

    fn relate_all(&mut self, actual: &[Type], target: &[Type]) -> Option<Relation> {
        if actual.len() != target.len() {
            return None;
        }
        let mut relation = Relation::Same;
        for (left, right) in actual.iter().zip(target) {
            relation = relation.and(self.relate(left, right)?);
        }
        Some(relation)
    }

    /// Parameters the other way round: who takes a `float` may be given a `Percent`.
    fn relate_functions(
        &mut self,
        actual: &FunctionType,
        target: &FunctionType,
    ) -> Option<Relation> {
        let parameters = self.relate_all(&target.parameters, &actual.parameters)?;
        // What the function raises is looked at where it becomes one of a type that says what it may raise.
        let promise = match &target.latent {
            Some(_) if target.latent != actual.latent => Relation::Forget,
            _ => Relation::Same,
        };
        let result = self.relate(&actual.result, &target.result)?;
        Some(parameters.and(promise).and(result))
    }

    /// The type below the checks of `ty`.
    pub(super) fn unchecked(&self, ty: &Type) -> Type {
        let mut current = self.table.resolve(ty);
        // An alias that stands for itself is reported, and stands for nothing.
        while let Type::Checked(item, arguments) = &current {
            let Some(base) = lookup::alias_target(self.db, *item, arguments) else {
                break;
            };
            current = self.table.resolve(&base);
        }
        current
    }

    /// The type that an operator sees: below checks, and `string` for a union of literals.
    pub(super) fn operand(&self, ty: &Type) -> Type {
        match self.unchecked(ty) {
            Type::Literals(_) | Type::Text(_) => Type::String,
            other => other,
        }
    }

    /// The variable that `ty` is, when its head is unknown.
    pub(super) fn unknown(&self, ty: &Type) -> Option<TypeVariable> {
        match self.table.resolve(ty) {
            Type::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// The literals that a string may be where `ty` is wanted.
    pub(super) fn wanted_literals(&self, ty: &Type) -> Option<std::sync::Arc<[Name]>> {
        match self.unchecked(ty) {
            Type::Literals(names) => Some(names),
            Type::Text(text) => self.table.texts.bound(text),
            Type::Optional(inner) => self.wanted_literals(&inner),
            _ => None,
        }
    }

    /// The enum that a variant's bare name belongs to where `ty` is wanted.
    pub(super) fn wanted_enum(&self, ty: &Type) -> Option<(ItemId, std::sync::Arc<[Type]>)> {
        match self.unchecked(ty) {
            Type::Enum(item, arguments) => Some((item, arguments)),
            Type::Optional(inner) => self.wanted_enum(&inner),
            _ => None,
        }
    }
}
