//! Expressions.

use gsw_source::{Name, Span};

use crate::ast::{
    BinaryOperator, Block, Chain, Identifier, Pattern, RangeEnd, Setting, TextRole, TypeExpression,
    UnaryOperator,
};
use crate::token::ModifierName;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

/// The form of an expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExpressionKind {
    /// `42`, `1.5`, `true`, `none`, `5s`, `"text"` without interpolation
    Literal(Literal),
    /// A string with at least one `${ }`.
    Interpolation(Vec<StringPart>),
    /// `x`, also `self` and `it`
    Name(Name),
    /// `a.b`, `a?.b`
    Field {
        base: Box<Expression>,
        name: Identifier,
        chain: Chain,
    },
    TupleField {
        base: Box<Expression>,
        /// Position of the element, counted from 0.
        index: u32,
        index_span: Span,
    },
    /// `introspect.*` in a list of tools
    AllOf(Box<Expression>),
    /// `xs[i]`
    Index {
        base: Box<Expression>,
        index: Box<Expression>,
    },
    /// `f(a, width: 3)`; a method call has a `Field` as callee.
    Call {
        callee: Box<Expression>,
        arguments: Vec<Argument>,
        arguments_span: Span,
    },
    /// `Bug { title: "x", ..base }`
    Record {
        /// A name, or a module and a name.
        path: Vec<Identifier>,
        fields: Vec<FieldInit>,
        /// The record after `..`, whose other fields are taken.
        base: Option<Box<Expression>>,
    },
    List(Vec<Expression>),
    /// `{ "a": 1 }`, `{}`
    Map(Vec<MapEntry>),
    Unit,
    /// `(a, b)`, two or more
    Tuple(Vec<Expression>),
    /// `(a)`, kept for the formatter
    Parenthesized(Box<Expression>),
    /// `a..b`, `a..=b`
    Range {
        start: Box<Expression>,
        /// The last value, or one past it.
        end: Box<Expression>,
        range_end: RangeEnd,
    },
    /// `x => e`, `(a, b: int) => { … }`
    Lambda {
        parameters: Vec<LambdaParameter>,
        /// A block body is a `Do` expression.
        body: Box<Expression>,
    },
    Unary {
        operator: UnaryOperator,
        operand: Box<Expression>,
    },
    Binary {
        operator: BinaryOperator,
        operator_span: Span,
        left: Box<Expression>,
        right: Box<Expression>,
    },
    /// `a as T`, `a as? T`
    As {
        value: Box<Expression>,
        ty: Box<TypeExpression>,
        /// What happens to a value that does not fit.
        form: Conversion,
    },
    /// `e catch { arms }`, `e catch P => e`
    Catch {
        value: Box<Expression>,
        /// Its arms; none has a guard unless written.
        arms: Vec<MatchArm>,
        form: CatchForm,
    },
    /// `if c { } else { }`
    If {
        condition: Box<Expression>,
        then: Block,
        /// A `Do` or `If` expression.
        otherwise: Option<Box<Expression>>,
    },
    /// `let p = e` in the condition of an `if` or `while`; in other places it is reported later.
    Let {
        pattern: Box<Pattern>,
        value: Box<Expression>,
    },
    /// `match e { arms }`
    Match {
        value: Box<Expression>,
        arms: Vec<MatchArm>,
    },
    /// `do { }`; also the block body of a lambda, an `else`, a match arm or a `spawn`
    Do(Block),
    /// `for p in e { }`
    For {
        pattern: Box<Pattern>,
        iterable: Box<Expression>,
        body: Block,
    },
    While {
        condition: Box<Expression>,
        body: Block,
    },
    Return(Option<Box<Expression>>),
    Break,
    Continue,
    Fail(Box<Expression>),
    Emit(Box<Expression>),
    /// `user "…"` in the body of a prompt; in other places it is reported later.
    Text {
        role: TextRole,
        text: Box<Expression>,
    },
    /// `spawn e`, `spawn { }`
    Spawn(Box<Expression>),
    /// `spawn detached wf(args)`
    SpawnDetached(Box<Expression>),
    /// `undo { }`, `undo retry 3 { }`
    Undo {
        modifiers: Vec<Modifier>,
        body: Block,
    },
    Await(Box<Expression>),
    /// `race [a, b]`, `race [a, b] errors merge`
    Race {
        tasks: Box<Expression>,
        errors: Option<Identifier>,
    },
    /// `parallel for p in e limit N { }`
    ParallelFor {
        pattern: Box<Pattern>,
        iterable: Box<Expression>,
        /// Only `limit` and `errors` may be here.
        modifiers: Vec<Modifier>,
        body: Block,
    },
    /// `parallel (f(), g())`, `parallel (f(), g()) errors settle`
    Parallel {
        branches: Vec<Expression>,
        branches_span: Span,
        errors: Option<Identifier>,
    },
    /// `step "name" mods { }`, `@was("old name") step "name" { }`
    Step {
        /// What it was called in earlier versions of the program: a string.
        was: Option<Box<Expression>>,
        name: Box<Expression>,
        modifiers: Vec<Modifier>,
        body: Block,
    },
    /// `timeout 5s { }`, `retry 3 { }`, `budget(usd: 1.0) { }`
    Modified {
        /// In written order, at least one.
        modifiers: Vec<Modifier>,
        body: Block,
    },
    /// `reflect p(args) max N until (r => c) by critic`
    Reflect {
        call: Box<Expression>,
        max: Option<Box<Expression>>,
        until: Option<Box<Expression>>,
        by: Option<Box<Expression>>,
    },
    /// `revise p(args)`
    Revise(Box<Expression>),
    /// `p(args) by a`
    By {
        call: Box<Expression>,
        agent: Box<Expression>,
    },
    /// `p(args) with { cache: false }`
    With {
        call: Box<Expression>,
        settings: Vec<Setting>,
    },
    /// Text that is no expression; already reported.
    Invalid,
}

