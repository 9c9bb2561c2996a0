//! The same value on both sides of an operator, the same condition again, a variable that gets its own value.
//!
//! Only what does nothing and is equal each time is compared: variables, constants, literals, their parts, and what operators
//! make of them. A call is no such thing, even of a function that always gives the same.

use gsw_infer::hir::{
    BinaryOperator, Body, Change, ExpressionId, ExpressionKind as Kind, PlacePart, PlaceStep,
    Statement, StatementKind,
};
use gsw_names::types::Type;
use gsw_source::{Diagnostic, Span};

use crate::errors;

pub(super) fn check(body: &Body, found: &mut Vec<Diagnostic>) {
    let place = |span: Span| body.place(span);
    for expression in &body.expressions {
        let kind = &expression.kind;
        if let Kind::Binary {
            operator,
            left,
            right,
        } = kind
            && decides(body, *operator, *left)
            && is_same(body, *left, *right)
        {
            found.push(errors::same_operands(place(expression.span), *operator));
        }
        if let Kind::If {
            condition,
            otherwise: Some(otherwise),
            ..
        } = kind
            && let Some(again) = repeated(body, *condition, *otherwise)
        {
            let (first, again) = (body.expression(*condition), body.expression(again));
            found.push(errors::same_condition(place(again.span), place(first.span)));
        }
        if let Kind::Block { statements, .. } = kind {
            let own = statements.iter().filter(|it| keeps(body, it));
            found.extend(own.map(|it| errors::own_value(place(it.span))));
        }
    }
}

/// Whether an operator says something of two values that it does not say of one.
fn decides(body: &Body, operator: BinaryOperator, operand: ExpressionId) -> bool {
    match operator {
        BinaryOperator::And | BinaryOperator::Or => true,
        // A float that is no number differs from itself, and that is how it is found.
        BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Less
        | BinaryOperator::LessEqual
        | BinaryOperator::Greater
        | BinaryOperator::GreaterEqual => body.expression(operand).ty != Type::Float,
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Remainder => false,
    }
}

/// The condition of an `else if` below that is the same as one above.
fn repeated(
    body: &Body,
    condition: ExpressionId,
    mut otherwise: ExpressionId,
) -> Option<ExpressionId> {
    while let Kind::If {
        condition: again,
        otherwise: next,
        ..
    } = &body.expression(otherwise).kind
    {
        if is_same(body, condition, *again) {
            return Some(*again);
        }
        otherwise = (*next)?;
    }
    None
}

/// Whether a statement assigns a variable, or a part of it, to itself.
fn keeps(body: &Body, statement: &Statement) -> bool {
    let StatementKind::Assign {
        local,
        path,
        change: Change::Set | Change::SetUnchecked,
        value,
    } = &statement.kind
    else {
        return false;
    };
    let mut value = *value;
    for PlaceStep { part, .. } in path.iter().rev() {
        value = match (part, &body.expression(value).kind) {
            (
                PlacePart::Field(field),
                Kind::Field { base, index } | Kind::TupleField { base, index },
            ) if field == index => *base,
            (PlacePart::Element(element), Kind::Index { base, index })
                if is_same(body, *element, *index) =>
            {
                *base
            }
            (PlacePart::Field(_) | PlacePart::Element(_), _) => return false,
        };
    }
    matches!(&body.expression(value).kind, Kind::Local(it) if it == local)
}

/// Whether two expressions are written the same and have the same value wherever both are evaluated next to each other.
#[expect(
    clippy::too_many_lines,
    reason = "one arm for each form that is compared"
)]
fn is_same(body: &Body, some: ExpressionId, other: ExpressionId) -> bool {
    let same = |some: &ExpressionId, other: &ExpressionId| is_same(body, *some, *other);
    let other = &body.expression(other).kind;
    match &body.expression(some).kind {
        // Equal where their content is, which is no other expression.
        kind @ (Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::None
        | Kind::Unit
        | Kind::Duration(_)
        | Kind::String(_)
        | Kind::Local(_)
        | Kind::Constant(_)
        | Kind::ConstructorValue { .. }) => kind == other,
        Kind::Field { base, index } => {
            matches!(other, Kind::Field { base: it, index: at } if at == index && same(base, it))
        }
        Kind::TupleField { base, index } => {
            matches!(other, Kind::TupleField { base: it, index: at } if at == index && same(base, it))
        }
        Kind::Index { base, index } => {
            matches!(other, Kind::Index { base: it, index: at } if same(base, it) && same(index, at))
        }
        Kind::Unary { operator, operand } => {
            matches!(other, Kind::Unary { operator: by, operand: it } if by == operator && same(operand, it))
        }
        Kind::Binary {
            operator,
            left,
            right,
        } => {
            matches!(other, Kind::Binary { operator: by, left: first, right: second }
                if by == operator && same(left, first) && same(right, second))
        }
        Kind::Coerce { value, coercion } => {
            matches!(other, Kind::Coerce { value: it, coercion: by } if by == coercion && same(value, it))
        }
        Kind::FunctionValue { .. }
        | Kind::Lambda(_)
        | Kind::Record { .. }
        | Kind::Variant { .. }
        | Kind::ErrorValue { .. }
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Tuple(_)
        | Kind::JsonField { .. }
        | Kind::Interpolation(_)
        | Kind::In { .. }
        | Kind::Otherwise { .. }
        | Kind::Chain { .. }
        | Kind::Range { .. }
        | Kind::As(_)
        | Kind::Matches { .. }
        | Kind::If { .. }
        | Kind::Match { .. }
        | Kind::Catch { .. }
        | Kind::Block { .. }
        | Kind::For { .. }
        | Kind::While { .. }
        | Kind::Return(_)
        | Kind::Break
        | Kind::Continue
        | Kind::Fail(_)
        | Kind::Emit(_)
        | Kind::Call { .. }
        | Kind::PromptCall { .. }
        | Kind::PromptText { .. }
        | Kind::OfferedTool { .. }
        | Kind::Step { .. }
        | Kind::SpawnDetached { .. }
        | Kind::Spawn(_)
        | Kind::ParallelFor { .. }
        | Kind::Undo(_)
        | Kind::Await(_)
        | Kind::Race { .. }
        | Kind::Parallel { .. }
        | Kind::Modified { .. }
        | Kind::Invalid => false,
    }
}
