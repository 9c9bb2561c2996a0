//! Operators and `in`.

use gsw_names::types::Type;
use gsw_source::{Diagnostic, Span};
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{
    ArithmeticOperator, BinaryOperator, ExpressionId, ExpressionKind, OperatorClass, Part,
    UnaryOperator,
};
use crate::infer::capability;
use crate::infer::context::{Context, Expected};
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

impl Context<'_> {
    /// `a + b` and its kin.
    pub(super) fn binary(
        &mut self,
        operator: ast::BinaryOperator,
        infix: Infix<'_>,
        expected: &Expected,
    ) -> ExpressionId {
        let Infix {
            left, right, span, ..
        } = infix;
        match operator {
            ast::BinaryOperator::In => self.membership(left, right, span),
            ast::BinaryOperator::Otherwise => self.otherwise(left, right, span, expected),
            ast::BinaryOperator::Or => self.typed_binary(BinaryOperator::Or, infix),
            ast::BinaryOperator::And => self.typed_binary(BinaryOperator::And, infix),
            ast::BinaryOperator::Equal => self.typed_binary(BinaryOperator::Equal, infix),
            ast::BinaryOperator::NotEqual => self.typed_binary(BinaryOperator::NotEqual, infix),
            ast::BinaryOperator::Less => self.typed_binary(BinaryOperator::Less, infix),
            ast::BinaryOperator::LessEqual => self.typed_binary(BinaryOperator::LessEqual, infix),
            ast::BinaryOperator::Greater => self.typed_binary(BinaryOperator::Greater, infix),
            ast::BinaryOperator::GreaterEqual => {
                self.typed_binary(BinaryOperator::GreaterEqual, infix)
            }
            ast::BinaryOperator::Add => self.typed_binary(BinaryOperator::Add, infix),
            ast::BinaryOperator::Subtract => self.typed_binary(BinaryOperator::Subtract, infix),
            ast::BinaryOperator::Multiply => self.typed_binary(BinaryOperator::Multiply, infix),
            ast::BinaryOperator::Divide => self.typed_binary(BinaryOperator::Divide, infix),
            ast::BinaryOperator::Remainder => self.typed_binary(BinaryOperator::Remainder, infix),
        }
    }

    fn typed_binary(&mut self, operator: BinaryOperator, infix: Infix<'_>) -> ExpressionId {
        let class = operator.class();
        if let OperatorClass::Logic(_) = class {
            return self.logic(operator, infix);
        }
        let left = self.expression(infix.left, &Expected::Anything);
        let near = self.hint_for_right(class, left);
        let operation = Operation {
            operator_span: infix.operator_span,
            left,
            right: self.expression(infix.right, &near),
            span: infix.span,
        };
        match class {
            OperatorClass::Logic(_) | OperatorClass::Equality(_) => {
                self.comparison(operator, Requirement::Equal, operation)
            }
            OperatorClass::Order(_) => self.comparison(operator, Requirement::Order, operation),
            OperatorClass::Arithmetic(operator) => self.arithmetic(operator, operation),
        }
    }

    /// Both sides are alike, but for a duration times or divided by a number and for a time with a duration or a time.
    fn hint_for_right(&mut self, class: OperatorClass, left: ExpressionId) -> Expected {
        use ArithmeticOperator as Operator;
        let left = self.ty(left);
        let operand = self.table.operand(&left);
        match class {
            OperatorClass::Arithmetic(Operator::Multiply) if operand == Type::Duration => {
                Expected::Hint(Type::Int)
            }
            OperatorClass::Arithmetic(Operator::Add | Operator::Subtract)
                if operand == Type::Time =>
            {
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

    fn logic(&mut self, operator: BinaryOperator, infix: Infix<'_>) -> ExpressionId {
        let left = self.expression(infix.left, &Expected::Type(Type::Bool));
        let right = self.expression(infix.right, &Expected::Type(Type::Bool));
        let kind = ExpressionKind::Binary {
            operator,
            left,
            right,
        };
        self.push(kind, Type::Bool, infix.span)
    }

    fn comparison(
        &mut self,
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
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        let is_json = left_type == Type::Json || right_type == Type::Json;
        let joined = if is_json && requirement == Requirement::Equal {
            Some(Type::Json)
        } else {
            self.table.join_types(&left_type, &right_type)
        };
        let both = joined.and_then(|ty| {
            let left = self.try_coerce(left, &ty)?;
            Some((left, self.try_coerce(right, &ty)?, ty))
        });
        let Some((left, right, ty)) = both else {
            self.wrong_operands(operator, operation);
            return self.push(ExpressionKind::Invalid, Type::Bool, span);
        };
        self.require(requirement, &ty, operator_span);
        let kind = ExpressionKind::Binary {
            operator,
            left,
            right,
        };
        self.push(kind, Type::Bool, span)
    }

    /// `a + b` with both sides inferred.
    pub(super) fn arithmetic(
        &mut self,
        operator: ArithmeticOperator,
        operation: Operation,
    ) -> ExpressionId {
        let Operation {
            operator_span,
            left,
            right,
            span,
        } = operation;
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        if left_type == Type::Invalid || right_type == Type::Invalid {
            let known = if left_type == Type::Invalid {
                right_type
            } else {
                left_type
            };
            return self.push(ExpressionKind::Invalid, known, span);
        }
        let is_secret = |it: &Self, ty: &Type| it.table.unchecked(ty) == Type::Secret;
        if operator == ArithmeticOperator::Add
            && (is_secret(self, &left_type) || is_secret(self, &right_type))
            && [&left_type, &right_type]
                .iter()
                .all(|it| matches!(self.table.operand(it), Type::Secret | Type::String))
        {
            let parts = vec![Part::Expression(left), Part::Expression(right)];
            return self.push(ExpressionKind::Interpolation(parts), Type::Secret, span);
        }
        let settled = self
            .arithmetic_types(operator, &left_type, &right_type, operator_span)
            .and_then(|it| {
                let left = self.try_coerce(left, &it.left)?;
                Some((left, self.try_coerce(right, &it.right)?, it.result))
            });
        let Some((left, right, ty)) = settled else {
            self.wrong_operands(operator.into(), operation);
            return self.invalid(span);
        };
        let kind = ExpressionKind::Binary {
            operator: operator.into(),
            left,
            right,
        };
        self.push(kind, ty, span)
    }

    fn arithmetic_types(
        &mut self,
        operator: ArithmeticOperator,
        left: &Type,
        right: &Type,
        span: Span,
    ) -> Option<Arithmetic> {
        let (left, right) = (self.table.operand(left), self.table.operand(right));
        if let Some(result) = of_times(operator, &left, &right) {
            return Some(Arithmetic {
                left,
                right,
                result,
            });
        }
        let joined = if matches!(left, Type::Variable(_)) || matches!(right, Type::Variable(_)) {
            self.table.relate(&left, &right)?;
            self.table.resolve(&left)
        } else if matches!(left, Type::List(_)) && matches!(right, Type::List(_)) {
            self.table.join_types(&left, &right)?
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
        let zonked = self.table.zonk(&joined);
        let mut open = capability::Open::default();
        if !capability::is_able(self.db, requirement, &zonked, &mut open) {
            return None;
        }
        self.require(requirement, &zonked, span);
        Some(Arithmetic {
            left: joined.clone(),
            right: joined.clone(),
            result: joined,
        })
    }

    /// Reports operands that an operator does not take, with the way out where there is one.
    fn wrong_operands(&mut self, operator: BinaryOperator, operation: Operation) {
        let Operation { left, right, .. } = operation;
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        let place = self.place(operation.operator_span);
        let (left_text, right_text) = (self.show(&left_type), self.show(&right_type));
        let report = errors::wrong_operands(place, operator.symbol(), &left_text, &right_text);
        let (left_type, right_type) = (
            self.table.operand(&left_type),
            self.table.operand(&right_type),
        );
        let report = if left_type == Type::Int && right_type == Type::Float {
            self.suggest_float(left, report)
        } else if left_type == Type::Float && right_type == Type::Int {
            self.suggest_float(right, report)
        } else if [&left_type, &right_type].map(is_optional).contains(&true) {
            errors::may_be_none(report)
        } else if let Type::Task(_) = left_type {
            errors::await_it(report, self.start(self.span(left)))
        } else if let Type::Task(_) = right_type {
            errors::await_it(report, self.start(self.span(right)))
        } else if left_type == Type::Json {
            errors::decode_json(report, &right_text, self.end(self.span(left)))
        } else if right_type == Type::Json {
            errors::decode_json(report, &left_text, self.end(self.span(right)))
        } else if left_type == Type::String {
            self.instead_of_text(operator, right, report)
        } else if operator == BinaryOperator::Add && right_type == Type::String {
            self.suggest_interpolation(left, report)
        } else {
            report
        };
        self.report(report);
    }
    /// What to write instead of an operator on a text and `right`.
    fn instead_of_text(
        &self,
        operator: BinaryOperator,
        right: ExpressionId,
        report: Diagnostic,
    ) -> Diagnostic {
        let OperatorClass::Arithmetic(operator) = operator.class() else {
            return report;
        };
        let ty = self.table.operand(&self.ty(right));
        match operator {
            ArithmeticOperator::Add if ty != Type::String => {
                self.suggest_interpolation(right, report)
            }
            ArithmeticOperator::Multiply if ty == Type::Int => errors::repeat_text(report),
            ArithmeticOperator::Remainder => errors::interpolate_instead(report),
            ArithmeticOperator::Add
            | ArithmeticOperator::Subtract
            | ArithmeticOperator::Multiply
            | ArithmeticOperator::Divide => report,
        }
    }

    fn suggest_interpolation(&self, id: ExpressionId, report: Diagnostic) -> Diagnostic {
        let span = self.span(id);
        errors::interpolate(report, self.start(span), self.end(span))
    }

    fn suggest_float(&self, id: ExpressionId, report: Diagnostic) -> Diagnostic {
        let (start, end) = (self.start(self.span(id)), self.end(self.span(id)));
        if let ExpressionKind::Int(_) = self.hir.get(id).kind {
            return errors::write_as_float(report, end);
        }
        errors::convert_to_float(report, self.operand_form(id), start, end)
    }

    /// `-x`, `not b`
    pub(super) fn unary(
        &mut self,
        operator: ast::UnaryOperator,
        operand: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        match operator {
            ast::UnaryOperator::Not => self.not(operand, span),
            ast::UnaryOperator::Negate => self.negation(operand, span),
        }
    }

    fn not(&mut self, operand: &ast::Expression, span: Span) -> ExpressionId {
        let operand = self.expression(operand, &Expected::Type(Type::Bool));
        let operator = UnaryOperator::Not;
        let kind = ExpressionKind::Unary { operator, operand };
        self.push(kind, Type::Bool, span)
    }

    fn negation(&mut self, operand: &ast::Expression, span: Span) -> ExpressionId {
        if let ast::ExpressionKind::Literal(literal) = &operand.kind {
            match literal {
                ast::Literal::Int(value) => return self.int(value.map(|it| -it), span),
                ast::Literal::Float(bits) => {
                    let bits = (-f64::from_bits(*bits)).to_bits();
                    return self.push(ExpressionKind::Float(bits), Type::Float, span);
                }
                ast::Literal::Bool(_)
                | ast::Literal::None
                | ast::Literal::Duration(_)
                | ast::Literal::String(_) => {}
            }
        }
        let id = self.expression(operand, &Expected::Anything);
        let ty = self.ty(id);
        let plain = self.table.operand(&ty);
        let zonked = self.table.zonk(&plain);
        let mut open = capability::Open::default();
        if !capability::is_able(self.db, Requirement::Negate, &zonked, &mut open) {
            let (place, text) = (self.place(span), self.show(&ty));
            self.report(errors::wrong_operand(place, "-", &text));
            return self.invalid(span);
        }
        self.require(Requirement::Negate, &zonked, span);
        let operand = self.coerce(id, &plain);
        let operator = UnaryOperator::Negate;
        self.push(ExpressionKind::Unary { operator, operand }, plain, span)
    }

    fn membership(
        &mut self,
        value: &ast::Expression,
        container: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let container = self.expression(container, &Expected::Anything);
        let ty = self.ty(container);
        let wanted = match self.table.operand(&ty) {
            Type::List(element) => Expected::Hint((*element).clone()),
            Type::Map(key, _) => Expected::Type((*key).clone()),
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
                let (place, text) = (self.place(self.span(container)), self.show(&ty));
                self.report(errors::not_iterable(place, &text));
                Expected::Anything
            }
        };
        let mut value = self.expression(value, &wanted);
        if let Expected::Hint(element) = &wanted {
            let actual = self.ty(value);
            let joined = self.table.join_types(element, &actual);
            value = self.coerce(value, joined.as_ref().unwrap_or(element));
            if self.table.relate(element, &self.ty(value)).is_none() {
                let element = element.clone();
                value = self.coerce(value, &element);
            }
            self.require(Requirement::Equal, element, span);
        }
        self.push(ExpressionKind::In { value, container }, Type::Bool, span)
    }
}

fn is_optional(ty: &Type) -> bool {
    matches!(ty, Type::Optional(_))
}

/// The type of the result where times and durations are not of one type with it.
fn of_times(operator: ArithmeticOperator, left: &Type, right: &Type) -> Option<Type> {
    let takes = |first: Type, second: Type| *left == first && *right == second;
    match operator {
        ArithmeticOperator::Add => takes(Type::Time, Type::Duration).then_some(Type::Time),
        ArithmeticOperator::Subtract if takes(Type::Time, Type::Time) => Some(Type::Duration),
        ArithmeticOperator::Subtract => takes(Type::Time, Type::Duration).then_some(Type::Time),
        ArithmeticOperator::Multiply => takes(Type::Duration, Type::Int).then_some(Type::Duration),
        ArithmeticOperator::Divide if takes(Type::Duration, Type::Duration) => Some(Type::Float),
        ArithmeticOperator::Divide => takes(Type::Duration, Type::Int).then_some(Type::Duration),
        ArithmeticOperator::Remainder => None,
    }
}
