//! Patterns.

use gsw_names::types::Type;
use gsw_source::{ItemId, Name, Span};

use crate::hir::LocalId;

/// A pattern with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    /// The type of what it is matched against.
    pub ty: Type,
    /// Its span, relative to the item.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternKind {
    Wildcard,
    Binding(LocalId),
    /// An int or a duration's nanoseconds.
    Int(i64),
    /// The bits of a float.
    Float(u64),
    Bool(bool),
    /// A string or one of a literal union.
    String(Name),
    /// A constant's value, by `==`.
    Constant(ItemId),
    None,
    /// The inside of a present optional; every pattern on an optional but `none`, `_` and its like included, has this form.
    Some(Box<Pattern>),
    /// `start..=end` of ints.
    Range {
        start: i64,
        end: i64,
    },
    Variant {
        item: ItemId,
        variant: u32,
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    /// An error of this declaration.
    Error {
        item: ItemId,
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    /// One of the nine errors of a model: `ModelError`.
    ModelError,
    Record {
        /// Field index and pattern; fields left out match anything.
        fields: Vec<(u32, Pattern)>,
    },
    Tuple(Vec<Pattern>),
    List {
        before: Vec<Pattern>,
        /// What the rest is; `None` when there is to be none.
        rest: Option<ListRest>,
        /// The elements after the rest, from left to right.
        after: Vec<Pattern>,
    },
    /// Any of these; all bind the same locals.
    Or(Vec<Pattern>),
    /// Something was wrong and has been reported.
    Invalid,
}

/// The rest of a list pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListRest {
    Ignored,
    Bound(LocalId),
}
