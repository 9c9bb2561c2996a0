//! Statements that are allowed in one sort of declaration only: `state` in workflows, `undo` in what a workflow runs,
//! `mock` and `assert … fails` in tests.

use gsw_infer::hir::{
    Body, BodyPart, ExpressionId, ExpressionKind, LocalKind, Statement, StatementKind,
};
use gsw_infer::{Child, children};
use gsw_source::{Db, Diagnostic, ItemKind};

use crate::errors;

pub(super) fn check(db: &dyn Db, body: &Body, found: &mut Vec<Diagnostic>) {
    let kind = body.item.kind(db);
    let level = if kind == ItemKind::Workflow && body.part == BodyPart::Main {
        Level::Workflow
    } else {
        Level::Inside
    };
    // Nearly all statements are allowed anywhere.
    if body.has(|it| holds_misplaced(body, it, kind)) {
        visit(body, body.root, kind, level, found);
    }
    if body.has(|it| matches!(it, ExpressionKind::Undo(_))) {
        check_undos(body, body.root, home_of_undo(body.part, kind), found);
    }
}

/// What runs a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The body of a workflow itself.
    Workflow,
    /// A function, or a lambda in whatever body.
    Inside,
}

/// Where an `undo` is not allowed; `None` where it is. The workflow that it belongs to is known only when it runs, since
/// functions and tools are called by workflows.
fn home_of_undo(part: BodyPart, kind: ItemKind) -> Option<&'static str> {
    const HOME: Option<&str> = Some("a workflow, or a function or tool that one calls");
    let may = part == BodyPart::Main
        && matches!(
            kind,
            ItemKind::Workflow | ItemKind::Function | ItemKind::Tool
        );
    HOME.filter(|_| !may)
}

/// Reports each `undo` inside of `id`; `home` says where it would be allowed.
fn check_undos(
    body: &Body,
    id: ExpressionId,
    home: Option<&'static str>,
    found: &mut Vec<Diagnostic>,
) {
    let expression = body.expression(id);
    let mut inner_home = home;
    if let ExpressionKind::Undo(_) = &expression.kind {
        if let Some(home) = home {
            let place = body.place(expression.span);
            found.push(errors::misplaced_statement(place, "`undo`", home));
        }
        inner_home = Some("a body outside of another `undo`");
    }
    for child in children(&expression.kind) {
        let inner = match child {
            Child::Inline(inner) => inner,
            Child::Closure(lambda, _) => lambda.body,
        };
        check_undos(body, inner, inner_home, found);
    }
}

/// `is_own` says whether the expression belongs to the body of a workflow itself, not to a closure in it.
fn visit(body: &Body, id: ExpressionId, kind: ItemKind, level: Level, found: &mut Vec<Diagnostic>) {
    let expression = body.expression(id);
    if let ExpressionKind::Block { statements, .. } = &expression.kind {
        for statement in statements {
            found.extend(misplaced(body, statement, kind, level));
        }
    }
    for child in children(&expression.kind) {
        match child {
            Child::Inline(inner) => visit(body, inner, kind, level, found),
            Child::Closure(lambda, _) => visit(body, lambda.body, kind, Level::Inside, found),
        }
    }
}

/// Whether a block has a statement that is not allowed everywhere.
fn holds_misplaced(body: &Body, expression: &ExpressionKind, kind: ItemKind) -> bool {
    let ExpressionKind::Block { statements, .. } = expression else {
        return false;
    };
    let mut statements = statements.iter();
    statements.any(|it| misplaced(body, it, kind, Level::Inside).is_some())
}

/// Whether a mock may stand there: a function that sets some is called by tests alone, which is checked where it is used.
const fn may_mock(kind: ItemKind) -> bool {
    matches!(kind, ItemKind::Test | ItemKind::Function)
}

fn misplaced(
    body: &Body,
    statement: &Statement,
    kind: ItemKind,
    level: Level,
) -> Option<Diagnostic> {
    let place = body.place(statement.span);
    match &statement.kind {
        StatementKind::Var { local, .. }
            if body.local(*local).kind == LocalKind::State && level == Level::Inside =>
        {
            let home = "the body of a workflow itself";
            let report = errors::misplaced_statement(place, "`state`", home);
            Some(report.note(errors::STATE_OR_VARIABLE))
        }
        StatementKind::Mock { .. } if !may_mock(kind) => {
            Some(errors::misplaced_mock(place, "`mock`"))
        }
        StatementKind::MockAgent { .. } if !may_mock(kind) => {
            Some(errors::misplaced_mock(place, "`mock agent`"))
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
