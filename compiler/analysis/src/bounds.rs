//! What JSON Schema can say of a `where`.

use gsw_abi::types::Bound;
use gsw_infer::hir::{
    BinaryOperator, Body, BodyPart, Callee, Coercion, EqualityOperator, ExpressionId,
    ExpressionKind, LocalId, OperatorClass, OrderOperator, PatternKind, RangeEnd, UnaryOperator,
};
use gsw_infer::infer_item;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId};

use crate::constant::{ConstantValue, known_value, library_name};

/// What JSON Schema can say of a `where`: never more than it says, and of each part between two `and`s all or nothing.
pub fn check_bounds(db: &dyn Db, item: ItemId, part: BodyPart) -> Vec<Bound> {
    let bodies = &infer_item(db, item).bodies;
    let body = bodies.iter().map(|it| &**it).find(|it| it.part == part);
    let Some((body, it)) = body.and_then(|body| Some((body, *body.parameters.first()?))) else {
        return Vec::new();
    };
    let (it, root) = present(body, it).unwrap_or((it, body.root));
    let mut found = Vec::new();
    Check { db, body, it }.add_bounds(root, &mut found);
    found
}

/// The value that the check of an optional sees, and the check: one arm of a `match`, of which the other is `true`.
fn present(body: &Body, given: LocalId) -> Option<(LocalId, ExpressionId)> {
    let ExpressionKind::Match { value, arms } = &body.expression(body.root).kind else {
        return None;
    };
    let [arm, _] = arms.as_slice() else {
        return None;
    };
    let PatternKind::Some(inner) = &arm.pattern.kind else {
        return None;
    };
    let PatternKind::Binding(present) = inner.kind else {
        return None;
    };
    let is_given =
        matches!(body.expression(*value).kind, ExpressionKind::Local(local) if local == given);
    (is_given && inner.span == arm.pattern.span).then_some((present, arm.body))
}

/// A `where` whose `it` is a local of its body.
struct Check<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    it: LocalId,
}

