//! What JSON Schema can say of a `where`.

use gsw_abi::types::Bound;
use gsw_infer::hir::{
    BinaryOperator, Body, BodyPart, Callee, Coercion, EqualityOperator, ExpressionId,
    ExpressionKind, OperatorClass, OrderOperator, RangeEnd, UnaryOperator,
};
use gsw_infer::infer_item;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId};

use crate::constant::{ConstantValue, known_value, library_name};

/// What JSON Schema can say of a `where`: never more than it says.
pub fn check_bounds(db: &dyn Db, item: ItemId, part: BodyPart) -> Vec<Bound> {
    let bodies = &infer_item(db, item).bodies;
    let mut found = Vec::new();
    if let Some(body) = bodies.iter().find(|it| it.part == part) {
        add_bounds(db, body, body.root, &mut found);
    }
    found
}

/// Only what every value that passes must satisfy counts: both sides of `and`, nothing of `or`.
fn add_bounds(db: &dyn Db, body: &Body, id: ExpressionId, found: &mut Vec<Bound>) {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::Block {
        statements,
        tail: Some(tail),
    } = kind
        && statements.is_empty()
    {
        add_bounds(db, body, *tail, found);
    } else if let ExpressionKind::Binary {
        operator,
        left,
        right,
    } = kind
    {
        if *operator == BinaryOperator::And {
            add_bounds(db, body, *left, found);
            add_bounds(db, body, *right, found);
        } else if let Some(limit) = known_value(db, body, *right) {
            found.extend(bound(db, body, *left, *operator, &limit));
        } else if let Some(limit) = known_value(db, body, *left) {
            found.extend(bound(db, body, *right, mirrored(*operator), &limit));
        }
    } else if let ExpressionKind::Unary {
        operator: UnaryOperator::Not,
        operand,
    } = kind
    {
        if let Some([(_, text)]) = library_call(db, body, *operand, "is_empty")
            && is_it(body, *text)
        {
            found.push(Bound::MinLength(1));
        }
    } else if let ExpressionKind::In { value, container } = kind
        && is_it(body, *value)
    {
        add_range(db, body, *container, found);
    } else if let Some([(_, text), (_, pattern)]) = library_call(db, body, id, "matches")
        && is_it(body, *text)
        && let ExpressionKind::String(pattern) = &body.expression(*pattern).kind
    {
        found.push(Bound::Pattern(pattern.to_string()));
    } else {
        found.extend(part_of_text(db, body, id));
    }
}

/// The pattern of `it.contains("…")` and the like, of a string.
fn part_of_text(db: &dyn Db, body: &Body, id: ExpressionId) -> Option<Bound> {
    let forms = [
        ("contains", "", ""),
        ("starts_with", "^", ""),
        ("ends_with", "", "$"),
    ];
    forms.into_iter().find_map(|(name, before, after)| {
        let [(_, text), (_, part)] = library_call(db, body, id, name)? else {
            return None;
        };
        let is_text = body.expression(*text).ty == Type::String && is_it(body, *text);
        let ExpressionKind::String(part) = &body.expression(*part).kind else {
            return None;
        };
        is_text.then(|| Bound::Pattern(format!("{before}{}{after}", escaped(part))))
    })
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

/// The arguments of a call of a library's function of this name.
fn library_call<'a>(
    db: &dyn Db,
    body: &'a Body,
    id: ExpressionId,
    name: &str,
) -> Option<&'a [(u32, ExpressionId)]> {
    let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        arguments,
    } = &body.expression(id).kind
    else {
        return None;
    };
    (library_name(db, *item) == Some(name)).then_some(arguments)
}

fn add_range(db: &dyn Db, body: &Body, container: ExpressionId, found: &mut Vec<Bound>) {
    let ExpressionKind::Range {
        start,
        end,
        range_end,
    } = &body.expression(container).kind
    else {
        return;
    };
    if let Some(ConstantValue::Int(start)) = known_value(db, body, *start) {
        found.push(Bound::MinInt(start));
    }
    if let Some(ConstantValue::Int(end)) = known_value(db, body, *end) {
        let is_outside = i64::from(*range_end == RangeEnd::Exclusive);
        found.push(Bound::MaxInt(end.saturating_sub(is_outside)));
    }
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
            OperatorClass::Equality(EqualityOperator::Equal)
            | OperatorClass::Logic(_)
            | OperatorClass::Arithmetic(_),
            _,
        ) => None,
    }
}

/// The bound that `left operator limit` sets, when `left` is `it` or its length.
fn bound(
    db: &dyn Db,
    body: &Body,
    left: ExpressionId,
    operator: BinaryOperator,
    limit: &ConstantValue,
) -> Option<Bound> {
    if is_it(body, left) {
        return bound_of_it(operator, limit);
    }
    let ExpressionKind::Call {
        callee: Callee::Item { item, .. },
        arguments,
    } = &body.expression(left).kind
    else {
        return None;
    };
    let is_length = library_name(db, *item) == Some("len") && is_it(body, arguments.first()?.1);
    let ConstantValue::Int(n) = limit else {
        return None;
    };
    if !is_length {
        return None;
    }
    use BinaryOperator as Operator;
    Some(match operator {
        Operator::GreaterEqual => Bound::MinLength(u64::try_from(*n).ok()?),
        Operator::Greater => Bound::MinLength(u64::try_from(n.checked_add(1)?).ok()?),
        Operator::LessEqual => Bound::MaxLength(u64::try_from(*n).ok()?),
        Operator::Less => Bound::MaxLength(u64::try_from(n.checked_sub(1)?).ok()?),
        Operator::NotEqual if *n == 0 => Bound::MinLength(1),
        Operator::And
        | Operator::Or
        | Operator::Equal
        | Operator::NotEqual
        | Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder => return None,
    })
}

fn is_it(body: &Body, id: ExpressionId) -> bool {
    let kind = &body.expression(id).kind;
    if let ExpressionKind::Coerce {
        value,
        coercion: Coercion::Widen,
    } = kind
    {
        return is_it(body, *value);
    }
    matches!(kind, ExpressionKind::Local(local) if body.parameters.first() == Some(local))
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
