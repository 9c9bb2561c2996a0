//! Modifiers of steps, blocks and workflows.

use crate::hir::ExpressionId;

/// The modifiers of a step, block or workflow, from the outside in: budget, reflect, retry, timeout.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modifiers {
    /// `budget(usd:, tokens:, calls:, time:)`, each an expression.
    pub budget: Option<Budget>,
    /// `reflect N with p`
    pub reflect: Option<Reflect>,
    /// `retry N backoff D max D`
    pub retry: Option<Retry>,
    pub timeout: Option<ExpressionId>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    pub usd: Option<ExpressionId>,
    pub tokens: Option<ExpressionId>,
    pub calls: Option<ExpressionId>,
    pub time: Option<ExpressionId>,
}

/// `reflect N with p`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflect {
    pub count: ExpressionId,
    pub with: Option<ExpressionId>,
}

/// `retry N backoff D max D`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retry {
    pub count: ExpressionId,
    pub backoff: Option<ExpressionId>,
    pub max: Option<ExpressionId>,
}

/// What `parallel for` does with errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorPolicy {
    First,
    /// The result is `[Result<T>]`.
    Settle,
    /// All errors become one `Many`.
    Merge,
}

/// What `race` does with errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RacePolicy {
    /// A task that fails first decides the race as well as one that gives a value.
    First,
    /// The first value wins; one `Many` when all have failed.
    Merge,
}