impl Check<'_> {
    /// Only what every value that passes must satisfy counts: both sides of `and`, nothing of `or`.
    fn add_bounds(&self, id: ExpressionId, found: &mut Vec<Bound>) {
        let kind = &self.body.expression(id).kind;
        if let ExpressionKind::Block {
            statements,
            tail: Some(tail),
        } = kind
            && statements.is_empty()
        {
            self.add_bounds(*tail, found);
        } else if let ExpressionKind::Binary {
            operator,
            left,
            right,
        } = kind
        {
            if *operator == BinaryOperator::And {
                self.add_bounds(*left, found);
                self.add_bounds(*right, found);
            } else if let Some(limit) = self.known(*right) {
                found.extend(self.bound(*left, *operator, &limit));
            } else if let Some(limit) = self.known(*left) {
                found.extend(self.bound(*right, mirrored(*operator), &limit));
            }
        } else if let ExpressionKind::In { value, container } = kind {
            found.extend(self.membership(*value, *container));
        } else {
            found.extend(self.of_call(id));
        }
    }

    /// The bound that a call is, or `not` before it.
    fn of_call(&self, id: ExpressionId) -> Option<Bound> {
        if let ExpressionKind::Unary {
            operator: UnaryOperator::Not,
            operand,
        } = &self.body.expression(id).kind
        {
            let [(_, text)] = self.library_call(*operand, "is_empty")? else {
                return None;
            };
            return self.is_it(*text).then_some(Bound::MinLength(1));
        }
        if let Some([(_, text), (_, pattern)]) = self.library_call(id, "matches")
            && self.is_it(*text)
            && let ExpressionKind::String(pattern) = &self.body.expression(*pattern).kind
        {
            return Some(Bound::Pattern(pattern.to_string()));
        }
        self.part_of_text(id)
    }

    /// The pattern of `it.contains("…")` and the like, of a string.
    fn part_of_text(&self, id: ExpressionId) -> Option<Bound> {
        let forms = [
            ("contains", "", ""),
            ("starts_with", "^", ""),
            ("ends_with", "", "$"),
        ];
        forms.into_iter().find_map(|(name, before, after)| {
            let [(_, text), (_, part)] = self.library_call(id, name)? else {
                return None;
            };
            let is_text = self.body.expression(*text).ty == Type::String && self.is_it(*text);
            let ExpressionKind::String(part) = &self.body.expression(*part).kind else {
                return None;
            };
            is_text.then(|| Bound::Pattern(format!("{before}{}{after}", escaped(part))))
        })
    }

    /// The arguments of a call of a library's function of this name.
    fn library_call(&self, id: ExpressionId, name: &str) -> Option<&[(u32, ExpressionId)]> {
        let ExpressionKind::Call {
            callee: Callee::Item { item, .. },
            arguments,
        } = &self.body.expression(id).kind
        else {
            return None;
        };
        (library_name(self.db, *item) == Some(name)).then_some(arguments)
    }

    /// The bound that `value in container` sets, when `value` is `it` or its length.
    fn membership(&self, value: ExpressionId, container: ExpressionId) -> Option<Bound> {
        let ExpressionKind::Range {
            start,
            end,
            range_end,
        } = &self.body.expression(container).kind
        else {
            let ConstantValue::List(values) = self.known(container)? else {
                return None;
            };
            return self.is_it(value).then(|| one_of(&values)).flatten();
        };
        let (ConstantValue::Int(start), ConstantValue::Int(end)) =
            (self.known(*start)?, self.known(*end)?)
        else {
            return None;
        };
        let end = match range_end {
            RangeEnd::Exclusive => end.checked_sub(1)?,
            RangeEnd::Inclusive => end,
        };
        if self.is_it(value) {
            return Some(Bound::BetweenInts(start, end));
        }
        let least = u64::try_from(start.max(0)).ok()?;
        let most = u64::try_from(end).ok()?;
        self.is_length(value)
            .then_some(Bound::BetweenLengths(least, most))
    }

    /// The bound that `left operator limit` sets, when `left` is `it` or its length.
    fn bound(
        &self,
        left: ExpressionId,
        operator: BinaryOperator,
        limit: &ConstantValue,
    ) -> Option<Bound> {
        if self.is_it(left) {
            return bound_of_it(operator, limit);
        }
        let ConstantValue::Int(n) = limit else {
            return None;
        };
        if !self.is_length(left) {
            return None;
        }
        let length = |n: i64| u64::try_from(n).ok();
        use BinaryOperator as Operator;
        Some(match operator {
            Operator::GreaterEqual => Bound::MinLength(length(*n)?),
            Operator::Greater => Bound::MinLength(length(n.checked_add(1)?)?),
            Operator::LessEqual => Bound::MaxLength(length(*n)?),
            Operator::Less => Bound::MaxLength(length(n.checked_sub(1)?)?),
            Operator::Equal => Bound::BetweenLengths(length(*n)?, length(*n)?),
            Operator::NotEqual if *n == 0 => Bound::MinLength(1),
            Operator::And
            | Operator::Or
            | Operator::NotEqual
            | Operator::Add
            | Operator::Subtract
            | Operator::Multiply
            | Operator::Divide
            | Operator::Remainder => return None,
        })
    }

    fn known(&self, id: ExpressionId) -> Option<ConstantValue> {
        known_value(self.db, self.body, id)
    }

    fn is_length(&self, id: ExpressionId) -> bool {
        let arguments = self.library_call(id, "len");
        arguments
            .and_then(|it| it.first())
            .is_some_and(|(_, of)| self.is_it(*of))
    }

    fn is_it(&self, id: ExpressionId) -> bool {
        let kind = &self.body.expression(id).kind;
        if let ExpressionKind::Coerce {
            value,
            coercion: Coercion::Widen,
        } = kind
        {
            return self.is_it(*value);
        }
        matches!(kind, ExpressionKind::Local(local) if *local == self.it)
    }
}

