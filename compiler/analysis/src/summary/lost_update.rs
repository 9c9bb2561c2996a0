//! Assignments of concurrent tasks that lose what another task has assigned meanwhile.
//!
//! `total = total + fetch(x)` in a `parallel for` reads `total`, waits, and writes the sum of what it read: what the other tasks
//! added while it waited is gone. `total += fetch(x)` reads it when the value is there, and between reading and writing nothing
//! else runs.

use gsw_infer::hir::{
    Body, Change, ExpressionId, ExpressionKind, Lambda, LocalId, LocalKind, StatementKind,
};
use gsw_infer::{Child, children};
use gsw_source::Diagnostic;

use super::body::BodyFacts;
use crate::call_summary::Waits;
use crate::errors;

pub(super) fn lost_updates(body: &Body, facts: &BodyFacts) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for expression in &body.expressions {
        for task in tasks(&expression.kind) {
            for (local, value) in assigned(body, task) {
                if let Some(read) = read_before_wait(body, facts, local, value) {
                    let name = &body.local(local).name;
                    let place = body.place(body.expression(read).span);
                    found.push(errors::lost_update(place, name));
                }
            }
        }
    }
    found
}

/// What an expression runs beside other code.
fn tasks(kind: &ExpressionKind) -> Vec<&Lambda> {
    if let ExpressionKind::ParallelFor { body, .. } = kind {
        vec![body]
    } else if let ExpressionKind::Parallel { branches, .. } = kind {
        branches.iter().collect()
    } else if let ExpressionKind::Spawn(task) = kind {
        vec![task]
    } else {
        Vec::new()
    }
}

/// The variables of the code around a task that it gives a new value as a whole, with the value. What its own closures assign is
/// left out: their caller may make sure that only one runs at a time.
fn assigned(body: &Body, task: &Lambda) -> Vec<(LocalId, ExpressionId)> {
    let mut found = Vec::new();
    for id in inside(body, task.body) {
        let ExpressionKind::Block { statements, .. } = &body.expression(id).kind else {
            continue;
        };
        for statement in statements {
            if let StatementKind::Assign {
                local,
                path,
                change: Change::Set,
                value,
            } = &statement.kind
                && path.is_empty()
                && task.captures.contains(local)
                && matches!(body.local(*local).kind, LocalKind::Var | LocalKind::State)
            {
                found.push((*local, *value));
            }
        }
    }
    found
}

/// Where a value reads the variable and then waits.
fn read_before_wait(
    body: &Body,
    facts: &BodyFacts,
    local: LocalId,
    value: ExpressionId,
) -> Option<ExpressionId> {
    let all = inside(body, value);
    let waits = |id: &ExpressionId| {
        let does = facts.does.get(id.0 as usize);
        does.is_some_and(|it| it.waits == Waits::Always)
    };
    // What waits because a part of it does says nothing of when.
    let itself = |id: &&ExpressionId| waits(id) && !inline(body, **id).iter().any(waits);
    let last = all
        .iter()
        .filter(itself)
        .map(|it| body.expression(*it).span.end)
        .max()?;
    let is_read = |id: &&ExpressionId| {
        let expression = body.expression(**id);
        expression.kind == ExpressionKind::Local(local) && expression.span.end <= last
    };
    all.iter().find(is_read).copied()
}

/// The expression and all that is evaluated as part of it.
fn inside(body: &Body, root: ExpressionId) -> Vec<ExpressionId> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(id) = found.get(next).copied() {
        found.extend(inline(body, id));
        next += 1;
    }
    found
}

fn inline(body: &Body, id: ExpressionId) -> Vec<ExpressionId> {
    let children = children(&body.expression(id).kind).into_iter();
    let inline = children.filter_map(|it| match it {
        Child::Inline(id) => Some(id),
        Child::Closure(..) => None,
    });
    inline.collect()
}
