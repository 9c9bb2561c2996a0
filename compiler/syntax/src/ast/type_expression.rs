//! Types as written.

use gsw_source::{Name, Span};

use crate::ast::Identifier;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeExpression {
    pub kind: TypeExpressionKind,
    pub span: Span,
}

/// The form of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeExpressionKind {
    /// `Bug`, `schemas.Bug`, `Task<int>`
    Named {
        /// One name, or a module's and one.
        path: Vec<Identifier>,
        arguments: Vec<TypeExpression>,
    },
    Optional(Box<TypeExpression>),
    List(Box<TypeExpression>),
    /// `{K: V}`
    Map {
        key: Box<TypeExpression>,
        value: Box<TypeExpression>,
    },
    Unit,
    /// `(A, B)`, two or more
    Tuple(Vec<TypeExpression>),
    /// `"a"`, alone or in a union
    Literal(Name),
    /// `A | B`, two or more
    Union(Vec<TypeExpression>),
    /// `fn(A, B) -> C ! X uses net + model`
    Function(Box<FunctionType>),
    /// Text that is no type; already reported.
    Invalid,
}

/// The type of a function value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub parameters: Vec<TypeExpression>,
    /// `None` means `()`.
    pub result: Option<TypeExpression>,
    /// After `!`; `None` when not written.
    pub throws: Option<Vec<TypeExpression>>,
    /// After `uses`; a dotted effect such as `fs.read` is one name. `None` when not written.
    pub uses: Option<Vec<Identifier>>,
}