/// What `as` does with a value that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// `as`: a value that does not fit raises an error.
    Raising,
    /// `as?`: gives `none`, and the value as an optional otherwise.
    Optional,
}

/// How the arms of a `catch` are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CatchForm {
    Braced,
    /// One arm without braces.
    Bare,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// `42`. `None` when it does not fit 64 bits; `9223372036854775808` is held as such for a minus before it.
    Int(Option<i128>),
    /// The bits of a finite 64-bit float.
    Float(u64),
    Bool(bool),
    None,
    /// In nanoseconds.
    Duration(i64),
    /// The text after escapes and indentation are taken out.
    String(Name),
}

/// A piece of an interpolated string.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StringPart {
    /// Text after escapes and indentation are taken out.
    Text(Name),
    /// `${e}`
    Expression(Expression),
}

/// `e` or `name: e` in a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Argument {
    /// The name before the colon.
    pub name: Option<Identifier>,
    pub value: Expression,
}

/// `title: e` or `title` in a record literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FieldInit {
    pub name: Identifier,
    /// `None` stands for the variable of the same name.
    pub value: Option<Expression>,
}

/// `key: value` in a map literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MapEntry {
    /// A string, int, variant or parenthesised expression.
    pub key: Expression,
    pub value: Expression,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LambdaParameter {
    /// A name, `_` or a tuple.
    pub pattern: Pattern,
    pub ty: Option<TypeExpression>,
}

/// `pattern if guard => body`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatchArm {
    pub pattern: Pattern,
    pub guard: Option<Expression>,
    /// A block body is a `Do` expression.
    pub body: Expression,
}

/// A modifier with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Modifier {
    pub kind: ModifierKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ModifierKind {
    Timeout(Expression),
    /// `retry N backoff D max D`
    Retry {
        /// How many attempts follow the first.
        count: Expression,
        /// The delay before the second attempt.
        backoff: Option<Expression>,
        max: Option<Expression>,
    },
    /// `reflect N with p`
    Reflect {
        /// How many rounds at most.
        count: Expression,
        with: Option<Expression>,
    },
    /// `budget(usd: 0.5, …)`
    Budget(Vec<Argument>),
    Limit(Expression),
    Errors(Identifier),
}

impl ModifierKind {
    #[must_use]
    pub const fn name(&self) -> ModifierName {
        match self {
            Self::Timeout(_) => ModifierName::Timeout,
            Self::Retry { .. } => ModifierName::Retry,
            Self::Reflect { .. } => ModifierName::Reflect,
            Self::Budget(_) => ModifierName::Budget,
            Self::Limit(_) => ModifierName::Limit,
            Self::Errors(_) => ModifierName::Errors,
        }
    }
}
