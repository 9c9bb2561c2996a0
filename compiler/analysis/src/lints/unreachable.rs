//! Code after a statement that never ends normally.

use gsw_infer::hir::{Body, ExpressionKind, Statement, StatementKind};
use gsw_names::types::Type;
use gsw_source::{Diagnostic, Span};

use crate::errors;

pub(super) fn check(body: &Body, found: &mut Vec<Diagnostic>) {
    for expression in &body.expressions {
        let ExpressionKind::Block { statements, tail } = &expression.kind else {
            continue;
        };
        let Some(index) = statements.iter().position(|it| never_ends(body, it)) else {
            continue;
        };
        let tail = tail.map(|it| body.expression(it).span);
        let Some(next) = statements.get(index + 1).map(|it| it.span).or(tail) else {
            continue;
        };
        if next.start < next.end && next.start >= statements[index].span.end {
            let place = |span| body.place(span);
            let cause = statements[index].span;
            let last = tail.or(statements.last().map(|it| it.span));
            let end = last.map_or(next.end, |it| it.end.max(next.end));
            let rest = Span::new(cause.end, end);
            found.push(errors::unreachable_code(
                place(next),
                place(cause),
                place(rest),
            ));
        }
    }
}

fn never_ends(body: &Body, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Expression(it) => {
            let expression = body.expression(*it);
            expression.ty == Type::Never && !matches!(expression.kind, ExpressionKind::Invalid)
        }
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertFails { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => false,
    }
}
