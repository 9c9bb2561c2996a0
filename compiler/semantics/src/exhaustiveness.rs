//! Whether patterns cover every value: what a `match` misses, arms that are never reached, refutable `let`s.
//!
//! The algorithm is usefulness over a matrix of patterns, as in Luc Maranget's "Warnings for pattern matching".

mod constructor;
mod matrix;
mod pattern;
mod witness;

use gsw_source::{Db, Diagnostic, Place, Span};

use crate::errors;
use crate::hir::{Arm, Body, Expression, ExpressionKind, Pattern, PatternKind, StatementKind};
use crate::types::Type;
use matrix::Matrix;
use pattern::{Simple, simplify};
use witness::witness_text;

/// How many missing cases a report names.
const SHOWN: usize = 4;

/// What the patterns of `body` miss, and which of them are never reached.
pub fn pattern_diagnostics(db: &dyn Db, body: &Body) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for expression in &body.expressions {
        match &expression.kind {
            ExpressionKind::Match { value, arms } => {
                let value = body.expression(*value);
                missing_cases(db, body, expression, value, arms, &mut found);
                unreachable_arms(db, body, &value.ty, arms, &mut found);
            }
            ExpressionKind::Catch { arms, .. } => {
                unreachable_arms(db, body, &Type::Error, arms, &mut found);
            }
            ExpressionKind::For { pattern, .. } => refutable(db, body, pattern, &mut found),
            ExpressionKind::Block { statements, .. } => {
                for statement in statements {
                    if let StatementKind::Let { pattern, .. } = &statement.kind {
                        refutable(db, body, pattern, &mut found);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn missing_cases(
    db: &dyn Db,
    body: &Body,
    expression: &Expression,
    value: &Expression,
    arms: &[Arm],
    found: &mut Vec<Diagnostic>,
) {
    let Some(rows) = rows(db, arms.iter().filter(|arm| arm.guard.is_none())) else {
        return;
    };
    let missing = uncovered(db, &value.ty, rows);
    if missing.is_empty() {
        return;
    }
    let span = Span::new(
        expression.span.start,
        value.span.end.max(expression.span.start),
    );
    let place = Place::Item {
        item: body.item,
        span,
    };
    found.push(errors::missing_case(place, &missing));
}

fn unreachable_arms(
    db: &dyn Db,
    body: &Body,
    ty: &Type,
    arms: &[Arm],
    found: &mut Vec<Diagnostic>,
) {
    let mut above: Vec<Vec<Simple>> = Vec::new();
    for arm in arms {
        let Some(row) = simplify(db, &arm.pattern) else {
            return;
        };
        let is_reached =
            Matrix::new(db).is_useful(&above, std::slice::from_ref(ty), std::slice::from_ref(&row));
        if !is_reached && !is_made_up(arm) {
            let place = Place::Item {
                item: body.item,
                span: arm.pattern.span,
            };
            found.push(errors::unreachable_arm(place));
        }
        if arm.guard.is_none() {
            above.push(vec![row]);
        }
    }
}

/// The arm that an `if let` without `else` gets has no text of its own.
fn is_made_up(arm: &Arm) -> bool {
    let span = arm.pattern.span;
    matches!(arm.pattern.kind, PatternKind::Wildcard) && span.end.saturating_sub(span.start) != 1
}

fn refutable(db: &dyn Db, body: &Body, pattern: &Pattern, found: &mut Vec<Diagnostic>) {
    let Some(row) = simplify(db, pattern) else {
        return;
    };
    let missing = uncovered(db, &pattern.ty, vec![vec![row]]);
    if !missing.is_empty() {
        let place = Place::Item {
            item: body.item,
            span: pattern.span,
        };
        found.push(errors::refutable_pattern(place, &missing));
    }
}

/// `None` when a pattern is invalid, which has been reported.
fn rows<'a>(db: &dyn Db, arms: impl Iterator<Item = &'a Arm>) -> Option<Vec<Vec<Simple>>> {
    arms.map(|arm| simplify(db, &arm.pattern).map(|it| vec![it]))
        .collect()
}

fn uncovered(db: &dyn Db, ty: &Type, rows: Vec<Vec<Simple>>) -> Vec<String> {
    let witnesses = Matrix::new(db).missing(&rows, std::slice::from_ref(ty), SHOWN);
    let mut texts: Vec<String> = Vec::new();
    for witness in witnesses.iter().filter_map(|it| it.first()) {
        let text = witness_text(db, witness);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
