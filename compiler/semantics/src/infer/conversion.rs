//! `x as T`.

use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{Coercion, ExpressionId, ExpressionKind};
use crate::infer::context::{Context, Expected};
use crate::model::Requirement;
use crate::types::Type;

impl Context<'_> {
    /// `x as T`
    pub(super) fn conversion(
        &mut self,
        value: &ast::Expression,
        ty: &ast::TypeExpression,
        span: Span,
    ) -> ExpressionId {
        let target = self.written_type(ty);
        if target == Type::Json {
            return self.expression(value, &Expected::Type(target));
        }
        // A literal in front of `as` is JSON that is to be read.
        let is_literal = matches!(
            value.kind,
            ast::ExpressionKind::Map(_) | ast::ExpressionKind::List(_)
        );
        let wanted = if is_literal {
            Expected::Type(Type::Json)
        } else {
            Expected::Anything
        };
        let value = self.expression(value, &wanted);
        let actual = self.ty(value);
        match (self.unchecked(&actual), self.unchecked(&target)) {
            (Type::Invalid, _) | (_, Type::Invalid) => {
                self.push(ExpressionKind::Invalid, target, span)
            }
            (Type::Json, _) if target != Type::Json => {
                self.require(Requirement::Json, &target, ty.span);
                self.push(ExpressionKind::As(value), target, span)
            }
            (Type::String | Type::Text(_), Type::Literals(_)) => {
                let value = self.coerce(value, &Type::String);
                self.push(ExpressionKind::As(value), target, span)
            }
            (Type::Literals(some), Type::Literals(all))
                if !some.iter().all(|it| all.contains(it)) =>
            {
                let value = self.converted(value, Coercion::Forget, &Type::String);
                self.push(ExpressionKind::As(value), target, span)
            }
            _ => match self.try_coerce(value, &target) {
                Some(converted) => converted,
                None => {
                    let place = self.place(span);
                    let (from, to) = (self.show(&actual), self.show(&target));
                    let report = errors::invalid_conversion(place, &from, &to);
                    let method = match (self.operand(&actual), self.operand(&target)) {
                        (_, Type::String) => Some(".to_string()"),
                        (Type::Int, Type::Float) => Some(".to_float()"),
                        (Type::Float, Type::Int) => Some(".to_int()"),
                        _ => None,
                    };
                    let text = crate::infer::source::text(self.db, self.item, self.span(value));
                    self.report(match method {
                        Some(method) => errors::method_converts(report, place, &text, method),
                        None if self.operand(&actual) == Type::String => {
                            errors::parse_number(report)
                        }
                        None => report,
                    });
                    self.push(ExpressionKind::Invalid, target, span)
                }
            },
        }
    }
}
