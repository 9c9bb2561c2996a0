//! The type of a constant that is declared without one: inferred from its literal.

use gsw_syntax::ast::{BinaryOperator, Expression, ExpressionKind, Literal};

use crate::types::Type;

/// The type of a literal, or of a list of literals of one type; `None` when only inference could tell.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
pub fn literal_type(value: &Expression) -> Option<Type> {
    match &value.kind {
        ExpressionKind::Literal(literal) => match literal {
            Literal::Int(_) => Some(Type::Int),
            Literal::Float(_) => Some(Type::Float),
            Literal::Bool(_) => Some(Type::Bool),
            Literal::Duration(_) => Some(Type::Duration),
            Literal::String(_) => Some(Type::String),
            Literal::None => None,
        },
        ExpressionKind::Interpolation(_) => Some(Type::String),
        ExpressionKind::Unary { operand, .. } => literal_type(operand),
        ExpressionKind::Parenthesized(inside) => literal_type(inside),
        ExpressionKind::Binary {
            left,
            operator,
            operator_span: _,
            right,
        } => {
            let (left, right) = (literal_type(left)?, literal_type(right)?);
            if left == Type::Duration && *operator == BinaryOperator::Divide {
                let by_int = (right == Type::Int).then_some(Type::Duration);
                return if right == left {
                    Some(Type::Float)
                } else {
                    by_int
                };
            }
            let is_number = matches!(left, Type::Int | Type::Float | Type::Duration);
            (is_number && left == right).then_some(left)
        }
        ExpressionKind::List(elements) => {
            let first = literal_type(elements.first()?)?;
            let is_same = elements
                .iter()
                .all(|it| literal_type(it).as_ref() == Some(&first));
            is_same.then(|| first.list())
        }
        ExpressionKind::Name(_)
        | ExpressionKind::Field { .. }
        | ExpressionKind::TupleField { .. }
        | ExpressionKind::AllOf(_)
        | ExpressionKind::Index { .. }
        | ExpressionKind::Call { .. }
        | ExpressionKind::Record { .. }
        | ExpressionKind::Map(_)
        | ExpressionKind::Unit
        | ExpressionKind::Tuple(_)
        | ExpressionKind::Range { .. }
        | ExpressionKind::Lambda { .. }
        | ExpressionKind::As { .. }
        | ExpressionKind::Catch { .. }
        | ExpressionKind::If { .. }
        | ExpressionKind::Let { .. }
        | ExpressionKind::Match { .. }
        | ExpressionKind::Do(_)
        | ExpressionKind::For { .. }
        | ExpressionKind::While { .. }
        | ExpressionKind::Return(_)
        | ExpressionKind::Break
        | ExpressionKind::Continue
        | ExpressionKind::Fail(_)
        | ExpressionKind::Emit(_)
        | ExpressionKind::Text { .. }
        | ExpressionKind::Spawn(_)
        | ExpressionKind::Undo { .. }
        | ExpressionKind::SpawnDetached(_)
        | ExpressionKind::Await(_)
        | ExpressionKind::Race { .. }
        | ExpressionKind::ParallelFor { .. }
        | ExpressionKind::Parallel(_)
        | ExpressionKind::Step { .. }
        | ExpressionKind::Modified { .. }
        | ExpressionKind::Reflect { .. }
        | ExpressionKind::Revise(_)
        | ExpressionKind::By { .. }
        | ExpressionKind::With { .. }
        | ExpressionKind::Invalid => None,
    }
}
