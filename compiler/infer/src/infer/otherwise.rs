//! `a ?? b`.

use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{Arm, ExpressionId, ExpressionKind, Pattern, PatternKind};
use crate::infer::context::{Context, Expected};

impl Context<'_> {
    pub(super) fn otherwise(
        &mut self,
        value: &ast::Expression,
        fallback: &ast::Expression,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        // A hint, since the left side may be of another type than the whole: only its inside is converted.
        let wanted = expected.hint().map_or(Expected::Anything, |it| {
            Expected::Hint(it.clone().optional())
        });
        let value = self.expression(value, &wanted);
        let ty = self.ty(value);
        let inner = if let Type::Optional(inner) = &ty {
            self.table.resolve(inner)
        } else if let Type::Variable(variable) = ty {
            let inner = self.fresh();
            self.table.bind(variable, &inner.clone().optional());
            inner
        } else {
            if !matches!(ty, Type::Invalid | Type::Never) {
                let (place, text) = (self.place(self.span(value)), self.show(&ty));
                self.report(errors::needless_fallback(place, &text));
            }
            self.expression(fallback, &Expected::Hint(ty));
            return value;
        };
        // Both sides are converted to what is wanted one by one, as branches are; joining first could fail where each side converts.
        if let Expected::Type(ty) = expected
            && !self.table.is_open(ty)
        {
            let fallback = self.expression(fallback, expected);
            return self.otherwise_of(value, fallback, ty.clone(), span);
        }
        // To these other types convert, so a join from below would not find them.
        let near = if matches!(inner, Type::Json | Type::Secret | Type::Function(_)) {
            Expected::Type(inner.clone())
        } else {
            Expected::Hint(inner.clone())
        };
        let fallback = self.expression(fallback, &near);
        let other = self.ty(fallback);
        let Some(joined) = self.table.join_types(&inner, &other) else {
            let fallback = self.coerce(fallback, &inner);
            return self.push(ExpressionKind::Otherwise { value, fallback }, inner, span);
        };
        let fallback = self.coerce(fallback, &joined);
        self.otherwise_of(value, fallback, joined, span)
    }

    /// `a ?? b` where both are to be of one type, which `b` already is.
    fn otherwise_of(
        &mut self,
        value: ExpressionId,
        fallback: ExpressionId,
        joined: Type,
        span: Span,
    ) -> ExpressionId {
        let optional = joined.clone().optional();
        match self.try_coerce(value, &optional) {
            Some(value) => self.push(ExpressionKind::Otherwise { value, fallback }, joined, span),
            None => self.converted_otherwise(value, fallback, joined, span),
        }
    }

    /// `a ?? b` where the inside of `a` must be converted: a `match` that does it.
    fn converted_otherwise(
        &mut self,
        value: ExpressionId,
        fallback: ExpressionId,
        joined: Type,
        span: Span,
    ) -> ExpressionId {
        let optional = self.ty(value);
        let Type::Optional(inner) = &optional else {
            return self.coerce(value, &joined);
        };
        let value_span = self.span(value);
        let local = self.hidden_local((**inner).clone(), value_span);
        let inside = self.local_value(local, value_span);
        let inside = self.coerce(inside, &joined);
        let pattern = |kind, ty: &Type| Pattern {
            kind,
            ty: ty.clone(),
            span: value_span,
        };
        let binding = pattern(PatternKind::Binding(local), inner);
        let arms = vec![
            Arm {
                pattern: pattern(PatternKind::Some(Box::new(binding)), &optional),
                guard: None,
                body: inside,
            },
            Arm {
                pattern: pattern(PatternKind::Wildcard, &optional),
                guard: None,
                body: fallback,
            },
        ];
        self.push(ExpressionKind::Match { value, arms }, joined, span)
    }
}
