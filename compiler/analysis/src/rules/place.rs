//! Statements that stand in one sort of declaration only: `state` in workflows, `mock` and `assert … fails` in tests.

use gsw_infer::hir::{
    Body, BodyPart, ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind,
};
use gsw_infer::{Child, children};
use gsw_source::{Db, Diagnostic, ItemKind};

use super::place_in;
use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let kind = body.item.kind(db);
    let is_own = kind == ItemKind::Workflow && body.part == BodyPart::Main;
    visit(body, body.root, kind, is_own, found);
}

/// `is_own` tells whether the expression belongs to the body of a workflow itself, not to a closure in it.
fn visit(body: &Body, id: ExpressionId, kind: ItemKind, is_own: bool, found: &mut Vec<Diagnostic>) {
    let expression = body.expression(id);
    if let ExpressionKind::Block { statements, .. } = &expression.kind {
        for statement in statements {
            found.extend(misplaced(body, statement, kind, is_own));
        }
    }
    for child in children(&expression.kind) {
        match child {
            Child::Inline(inner) => visit(body, inner, kind, is_own, found),
            Child::Closure(lambda, _) => visit(body, lambda.body, kind, false, found),
        }
    }
}

fn misplaced(
    body: &Body,
    statement: &Statement,
    kind: ItemKind,
    is_own: bool,
) -> Option<Diagnostic> {
    let place = place_in(body, statement.span);
    match &statement.kind {
        StatementKind::Var { local, .. }
            if body.local(*local).kind == LocalKind::State && !is_own =>
        {
            Some(errors::misplaced_statement(
                place,
                "`state`",
                "the body of a workflow itself",
            ))
        }
        StatementKind::Mock { .. } if kind != ItemKind::Test => {
            Some(errors::misplaced_statement(place, "`mock`", "a test"))
        }
        StatementKind::MockAgent { .. } if kind != ItemKind::Test => {
            Some(errors::misplaced_statement(place, "`mock agent`", "a test"))
        }
        StatementKind::AssertSnapshot { .. } if kind != ItemKind::Test => Some(
            errors::misplaced_statement(place, "`assert snapshot(…)`", "a test"),
        ),
        StatementKind::AssertFails { .. } if kind != ItemKind::Test => Some(
            errors::misplaced_statement(place, "`assert … fails`", "a test"),
        ),
        StatementKind::Let { .. }
        | StatementKind::Var { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Expression(_)
        | StatementKind::Defer(_)
        | StatementKind::Assert { .. }
        | StatementKind::AssertFails { .. }
        | StatementKind::AssertSnapshot { .. }
        | StatementKind::Mock { .. }
        | StatementKind::MockAgent { .. } => None,
    }
}