/// The bound of a value that is one of these.
fn one_of(values: &[ConstantValue]) -> Option<Bound> {
    let int = |it: &ConstantValue| match it {
        ConstantValue::Int(it) => Some(*it),
        ConstantValue::Bool(_)
        | ConstantValue::Float(_)
        | ConstantValue::Duration(_)
        | ConstantValue::Text(_)
        | ConstantValue::List(_) => None,
    };
    let text = |it: &ConstantValue| match it {
        ConstantValue::Text(it) => Some(it.to_string()),
        ConstantValue::Bool(_)
        | ConstantValue::Int(_)
        | ConstantValue::Float(_)
        | ConstantValue::Duration(_)
        | ConstantValue::List(_) => None,
    };
    if values.is_empty() {
        return None;
    }
    let ints: Option<Vec<i64>> = values.iter().map(int).collect();
    let texts = || values.iter().map(text).collect::<Option<Vec<String>>>();
    ints.map(Bound::Ints).or_else(|| texts().map(Bound::Texts))
}

/// The text as a regular expression that means it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if r"\.^$|?*+()[]{}".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// The bound that `it operator limit` sets.
fn bound_of_it(operator: BinaryOperator, limit: &ConstantValue) -> Option<Bound> {
    use OrderOperator as Order;
    match (operator.class(), limit) {
        (OperatorClass::Order(order), ConstantValue::Int(n)) => Some(match order {
            Order::GreaterEqual => Bound::MinInt(*n),
            Order::Greater => Bound::MinInt(n.checked_add(1)?),
            Order::LessEqual => Bound::MaxInt(*n),
            Order::Less => Bound::MaxInt(n.checked_sub(1)?),
        }),
        (OperatorClass::Order(order), ConstantValue::Float(x)) => Some(match order {
            Order::GreaterEqual => Bound::MinFloat(x.to_bits()),
            Order::Greater => Bound::AboveFloat(x.to_bits()),
            Order::LessEqual => Bound::MaxFloat(x.to_bits()),
            Order::Less => Bound::BelowFloat(x.to_bits()),
        }),
        (OperatorClass::Equality(EqualityOperator::NotEqual), ConstantValue::Text(text)) => {
            text.is_empty().then_some(Bound::MinLength(1))
        }
        // A duration is a number of seconds in JSON.
        (OperatorClass::Order(_), ConstantValue::Duration(nanoseconds)) => {
            let seconds = *nanoseconds as f64 / 1e9;
            bound_of_it(operator, &ConstantValue::Float(seconds))
        }
        (
            OperatorClass::Equality(EqualityOperator::Equal),
            ConstantValue::Int(_) | ConstantValue::Text(_),
        ) => one_of(std::slice::from_ref(limit)),
        (OperatorClass::Equality(EqualityOperator::Equal), ConstantValue::Float(x)) => {
            Some(Bound::EqualFloat(x.to_bits()))
        }
        // A schema has no words for these.
        (
            OperatorClass::Order(_),
            ConstantValue::Bool(_) | ConstantValue::Text(_) | ConstantValue::List(_),
        )
        | (
            OperatorClass::Equality(EqualityOperator::NotEqual),
            ConstantValue::Bool(_)
            | ConstantValue::Int(_)
            | ConstantValue::Float(_)
            | ConstantValue::Duration(_)
            | ConstantValue::List(_),
        )
        | (
            OperatorClass::Equality(EqualityOperator::Equal),
            ConstantValue::Bool(_) | ConstantValue::Duration(_) | ConstantValue::List(_),
        )
        | (OperatorClass::Logic(_) | OperatorClass::Arithmetic(_), _) => None,
    }
}

fn mirrored(operator: BinaryOperator) -> BinaryOperator {
    match operator {
        BinaryOperator::Less => BinaryOperator::Greater,
        BinaryOperator::LessEqual => BinaryOperator::GreaterEqual,
        BinaryOperator::Greater => BinaryOperator::Less,
        BinaryOperator::GreaterEqual => BinaryOperator::LessEqual,
        other @ (BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Remainder) => other,
    }
}
