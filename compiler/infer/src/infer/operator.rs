//! Operators and `in`.

use gsw_names::find_held;
use gsw_names::types::Type;
use gsw_source::{Diagnostic, Span};
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::errors::{elsewhere, habits};
use crate::hir::{
    ArithmeticOperator, BinaryOperator, ExpressionId, ExpressionKind, OperatorClass, Part,
    UnaryOperator,
};
use crate::infer::capability;
use crate::infer::context::Context;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::literal;
use crate::infer::logic;
use crate::infer::lookup;
use crate::infer::mismatch;
use crate::infer::operands::{self, is_optional, report_absent, report_foreign_literals};
use crate::infer::otherwise;
use crate::item_bodies::Requirement;

/// The parts of an infix expression, but for the operator.
#[derive(Clone, Copy)]
pub(super) struct Infix<'a> {
    pub(super) operator_span: Span,
    pub(super) left: &'a ast::Expression,
    pub(super) right: &'a ast::Expression,
    pub(super) span: Span,
}

/// An operator between sides that are inferred.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) operator_span: Span,
    pub(super) left: ExpressionId,
    pub(super) right: ExpressionId,
    pub(super) span: Span,
}

/// What an arithmetic operator makes of two types.
struct Arithmetic {
    /// What the left side is converted to.
    left: Type,
    /// What the right side is converted to.
    right: Type,
    result: Type,
}

/// `a + b` and the other operators with two operands.
pub(super) fn infer_binary(
    cx: &mut Context,
    operator: ast::BinaryOperator,
    infix: Infix<'_>,
    expected: &Expected,
) -> ExpressionId {
    let Infix {
        left, right, span, ..
    } = infix;
    match operator {
        ast::BinaryOperator::In => infer_membership(cx, left, right, span),
        ast::BinaryOperator::NotIn => {
            let operand = infer_membership(cx, left, right, span);
            let operator = UnaryOperator::Not;
            let kind = ExpressionKind::Unary { operator, operand };
            cx.hir.push(kind, Type::Bool, span)
        }
        ast::BinaryOperator::Otherwise => {
            otherwise::infer_otherwise(cx, left, right, span, expected)
        }
        ast::BinaryOperator::Or => typed_binary(cx, BinaryOperator::Or, infix),
        ast::BinaryOperator::And => typed_binary(cx, BinaryOperator::And, infix),
        ast::BinaryOperator::Equal => typed_binary(cx, BinaryOperator::Equal, infix),
        ast::BinaryOperator::NotEqual => typed_binary(cx, BinaryOperator::NotEqual, infix),
        ast::BinaryOperator::Less => typed_binary(cx, BinaryOperator::Less, infix),
        ast::BinaryOperator::LessEqual => typed_binary(cx, BinaryOperator::LessEqual, infix),
        ast::BinaryOperator::Greater => typed_binary(cx, BinaryOperator::Greater, infix),
        ast::BinaryOperator::GreaterEqual => typed_binary(cx, BinaryOperator::GreaterEqual, infix),
        ast::BinaryOperator::Add => typed_binary(cx, BinaryOperator::Add, infix),
        ast::BinaryOperator::Subtract => typed_binary(cx, BinaryOperator::Subtract, infix),
        ast::BinaryOperator::Multiply => typed_binary(cx, BinaryOperator::Multiply, infix),
        ast::BinaryOperator::Divide => typed_binary(cx, BinaryOperator::Divide, infix),
        ast::BinaryOperator::Remainder => typed_binary(cx, BinaryOperator::Remainder, infix),
    }
}

fn typed_binary(cx: &mut Context, operator: BinaryOperator, infix: Infix<'_>) -> ExpressionId {
    let class = operator.class();
    if let OperatorClass::Logic(_) = class {
        return logic::infer_logic(cx, operator, infix);
    }
    if let OperatorClass::Equality(_) = class
        && is_collection(infix.left)
        && !is_collection(infix.right)
    {
        // A literal is typed by what it is compared with. Evaluation keeps the order of the source.
        let right = cx.expression(infix.right, &Expected::Anything);
        let near = beside_literal(&mut cx.hir, right);
        let operation = Operation {
            operator_span: infix.operator_span,
            left: cx.expression(infix.left, &near),
            right,
            span: infix.span,
        };
        return comparison(&mut cx.hir, operator, Requirement::Equal, operation);
    }
    let left = cx.expression(infix.left, &Expected::Anything);
    // Only a hint, and only from left to right: `level == High` finds the variant by the left side, and `1 + 1.5` is reported
    // with both types instead of as a mismatch of the right side.
    let near = match class {
        OperatorClass::Equality(_) if is_collection(infix.right) => {
            beside_literal(&mut cx.hir, left)
        }
        OperatorClass::Logic(_)
        | OperatorClass::Equality(_)
        | OperatorClass::Order(_)
        | OperatorClass::Arithmetic(_) => hint_for_right(&mut cx.hir, class, left),
    };
    let operation = Operation {
        operator_span: infix.operator_span,
        left,
        right: cx.expression(infix.right, &near),
        span: infix.span,
    };
    match class {
        OperatorClass::Logic(_) | OperatorClass::Equality(_) => {
            comparison(&mut cx.hir, operator, Requirement::Equal, operation)
        }
        OperatorClass::Order(_) => comparison(&mut cx.hir, operator, Requirement::Order, operation),
        OperatorClass::Arithmetic(operator) => arithmetic(&mut cx.hir, operator, operation),
    }
}

