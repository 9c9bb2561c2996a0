//! The typed intermediate form of bodies: every name resolved, every type known, every conversion written out.
//!
//! Bodies of generic declarations are generic: their types may hold `Type::Parameter`, and an operator on such a type is
//! settled when the body is lowered for concrete types.

mod expression;
mod modifier;
mod operator;
mod pattern;
mod statement;

pub use expression::{Arm, Callee, Coercion, Expression, ExpressionKind, Lambda, Part, PromptMode};
pub use modifier::{Budget, ErrorPolicy, Modifiers, RacePolicy, Reflect, Retry};
pub use operator::{
    ArithmeticOperator, BinaryOperator, EqualityOperator, LogicOperator, OperatorClass,
    OrderOperator, RangeEnd, UnaryOperator,
};
pub use pattern::{ListRest, Pattern, PatternKind};
pub use statement::{
    Change, PlacePart, PlaceStep, ScriptCall, ScriptTurn, Statement, StatementKind,
};

use gsw_names::types::Type;
use gsw_source::{ItemId, Name, Place, Span};

/// Which of an item's bodies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BodyPart {
    /// The block of a function, workflow, tool or test; the value of a constant. Parameters are the declaration's.
    Main,
    /// The default of parameter n; its parameters are the declaration's first n.
    ParameterDefault(u32),
    /// The default of field `field` of a record (`variant` 0), or of a variant or error; no parameters.
    FieldDefault { variant: u32, field: u32 },
    /// The `where` of field n of a record; its parameters are `it` and `self`, the whole record.
    FieldCheck(u32),
    /// The `where` of an alias; its parameter is `it`.
    AliasCheck,
    /// A prompt's or human's `user` text, a `string`; its parameters are the declaration's.
    User,
    /// A prompt's `system` text, a `string`; its parameters are the declaration's.
    System,
    /// All texts of a prompt or human that has more than one `system` and one `user` text, instead of [`Self::User`] and
    /// [`Self::System`]: a list of speakers and texts, see [`conversation_type`]. Its parameters are the declaration's.
    Messages,
    /// Argument list and answer of example n as a tuple `(messages, answer as json)`; no parameters. The messages are made by
    /// calling the prompt's `User` or `Messages` part, see `ExpressionKind::PromptText`.
    Example(u32),
    /// The settings of an agent, prompt, human or external as `json`; an agent's has no parameters, a prompt's the prompt's.
    Settings,
    /// The key after `idempotent by` of a tool, or `by` of an `external`, a `string`; its parameters are the declaration's.
    Key,
    /// Handler n of a hook; its parameters are those of its form, see `gsw_names::handler_form`.
    Handler(u32),
    /// The rows of a test, a list; no parameters. The test's `Main` part has one parameter then: the row.
    Rows,
}

/// One text of a conversation: its speaker, as `gsw_abi::speaker::Speaker` has it, and the text.
#[must_use]
pub fn said_type() -> Type {
    Type::Tuple([Type::Int, Type::String].into())
}

/// What the [`BodyPart::Messages`] of a prompt gives.
#[must_use]
pub fn conversation_type() -> Type {
    said_type().list()
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    /// The item it belongs to.
    pub item: ItemId,
    /// Which of the item's bodies.
    pub part: BodyPart,
    /// The locals that the arguments go into, in order.
    pub parameters: Vec<LocalId>,
    /// All locals of the body, those of its lambdas included.
    pub locals: Vec<Local>,
    /// All expressions; children come before their parents.
    pub expressions: Vec<Expression>,
    pub root: ExpressionId,
    /// The type of the whole.
    pub result: Type,
}

/// A local variable of a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocalId(pub u32);

/// An expression of a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExpressionId(pub u32);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// As written; `_` or empty for one that the compiler made.
    pub name: Name,
    pub ty: Type,
    pub kind: LocalKind,
    /// The span of its name, relative to the item.
    pub span: Span,
    /// Whether a lambda, `spawn` or `parallel` inside captures it. A captured `Var` or `State` lives in a cell.
    pub captured: Captured,
    /// Whether parts of it are assigned: such a variable lives in a cell as well.
    pub parts: PartsAssigned,
}

/// How a local was bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalKind {
    /// `let` or a pattern: never assigned again.
    Let,
    Var,
    State,
    /// A parameter of the body or of a lambda.
    Parameter,
}

/// Whether a local is used by a closure inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Captured {
    No,
    Yes,
}

/// Whether parts of a local are assigned, as by `xs[i] = e`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartsAssigned {
    /// Only the whole, if at all.
    No,
    Yes,
}

impl Body {
    /// The expression with this id.
    #[must_use]
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    /// Whether there is such an expression anywhere in it, which is known sooner than where.
    #[must_use]
    pub fn has(&self, is_meant: impl Fn(&ExpressionKind) -> bool) -> bool {
        self.expressions.iter().any(|it| is_meant(&it.kind))
    }

    /// The place of a span of it.
    #[must_use]
    pub const fn place(&self, span: Span) -> Place {
        Place::Item {
            item: self.item,
            span,
        }
    }

    /// The local with this id.
    #[must_use]
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}
