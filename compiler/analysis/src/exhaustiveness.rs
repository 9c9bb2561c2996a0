//! Whether patterns cover every value: what a `match` misses, arms that are never reached, refutable `let`s.
//!
//! The algorithm is usefulness over a matrix of patterns, as in Luc Maranget's "Warnings for pattern matching".

mod constructor;
mod matrix;
mod mocks;
mod pattern;
mod witness;

use gsw_infer::hir::{Arm, Body, Expression, ExpressionKind, Pattern, PatternKind, StatementKind};
use gsw_names::source_text;
use gsw_names::types::Type;
use gsw_source::{Db, Diagnostic, ItemId, Place, Span};
use rustc_hash::FxHashMap;

use crate::errors;
use constructor::{Constructor, field_types, split};
use matrix::{Matrix, TooComplex};
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
    mocks::unreachable_mocks(db, body, &mut found);
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
            // What does not match is the other branch's, and something has to be.
            ExpressionKind::Matches { pattern, .. } => irrefutable(db, body, pattern, &mut found),
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
            | ExpressionKind::Undo(_)
            | ExpressionKind::SpawnDetached { .. }
            | ExpressionKind::Await(_)
            | ExpressionKind::Race { .. }
            | ExpressionKind::ParallelFor { .. }
            | ExpressionKind::Parallel { .. }
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
    // A guard may be false, so its arm covers nothing for sure.
    let sure = arms.iter().filter(|arm| arm.guard.is_none());
    let rows = sure.map(|arm| simplify(db, &arm.pattern));
    let Some(rows) = rows.collect::<Option<Vec<Simple>>>() else {
        return;
    };
    let span = Span::new(
        expression.span.start,
        value.span.end.max(expression.span.start),
    );
    let place = body.place(span);
    match uncovered(db, &value.ty, &rows) {
        Ok(missing) if missing.is_empty() => {}
        Ok(missing) => {
            let insertion = insertion(db, body.item, expression.span);
            found.push(errors::missing_case(place, &missing, &insertion));
        }
        // No answer is reported as an error and not taken for covered: a `match` without a fitting arm would have no value.
        Err(TooComplex) => {
            let insertion = insertion(db, body.item, expression.span);
            found.push(errors::match_too_complex(place, &insertion));
        }
    }
}

/// Where and how arms are put after the last one of the `match` at `span`.
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

/// Warns of arms that are surely never reached: one that is too complex to be decided is not reported.
fn unreachable_arms(
    db: &dyn Db,
    body: &Body,
    ty: &Type,
    arms: &[Arm],
    found: &mut Vec<Diagnostic>,
) {
    let rows = arms.iter().map(|arm| simplify(db, &arm.pattern));
    // Those before an invalid pattern, which has been reported.
    let rows: Vec<Simple> = rows.map_while(|it| it).collect();
    // One matrix for all arms: they share its columns, its memory of what covers everything, and its steps.
    let mut matrix = Matrix::new(db, ty);
    let mut above = Above::default();
    for (arm, row) in arms.iter().zip(&rows) {
        // A `match` over a thousand texts would else compare each arm with every arm above it.
        let beside = above.beside(row);
        let is_reached = matrix
            .is_useful(beside.iter().copied(), row)
            .unwrap_or(true);
        if !is_reached {
            let place = body.place(arm.pattern.span);
            found.push(errors::unreachable_arm(place));
        } else if let (PatternKind::Or(sides), Simple::Or(rows)) = (&arm.pattern.kind, row) {
            unreachable_sides(body, &mut matrix, sides.iter().zip(rows), beside, found);
        }
        if arm.guard.is_none() {
            above.add(row);
        }
    }
}

/// The arms above one, so that each looks only at those that can cover the same values.
#[derive(Default)]
struct Above<'p> {
    exact: FxHashMap<&'p Constructor, Vec<&'p Simple>>,
    other: Vec<&'p Simple>,
}

