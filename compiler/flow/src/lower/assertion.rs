//! `assert`: what does not hold is shown with both sides of its comparison.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{BinaryOperator, Body, ExpressionId, ExpressionKind, Pattern, UnaryOperator};
use gsw_names::types::Type;
use gsw_names::{KnownItem, source_text};
use gsw_source::Span;

use crate::ir::{BlockId, Operand};
use crate::lower::Purpose;
use crate::lower::builder::Builder;
use crate::lower::emitter::{Emitter, type_word};
use crate::lower::operator;
use crate::lower::operator::Comparison;
use crate::lower::region::Region;
use crate::lower::witness::Witness;

/// The most parts of a condition that are shown beside its sides.
const MOST_WITNESSES: usize = 8;

/// A comparison with what it compares.
struct Compared {
    holds: Operand,
    left: (Operand, Type),
    right: (Operand, Type),
}

/// What is shown: its name, its value.
type Shown = (String, Operand, Type);

impl Builder<'_, '_> {
    /// Keeps the value of a part of a condition that a test asserts, to be shown when it does not hold.
    pub fn witness(&mut self, id: ExpressionId, value: Operand) {
        let ty = self.type_of(id);
        let db = self.program.view.db();
        // What its methods give says more.
        let is_calls = matches!(&ty, Type::Record(item, _) if KnownItem::Calls.is(db, *item));
        if matches!(ty, Type::Unit | Type::Never) || is_calls || self.witnesses.is_none() {
            return;
        }
        let entry = self.type_id(&ty);
        // A copy, because a call after it in the same condition may assign the variable.
        let value = self.copy(value, entry);
        if let Some(witnesses) = &mut self.witnesses {
            witnesses.push(Witness {
                part: id,
                value,
                ty,
            });
        }
    }
}

/// `assert condition, message`; conditions joined by `and` are checked one by one.
pub fn assert(
    builder: &mut Builder<'_, '_>,
    condition: ExpressionId,
    message: Option<ExpressionId>,
    source: &str,
) {
    let body = Arc::clone(&builder.body);
    if let ExpressionKind::Binary {
        operator: BinaryOperator::And,
        left,
        right,
    } = body.expression(condition).kind
    {
        // Each side is an assertion of its own: the message shows the values of the one that fails, and a later one may rely on it.
        for side in [left, right] {
            let db = builder.program.view.db();
            let source = source_text(db, body.item, body.expression(side).span);
            assert(builder, side, message, &source);
        }
        return;
    }
    let (holds, broken) = (builder.block(), builder.block());
    let is_watched = builder.program.purpose == Purpose::Test;
    let outer = std::mem::replace(&mut builder.witnesses, is_watched.then(Vec::new));
    let sides = assert_sides(builder, condition, holds, broken);
    let witnesses = std::mem::replace(&mut builder.witnesses, outer);
    let mut shown = sides;
    // The sides first, so that their names can be aligned and parts which are sides are not shown twice.
    shown.extend(named_witnesses(
        builder,
        condition,
        witnesses.unwrap_or_default(),
    ));
    builder.start(broken);
    let mut text = builder.text(source);
    if let Some(message) = message {
        let message = builder.expression(message);
        // Evaluated only here, on the way to the failure: a message may be costly, or raise.
        text = appended(builder, text, ": ", message);
    }
    let difference = difference(builder, condition, &shown);
    let width = shown
        .iter()
        .map(|it| it.0.chars().count())
        .max()
        .unwrap_or(0);
    for (name, value, ty) in shown {
        let id = builder.type_id(&ty);
        // Functions and tasks have nothing to show.
        if builder.program.is_written(id) {
            let call = RuntimeCall::assertion_shown;
            let value = builder.runtime(builtin::STRING, call, vec![type_word(id), value]);
            text = appended(builder, text, &format!("\n  {name:>width$}: "), value);
        }
    }
    if let Some(difference) = difference {
        let call = RuntimeCall::string_concat;
        text = builder.runtime(builtin::STRING, call, vec![text, difference]);
    }
    builder.raise_assertion_with(text);
    builder.start(holds);
}

/// Where the sides of an `==` that does not hold differ, as text.
fn difference(
    builder: &mut Builder<'_, '_>,
    condition: ExpressionId,
    shown: &[Shown],
) -> Option<Operand> {
    let ExpressionKind::Binary {
        operator: BinaryOperator::Equal,
        ..
    } = builder.body.expression(condition).kind
    else {
        return None;
    };
    let [(_, left, ty), (_, right, _), ..] = shown else {
        return None;
    };
    let id = builder.type_id(ty);
    builder.program.is_written(id).then(|| {
        let call = RuntimeCall::assertion_difference;
        let words = vec![type_word(id), *left, *right];
        builder.runtime(builtin::STRING, call, words)
    })
}

