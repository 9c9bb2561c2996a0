//! Variables that stand for a lambda.

use gsw_infer::hir::{
    Body, Callee, Expression, ExpressionId, ExpressionKind, Lambda, LocalId, PatternKind,
    StatementKind,
};

/// The lambdas of a body to which a `let` gives a name.
pub fn named_lambdas(body: &Body) -> Vec<(LocalId, &Lambda)> {
    let mut named = Vec::new();
    for expression in &body.expressions {
        let ExpressionKind::Block { statements, .. } = &expression.kind else {
            continue;
        };
        for statement in statements {
            if let StatementKind::Let { pattern, value } = &statement.kind
                && let PatternKind::Binding(local) = pattern.kind
                && let ExpressionKind::Lambda(lambda) = &body.expression(*value).kind
            {
                named.push((local, lambda));
            }
        }
    }
    named
}

/// Those that are only called by their names, so that all values of their parameters are in the body.
pub fn called_lambdas(body: &Body) -> Vec<(LocalId, &Lambda)> {
    let mut named = named_lambdas(body);
    if named.is_empty() {
        return named;
    }
    let callee = |it: &Expression| {
        if let ExpressionKind::Call {
            callee: Callee::Value(value),
            ..
        } = it.kind
        {
            Some(value)
        } else {
            None
        }
    };
    let called: Vec<ExpressionId> = body.expressions.iter().filter_map(callee).collect();
    for (id, expression) in (0..).map(ExpressionId).zip(&body.expressions) {
        if let ExpressionKind::Local(local) = expression.kind
            && !called.contains(&id)
        {
            named.retain(|(it, _)| *it != local);
        }
    }
    named
}
