//! What is evaluated before an expression in its statement, and whether the expression is evaluated there once and in any case.

use gsw_infer::hir::{Body, ExpressionId, ExpressionKind, LogicOperator, OperatorClass};
use gsw_infer::{Child, children, infer_item};
use gsw_source::{Db, ItemId, Span};
use gsw_syntax::ast::{AssertExpectation, Expression, Statement, StatementKind};

use crate::nature::{Nature, nature};

/// Whether it makes no difference that something of such a `nature` is evaluated at `span` and not before its statement.
pub fn may_come_first(
    db: &dyn Db,
    item: ItemId,
    statement: &Statement,
    span: Span,
    of: Nature,
) -> bool {
    if of.is_steady() {
        return true;
    }
    let Some(value) = evaluated_first(statement) else {
        return false;
    };
    infer_item(db, item).bodies.iter().any(|body| {
        let Some(root) = outermost(body, value.span) else {
            return false;
        };
        let mut before = Vec::new();
        leads_to(body, root, span, &mut before)
            && before
                .into_iter()
                .all(|it| nature(db, item, it).is_none_or(|it| of.commutes(it)))
    })
}

/// The expression that a statement evaluates before all others, and in any case.
fn evaluated_first(statement: &Statement) -> Option<&Expression> {
    match &statement.kind {
        StatementKind::Let { value, .. }
        | StatementKind::Var { value, .. }
        | StatementKind::Assign { value, .. }
        | StatementKind::Expression(value)
        | StatementKind::Assert {
            value,
            expectation: AssertExpectation::Holds,
            ..
        } => Some(value),
        // `state` is not made anew by another attempt; what must fail is guarded.
        StatementKind::State { .. }
        | StatementKind::Assert {
            expectation: AssertExpectation::Fails(_),
            ..
        }
        | StatementKind::Defer(_)
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. }
        | StatementKind::Invalid => None,
    }
}

/// The last expression made of the text at `span`: children come before their parents.
fn outermost(body: &Body, span: Span) -> Option<ExpressionId> {
    let place = body.expressions.iter().rposition(|it| it.span == span)?;
    u32::try_from(place).ok().map(ExpressionId)
}

/// Whether evaluating `id` always leads to the expression at `span`, once; what is evaluated on the way goes to `before`.
fn leads_to(body: &Body, id: ExpressionId, span: Span, before: &mut Vec<Span>) -> bool {
    let expression = body.expression(id);
    if expression.span == span {
        return true;
    }
    let inside = children(&expression.kind);
    let certain = certain(&expression.kind).min(inside.len());
    for child in &inside[..certain] {
        let Child::Inline(child) = child else {
            // What a closure holds is evaluated when it is called.
            continue;
        };
        let own = body.expression(*child).span;
        if own.holds(span) {
            return leads_to(body, *child, span, before);
        }
        before.push(own);
    }
    false
}

/// How many of the children of an expression are evaluated whenever it is, once and with nothing around them.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
const fn certain(kind: &ExpressionKind) -> usize {
    use ExpressionKind as Kind;
    match kind {
        Kind::If { .. }
        | Kind::Match { .. }
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::For { .. } => 1,
        Kind::Binary { operator, .. } => match operator.class() {
            OperatorClass::Logic(LogicOperator::And | LogicOperator::Or) => 1,
            OperatorClass::Equality(_) | OperatorClass::Order(_) | OperatorClass::Arithmetic(_) => {
                2
            }
        },
        // Guarded, done again, or done at another time.
        Kind::Catch { .. }
        | Kind::While { .. }
        | Kind::Block { .. }
        | Kind::Step { .. }
        | Kind::Modified { .. }
        | Kind::Spawn(_)
        | Kind::Undo(_)
        | Kind::Lambda(_)
        | Kind::Parallel { .. }
        | Kind::Invalid => 0,
        Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::FunctionValue { .. }
        | Kind::ConstructorValue { .. }
        | Kind::Record { .. }
        | Kind::Variant { .. }
        | Kind::ErrorValue { .. }
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Tuple(_)
        | Kind::Field { .. }
        | Kind::TupleField { .. }
        | Kind::JsonField { .. }
        | Kind::Index { .. }
        | Kind::Interpolation(_)
        | Kind::Unary { .. }
        | Kind::In { .. }
        | Kind::Range { .. }
        | Kind::Coerce { .. }
        | Kind::As(_)
        | Kind::Matches { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::Call { .. }
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::SpawnDetached { .. }
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::ParallelFor { .. } => usize::MAX,
    }
}
