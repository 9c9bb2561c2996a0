//! Statements.

use gsw_names::types::Type;
use gsw_source::{ItemId, Name, Span};

use crate::hir::{BinaryOperator, ExpressionId, Lambda, LocalId, Pattern};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    /// Its span, relative to the item.
    pub span: Span,
}

/// One step from a value to a part of it that can be assigned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceStep {
    pub part: PlacePart,
    pub ty: Type,
}

/// A part of a value that can be assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacePart {
    /// A field of a record, an element of a tuple.
    Field(u32),
    /// `xs[i]`, `m[k]`
    Element(ExpressionId),
}

/// What an assignment does to the old value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The right side takes its place.
    Set,
    /// Like `Set`, where the checks of what holds the part are left to a later assignment of the same part.
    SetUnchecked,
    /// `+=` and its kin.
    Operator(BinaryOperator),
    /// Like `Operator`, where what the operator gives is converted or checked on its way into a part: an expression over two
    /// locals that is evaluated with no wait.
    Converted {
        /// Holds the old value.
        old: LocalId,
        right: LocalId,
        /// What takes the place of the old value.
        new: ExpressionId,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let p = e`; the pattern always matches.
    Let {
        pattern: Pattern,
        value: ExpressionId,
    },
    /// `var x = e`, `state x = e`
    Var {
        local: LocalId,
        value: ExpressionId,
    },
    /// `x = e`, `x += e`, `x[i].f = e`: the value is evaluated first, then the positions and keys of the path, then the variable
    /// or its part is taken, changed and stored, with no wait between.
    Assign {
        local: LocalId,
        /// From the variable to the part that changes; empty for the whole.
        path: Vec<PlaceStep>,
        /// How the value changes the old one.
        change: Change,
        value: ExpressionId,
    },
    Expression(ExpressionId),
    /// Runs when the block is left in any way.
    Defer(ExpressionId),
    /// `assert c, "why"`; its text for the message.
    Assert {
        condition: ExpressionId,
        message: Option<ExpressionId>,
        /// The condition as source text.
        source: Name,
    },
    /// `assert e fails P`
    AssertFails {
        value: ExpressionId,
        pattern: Pattern,
        /// The expression as source text.
        source: Name,
    },
    /// `assert snapshot(e)`, only in tests: the value, a `json`.
    AssertSnapshot {
        value: ExpressionId,
    },
    /// `mock p(patterns) -> value then value`, only in tests.
    Mock {
        item: ItemId,
        /// One per parameter.
        patterns: Vec<Pattern>,
        /// The value; its lambda has one parameter per parameter of the mocked, and a last one for how many calls the mock has
        /// answered before.
        outcome: Lambda,
        /// The variable after `let`, a `Calls`.
        calls: Option<LocalId>,
    },
    /// `mock agent a { … }`, only in tests.
    MockAgent {
        agent: ItemId,
        /// What its model does, in order.
        script: Vec<ScriptTurn>,
    },
}

/// What a scripted model does in one turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptTurn {
    Calls(Vec<ScriptCall>),
    /// The answer that ends the turns, an expression of type `json`.
    Answer(ExpressionId),
    /// The `json` of an error of models.
    Fail(ExpressionId),
}

/// The call of a tool that a scripted model asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptCall {
    pub tool: ItemId,
    /// By parameter, in the order of evaluation; those with a default value may be left out.
    pub arguments: Vec<(u32, ExpressionId)>,
}

impl ScriptTurn {
    /// The expressions in it, in the order of evaluation.
    pub fn expressions(&self) -> Vec<ExpressionId> {
        match self {
            Self::Calls(calls) => {
                let arguments = calls.iter().flat_map(|it| &it.arguments);
                arguments.map(|(_, it)| *it).collect()
            }
            Self::Answer(value) | Self::Fail(value) => vec![*value],
        }
    }
}
