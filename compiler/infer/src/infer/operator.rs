//! Operators and `in`.

use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{BinaryOperator, ExpressionId, ExpressionKind, Part, UnaryOperator};
use crate::infer::capability;
use crate::infer::context::{Context, Expected};
use crate::item_bodies::Requirement;

/// What an arithmetic operator makes of two types.
struct Arithmetic {
    /// What the left side is converted to.
    left: Type,
    /// What the right side is converted to.
    right: Type,
    /// What comes out.
    result: Type,
}

impl Context<'_> {
    /// `a + b` and its kin.
    pub(super) fn binary(
        &mut self,
        (operator, operator_span): (ast::BinaryOperator, Span),
        left: &ast::Expression,
        right: &ast::Expression,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let operator = match operator {
            ast::BinaryOperator::Or => return self.logic(BinaryOperator::Or, left, right, span),
            ast::BinaryOperator::And => return self.logic(BinaryOperator::And, left, right, span),
            ast::BinaryOperator::In => return self.membership(left, right, span),
            ast::BinaryOperator::Otherwise => return self.otherwise(left, right, span, expected),
            ast::BinaryOperator::Equal => BinaryOperator::Equal,
            ast::BinaryOperator::NotEqual => BinaryOperator::NotEqual,
            ast::BinaryOperator::Less => BinaryOperator::Less,
            ast::BinaryOperator::LessEqual => BinaryOperator::LessEqual,
            ast::BinaryOperator::Greater => BinaryOperator::Greater,
            ast::BinaryOperator::GreaterEqual => BinaryOperator::GreaterEqual,
            ast::BinaryOperator::Add => BinaryOperator::Add,
            ast::BinaryOperator::Subtract => BinaryOperator::Subtract,
            ast::BinaryOperator::Multiply => BinaryOperator::Multiply,
            ast::BinaryOperator::Divide => BinaryOperator::Divide,
            ast::BinaryOperator::Remainder => BinaryOperator::Remainder,
        };
        let left = self.expression(left, &Expected::Anything);
        let near = self.hint_for_right(operator, left);
        let right = self.expression(right, &near);
        if symbol(operator).1 == Kind::Arithmetic {
            self.arithmetic(operator, operator_span, left, right, span)
        } else {
            self.comparison(operator, operator_span, left, right, span)
        }
    }

    /// Both sides are alike, but for a duration times an int and for a time with a duration or a time.
    fn hint_for_right(&mut self, operator: BinaryOperator, left: ExpressionId) -> Expected {
        let left = self.ty(left);
        match (operator, self.operand(&left)) {
            (BinaryOperator::Multiply, Type::Duration) => Expected::Hint(Type::Int),
            (BinaryOperator::Add | BinaryOperator::Subtract, Type::Time) => Expected::Anything,
            _ => Expected::Hint(left),
        }
    }

    fn logic(
        &mut self,
        operator: BinaryOperator,
        left: &ast::Expression,
        right: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let left = self.expression(left, &Expected::Type(Type::Bool));
        let right = self.expression(right, &Expected::Type(Type::Bool));
        self.push(
            ExpressionKind::Binary {
                operator,
                left,
                right,
            },
            Type::Bool,
            span,
        )
    }

    fn comparison(
        &mut self,
        operator: BinaryOperator,
        operator_span: Span,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let (symbol, kind) = symbol(operator);
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        let joined = match (&left_type, &right_type) {
            (Type::Json, _) | (_, Type::Json) if kind == Kind::Equality => Some(Type::Json),
            _ => self.join_types(&left_type, &right_type),
        };
        let both = joined.and_then(|ty| {
            let left = self.try_coerce(left, &ty)?;
            Some((left, self.try_coerce(right, &ty)?, ty))
        });
        let Some((left, right, ty)) = both else {
            self.wrong_operands(symbol, left, right, operator_span);
            return self.push(ExpressionKind::Invalid, Type::Bool, span);
        };
        let requirement = match kind {
            Kind::Equality => Requirement::Equal,
            _ => Requirement::Order,
        };
        self.require(requirement, &ty, operator_span);
        self.push(
            ExpressionKind::Binary {
                operator,
                left,
                right,
            },
            Type::Bool,
            span,
        )
    }

    /// `a + b` with both sides inferred.
    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        operator_span: Span,
        left: ExpressionId,
        right: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        if left_type == Type::Invalid || right_type == Type::Invalid {
            let known = if left_type == Type::Invalid {
                right_type
            } else {
                left_type
            };
            return self.push(ExpressionKind::Invalid, known, span);
        }
        let is_secret = |it: &Self, ty: &Type| it.unchecked(ty) == Type::Secret;
        if operator == BinaryOperator::Add
            && (is_secret(self, &left_type) || is_secret(self, &right_type))
            && [&left_type, &right_type]
                .iter()
                .all(|it| matches!(self.operand(it), Type::Secret | Type::String))
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
        match settled {
            Some((left, right, ty)) => self.push(
                ExpressionKind::Binary {
                    operator,
                    left,
                    right,
                },
                ty,
                span,
            ),
            None => {
                self.wrong_operands(symbol(operator).0, left, right, operator_span);
                self.invalid(span)
            }
        }
    }

    fn arithmetic_types(
        &mut self,
        operator: BinaryOperator,
        left: &Type,
        right: &Type,
        span: Span,
    ) -> Option<Arithmetic> {
        let (left, right) = (self.operand(left), self.operand(right));
        let exactly = |left: Type, right: Type, result: Type| {
            Some(Arithmetic {
                left,
                right,
                result,
            })
        };
        match (operator, &left, &right) {
            (BinaryOperator::Add | BinaryOperator::Subtract, Type::Time, Type::Duration) => {
                return exactly(left, right, Type::Time);
            }
            (BinaryOperator::Subtract, Type::Time, Type::Time) => {
                return exactly(left, right, Type::Duration);
            }
            (BinaryOperator::Multiply, Type::Duration, Type::Int) => {
                return exactly(left, right, Type::Duration);
            }
            _ => {}
        }
        let joined = match (&left, &right) {
            (Type::Variable(_), _) | (_, Type::Variable(_)) => {
                self.relate(&left, &right)?;
                self.table.resolve(&left)
            }
            (Type::List(_), Type::List(_)) => self.join_types(&left, &right)?,
            _ if left == right => left,
            _ => return None,
        };
        let requirement = match operator {
            BinaryOperator::Add => Requirement::Add,
            BinaryOperator::Subtract => Requirement::Subtract,
            BinaryOperator::Multiply => Requirement::Multiply,
            BinaryOperator::Divide => Requirement::Divide,
            _ => Requirement::Remainder,
        };
        let zonked = self.table.zonk(&joined);
        if !capability::is_able(
            self.db,
            requirement,
            &zonked,
            &mut capability::Open::default(),
        ) {
            return None;
        }
        self.require(requirement, &zonked, span);
        exactly(joined.clone(), joined.clone(), joined)
    }

    /// Reports operands that an operator does not take, with the way out where there is one.
    pub(super) fn wrong_operands(
        &mut self,
        symbol: &str,
        left: ExpressionId,
        right: ExpressionId,
        operator_span: Span,
    ) {
        let (left_type, right_type) = (self.ty(left), self.ty(right));
        let place = self.place(operator_span);
        let (left_text, right_text) = (self.show(&left_type), self.show(&right_type));
        let report = errors::wrong_operands(place, symbol, &left_text, &right_text);
        let is_literal = |id: ExpressionId| {
            matches!(self.expressions[id.0 as usize].kind, ExpressionKind::Int(_))
        };
        let float = |id: ExpressionId, report| {
            let (start, end) = (self.start(self.span(id)), self.end(self.span(id)));
            match is_literal(id) {
                true => errors::write_as_float(report, end),
                false => errors::convert_to_float(report, self.operand_form(id), start, end),
            }
        };
        let report = match (self.operand(&left_type), self.operand(&right_type)) {
            (Type::Int, Type::Float) => float(left, report),
            (Type::Float, Type::Int) => float(right, report),
            (Type::Optional(_), _) | (_, Type::Optional(_)) => errors::may_be_none(report),
            (Type::Task(_), _) => errors::await_it(report, self.start(self.span(left))),
            (_, Type::Task(_)) => errors::await_it(report, self.start(self.span(right))),
            (Type::Json, _) => errors::decode_json(report, &right_text, self.end(self.span(left))),
            (_, Type::Json) => errors::decode_json(report, &left_text, self.end(self.span(right))),
            (Type::String, other) if symbol == "+" && other != Type::String => {
                let span = self.span(right);
                errors::interpolate(report, self.start(span), self.end(span))
            }
            (other, Type::String) if symbol == "+" && other != Type::String => {
                let span = self.span(left);
                errors::interpolate(report, self.start(span), self.end(span))
            }
            (Type::String, Type::Int) if symbol == "*" => errors::repeat_text(report),
            (Type::String, _) if symbol == "%" => errors::interpolate_instead(report),
            _ => report,
        };
        self.report(report);
    }

    /// `-x`, `not b`
    pub(super) fn unary(
        &mut self,
        operator: ast::UnaryOperator,
        operand: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        if operator == ast::UnaryOperator::Not {
            let operand = self.expression(operand, &Expected::Type(Type::Bool));
            let operator = UnaryOperator::Not;
            return self.push(
                ExpressionKind::Unary { operator, operand },
                Type::Bool,
                span,
            );
        }
        match &operand.kind {
            ast::ExpressionKind::Literal(ast::Literal::Int(value)) => {
                return self.int(value.map(|it| -it), span);
            }
            ast::ExpressionKind::Literal(ast::Literal::Float(bits)) => {
                let bits = (-f64::from_bits(*bits)).to_bits();
                return self.push(ExpressionKind::Float(bits), Type::Float, span);
            }
            _ => {}
        }
        let id = self.expression(operand, &Expected::Anything);
        let ty = self.ty(id);
        let plain = self.operand(&ty);
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

    /// `x in xs`
    fn membership(
        &mut self,
        value: &ast::Expression,
        container: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let container = self.expression(container, &Expected::Anything);
        let ty = self.ty(container);
        let wanted = match self.operand(&ty) {
            Type::List(element) => Expected::Hint((*element).clone()),
            Type::Map(key, _) => Expected::Type((*key).clone()),
            Type::String => Expected::Type(Type::String),
            other => {
                if other != Type::Invalid {
                    let (place, text) = (self.place(self.span(container)), self.show(&ty));
                    self.report(errors::not_iterable(place, &text));
                }
                Expected::Anything
            }
        };
        let mut value = self.expression(value, &wanted);
        if let Expected::Hint(element) = &wanted {
            let actual = self.ty(value);
            let joined = self.join_types(element, &actual);
            value = self.coerce(value, joined.as_ref().unwrap_or(element));
            if self.relate(element, &self.ty(value)).is_none() {
                let element = element.clone();
                value = self.coerce(value, &element);
            }
            self.require(Requirement::Equal, element, span);
        }
        self.push(ExpressionKind::In { value, container }, Type::Bool, span)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Arithmetic,
    Equality,
    Order,
}

fn symbol(operator: BinaryOperator) -> (&'static str, Kind) {
    match operator {
        BinaryOperator::And => ("and", Kind::Equality),
        BinaryOperator::Or => ("or", Kind::Equality),
        BinaryOperator::Equal => ("==", Kind::Equality),
        BinaryOperator::NotEqual => ("!=", Kind::Equality),
        BinaryOperator::Less => ("<", Kind::Order),
        BinaryOperator::LessEqual => ("<=", Kind::Order),
        BinaryOperator::Greater => (">", Kind::Order),
        BinaryOperator::GreaterEqual => (">=", Kind::Order),
        BinaryOperator::Add => ("+", Kind::Arithmetic),
        BinaryOperator::Subtract => ("-", Kind::Arithmetic),
        BinaryOperator::Multiply => ("*", Kind::Arithmetic),
        BinaryOperator::Divide => ("/", Kind::Arithmetic),
        BinaryOperator::Remainder => ("%", Kind::Arithmetic),
    }
}
