//! What of a `where` JSON Schema can say.

use gsw_abi::types::Bound;
use gsw_semantics::hir::{
    BinaryOperator, Body, BodyPart, Callee, ExpressionId, ExpressionKind, UnaryOperator,
};

use crate::program_view::ProgramView;

/// The bounds that a check puts on `it`, its first parameter; together they may be weaker than the check.
pub(crate) fn bounds(view: &dyn ProgramView, body: &Body) -> Vec<Bound> {
    let mut found = Vec::new();
    Search { view, body }.condition(body.root, &mut found);
    found
}

/// What a comparison bounds.
enum Bounded {
    Value,
    Length,
}

struct Search<'a> {
    view: &'a dyn ProgramView,
    body: &'a Body,
}

impl Search<'_> {
    fn condition(&self, id: ExpressionId, found: &mut Vec<Bound>) {
        match &self.body.expression(id).kind {
            ExpressionKind::Binary {
                operator: BinaryOperator::And,
                left,
                right,
            } => {
                self.condition(*left, found);
                self.condition(*right, found);
            }
            ExpressionKind::Binary {
                operator,
                left,
                right,
            } => {
                if let Some(bounded) = self.bounded(*left) {
                    found.extend(self.bound(&bounded, *operator, *right));
                } else if let Some(bounded) = self.bounded(*right) {
                    found.extend(self.bound(&bounded, mirrored(*operator), *left));
                }
            }
            ExpressionKind::Block {
                statements,
                tail: Some(tail),
            } if statements.is_empty() => self.condition(*tail, found),
            ExpressionKind::Call { callee, arguments } => {
                if self.intrinsic(callee).as_deref() == Some("string_matches")
                    && let [(_, text), (_, pattern)] = arguments.as_slice()
                    && self.is_it(*text)
                    && let ExpressionKind::String(pattern) = &self.body.expression(*pattern).kind
                {
                    found.push(Bound::Pattern(pattern.to_string()));
                }
            }
            _ => {}
        }
    }

    fn bound(
        &self,
        bounded: &Bounded,
        operator: BinaryOperator,
        limit: ExpressionId,
    ) -> Option<Bound> {
        use BinaryOperator as Op;
        if let Some(limit) = self.float(limit) {
            let bits = limit.to_bits();
            return match operator {
                Op::GreaterEqual => Some(Bound::MinFloat(bits)),
                Op::Greater => Some(Bound::AboveFloat(bits)),
                Op::LessEqual => Some(Bound::MaxFloat(bits)),
                Op::Less => Some(Bound::BelowFloat(bits)),
                _ => None,
            };
        }
        let limit = self.int(limit)?;
        let (least, most) = match operator {
            Op::GreaterEqual => (Some(limit), None),
            Op::Greater => (Some(limit.checked_add(1)?), None),
            Op::LessEqual => (None, Some(limit)),
            Op::Less => (None, Some(limit.checked_sub(1)?)),
            _ => return None,
        };
        match bounded {
            Bounded::Value => least.map(Bound::MinInt).or(most.map(Bound::MaxInt)),
            Bounded::Length => {
                let length = |it: i64| u64::try_from(it).ok();
                let least = least.and_then(length).map(Bound::MinLength);
                least.or(most.and_then(length).map(Bound::MaxLength))
            }
        }
    }

    fn bounded(&self, id: ExpressionId) -> Option<Bounded> {
        if self.is_it(id) {
            return Some(Bounded::Value);
        }
        let ExpressionKind::Call { callee, arguments } = &self.body.expression(id).kind else {
            return None;
        };
        let is_length = matches!(
            self.intrinsic(callee).as_deref(),
            Some("string_len" | "list_len" | "map_len")
        );
        let [(_, of)] = arguments.as_slice() else {
            return None;
        };
        (is_length && self.is_it(*of)).then_some(Bounded::Length)
    }

    /// Whether this is `it`, conversions aside.
    fn is_it(&self, id: ExpressionId) -> bool {
        match &self.body.expression(id).kind {
            ExpressionKind::Local(local) => self.body.parameters.first() == Some(local),
            ExpressionKind::Coerce { value, .. } => self.is_it(*value),
            _ => false,
        }
    }

    fn intrinsic(&self, callee: &Callee) -> Option<String> {
        let Callee::Item { item, .. } = callee else {
            return None;
        };
        self.view
            .signature(*item)
            .intrinsic
            .as_ref()
            .map(ToString::to_string)
    }

    fn int(&self, id: ExpressionId) -> Option<i64> {
        match &self.body.expression(id).kind {
            ExpressionKind::Int(value) => Some(*value),
            ExpressionKind::Unary {
                operator: UnaryOperator::Negate,
                operand,
            } => self.int(*operand)?.checked_neg(),
            ExpressionKind::Constant(item) => {
                let body = self.view.body(*item, BodyPart::Main)?;
                match body.expression(body.root).kind {
                    ExpressionKind::Int(value) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn float(&self, id: ExpressionId) -> Option<f64> {
        match &self.body.expression(id).kind {
            ExpressionKind::Float(bits) => Some(f64::from_bits(*bits)),
            ExpressionKind::Unary {
                operator: UnaryOperator::Negate,
                operand,
            } => Some(-self.float(*operand)?),
            ExpressionKind::Constant(item) => {
                let body = self.view.body(*item, BodyPart::Main)?;
                match body.expression(body.root).kind {
                    ExpressionKind::Float(bits) => Some(f64::from_bits(bits)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The operator that says the same with the sides exchanged.
fn mirrored(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessEqual => BinaryOperator::GreaterEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterEqual => BinaryOperator::LessEqual,
        other => other,
    }
}
