//! `assert`: what does not hold is shown with both sides of its comparison.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::call::RuntimeCall;
use gsw_infer::hir::{BinaryOperator, Body, ExpressionId, ExpressionKind, Pattern, UnaryOperator};
use gsw_names::source_text;
use gsw_names::types::Type;
use gsw_source::Span;

use crate::ir::{BlockId, LocalId, Operand};
use crate::lower::Purpose;
use crate::lower::builder::{Builder, type_word};
use crate::lower::operator::Comparison;
use crate::lower::region::Region;

/// So many parts of a condition are shown beside its sides.
const MOST_WITNESSES: usize = 8;

/// A part of a condition and its value.
pub(crate) type Witness = (ExpressionId, LocalId, Type);

/// A comparison with what it compares.
struct Compared {
    /// A bool.
    holds: Operand,
    left: (Operand, Type),
    right: (Operand, Type),
}

/// What is shown: its name, its value.
type Shown = (String, Operand, Type);

impl Builder<'_, '_> {
    /// `assert condition, message`; of conditions joined by `and` each stands for itself.
    pub fn assert(&mut self, condition: ExpressionId, message: Option<ExpressionId>, source: &str) {
        let body = Arc::clone(&self.body);
        if let ExpressionKind::Binary {
            operator: BinaryOperator::And,
            left,
            right,
        } = body.expression(condition).kind
        {
            self.assert(left, message, source);
            self.assert(right, message, source);
            return;
        }
        let (holds, broken) = (self.block(), self.block());
        let is_watched = self.program.purpose == Purpose::Test && !branches(&body, condition);
        let outer = std::mem::replace(&mut self.witnesses, is_watched.then(Vec::new));
        let sides = self.assert_sides(condition, holds, broken);
        let witnesses = std::mem::replace(&mut self.witnesses, outer);
        let mut shown = sides;
        shown.extend(self.named_witnesses(condition, witnesses.unwrap_or_default()));
        self.start(broken);
        let mut text = self.text(source);
        if let Some(message) = message {
            let message = self.expression(message);
            text = self.appended(text, ": ", message);
        }
        let width = shown
            .iter()
            .map(|it| it.0.chars().count())
            .max()
            .unwrap_or(0);
        for (name, value, ty) in shown {
            let id = self.type_id(&ty);
            if self.program.is_written(id) {
                let call = RuntimeCall::assertion_shown;
                let value = self.runtime(builtin::STRING, call, vec![type_word(id), value]);
                text = self.appended(text, &format!("\n  {name:>width$}: "), value);
            }
        }
        self.raise_assertion_with(text);
        self.start(holds);
    }

    /// Keeps the value of a part of a condition that a test asserts, to be shown when it does not hold.
    pub fn witness(&mut self, id: ExpressionId, value: Operand) {
        let ty = self.type_of(id);
        if matches!(ty, Type::Unit | Type::Never) || self.witnesses.is_none() {
            return;
        }
        let entry = self.type_id(&ty);
        let value = self.copy(value, entry);
        if let Some(witnesses) = &mut self.witnesses {
            witnesses.push((id, value, ty));
        }
    }

    /// What was kept beside the sides of the condition, each named by its text, in the order of the source.
    fn named_witnesses(&self, condition: ExpressionId, kept: Vec<Witness>) -> Vec<Shown> {
        let mut sides = vec![condition];
        if let ExpressionKind::Binary { left, right, .. } = self.body.expression(condition).kind {
            sides.extend([left, right]);
        }
        if let ExpressionKind::In { value, container } = self.body.expression(condition).kind {
            sides.extend([value, container]);
        }
        let spans = sides.iter().map(|it| self.body.expression(*it).span);
        let spans: Vec<Span> = spans.collect();
        let mut named: Vec<(u32, Shown)> = Vec::new();
        for (id, value, ty) in kept {
            let span = self.body.expression(id).span;
            let db = self.program.view.db();
            let name = source_text(db, self.body.item, span).to_string();
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
        &mut self,
        condition: ExpressionId,
        holds: BlockId,
        broken: BlockId,
    ) -> Vec<Shown> {
        let Some(compared) = self.compared(condition) else {
            self.branch_on(condition, holds, broken);
            return Vec::new();
        };
        let Compared {
            holds: value,
            left,
            right,
        } = compared;
        self.branch(value, holds, broken);
        vec![
            ("left".into(), left.0, left.1),
            ("right".into(), right.0, right.1),
        ]
    }

    /// The value of a condition that compares two sides; `None`, and nothing is evaluated, when it does not.
    fn compared(&mut self, condition: ExpressionId) -> Option<Compared> {
        let body = Arc::clone(&self.body);
        if let ExpressionKind::Binary {
            operator,
            left,
            right,
        } = body.expression(condition).kind
        {
            let comparison = Comparison::of(operator)?;
            let values = self.operands(&[left, right]);
            let ty = self.compared_type(left, right);
            return Some(Compared {
                holds: self.comparison(comparison, &ty, values[0], values[1]),
                left: (values[0], ty.clone()),
                right: (values[1], ty),
            });
        }
        let ExpressionKind::In { value, container } = body.expression(condition).kind else {
            return None;
        };
        if let ExpressionKind::Range { .. } = body.expression(container).kind {
            return None;
        }
        let values = self.operands(&[value, container]);
        let container = self.type_of(container);
        Some(Compared {
            holds: self.contained(values[0], values[1], &container),
            left: (values[0], self.type_of(value)),
            right: (values[1], container),
        })
    }

    /// `assert value fails pattern`
    pub fn assert_fails(&mut self, value: ExpressionId, pattern: &Pattern, source: &str) {
        let done = self.block();
        let landing = self.new_landing();
        self.regions.push(Region::Catch(landing));
        self.expression(value);
        self.regions.pop();
        self.raise_assertion(&format!("{source} did not fail"));

        self.start(landing.block);
        let error = Operand::Local(landing.error);
        let pass_on = self.block();
        let call = RuntimeCall::error_is_catchable;
        let catchable = self.runtime(builtin::BOOL, call, vec![error]);
        self.require(catchable, pass_on);
        let other = self.block();
        self.test(pattern, error, other);
        self.jump(done);
        self.start(other);
        let text = self.text(source);
        let call = RuntimeCall::error_message;
        let message = self.runtime(builtin::STRING, call, vec![error]);
        let text = self.appended(text, " failed with another error: ", message);
        self.raise_assertion_with(text);
        self.start(pass_on);
        self.pass_on(landing.error);
        self.start(done);
    }

    fn appended(&mut self, text: Operand, between: &str, more: Operand) -> Operand {
        let between = self.text(between);
        let call = RuntimeCall::string_concat;
        let text = self.runtime(builtin::STRING, call, vec![text, between]);
        self.runtime(builtin::STRING, call, vec![text, more])
    }
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
