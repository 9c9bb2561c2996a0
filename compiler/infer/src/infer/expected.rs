//! The type that the context of an expression expects.

use gsw_names::types::{Type, TypeVariable};

use crate::infer::table::Table;

/// The type that the context of an expression expects.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Anything,
    /// The value is dropped, so it may have any type.
    Dropped,
    /// Probably this type; the caller settles it.
    Hint(Type),
    /// This type and no other; conversions are put in.
    Type(Type),
}

impl Expected {
    /// The type that is wanted, when one is known.
    pub(super) fn hint(&self) -> Option<&Type> {
        match self {
            Self::Anything | Self::Dropped => None,
            Self::Hint(ty) | Self::Type(ty) => Some(ty),
        }
    }
}

impl Table<'_> {
    /// What is expected of a part when `ty` is what is wanted of it.
    pub(super) fn part_of(&self, expected: &Expected, ty: &Type) -> Expected {
        let has_default = |it| self.default_type(it).is_some();
        match (expected, self.unknown(ty)) {
            (Expected::Type(_), None) => Expected::Type(ty.clone()),
            // The default is used up by the first element, which binds the variable for the elements after it.
            (Expected::Type(_), Some(variable)) if has_default(variable) => {
                Expected::Type(ty.clone())
            }
            (Expected::Hint(_), None) => Expected::Hint(ty.clone()),
            // Nothing is known of an unbound variable. Elements are joined, and the whole is related to it afterwards.
            (Expected::Type(_) | Expected::Hint(_), Some(_))
            | (Expected::Anything | Expected::Dropped, _) => Expected::Anything,
        }
    }

    /// What is expected of the first value that an unbound variable stands for.
    pub(super) fn near(&self, variable: TypeVariable) -> Expected {
        match self.default_type(variable) {
            // Branches of different types have nothing in common but this.
            Some(Type::Json) => Expected::Type(Type::Json),
            Some(ty) => Expected::Hint(ty.clone()),
            None => Expected::Anything,
        }
    }
}
