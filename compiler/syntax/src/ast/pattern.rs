//! Patterns of `let`, `match`, `if let`, `for`, `catch`, lambdas and mocks.

use gsw_source::Span;

use crate::ast::{Identifier, Literal, RangeEnd};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// The form of a pattern.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PatternKind {
    Wildcard,
    /// `x`: a name that starts with a lower-case letter binds.
    Binding(Identifier),
    /// `1`, `-1.5`, `"a"` without interpolation, `true`, `none`, `5s`. A minus is folded into the literal.
    Literal(Literal),
    /// `1..5`, `1..=5`
    Range {
        start: i64,
        /// The last value, or one past it.
        end: i64,
        range_end: RangeEnd,
    },
    /// `A`, `E.A`, `m.E.A`, `B(x, y: p, ..)`; also a constant or an error.
    Variant {
        path: Vec<Identifier>,
        /// The payload's patterns; `None` without parentheses.
        fields: Option<Vec<PatternField>>,
        /// Whether `..` is at the end.
        rest: Rest,
    },
    /// `Bug { title, line: l, .. }`
    Record {
        /// A name, or an enum and its variant.
        path: Vec<Identifier>,
        /// Named fields; `title` alone binds `title`.
        fields: Vec<PatternField>,
        /// Whether `..` is at the end.
        rest: Rest,
    },
    Tuple(Vec<Pattern>),
    /// `[a, ..rest, z]`
    List {
        /// The elements before `..`; all of them when there is none.
        before: Vec<Pattern>,
        rest: ListRest,
        after: Vec<Pattern>,
    },
    /// `a | b`, two or more
    Or(Vec<Pattern>),
    /// Text that is no pattern; already reported.
    Invalid,
}

/// A pattern inside a variant's or a record's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PatternField {
    /// `y` in `y: p`; `None` when positional.
    pub name: Option<Identifier>,
    /// The pattern; for a record's `title` alone a binding of that name.
    pub pattern: Pattern,
}

/// Whether a pattern names all fields.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rest {
    Complete,
    /// `..` leaves the others out.
    Ignored,
}

/// What a list pattern does with the elements that it does not name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ListRest {
    Complete,
    Ignored,
    Bound(Identifier),
}
