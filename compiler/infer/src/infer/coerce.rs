//! Conversions that are not written in source, and the type that several branches agree on.
//!
//! `try_coerce` makes a value of type *actual* one of type *target*. The first row that fits decides; `T` stands for any type,
//! `relate` (in `unify`) for equality up to variables and widening.
//!
//! | actual | target | conversion |
//! |---|---|---|
//! | not a variable | a variable with a default type | to the default type, if it converts; the variable is bound to it |
//! | `Never` | `T` | `FromNever`: the value never exists |
//! | `Invalid` | `T`, and the other way round | none: it was reported |
//! | `T` with a JSON form | `json` | `ToJson` |
//! | `A?` | `B?` | by `relate`: `none` stays `none` |
//! | `T` | `B?` | `T` to `B`, then `ToOptional`; an unbound variable is bound to `B?` |
//! | `string`, literals | `secret` | to `string`, then `ToSecret` |
//! | `T` | a type with a check | by `relate` if it is that type; else `T` to its base, then `Check` |
//! | a function | a function | by `relate`; else a lambda around it that converts arguments and result |
//! | `T` | `U` | by `relate`: the same type, or `Widen`, which changes no representation |
//! | a literal `[…]`, `{…}`, `(…)`, or `+` of lists | a type of that form | element by element, where `relate` fails |
//!
//! ```text
//! type Percent = float where it >= 0.0 and it <= 100.0
//! let shares: [Percent?] = [12.5, none]   // element by element: `Check`, then `ToOptional`
//! ```
//!
//! - A value inside of another is never converted where it is: only literals are taken apart, since a list that exists cannot
//!   change its elements.
//! - `json` never converts to anything: that needs `as`, which can fail. Neither does `secret`.
//! - Branches that expect nothing of each other are joined: `join_types` finds a type that both sides convert to, and each
//!   branch is then coerced to it.

use std::sync::Arc;

use gsw_names::KnownItem;
use gsw_names::types::{Type, parts};
use gsw_source::{Name, Span};

use crate::errors::values as errors;
use crate::hir::{BinaryOperator, Coercion, ExpressionId, ExpressionKind};
use crate::infer::capability;
use crate::infer::context::{Context, Expected};
use crate::infer::lookup;
use crate::infer::table::{Side, Table};
use crate::infer::unify::Relation;

/// A literal among strings that is none of those that are wanted.
struct Outside {
    text: Name,
    span: Span,
    /// What was most likely meant.
    meant: Option<Name>,
}