/// What was kept beside the sides of the condition, each named by its text, in the order of the source.
fn named_witnesses(
    builder: &Builder<'_, '_>,
    condition: ExpressionId,
    kept: Vec<Witness>,
) -> Vec<Shown> {
    let mut sides = vec![condition];
    if let ExpressionKind::Binary {
        operator,
        left,
        right,
    } = builder.body.expression(condition).kind
        && Comparison::of(operator).is_some()
    {
        sides.extend([left, right]);
    }
    if let ExpressionKind::In { value, container } = builder.body.expression(condition).kind {
        sides.extend([value, container]);
    }
    let spans = sides.iter().map(|it| builder.body.expression(*it).span);
    let spans: Vec<Span> = spans.collect();
    let mut named: Vec<(u32, Shown)> = Vec::new();
    for Witness { part, value, ty } in kept {
        let span = builder.body.expression(part).span;
        let db = builder.program.view.db();
        let name = source_text(db, builder.body.item, span).to_string();
        // The same text twice is most likely the same value.
        let is_known = spans.contains(&span) || named.iter().any(|it| it.1.0 == name);
        if !is_known && !name.is_empty() && !name.contains('\n') {
            named.push((span.start, (name, Operand::Local(value), ty)));
        }
    }
    named.sort_by_key(|it| it.0);
    named
        .into_iter()
        .map(|it| it.1)
        .take(MOST_WITNESSES)
        .collect()
}

/// Goes to the first block when the condition holds, else to the second; gives the sides of a comparison.
fn assert_sides(
    builder: &mut Builder<'_, '_>,
    condition: ExpressionId,
    holds: BlockId,
    broken: BlockId,
) -> Vec<Shown> {
    let Some(compared) = compared(builder, condition) else {
        watched(builder, condition, holds, broken);
        return Vec::new();
    };
    let Compared {
        holds: value,
        left,
        right,
    } = compared;
    builder.branch(value, holds, broken);
    vec![
        ("left".into(), left.0, left.1),
        ("right".into(), right.0, right.1),
    ]
}

/// Like `branch_on`. A value that is shown must be written on every path to `broken`: of what is joined by `or` all sides are,
/// of other conditions that branch not all parts.
fn watched(
    builder: &mut Builder<'_, '_>,
    condition: ExpressionId,
    holds: BlockId,
    broken: BlockId,
) {
    let body = Arc::clone(&builder.body);
    if let ExpressionKind::Binary {
        operator: BinaryOperator::Or,
        left,
        right,
    } = body.expression(condition).kind
    {
        let further = builder.block();
        watched(builder, left, holds, further);
        builder.start(further);
        return watched(builder, right, holds, broken);
    }
    if !branches(&body, condition) {
        return builder.branch_on(condition, holds, broken);
    }
    let witnesses = builder.witnesses.take();
    builder.branch_on(condition, holds, broken);
    builder.witnesses = witnesses;
}

/// The value of a condition that compares two sides; `None`, and nothing is evaluated, when it does not.
fn compared(builder: &mut Builder<'_, '_>, condition: ExpressionId) -> Option<Compared> {
    let body = Arc::clone(&builder.body);
    if let ExpressionKind::Binary {
        operator,
        left,
        right,
    } = body.expression(condition).kind
    {
        let comparison = Comparison::of(operator)?;
        let values = builder.operands(&[left, right]);
        let ty = operator::compared_type(builder, left, right);
        return Some(Compared {
            holds: builder.comparison(comparison, &ty, values[0], values[1]),
            left: (values[0], ty.clone()),
            right: (values[1], ty),
        });
    }
    let ExpressionKind::In { value, container } = body.expression(condition).kind else {
        return None;
    };
    // A range that is only asked for membership is never made a list, so there is no right side to show.
    if let ExpressionKind::Range { .. } = body.expression(container).kind {
        return None;
    }
    let values = builder.operands(&[value, container]);
    let container = builder.type_of(container);
    Some(Compared {
        holds: builder.contained(values[0], values[1], &container),
        left: (values[0], builder.type_of(value)),
        right: (values[1], container),
    })
}

pub fn assert_fails(
    builder: &mut Builder<'_, '_>,
    value: ExpressionId,
    pattern: &Pattern,
    source: &str,
) {
    let done = builder.block();
    let landing = builder.new_landing();
    builder.open(Region::Catch(landing));
    builder.expression(value);
    builder.close();
    builder.raise_assertion(&format!("{source} did not fail"));

    builder.start(landing.block);
    let error = Operand::Local(landing.error);
    let pass_on = builder.block();
    let call = RuntimeCall::error_is_catchable;
    // A test that is cancelled must end, so an unwinding matches no pattern here either.
    let catchable = builder.runtime(builtin::BOOL, call, vec![error]);
    builder.require(catchable, pass_on);
    let other = builder.block();
    builder.test(pattern, error, other);
    builder.jump(done);
    builder.start(other);
    let text = builder.text(source);
    let call = RuntimeCall::error_named;
    let message = builder.runtime(builtin::STRING, call, vec![error]);
    let text = appended(builder, text, " failed with another error: ", message);
    builder.raise_assertion_with(text);
    builder.start(pass_on);
    builder.pass_on(landing.error);
    builder.start(done);
}

fn appended(emitter: &mut Emitter, text: Operand, between: &str, more: Operand) -> Operand {
    let between = emitter.text(between);
    let call = RuntimeCall::string_concat;
    let text = emitter.runtime(builtin::STRING, call, vec![text, between]);
    emitter.runtime(builtin::STRING, call, vec![text, more])
}

/// Whether parts of a condition may stay unevaluated.
fn branches(body: &Body, condition: ExpressionId) -> bool {
    let kind = &body.expression(condition).kind;
    if let ExpressionKind::Unary {
        operator: UnaryOperator::Not,
        operand,
    } = kind
    {
        return branches(body, *operand);
    }
    matches!(
        kind,
        ExpressionKind::Binary {
            operator: BinaryOperator::And | BinaryOperator::Or,
            ..
        }
    )
}
