//! Literals and interpolated strings.

use gsw_names::types::{Type, is_media};
use gsw_source::{Name, Span, nearest};
use gsw_syntax::ast;

use crate::errors::values as errors;
use crate::hir::{Coercion, ExpressionId, ExpressionKind, Part};
use crate::infer::context::{Context, Expected};
use crate::infer::table::Blame;
use crate::item_bodies::Requirement;

impl Context<'_> {
    pub(super) fn literal(
        &mut self,
        literal: &ast::Literal,
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        match literal {
            ast::Literal::Int(value) => self.int(*value, span),
            ast::Literal::Float(bits) => self.push(ExpressionKind::Float(*bits), Type::Float, span),
            ast::Literal::Bool(value) => self.push(ExpressionKind::Bool(*value), Type::Bool, span),
            ast::Literal::Duration(nanoseconds) => {
                self.push(ExpressionKind::Duration(*nanoseconds), Type::Duration, span)
            }
            ast::Literal::None => {
                let wanted = expected.hint().map(|it| self.table.unchecked(it));
                // Any other hint is ignored: `none` where an `int` is wanted has its own type and is a mismatch.
                let is_usable = |it: &Type| matches!(it, Type::Optional(_) | Type::Json);
                let ty = match wanted.filter(is_usable) {
                    Some(wanted) => wanted.optional(),
                    None => self.table.fresh(Blame::Binding).optional(),
                };
                self.push(ExpressionKind::None, ty, span)
            }
            ast::Literal::String(text) => self.string(text, span, expected),
        }
    }

    /// An int literal; what does not fit 64 bits was reported by the parser.
    pub(super) fn int(&mut self, value: Option<i128>, span: Span) -> ExpressionId {
        match value.and_then(|it| i64::try_from(it).ok()) {
            Some(value) => self.push(ExpressionKind::Int(value), Type::Int, span),
            None => self.push(ExpressionKind::Invalid, Type::Int, span),
        }
    }

    fn string(&mut self, text: &Name, span: Span, expected: &Expected) -> ExpressionId {
        let kind = ExpressionKind::String(text.clone());
        // A variable per literal is what makes unions work; where a `string` is wanted it would only cost.
        if let Some(Type::String) = expected.hint().map(|it| self.table.resolve(it)) {
            return self.push(kind, Type::String, span);
        }
        let Some(literals) = expected
            .hint()
            .and_then(|it| self.table.wanted_literals(it))
        else {
            let ty = self.table.literal(text, span);
            return self.push(kind, ty, span);
        };
        let ty = Type::Literals(literals.clone());
        if literals.contains(text) {
            return self.push(kind, ty, span);
        }
        // Here the union is certain, so the report can name the nearest literal. Under a hint the literal may yet go elsewhere.
        if let Expected::Type(_) = expected {
            let suggestion = nearest(text, literals.iter());
            let place = self.place(span);
            let wanted = self.show(&ty);
            self.report(errors::not_in_union(
                place,
                text,
                &wanted,
                suggestion.as_deref(),
            ));
            return self.push(ExpressionKind::Invalid, ty, span);
        }
        let ty = self.table.literal(text, span);
        self.push(kind, ty, span)
    }

    /// The text of a `user` entry, in which images and documents may stand.
    pub(super) fn user_text(&mut self, text: &ast::Expression) -> ExpressionId {
        let ast::ExpressionKind::Interpolation(parts) = &text.kind else {
            return self.expression(text, &Expected::Type(Type::String));
        };
        let text = self.interpolated(parts, Shown::TextAndMedia, text.span);
        self.coerce(text, &Type::String)
    }

    pub(super) fn interpolation(&mut self, parts: &[ast::StringPart], span: Span) -> ExpressionId {
        self.interpolated(parts, Shown::Text, span)
    }

    fn interpolated(
        &mut self,
        parts: &[ast::StringPart],
        shown: Shown,
        span: Span,
    ) -> ExpressionId {
        let mut is_secret = false;
        let mut converted = Vec::with_capacity(parts.len());
        for part in parts {
            converted.push(match part {
                ast::StringPart::Text(text) => Part::Text(text.clone()),
                ast::StringPart::Expression(expression) => {
                    let id = self.expression(expression, &Expected::Anything);
                    // A text that shows a secret is one: otherwise interpolation would be the way to log it.
                    is_secret |= self.is_shown_secret(id, shown);
                    Part::Expression(id)
                }
            });
        }
        let ty = if is_secret {
            Type::Secret
        } else {
            Type::String
        };
        self.push(ExpressionKind::Interpolation(converted), ty, span)
    }

    /// Whether an interpolated value is a secret; one that has no text is reported.
    fn is_shown_secret(&mut self, id: ExpressionId, shown: Shown) -> bool {
        let ty = self.ty(id);
        let plain = self.table.unchecked(&ty);
        let inside = if let Type::Optional(inner) = &plain {
            self.table.unchecked(inner)
        } else {
            plain
        };
        if inside == Type::Secret {
            return true;
        }
        if shown == Shown::TextAndMedia && is_media(&self.table.zonk(&ty)) {
            return false;
        }
        let span = self.span(id);
        self.require(Requirement::Json, &ty, span);
        false
    }

    /// A string that the compiler makes.
    pub(super) fn text(&mut self, text: &str, span: Span) -> ExpressionId {
        self.push(ExpressionKind::String(Name::new(text)), Type::String, span)
    }

    pub(super) fn as_json(&mut self, id: ExpressionId) -> ExpressionId {
        if self.ty(id) == Type::Json {
            return id;
        }
        self.converted(id, Coercion::ToJson, &Type::Json)
    }
}

/// What may stand in an interpolated text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Text,
    /// Images and documents as well.
    TextAndMedia,
}