impl Context<'_> {
    /// The expression with its value of type `target`; reports when there is no such conversion.
    pub(super) fn coerce(&mut self, id: ExpressionId, target: &Type) -> ExpressionId {
        match self.try_coerce(id, target) {
            Some(converted) => converted,
            None => {
                let diagnostic = self.mismatch(id, target);
                self.report(diagnostic);
                let span = self.span(id);
                self.push(ExpressionKind::Invalid, target.clone(), span)
            }
        }
    }

    /// What the surroundings want of an expression, done to one that was inferred.
    pub(super) fn settle(&mut self, id: ExpressionId, expected: &Expected) -> ExpressionId {
        match expected {
            Expected::Type(ty) => self.coerce(id, ty),
            Expected::Anything | Expected::Dropped | Expected::Hint(_) => id,
        }
    }

    /// The same as `coerce`, silently.
    pub(super) fn try_coerce(&mut self, id: ExpressionId, target: &Type) -> Option<ExpressionId> {
        let (actual, target) = (self.ty(id), self.table.resolve(target));
        if let Some(converted) = self.coerce_to_default(id, &actual, &target) {
            return Some(converted);
        }
        match (&actual, &target) {
            (Type::Never, Type::Never) | (Type::Invalid, _) | (_, Type::Invalid) => Some(id),
            (Type::Never, _) => Some(self.converted(id, Coercion::FromNever, &target)),
            (_, Type::Json) if !matches!(actual, Type::Json) => self.json_value(id, &actual),
            (Type::Optional(_), Type::Optional(_)) => self.same_bits(id, &actual, &target),
            (_, Type::Optional(inner)) => match self.table.unknown(&actual) {
                Some(_) => self.same_bits(id, &actual, &target),
                None => {
                    let inside = self.try_coerce(id, inner)?;
                    Some(self.converted(inside, Coercion::ToOptional, &target))
                }
            },
            (_, Type::Secret) if self.table.operand(&actual) == Type::String => {
                let text = self.try_coerce(id, &Type::String)?;
                Some(self.converted(text, Coercion::ToSecret, &target))
            }
            (_, Type::Checked(item, arguments)) => {
                if let Some(same) = self.same_bits(id, &actual, &target) {
                    return Some(same);
                }
                let base = lookup::alias_target(self.db, *item, arguments)?;
                let value = self.try_coerce(id, &base)?;
                Some(self.converted(value, Coercion::Check, &target))
            }
            (Type::Function(_), Type::Function(wanted)) => {
                let same = self.same_bits(id, &actual, &target);
                same.or_else(|| self.adapted_function(id, wanted))
            }
            _ => self.same_bits(id, &actual, &target),
        }
    }

    /// The expression as the default type of an unbound variable, which is bound to that.
    fn coerce_to_default(
        &mut self,
        id: ExpressionId,
        actual: &Type,
        target: &Type,
    ) -> Option<ExpressionId> {
        let variable = self.table.unknown(target)?;
        if matches!(actual, Type::Never | Type::Invalid | Type::Variable(_)) {
            return None;
        }
        let default_type = self.table.take_default_type(variable)?;
        let converted = self.try_coerce(id, &default_type)?;
        self.table
            .bind(variable, &default_type)
            .then_some(converted)
    }

    fn same_bits(
        &mut self,
        id: ExpressionId,
        actual: &Type,
        target: &Type,
    ) -> Option<ExpressionId> {
        match self.table.relate(actual, target) {
            Some(Relation::Same) => Some(id),
            Some(Relation::Widen) => Some(self.widened(id, target)),
            None => self.element_by_element(id, target),
        }
    }

    /// The expression as a `target` of the same representation; a literal is given the type itself.
    fn widened(&mut self, id: ExpressionId, target: &Type) -> ExpressionId {
        let expression = self.hir.get_mut(id);
        if let (ExpressionKind::String(_), Type::Text(_)) = (&expression.kind, &expression.ty) {
            expression.ty = target.clone();
            return id;
        }
        self.converted(id, Coercion::Widen, target)
    }

    /// The expression inside of conversions that change no representation.
    pub(super) fn below_widening(&self, id: ExpressionId) -> ExpressionId {
        let mut current = id;
        while let ExpressionKind::Coerce {
            value,
            coercion: Coercion::Widen,
        } = self.hir.get(current).kind
        {
            current = value;
        }
        current
    }

    /// A literal whose elements can be converted one by one, or several of these joined by `+`.
    fn element_by_element(&mut self, id: ExpressionId, target: &Type) -> Option<ExpressionId> {
        let span = self.span(id);
        let id = self.below_widening(id);
        let kind = match (self.hir.get(id).kind.clone(), target) {
            (ExpressionKind::Tuple(ids), Type::Tuple(types)) if ids.len() == types.len() => {
                let pairs = ids.into_iter().zip(types.iter());
                let ids: Option<Vec<_>> = pairs.map(|(id, ty)| self.try_coerce(id, ty)).collect();
                ExpressionKind::Tuple(ids?)
            }
            (ExpressionKind::List(ids), Type::List(element)) => {
                let ids = ids.into_iter().map(|it| self.try_coerce(it, element));
                ExpressionKind::List(ids.collect::<Option<Vec<_>>>()?)
            }
            (ExpressionKind::Map(entries), Type::Map(key, value)) => {
                let entries = entries.into_iter().map(|(left, right)| {
                    Some((self.try_coerce(left, key)?, self.try_coerce(right, value)?))
                });
                ExpressionKind::Map(entries.collect::<Option<Vec<_>>>()?)
            }
            (
                ExpressionKind::Binary {
                    operator: BinaryOperator::Add,
                    left,
                    right,
                },
                Type::List(_),
            ) => ExpressionKind::Binary {
                operator: BinaryOperator::Add,
                left: self.try_coerce(left, target)?,
                right: self.try_coerce(right, target)?,
            },
            _ => return None,
        };
        Some(self.push(kind, target.clone(), span))
    }

    /// Any value with a JSON form where `json` is wanted.
    fn json_value(&mut self, id: ExpressionId, actual: &Type) -> Option<ExpressionId> {
        if self.table.unknown(actual).is_some() {
            return self.same_bits(id, actual, &Type::Json);
        }
        if !capability::has_json_form(self, actual) {
            return None;
        }
        Some(self.converted(id, Coercion::ToJson, &Type::Json))
    }

    /// Wraps an expression in a conversion.
    pub(super) fn converted(
        &mut self,
        id: ExpressionId,
        coercion: Coercion,
        target: &Type,
    ) -> ExpressionId {
        let span = self.span(id);
        self.push(
            ExpressionKind::Coerce {
                value: id,
                coercion,
            },
            target.clone(),
            span,
        )
    }

    /// The type that all of these values can be given, and the values given it. The first that does not fit is reported
    /// with what the first of them is.
    pub(super) fn join(&mut self, ids: Vec<ExpressionId>) -> (Type, Vec<ExpressionId>) {
        let mut joined = Type::Never;
        for &id in &ids {
            let ty = self.ty(id);
            // What this is for the join alone can take more of the same.
            if self.table.holds_text(&joined) && self.table.relate(&ty, &joined).is_some() {
                continue;
            }
            joined = self.table.join_types(&joined, &ty).unwrap_or(joined);
            joined = self.table.loosened(&joined, Side::Above);
        }
        let first = ids.iter().copied().find(|&it| self.ty(it) != Type::Never);
        let mut reported = false;
        let ids = ids
            .into_iter()
            .map(|id| match self.try_coerce(id, &joined) {
                Some(converted) => converted,
                None => self.branch_mismatch(id, &joined, first, &mut reported),
            })
            .collect();
        (joined, ids)
    }

    fn branch_mismatch(
        &mut self,
        id: ExpressionId,
        joined: &Type,
        first: Option<ExpressionId>,
        reported: &mut bool,
    ) -> ExpressionId {
        let span = self.span(id);
        if !std::mem::replace(reported, true) {
            let mut diagnostic = self.mismatch(id, joined);
            if let Some(first) = first {
                let place = self.place(self.span(first));
                diagnostic = diagnostic.label(place, errors::first_branch(&self.show(joined)));
            }
            self.report(diagnostic);
        }
        self.push(ExpressionKind::Invalid, joined.clone(), span)
    }

    /// The report that an expression is not of type `target`.
    pub(super) fn mismatch(&self, id: ExpressionId, target: &Type) -> gsw_source::Diagnostic {
        let span = self.span(id);
        let place = self.place(span);
        let actual = self.ty(id);
        let (found, wanted) = (self.show(&actual), self.show(target));
        let is_none = matches!(self.hir.get(id).kind, ExpressionKind::None);
        let found = if is_none { "none".to_owned() } else { found };
        let diagnostic = errors::mismatch(place, &wanted, &found);
        let number = matches!(self.hir.get(id).kind, ExpressionKind::Int(_));
        match (self.table.operand(&actual), self.table.operand(target)) {
            (Type::Int, Type::Float) if number => {
                errors::write_as_float(diagnostic, self.end(span))
            }
            (Type::Int, Type::Float) => {
                let form = self.operand_form(id);
                errors::convert_to_float(diagnostic, form, self.start(span), self.end(span))
            }
            (Type::Float, Type::Int) => {
                let form = self.operand_form(id);
                errors::convert_to_int(diagnostic, form, self.start(span), self.end(span))
            }
            (Type::Secret, Type::String | Type::Json) => errors::secret_stays(diagnostic),
            (Type::String, _) if self.table.wanted_literals(target).is_some() => {
                self.why_no_union(diagnostic, &actual, target)
            }
            (Type::List(from), Type::List(to)) if self.would_convert(&from, &to) => {
                self.convert_each(diagnostic, id, ".map(x => x)")
            }
            (Type::Map(key, from), Type::Map(wanted, to))
                if self.table.operand(&key) == self.table.operand(&wanted)
                    && self.would_convert(&from, &to) =>
            {
                self.convert_each(diagnostic, id, ".map_values(x => x)")
            }
            (Type::List(_), Type::List(_))
            | (Type::Map(..), Type::Map(..))
            | (Type::Tuple(_), Type::Tuple(_)) => self.why_no_union(diagnostic, &actual, target),
            (Type::Json, _) => errors::decode_json(diagnostic, &wanted, self.end(span)),
            (Type::Optional(_), _) if is_none => errors::none_needs_optional(diagnostic, &wanted),
            (Type::Optional(_), _) => errors::may_be_none(diagnostic),
            (Type::Task(_), _) => errors::await_it(diagnostic, self.start(span)),
            (Type::Function(_), _) if self.constructor_name(id).is_some() => {
                errors::lacks_payload(diagnostic, &self.constructor_name(id).unwrap_or_default())
            }
            (Type::Record(item, _), _)
                if KnownItem::Response.is(self.db, item) && !matches!(target, Type::Record(..)) =>
            {
                errors::value_of_response(diagnostic, self.end(span))
            }
            (_, Type::Json) => errors::without_json_form(diagnostic, &found),
            (Type::Unit | Type::Function(_) | Type::Agent, _) => diagnostic,
            (_, Type::String) => errors::interpolate(diagnostic, self.start(span), self.end(span)),
            _ => diagnostic,
        }
    }

    /// Whether an element of one type converts to another, where that is certain.
    fn would_convert(&self, actual: &Type, target: &Type) -> bool {
        let (actual, target) = (self.table.resolve(actual), self.table.resolve(target));
        if target == Type::Json {
            return matches!(
                actual,
                Type::Bool | Type::Int | Type::Float | Type::String | Type::Duration
            );
        }
        let inner = if let Type::Optional(inner) = &target {
            Some((**inner).clone())
        } else if let Type::Checked(item, arguments) = &target {
            lookup::alias_target(self.db, *item, arguments)
        } else {
            None
        };
        inner.is_some_and(|inner| actual == inner || self.would_convert(&actual, &inner))
    }

    /// A collection whose elements must be converted one by one.
    fn convert_each(
        &self,
        diagnostic: gsw_source::Diagnostic,
        id: ExpressionId,
        method: &str,
    ) -> gsw_source::Diagnostic {
        if matches!(
            self.hir.get(id).kind,
            ExpressionKind::List(_) | ExpressionKind::Map(_)
        ) {
            return diagnostic;
        }
        let span = self.span(id);
        let form = self.operand_form(id);
        errors::convert_each(diagnostic, form, self.start(span), self.end(span), method)
    }

    /// Shows the literals that make strings in `actual` none of those that `target` is made of; what only a run knows can
    /// be checked there.
    fn why_no_union(
        &self,
        diagnostic: gsw_source::Diagnostic,
        actual: &Type,
        target: &Type,
    ) -> gsw_source::Diagnostic {
        let mut outside = Vec::new();
        self.literals_outside(actual, target, &mut outside);
        if outside.is_empty() {
            return match self.table.wanted_literals(target) {
                Some(_) => errors::checked_as(diagnostic, &self.show(target)),
                None => diagnostic,
            };
        }
        // One change mends nothing where several are needed.
        let is_only = outside.len() == 1;
        outside.iter().take(3).fold(diagnostic, |it, literal| {
            let place = self.place(literal.span);
            let meant = literal.meant.as_deref().filter(|_| is_only);
            errors::literal_outside(it, place, &literal.text, meant)
        })
    }

    fn literals_outside(&self, actual: &Type, target: &Type, found: &mut Vec<Outside>) {
        let (actual, target) = (self.table.unchecked(actual), self.table.unchecked(target));
        match (&actual, &target) {
            (Type::Text(text), _) => {
                let Some(names) = self.table.wanted_literals(&target) else {
                    return;
                };
                let written = self.table.texts.literals(*text).into_iter();
                let outside = written.filter(|(text, _)| !names.contains(text));
                found.extend(outside.map(|(text, span)| Outside {
                    meant: gsw_source::nearest(&text, names.iter()),
                    text,
                    span,
                }));
            }
            (Type::Function(_), _) => {}
            _ => {
                let pairs = parts(&actual).into_iter().zip(parts(&target));
                pairs.for_each(|(actual, target)| self.literals_outside(&actual, &target, found));
            }
        }
    }

    /// The variant or error that an expression names without its payload.
    pub(super) fn constructor_name(&self, id: ExpressionId) -> Option<String> {
        let ExpressionKind::ConstructorValue { item, variant } = self.hir.get(id).kind else {
            return None;
        };
        let variants = lookup::variants(self.db, item);
        let variant = variants.get(variant as usize).map(|it| it.name.to_string());
        variant.or_else(|| Some(item.name(self.db).to_string()))
    }

    /// Whether a method call can be written right behind an expression.
    pub(super) fn operand_form(&self, id: ExpressionId) -> errors::Operand {
        let is_whole = matches!(
            self.hir.get(id).kind,
            ExpressionKind::Local(_)
                | ExpressionKind::Constant(_)
                | ExpressionKind::Field { .. }
                | ExpressionKind::TupleField { .. }
                | ExpressionKind::JsonField { .. }
                | ExpressionKind::Index { .. }
                | ExpressionKind::Float(_)
                | ExpressionKind::Call { .. }
                | ExpressionKind::List(_)
                | ExpressionKind::Tuple(_)
        );
        if is_whole {
            errors::Operand::Whole
        } else {
            errors::Operand::Loose
        }
    }

    /// The place right after `span`.
    pub(super) fn end(&self, span: Span) -> gsw_source::Place {
        self.place(Span::new(span.end, span.end))
    }

    /// The place right before `span`.
    pub(super) fn start(&self, span: Span) -> gsw_source::Place {
        self.place(Span::new(span.start, span.start))
    }
}