/// Whether it is a literal with elements, whose types its context may determine.
fn is_collection(expression: &ast::Expression) -> bool {
    matches!(
        expression.kind,
        ast::ExpressionKind::List(_) | ast::ExpressionKind::Map(_) | ast::ExpressionKind::Tuple(_)
    )
}

/// What a literal with elements is taken for beside `other`. Elements that may be `json` or absent need nothing else in common, so
/// there the type is given; elsewhere it is a hint, and a report names both sides.
fn beside_literal(hir: &mut HirBuilder, other: ExpressionId) -> Expected {
    let other = hir.ty(other);
    let mut operand = hir.table.unchecked(&other);
    if let Type::Optional(inner) = &operand {
        operand = hir.table.unchecked(inner);
    }
    let is_loose = |it: &Type| matches!(it, Type::Json | Type::Optional(_));
    let zonked = hir.table.zonk(&operand);
    match find_held(hir.db, &zonked, None, |it| is_loose(it).then_some(())) {
        Some(()) => Expected::Type(operand),
        None => Expected::Hint(other),
    }
}

/// Both sides are alike, but for a duration times or divided by a number and for a time with a duration or a time.
fn hint_for_right(hir: &mut HirBuilder, class: OperatorClass, left: ExpressionId) -> Expected {
    use ArithmeticOperator as Operator;
    let left = hir.ty(left);
    let operand = hir.table.operand(&left);
    match class {
        OperatorClass::Arithmetic(Operator::Multiply) if operand == Type::Duration => {
            Expected::Hint(Type::Int)
        }
        OperatorClass::Arithmetic(Operator::Add | Operator::Subtract) if operand == Type::Time => {
            Expected::Anything
        }
        OperatorClass::Arithmetic(Operator::Divide) if operand == Type::Duration => {
            Expected::Anything
        }
        OperatorClass::Logic(_)
        | OperatorClass::Equality(_)
        | OperatorClass::Order(_)
        | OperatorClass::Arithmetic(_) => Expected::Hint(left),
    }
}

fn comparison(
    hir: &mut HirBuilder,
    operator: BinaryOperator,
    requirement: Requirement,
    operation: Operation,
) -> ExpressionId {
    let Operation {
        operator_span,
        left,
        right,
        span,
    } = operation;
    let (left_type, right_type) = (hir.ty(left), hir.ty(right));
    let is_json = left_type == Type::Json || right_type == Type::Json;
    // Any value with a JSON form may be compared with a `json`; `join_types` would not find that, as it makes no `json`.
    let optional_json = Type::Optional(std::sync::Arc::new(Type::Json));
    let may_be_json = [(&left_type, &right_type), (&right_type, &left_type)]
        .iter()
        .any(|(one, other)| **one == optional_json && !is_optional(other));
    for (none, (value, ty)) in [(left, (right, &right_type)), (right, (left, &left_type))] {
        if matches!(hir.arena.get(none).kind, ExpressionKind::None) && is_never_none(hir, ty) {
            let place = hir.place(hir.span(value));
            let report = elsewhere::never_none(place, &hir.show(ty));
            hir.report(report);
        }
    }
    if requirement == Requirement::Order {
        report_absent(hir, left, right);
    } else {
        report_foreign_literals(hir, left, right);
        report_foreign_literals(hir, right, left);
    }
    let joined = if is_json && requirement == Requirement::Equal {
        Some(Type::Json)
    } else if may_be_json && requirement == Requirement::Equal {
        Some(optional_json)
    } else {
        hir.table.join_types(&left_type, &right_type)
    };
    let both = joined.and_then(|ty| {
        let left = hir.try_coerce(left, &ty)?;
        Some((left, hir.try_coerce(right, &ty)?, ty))
    });
    let Some((left, right, ty)) = both else {
        wrong_operands(hir, operator, operation);
        return hir.push(ExpressionKind::Invalid, Type::Bool, span);
    };
    // After the conversion: what has to be comparable is the joined type.
    hir.require(requirement, &ty, operator_span);
    let kind = ExpressionKind::Binary {
        operator,
        left,
        right,
    };
    hir.push(kind, Type::Bool, span)
}