impl<'p> Above<'p> {
    fn add(&mut self, row: &'p Simple) {
        match row {
            Simple::Or(parts) => parts.iter().for_each(|it| self.add(it)),
            Simple::Made(constructor, _) if constructor.is_exact() => {
                self.exact.entry(constructor).or_default().push(row);
            }
            Simple::Made(..) | Simple::Wildcard | Simple::Opaque => self.other.push(row),
        }
    }

    /// The rows that may cover something of `row`.
    fn beside(&self, row: &Simple) -> Vec<&'p Simple> {
        let exact: Vec<&Vec<&Simple>> = match row {
            Simple::Made(constructor, _) if constructor.is_exact() => {
                self.exact.get(constructor).into_iter().collect()
            }
            Simple::Made(..) | Simple::Or(_) | Simple::Wildcard | Simple::Opaque => {
                self.exact.values().collect()
            }
        };
        let rows = exact.into_iter().flatten().chain(&self.other);
        rows.copied().collect()
    }
}

/// Sides of a `|` that the arms above and the sides before leave nothing to.
fn unreachable_sides<'p>(
    body: &Body,
    matrix: &mut Matrix<'p>,
    sides: impl ExactSizeIterator<Item = (&'p Pattern, &'p Simple)>,
    mut above: Vec<&'p Simple>,
    found: &mut Vec<Diagnostic>,
) {
    // What is looked through for each side grows with their number.
    if sides.len() > MOST {
        return;
    }
    for (side, row) in sides {
        // Without an answer the side counts as reached: a missing warning is better than a wrong one.
        if !matrix.is_useful(above.iter().copied(), row).unwrap_or(true) {
            let place = body.place(side.span);
            found.push(errors::unreachable_side(place));
        }
        above.push(row);
    }
}

fn refutable(db: &dyn Db, body: &Body, pattern: &Pattern, found: &mut Vec<Diagnostic>) {
    let Some(row) = simplify(db, pattern) else {
        return;
    };
    let place = body.place(pattern.span);
    match uncovered(db, &pattern.ty, &[row]) {
        Ok(missing) if missing.is_empty() => {}
        Ok(missing) => found.push(errors::refutable_pattern(place, &missing)),
        Err(TooComplex) => found.push(errors::pattern_too_complex(place)),
    }
}

/// Warns of the pattern of a condition that decides nothing. One that is too complex is not reported.
fn irrefutable(db: &dyn Db, body: &Body, pattern: &Pattern, found: &mut Vec<Diagnostic>) {
    if matches!(pattern.ty, Type::Invalid | Type::Never) {
        return;
    }
    let Some(row) = simplify(db, pattern) else {
        return;
    };
    if uncovered(db, &pattern.ty, &[row]).is_ok_and(|it| it.is_empty()) {
        let place = body.place(pattern.span);
        let is_absence =
            pattern.kind == PatternKind::Wildcard && matches!(pattern.ty, Type::Optional(_));
        let takes = match is_absence {
            true => errors::Takes::Absence,
            false => errors::Takes::Value,
        };
        found.push(errors::always_matches(place, takes));
    }
}

/// What none of `rows` covers, as source text.
fn uncovered(db: &dyn Db, ty: &Type, rows: &[Simple]) -> Result<Vec<String>, TooComplex> {
    // The matrix splits only at columns that some row looks into, so without rows it would answer `_` for every type.
    let witnesses = match rows.is_empty() {
        // Without any pattern nothing asks for the cases of the type.
        true => split(db, ty, &[])
            .into_iter()
            .take(MOST)
            .map(|it| {
                let parts = field_types(db, &it, ty);
                let parts = parts.iter().map(Witness::any).collect();
                Witness::made(ty, it, parts)
            })
            .collect(),
        false => Matrix::new(db, ty).missing(rows.iter(), MOST)?,
    };
    let mut texts: Vec<String> = Vec::new();
    for witness in &witnesses {
        let text = witness_text(db, witness);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Ok(texts)
}
