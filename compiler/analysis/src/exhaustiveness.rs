//! Whether patterns cover every value: what a `match` misses, arms that are never reached, refutable `let`s.
//!
//! The algorithm is usefulness over a matrix of patterns, as in Luc Maranget's "Warnings for pattern matching".

mod constructor;
mod matrix;
mod pattern;
mod witness;

use gsw_infer::hir::{Arm, Body, Expression, ExpressionKind, Pattern, PatternKind, StatementKind};
use gsw_names::source_text;
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, ItemId, Place, Span};
use rustc_hash::FxHashMap;

use crate::errors;
use constructor::{Constructor, field_types, split};
use matrix::Matrix;
use pattern::{Simple, simplify};
use witness::{Witness, witness_text};

/// How many missing cases are looked for.
const MOST: usize = 100;

/// What the patterns of `body` miss, and which of them are never reached.
#[expect(
    clippy::too_many_lines,
    reason = "one line a form: rustc names what a new form must join"
)]
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
            // What does not match is the other branch's.
            ExpressionKind::Matches { .. } => {}
            ExpressionKind::For { pattern, .. } => refutable(db, body, pattern, &mut found),
            ExpressionKind::Block { statements, .. } => {
                for statement in statements {
                    if let StatementKind::Let { pattern, .. } = &statement.kind {
                        refutable(db, body, pattern, &mut found);
                    }
                }
            }
            ExpressionKind::Int(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Bool(_)
            | ExpressionKind::None
            | ExpressionKind::Unit
            | ExpressionKind::Duration(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Local(_)
            | ExpressionKind::Constant(_)
            | ExpressionKind::FunctionValue { .. }
            | ExpressionKind::ConstructorValue { .. }
            | ExpressionKind::Lambda(_)
            | ExpressionKind::Record { .. }
            | ExpressionKind::Variant { .. }
            | ExpressionKind::ErrorValue { .. }
            | ExpressionKind::List(_)
            | ExpressionKind::Map(_)
            | ExpressionKind::Tuple(_)
            | ExpressionKind::Field { .. }
            | ExpressionKind::TupleField { .. }
            | ExpressionKind::JsonField { .. }
            | ExpressionKind::Index { .. }
            | ExpressionKind::Interpolation(_)
            | ExpressionKind::Unary { .. }
            | ExpressionKind::Binary { .. }
            | ExpressionKind::In { .. }
            | ExpressionKind::Otherwise { .. }
            | ExpressionKind::Chain { .. }
            | ExpressionKind::Range { .. }
            | ExpressionKind::Coerce { .. }
            | ExpressionKind::As(_)
            | ExpressionKind::If { .. }
            | ExpressionKind::While { .. }
            | ExpressionKind::Return(_)
            | ExpressionKind::Break
            | ExpressionKind::Continue
            | ExpressionKind::Fail(_)
            | ExpressionKind::Emit(_)
            | ExpressionKind::Call { .. }
            | ExpressionKind::PromptCall { .. }
            | ExpressionKind::PromptText { .. }
            | ExpressionKind::OfferedTool { .. }
            | ExpressionKind::Spawn(_)
            | ExpressionKind::SpawnDetached { .. }
            | ExpressionKind::Await(_)
            | ExpressionKind::Race(_)
            | ExpressionKind::ParallelFor { .. }
            | ExpressionKind::Parallel(_)
            | ExpressionKind::Step { .. }
            | ExpressionKind::Modified { .. }
            | ExpressionKind::Invalid => {}
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
    let insertion = insertion(db, body.item, expression.span);
    found.push(errors::missing_case(place, &missing, &insertion));
}

/// Where and how arms are put behind the last one of the `match` at `span`.
fn insertion(db: &dyn Db, item: ItemId, span: Span) -> errors::Insertion {
    let text = source_text(db, item, span);
    let inside = text.strip_suffix('}').unwrap_or(&text);
    let last_line = inside.rfind('\n').map(|it| &inside[it + 1..]);
    let at = |length: usize| {
        let end = span.start + u32::try_from(length).unwrap_or(0);
        Place::Item {
            item,
            span: Span::new(end, end),
        }
    };
    match last_line.filter(|it| it.trim().is_empty()) {
        Some(indentation) => errors::Insertion {
            place: at(inside.len() - indentation.len()),
            first: format!("{indentation}  "),
            before: format!("{indentation}  "),
            after: "\n",
        },
        None => {
            let kept = inside.trim_end();
            let first = match kept.chars().next_back() {
                Some('{' | ',') => " ",
                _ => ", ",
            };
            errors::Insertion {
                place: at(kept.len()),
                first: first.to_owned(),
                before: ", ".to_owned(),
                after: "",
            }
        }
    }
}

fn unreachable_arms(
    db: &dyn Db,
    body: &Body,
    ty: &Type,
    arms: &[Arm],
    found: &mut Vec<Diagnostic>,
) {
    let mut above = Above::default();
    for arm in arms {
        let Some(row) = simplify(db, &arm.pattern) else {
            return;
        };
        let rows = above.beside(&row);
        let is_reached =
            Matrix::new(db).is_useful(&rows, std::slice::from_ref(ty), std::slice::from_ref(&row));
        if !is_reached {
            let place = Place::Item {
                item: body.item,
                span: arm.pattern.span,
            };
            found.push(errors::unreachable_arm(place));
        } else if let PatternKind::Or(sides) = &arm.pattern.kind {
            unreachable_sides(db, body, ty, sides, &rows, found);
        }
        if arm.guard.is_none() {
            above.add(row);
        }
    }
}

/// The arms above one, so that each looks at those only that can cover the same.
#[derive(Default)]
struct Above {
    exact: FxHashMap<Constructor, Vec<Vec<Simple>>>,
    other: Vec<Vec<Simple>>,
}

impl Above {
    fn add(&mut self, row: Simple) {
        match row {
            Simple::Or(parts) => parts.into_iter().for_each(|it| self.add(it)),
            Simple::Made(ref constructor, _) if constructor.is_exact() => {
                let group = self.exact.entry(constructor.clone()).or_default();
                group.push(vec![row]);
            }
            row @ (Simple::Wildcard | Simple::Made(..) | Simple::Opaque) => {
                self.other.push(vec![row])
            }
        }
    }

    /// The rows that may cover something of `row`.
    fn beside(&self, row: &Simple) -> Vec<Vec<Simple>> {
        let exact: Vec<&Vec<Vec<Simple>>> = match row {
            Simple::Made(constructor, _) if constructor.is_exact() => {
                self.exact.get(constructor).into_iter().collect()
            }
            Simple::Wildcard | Simple::Made(..) | Simple::Or(_) | Simple::Opaque => {
                self.exact.values().collect()
            }
        };
        let rows = exact.into_iter().flatten().chain(&self.other);
        rows.cloned().collect()
    }
}

/// Sides of a `|` that the arms above and the sides before leave nothing to.
fn unreachable_sides(
    db: &dyn Db,
    body: &Body,
    ty: &Type,
    sides: &[Pattern],
    above: &[Vec<Simple>],
    found: &mut Vec<Diagnostic>,
) {
    // What is looked through for each side grows with their number.
    if sides.len() > MOST {
        return;
    }
    let mut above = above.to_vec();
    for side in sides {
        let Some(row) = simplify(db, side) else {
            return;
        };
        let types = std::slice::from_ref(ty);
        if !Matrix::new(db).is_useful(&above, types, std::slice::from_ref(&row)) {
            let place = Place::Item {
                item: body.item,
                span: side.span,
            };
            found.push(errors::unreachable_side(place));
        }
        above.push(vec![row]);
    }
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
    let mut rows = Vec::new();
    for arm in arms {
        match simplify(db, &arm.pattern)? {
            Simple::Or(parts) => rows.extend(parts.into_iter().map(|it| vec![it])),
            row @ (Simple::Wildcard | Simple::Made(..) | Simple::Opaque) => rows.push(vec![row]),
        }
    }
    Some(rows)
}

fn uncovered(db: &dyn Db, ty: &Type, rows: Vec<Vec<Simple>>) -> Vec<String> {
    let witnesses = match rows.is_empty() {
        // Without any pattern nothing asks for the cases of the type.
        true => split(db, ty, &[])
            .into_iter()
            .take(MOST)
            .map(|it| {
                let parts = field_types(db, &it, ty);
                let parts = parts.iter().map(Witness::any).collect();
                vec![Witness::made(ty, it, parts)]
            })
            .collect(),
        false => Matrix::new(db).missing(&rows, std::slice::from_ref(ty), MOST),
    };
    let mut texts: Vec<String> = Vec::new();
    for witness in witnesses.iter().filter_map(|it| it.first()) {
        let text = witness_text(db, witness);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