/// `a + b` with both sides inferred.
pub(super) fn arithmetic(
    hir: &mut HirBuilder,
    operator: ArithmeticOperator,
    operation: Operation,
) -> ExpressionId {
    let Operation {
        operator_span,
        left,
        right,
        span,
    } = operation;
    let (left_type, right_type) = (hir.ty(left), hir.ty(right));
    if left_type == Type::Invalid || right_type == Type::Invalid {
        let known = if left_type == Type::Invalid {
            right_type
        } else {
            left_type
        };
        // The type of the other side is the best guess, so that uses of the sum are still checked; but of numbers it may be the
        // one or the other.
        let operand = hir.table.operand(&known);
        return match matches!(operand, Type::Int | Type::Float | Type::Duration) {
            true => hir.invalid(span),
            false => hir.push(ExpressionKind::Invalid, known, span),
        };
    }
    let is_secret = |it: &HirBuilder, ty: &Type| it.table.unchecked(ty) == Type::Secret;
    if operator == ArithmeticOperator::Add
        && (is_secret(hir, &left_type) || is_secret(hir, &right_type))
        && [&left_type, &right_type]
            .iter()
            .all(|it| matches!(hir.table.operand(it), Type::Secret | Type::String))
    {
        let parts = vec![Part::Expression(left), Part::Expression(right)];
        return hir.push(ExpressionKind::Interpolation(parts), Type::Secret, span);
    }
    let settled =
        arithmetic_types(hir, operator, &left_type, &right_type, operator_span).and_then(|it| {
            let left = hir.try_coerce(left, &it.left)?;
            Some((left, hir.try_coerce(right, &it.right)?, it.result))
        });
    let Some((left, right, ty)) = settled else {
        wrong_operands(hir, operator.into(), operation);
        return hir.invalid(span);
    };
    let kind = ExpressionKind::Binary {
        operator: operator.into(),
        left,
        right,
    };
    hir.push(kind, ty, span)
}

fn arithmetic_types(
    hir: &mut HirBuilder,
    operator: ArithmeticOperator,
    left: &Type,
    right: &Type,
    span: Span,
) -> Option<Arithmetic> {
    let (left, right) = (hir.table.operand(left), hir.table.operand(right));
    // Times and durations are the only operands of two types, and must be looked for before the sides are made equal.
    if let Some(result) = operands::of_times(operator, &left, &right) {
        return Some(Arithmetic {
            left,
            right,
            result,
        });
    }
    let joined = if matches!(left, Type::Variable(_)) || matches!(right, Type::Variable(_)) {
        // An operator whose one side is unknown takes it to be like the other: `(a, b) => a + b` has one type for both. That excludes
        // `time + duration` in a lambda without types, which has to be annotated.
        hir.table.relate(&left, &right)?;
        hir.table.resolve(&left)
    } else if matches!(left, Type::List(_)) && matches!(right, Type::List(_)) {
        hir.table.join_types(&left, &right)?
    } else if left == right {
        left
    } else {
        return None;
    };
    let requirement = match operator {
        ArithmeticOperator::Add => Requirement::Add,
        ArithmeticOperator::Subtract => Requirement::Subtract,
        ArithmeticOperator::Multiply => Requirement::Multiply,
        ArithmeticOperator::Divide => Requirement::Divide,
        ArithmeticOperator::Remainder => Requirement::Remainder,
    };
    let zonked = hir.table.zonk(&joined);
    let mut open = capability::Open::default();
    // Asked before `require`, which would report the type alone; here the report names both operands.
    if !capability::is_able(hir.db, requirement, &zonked, &mut open) {
        return None;
    }
    hir.require(requirement, &zonked, span);
    Some(Arithmetic {
        left: joined.clone(),
        right: joined.clone(),
        result: joined,
    })
}

/// Whether no value of this type is `none`, as far as known.
fn is_never_none(hir: &HirBuilder, ty: &Type) -> bool {
    let plain = hir.table.unchecked(ty);
    hir.table.unknown(&plain).is_none()
        && !is_optional(&plain)
        && !matches!(
            plain,
            Type::Json | Type::Parameter(..) | Type::Invalid | Type::Never
        )
}