impl Table<'_> {
    /// The type that values of both types can be given; `None` when there is none.
    pub(super) fn join_types(&mut self, left: &Type, right: &Type) -> Option<Type> {
        let (left, right) = (self.resolve(left), self.resolve(right));
        match (&left, &right) {
            (Type::Never | Type::Invalid, other) | (other, Type::Never | Type::Invalid) => {
                Some(other.clone())
            }
            (Type::Optional(some), Type::Optional(other)) => {
                self.join_types(some, other).map(Type::optional)
            }
            (Type::Optional(inner), other) | (other, Type::Optional(inner))
                if self.unknown(other).is_none() =>
            {
                self.join_types(inner, other).map(Type::optional)
            }
            (Type::Literals(some), Type::Literals(others)) => {
                let mut names: Vec<_> = some.iter().chain(others.iter()).cloned().collect();
                names.sort();
                names.dedup();
                Some(Type::Literals(names.into()))
            }
            (Type::Secret, other) | (other, Type::Secret)
                if self.operand(other) == Type::String =>
            {
                Some(Type::Secret)
            }
            (Type::Text(_), Type::Text(_) | Type::Literals(_))
            | (Type::Literals(_), Type::Text(_)) => {
                let joined = self.text_above(&left);
                if let Type::Text(text) = joined {
                    self.text_into(&right, text);
                }
                Some(joined)
            }
            (Type::Text(_), other) | (other, Type::Text(_))
                if self.operand(other) == Type::String =>
            {
                Some(Type::String)
            }
            (Type::List(some), Type::List(other)) => self
                .join_types(some, other)
                .map(|it| Type::List(Arc::new(it))),
            (Type::Tuple(some), Type::Tuple(others)) if some.len() == others.len() => {
                let pairs = some.iter().zip(others.iter());
                let types: Option<Vec<Type>> = pairs
                    .map(|(some, other)| self.join_types(some, other))
                    .collect();
                Some(Type::Tuple(types?.into()))
            }
            (Type::Map(key, value), Type::Map(other_key, other_value)) => {
                let key = self.join_types(key, other_key)?;
                let value = self.join_types(value, other_value)?;
                Some(Type::Map(Arc::new(key), Arc::new(value)))
            }
            _ => self.join_plain(&left, &right),
        }
    }

    fn join_plain(&mut self, left: &Type, right: &Type) -> Option<Type> {
        if self.relate(right, left).is_some() {
            return Some(left.clone());
        }
        if self.relate(left, right).is_some() {
            return Some(right.clone());
        }
        let (base, other) = (self.unchecked(left), self.unchecked(right));
        (base != *left || other != *right)
            .then(|| self.join_types(&base, &other))
            .flatten()
    }
}
