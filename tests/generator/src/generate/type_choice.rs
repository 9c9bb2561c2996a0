//! The types that generated programs use.

use crate::generate::Generator;
use crate::generate::declaration::Declarations;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Int,
    Float,
    Bool,
    Str,
    Duration,
    Json,
    /// `T?`, not of an optional or `json`.
    Optional(Box<Ty>),
    /// `[T]`
    List(Box<Ty>),
    /// `{K: V}`
    Map(Box<Ty>, Box<Ty>),
    /// `(A, B)`
    Tuple(Vec<Ty>),
    /// A record by its number.
    Record(usize),
    /// An enum by its number.
    Enum(usize),
    /// `Crate<T>` of the library.
    Crate(Box<Ty>),
    /// A union of strings, of the library.
    Mode,
    /// A checked int, of the library.
    Percent,
    /// `Tree<T>` of the library; ordered elements.
    Tree(Box<Ty>),
}

impl Ty {
    /// `[T]`
    pub fn list(self) -> Self {
        Self::List(Box::new(self))
    }

    /// `T?`
    pub fn optional(self) -> Self {
        match self {
            Self::Optional(_) | Self::Json => self,
            other => Self::Optional(Box::new(other)),
        }
    }

    /// As source.
    pub fn text(&self, declared: &Declarations) -> String {
        match self {
            Self::Int => "int".into(),
            Self::Float => "float".into(),
            Self::Bool => "bool".into(),
            Self::Str => "string".into(),
            Self::Duration => "duration".into(),
            Self::Json => "json".into(),
            Self::Optional(inside) => format!("{}?", inside.text(declared)),
            Self::List(of) => format!("[{}]", of.text(declared)),
            Self::Map(key, of) => format!("{{{}: {}}}", key.text(declared), of.text(declared)),
            Self::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| it.text(declared)).collect();
                format!("({})", parts.join(", "))
            }
            Self::Record(index) => declared.records[*index].name.clone(),
            Self::Enum(index) => declared.enums[*index].name.clone(),
            Self::Mode => "Mode".into(),
            Self::Percent => "Percent".into(),
            Self::Crate(of) => format!("Crate<{}>", of.text(declared)),
            Self::Tree(of) => format!("Tree<{}>", of.text(declared)),
        }
    }

    /// Whether `<` takes it.
    pub fn is_ordered(&self, declared: &Declarations) -> bool {
        match self {
            Self::Int | Self::Float | Self::Bool | Self::Str | Self::Duration => true,
            Self::Optional(of) | Self::List(of) => of.is_ordered(declared),
            Self::Tuple(parts) => parts.iter().all(|it| it.is_ordered(declared)),
            Self::Enum(index) => declared.enums[*index].is_plain(),
            _ => false,
        }
    }

    /// Whether the type of an expression of this type is evident from itself.
    pub fn is_evident(&self) -> bool {
        matches!(
            self,
            Self::Int | Self::Float | Self::Bool | Self::Str | Self::Duration
        )
    }
}

impl Generator {
    pub(super) fn scalar_type(&mut self) -> Ty {
        let common = [
            Ty::Int,
            Ty::Int,
            Ty::Int,
            Ty::Str,
            Ty::Str,
            Ty::Bool,
            Ty::Float,
            Ty::Duration,
        ];
        self.random.pick(&common).clone()
    }

    /// A type for the keys of maps.
    pub(super) fn key_type(&mut self) -> Ty {
        let plain: Vec<usize> = (0..self.declarations.enums.len())
            .filter(|it| self.declarations.enums[*it].is_plain())
            .collect();
        match self.random.below(3) {
            0 if !plain.is_empty() => Ty::Enum(*self.random.pick(&plain)),
            1 => Ty::Int,
            _ => Ty::Str,
        }
    }

    /// A type that `<` takes.
    pub(super) fn ordered_type(&mut self) -> Ty {
        let ty = self.any_type(1);
        if ty.is_ordered(&self.declarations) {
            ty
        } else {
            self.scalar_type()
        }
    }

    /// Any type, of so many levels.
    pub(super) fn any_type(&mut self, depth: usize) -> Ty {
        if depth == 0 || self.random.one_in(3) {
            return self.scalar_type();
        }
        let (records, enums) = (
            self.declarations.records.len(),
            self.declarations.enums.len(),
        );
        match self.random.below(12) {
            0 | 1 => self.any_type(depth - 1).optional(),
            2..=4 => self.any_type(depth - 1).list(),
            5 => Ty::Map(
                Box::new(self.key_type()),
                Box::new(self.any_type(depth - 1)),
            ),
            6 => Ty::Tuple(vec![self.any_type(depth - 1), self.any_type(depth - 1)]),
            7 | 8 if records > 0 => Ty::Record(self.random.below(records)),
            9 | 10 if enums > 0 => Ty::Enum(self.random.below(enums)),
            11 => match self.random.below(6) {
                0 => Ty::Json,
                1 if self.declarations.has_library => Ty::Tree(Box::new(self.ordered_type())),
                3 if self.declarations.has_library => match self.random.below(4) {
                    0 => Ty::Mode.list(),
                    1 => Ty::Tuple(vec![Ty::Mode, self.scalar_type()]),
                    _ => Ty::Mode,
                },
                4 if self.declarations.has_library => Ty::Percent,
                2 if self.declarations.has_library => Ty::Crate(Box::new(self.any_type(depth - 1))),
                _ => Ty::Tuple(vec![
                    self.scalar_type(),
                    self.any_type(depth - 1),
                    self.scalar_type(),
                ]),
            },
            _ => self.scalar_type(),
        }
    }
}