/// Reports operands that an operator does not take, with the way out where there is one.
fn wrong_operands(hir: &mut HirBuilder, operator: BinaryOperator, operation: Operation) {
    let Operation { left, right, .. } = operation;
    let (left_type, right_type) = (hir.ty(left), hir.ty(right));
    let place = hir.place(operation.operator_span);
    let (left_text, right_text) = (hir.show(&left_type), hir.show(&right_type));
    let report = errors::wrong_operands(place, operator.symbol(), &left_text, &right_text);
    let (left_type, right_type) = (
        hir.table.operand(&left_type),
        hir.table.operand(&right_type),
    );
    if operands::is_misunderstood(hir, left, right, &report) {
        return;
    }
    let report = if left_type == Type::Int && right_type == Type::Float {
        operands::suggest_float(hir, left, report)
    } else if left_type == Type::Float && right_type == Type::Int {
        operands::suggest_float(hir, right, report)
    } else if let Some(default) =
        operands::default_after(hir, right).filter(|_| is_optional(&right_type))
    {
        let start = hir.place_before(hir.span(right));
        errors::default_is_looser(report, operator.symbol(), start, hir.place_after(default))
    } else if [&left_type, &right_type].map(is_optional).contains(&true) {
        errors::may_be_none(report)
    } else if operator == BinaryOperator::Add
        && matches!((&left_type, &right_type), (Type::Map(..), Type::Map(..)))
    {
        elsewhere::merged_maps(report)
    } else if matches!(
        (&left_type, &right_type),
        (Type::Float, Type::Duration) | (Type::Duration, Type::Float)
    ) {
        errors::whole_durations(report)
    } else if matches!(left_type, Type::Duration | Type::Time) && right_type == Type::Int {
        errors::write_duration(report)
    } else if [&left_type, &right_type]
        .map(|it| operands::is_result(hir, it))
        .contains(&true)
    {
        errors::outcome_first(report)
    } else if left_type == Type::Json && right_type == Type::Json {
        errors::decode_both(report)
    } else if left_type == Type::Json {
        errors::decode_json(report, &right_text, hir.place_after(hir.span(left)))
    } else if right_type == Type::Json {
        errors::decode_json(report, &left_text, hir.place_after(hir.span(right)))
    } else {
        instead_of_operands(hir, operator, left, &left_type, right, &right_type, report)
    };
    hir.report(report);
}

/// What to write instead of operands that are neither numbers nor what may be missing.
fn instead_of_operands(
    hir: &HirBuilder,
    operator: BinaryOperator,
    left: ExpressionId,
    left_type: &Type,
    right: ExpressionId,
    right_type: &Type,
    report: Diagnostic,
) -> Diagnostic {
    if let Some(item) = operands::enum_of(left_type)
        && *right_type == Type::String
    {
        mismatch::of_text(hir, report, right, item)
    } else if *left_type == Type::String
        && let Some(item) = operands::enum_of(right_type)
    {
        mismatch::of_text(hir, report, left, item)
    } else if *left_type == Type::Unit
        && let Some(called) = mismatch::called_without_result(hir, left)
    {
        mismatch::lacks_result(hir, report, called, right_type)
    } else if *left_type == Type::Time && *right_type == Type::String {
        habits::time_and_text(report)
    } else if *left_type == Type::String {
        instead_of_text(hir, operator, right, report)
    } else if operator == BinaryOperator::Multiply
        && matches!((left_type, right_type), (Type::List(_), Type::Int))
    {
        errors::repeat_list(report)
    } else if operator == BinaryOperator::Add && operands::is_list_of(hir, left_type, right_type) {
        elsewhere::one_for_several(report)
    } else if operator == BinaryOperator::Add && *right_type == Type::String {
        operands::suggest_interpolation(hir, left, report)
    } else {
        report
    }
}

/// What to write instead of an operator on a text and `right`.
fn instead_of_text(
    hir: &HirBuilder,
    operator: BinaryOperator,
    right: ExpressionId,
    report: Diagnostic,
) -> Diagnostic {
    let ty = hir.table.operand(&hir.ty(right));
    let OperatorClass::Arithmetic(operator) = operator.class() else {
        return match ty == Type::Int {
            true => habits::text_and_number(report),
            false => report,
        };
    };
    match operator {
        ArithmeticOperator::Add if ty != Type::String => {
            operands::suggest_interpolation(hir, right, report)
        }
        ArithmeticOperator::Multiply if ty == Type::Int => errors::repeat_text(report),
        ArithmeticOperator::Remainder => errors::interpolate_instead(report),
        ArithmeticOperator::Add
        | ArithmeticOperator::Subtract
        | ArithmeticOperator::Multiply
        | ArithmeticOperator::Divide => report,
    }
}

