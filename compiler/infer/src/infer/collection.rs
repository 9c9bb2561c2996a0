//! Lists, maps, tuples, ranges and what reaches into them.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::Span;
use gsw_syntax::ast;

use crate::errors::{records, values as errors};
use crate::hir::{ExpressionId, ExpressionKind, RangeEnd};
use crate::infer::context::{Context, Expected};
use crate::infer::table::Blame;
use crate::item_bodies::Requirement;

impl Context<'_> {
    /// What is wanted of a collection literal: below checks and `?`.
    fn wanted_collection(&self, expected: &Expected) -> Option<Type> {
        let mut ty = self.table.unchecked(expected.hint()?);
        if let Type::Optional(inner) = &ty {
            ty = self.table.unchecked(inner);
        }
        Some(ty)
    }

    pub(super) fn list(
        &mut self,
        elements: &[ast::Expression],
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let whole = self.wanted_collection(expected);
        let (wanted, part) = if let Some(Type::List(element)) = &whole {
            // Beside a `[json]`, as in `all += [1]`, nothing else can be meant.
            let part = if **element == Type::Json {
                Expected::Type(Type::Json)
            } else {
                self.table.part_of(expected, element)
            };
            (Some((**element).clone()), part)
        } else if whole == Some(Type::Json) {
            (Some(Type::Json), self.table.part_of(expected, &Type::Json))
        } else {
            (None, Expected::Anything)
        };
        let ids: Vec<_> = elements
            .iter()
            .map(|it| self.expression(it, &part))
            .collect();
        let (element, ids) = self.side(ids, &part, wanted.as_ref());
        self.push(ExpressionKind::List(ids), element.list(), span)
    }

    fn joined_elements(&mut self, ids: Vec<ExpressionId>) -> (Type, Vec<ExpressionId>) {
        let (ty, ids) = self.join(ids);
        if ty == Type::Never {
            (self.fresh(), ids)
        } else {
            (ty, ids)
        }
    }

    pub(super) fn map(
        &mut self,
        entries: &[ast::MapEntry],
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let whole = self.wanted_collection(expected);
        let wanted = if let Some(Type::Map(key, value)) = whole {
            Some(((*key).clone(), (*value).clone()))
        } else if whole != Some(Type::Json) {
            None
        } else if entries.is_empty() {
            Some((Type::String, Type::Json))
        } else {
            // Keys of several types have a text; which one they are is for them to say.
            Some((self.fresh(), Type::Json))
        };
        let (key_part, value_part) = match &wanted {
            Some((key, value)) => (
                self.table.part_of(expected, key),
                self.table.part_of(expected, value),
            ),
            None => (Expected::Anything, Expected::Anything),
        };
        let mut keys = Vec::with_capacity(entries.len());
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            keys.push(self.expression(&entry.key, &key_part));
            values.push(self.expression(&entry.value, &value_part));
        }
        let (key, keys) = self.side(keys, &key_part, wanted.as_ref().map(|it| &it.0));
        let (value, values) = self.side(values, &value_part, wanted.as_ref().map(|it| &it.1));
        self.require(Requirement::Key, &key, span);
        let entries = keys.into_iter().zip(values).collect();
        let ty = Type::Map(Arc::new(key), Arc::new(value));
        self.push(ExpressionKind::Map(entries), ty, span)
    }

    /// The elements of a list literal, or the keys or values of a map literal, and their type.
    fn side(
        &mut self,
        ids: Vec<ExpressionId>,
        part: &Expected,
        wanted: Option<&Type>,
    ) -> (Type, Vec<ExpressionId>) {
        if let Expected::Type(ty) = part {
            return (ty.clone(), ids);
        }
        if !ids.is_empty() {
            return self.joined_elements(ids);
        }
        match wanted {
            Some(ty) => (ty.clone(), ids),
            None => (self.table.fresh(Blame::Binding), ids),
        }
    }

    pub(super) fn tuple(
        &mut self,
        elements: &[ast::Expression],
        span: Span,
        expected: &Expected,
    ) -> ExpressionId {
        let wanted = self.wanted_collection(expected);
        let mut ids = Vec::with_capacity(elements.len());
        let mut types = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let part = if let Some(Type::Tuple(wanted)) = &wanted
                && wanted.len() == elements.len()
            {
                self.table.part_of(expected, &wanted[index])
            } else if wanted == Some(Type::Json) {
                self.table.part_of(expected, &Type::Json)
            } else {
                Expected::Anything
            };
            let id = self.expression(element, &part);
            types.push(self.ty(id));
            ids.push(id);
        }
        self.push(ExpressionKind::Tuple(ids), Type::Tuple(types.into()), span)
    }

    pub(super) fn range(
        &mut self,
        start: &ast::Expression,
        end: &ast::Expression,
        range_end: ast::RangeEnd,
        span: Span,
    ) -> ExpressionId {
        let start = self.expression(start, &Expected::Type(Type::Int));
        let end = self.expression(end, &Expected::Type(Type::Int));
        let range_end = match range_end {
            ast::RangeEnd::Exclusive => RangeEnd::Exclusive,
            ast::RangeEnd::Inclusive => RangeEnd::Inclusive,
        };
        self.push(
            ExpressionKind::Range {
                start,
                end,
                range_end,
            },
            Type::Int.list(),
            span,
        )
    }

    pub(super) fn tuple_field(
        &mut self,
        base: &ast::Expression,
        index: u32,
        index_span: Span,
        span: Span,
    ) -> ExpressionId {
        let base = self.expression(base, &Expected::Anything);
        self.tuple_part(base, index, index_span, span)
    }

    /// An element of a tuple that was inferred.
    pub(super) fn tuple_part(
        &mut self,
        base: ExpressionId,
        index: u32,
        index_span: Span,
        span: Span,
    ) -> ExpressionId {
        let ty = self.ty(base);
        match self.table.unchecked(&ty) {
            Type::Tuple(types) if (index as usize) < types.len() => {
                let ty = types[index as usize].clone();
                self.push(ExpressionKind::TupleField { base, index }, ty, span)
            }
            Type::Invalid => self.invalid(span),
            Type::Variable(_) => self.unknown_receiver(base, &index.to_string(), span),
            other @ (Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
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
            | Type::List(_)
            | Type::Map(..)
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
            | Type::Text(_)) => {
                let (place, text) = (self.place(index_span), self.show(&ty));
                let report = records::unknown_field(place, &index.to_string(), &text, None);
                self.report(if let Type::Tuple(types) = other {
                    records::parts_of_tuple(report, types.len())
                } else {
                    report
                });
                self.invalid(span)
            }
        }
    }

    pub(super) fn index(
        &mut self,
        base: &ast::Expression,
        index: &ast::Expression,
        span: Span,
    ) -> ExpressionId {
        let base = self.expression(base, &Expected::Anything);
        let ty = self.ty(base);
        if matches!(index.kind, ast::ExpressionKind::Range { .. }) {
            let place = self.place(index.span);
            self.report(errors::slice_instead(place));
            return self.invalid(span);
        }
        let (index, ty) = match self.table.unchecked(&ty) {
            Type::List(element) => (
                self.expression(index, &Expected::Type(Type::Int)),
                (*element).clone(),
            ),
            Type::Map(key, value) => (
                self.expression(index, &Expected::Type((*key).clone())),
                (*value).clone(),
            ),
            Type::Json => (self.json_index(index), Type::Json),
            Type::Variable(_) => {
                self.expression(index, &Expected::Anything);
                return self.unknown_receiver(base, "[]", span);
            }
            other @ (Type::Unit
            | Type::Bool
            | Type::Int
            | Type::Float
            | Type::String
            | Type::Bytes
            | Type::Time
            | Type::Duration
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
            | Type::Text(_)
            | Type::Invalid) => {
                self.expression(index, &Expected::Anything);
                self.not_indexable(base, &other);
                return self.invalid(span);
            }
        };
        self.push(ExpressionKind::Index { base, index }, ty, span)
    }

    fn not_indexable(&mut self, base: ExpressionId, plain: &Type) {
        if *plain == Type::Invalid {
            return;
        }
        let (place, text) = (self.place(self.span(base)), self.show(&self.ty(base)));
        let report = errors::not_indexable(place, &text);
        self.report(if let Type::Optional(_) = plain {
            errors::may_be_none(report)
        } else if let Type::Tuple(_) = plain {
            errors::parts_by_number(report)
        } else if *plain == Type::String {
            errors::part_of_text(report)
        } else {
            report
        });
    }

    /// A `json` is indexed by position or by name.
    fn json_index(&mut self, index: &ast::Expression) -> ExpressionId {
        let id = self.expression(index, &Expected::Anything);
        let ty = self.ty(id);
        let wanted = if self.table.operand(&ty) == Type::String {
            Type::String
        } else {
            Type::Int
        };
        self.coerce(id, &wanted)
    }

    /// Reports that something is asked of a value whose type is not known yet.
    pub(super) fn unknown_receiver(
        &mut self,
        base: ExpressionId,
        name: &str,
        span: Span,
    ) -> ExpressionId {
        if let Some(variable) = self.table.unknown(&self.ty(base)) {
            self.table.suppress(variable);
        }
        let place = self.place(self.span(base));
        self.report(errors::cannot_infer_here(place, name));
        self.invalid(span)
    }
}