/// `-x`, `not b`
pub(super) fn infer_unary(
    cx: &mut Context,
    operator: ast::UnaryOperator,
    operand: &ast::Expression,
    span: Span,
) -> ExpressionId {
    match operator {
        ast::UnaryOperator::Not => infer_not(cx, operand, span),
        ast::UnaryOperator::Negate => infer_negation(cx, operand, span),
    }
}

fn infer_not(cx: &mut Context, operand: &ast::Expression, span: Span) -> ExpressionId {
    let operand = cx.expression(operand, &Expected::Type(Type::Bool));
    let operator = UnaryOperator::Not;
    let kind = ExpressionKind::Unary { operator, operand };
    cx.hir.push(kind, Type::Bool, span)
}

fn infer_negation(cx: &mut Context, operand: &ast::Expression, span: Span) -> ExpressionId {
    if let ast::ExpressionKind::Literal(literal) = &operand.kind {
        match literal {
            ast::Literal::Int(value) => {
                // The sign belongs to the literal: `-9223372036854775808` fits, although its digits alone do not.
                return literal::push_int(&mut cx.hir, value.map(|it| -it), span);
            }
            ast::Literal::Float(bits) => {
                let bits = (-f64::from_bits(*bits)).to_bits();
                return cx.hir.push(ExpressionKind::Float(bits), Type::Float, span);
            }
            ast::Literal::Bool(_)
            | ast::Literal::None
            | ast::Literal::Duration(_)
            | ast::Literal::String(_) => {}
        }
    }
    let id = cx.expression(operand, &Expected::Anything);
    let ty = cx.hir.ty(id);
    let plain = cx.hir.table.operand(&ty);
    let zonked = cx.hir.table.zonk(&plain);
    let mut open = capability::Open::default();
    if !capability::is_able(cx.db, Requirement::Negate, &zonked, &mut open) {
        let (place, text) = (cx.hir.place(span), cx.hir.show(&ty));
        cx.hir.report(errors::wrong_operand(place, "-", &text));
        return cx.hir.invalid(span);
    }
    cx.hir.require(Requirement::Negate, &zonked, span);
    let operand = cx.hir.coerce(id, &plain);
    let operator = UnaryOperator::Negate;
    cx.hir
        .push(ExpressionKind::Unary { operator, operand }, plain, span)
}

fn infer_membership(
    cx: &mut Context,
    value: &ast::Expression,
    container: &ast::Expression,
    span: Span,
) -> ExpressionId {
    // The right side first: its elements say what the left side is compared with. Evaluation keeps the order of the source.
    let container = cx.expression(container, &Expected::Anything);
    let ty = cx.hir.ty(container);
    let wanted = match cx.hir.table.operand(&ty) {
        Type::List(element) => Expected::Hint((*element).clone()),
        // One that could not be there may be asked for as well.
        Type::Map(key, _) => Expected::Type(cx.hir.table.unchecked(&key)),
        Type::String => Expected::Type(Type::String),
        Type::Invalid => Expected::Anything,
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Image
        | Type::Document
        | Type::Session
        | Type::Error
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_) => {
            let (place, text) = (cx.hir.place(cx.hir.span(container)), cx.hir.show(&ty));
            let report = errors::not_iterable(place, &text);
            cx.hir.report(match lookup::is_set(cx.db, &ty) {
                true => habits::asked_of_set(report),
                false => report,
            });
            Expected::Anything
        }
    };
    let mut value = cx.expression(value, &wanted);
    if let Expected::Hint(element) = &wanted {
        report_foreign_literals(&mut cx.hir, value, container);
        let actual = cx.hir.ty(value);
        // The elements cannot be converted, so the value must meet their type as it is: `5 in [int?]` joins to `int?`, while a value
        // that is wider than the elements is coerced to them, and reported where it cannot be.
        let joined = cx.hir.table.join_types(element, &actual);
        value = cx.hir.coerce(value, joined.as_ref().unwrap_or(element));
        if cx.hir.table.relate(element, &cx.hir.ty(value)).is_none() {
            value = cx.hir.coerce(value, element);
        }
        // What both sides become is what is compared: a secret among strings makes them secrets.
        let compared = joined.as_ref().unwrap_or(element);
        cx.hir.require(Requirement::Equal, compared, span);
    }
    cx.hir
        .push(ExpressionKind::In { value, container }, Type::Bool, span)
}
