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
//! | `T` with a JSON form, but `()` | `json` | `ToJson` |
//! | a string, `bytes`, else `T` with a JSON form | `http.Body` | the variant that takes it |
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
use gsw_names::types::Type;
use gsw_source::ItemId;

use crate::errors::values as errors;
use crate::hir::{BinaryOperator, Coercion, ExpressionId, ExpressionKind};
use crate::infer::adapter;
use crate::infer::capability;
use crate::infer::expected::Expected;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::mismatch::{float_wanted, mismatch};
use crate::infer::narrowing;
use crate::infer::table::{Side, Table};
use crate::infer::unify::Relation;

impl HirBuilder<'_> {
    /// The expression with its value of type `target`; reports when there is no such conversion.
    pub(super) fn coerce(&mut self, id: ExpressionId, target: &Type) -> ExpressionId {
        match self.try_coerce(id, target) {
            Some(converted) => converted,
            None => {
                let tested = narrowing::tested_value(self, id);
                let condition = narrowing::bare_condition(self, id, target);
                if condition
                    .or(tested)
                    .is_none_or(|it| self.findings.tell_tested(it))
                {
                    let diagnostic = mismatch(self, id, target);
                    self.report(diagnostic);
                }
                let span = self.span(id);
                // With the type that was wanted, not `Invalid`: what follows is checked as if the value fitted, so mistakes after it are
                // still found.
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

    /// Like `coerce`, but silent.
    #[expect(
        clippy::too_many_lines,
        reason = "a line a type: rustc names the conversions that a new type must join"
    )]
    pub(super) fn try_coerce(&mut self, id: ExpressionId, target: &Type) -> Option<ExpressionId> {
        let (actual, target) = (self.ty(id), self.table.resolve(target));
        // Before the table of conversions: in it an unbound target would be bound to the actual type, and the default lost.
        if let Some(converted) = coerce_to_default(self, id, &actual, &target) {
            return Some(converted);
        }
        if actual == Type::Invalid
            && let Some(variable) = self.table.unknown(&target)
            && self.table.default_type(variable).is_none()
        {
            // Else what follows would say what it is, and be wrong.
            self.table.bind(variable, &Type::Invalid);
        }
        if actual == Type::Invalid || (actual == Type::Never && target == Type::Never) {
            return Some(id);
        }
        if actual == Type::Never && target != Type::Invalid {
            return Some(self.converted(id, Coercion::FromNever, &target));
        }
        match &target {
            Type::Invalid => Some(id),
            // An optional becomes JSON as a whole, `none` as `null`.
            Type::Json if actual != Type::Json => json_value(self, id, &actual),
            Type::Enum(item, _) if actual != target && KnownItem::HttpBody.is(self.db, *item) => {
                http_body(self, id, &actual, *item)
            }
            Type::Optional(_) if matches!(actual, Type::Optional(_)) => {
                same_bits(self, id, &actual, &target)
            }
            Type::Optional(inner) => match self.table.unknown(&actual) {
                // The value of an unbound variable may itself turn out optional, and `T??` is `T?`; wrapping it now would be wrong then.
                Some(_) => same_bits(self, id, &actual, &target),
                None => {
                    let inside = self.try_coerce(id, inner)?;
                    Some(self.converted(inside, Coercion::ToOptional, &target))
                }
            },
            Type::Secret if self.table.operand(&actual) == Type::String => {
                let text = self.try_coerce(id, &Type::String)?;
                Some(self.converted(text, Coercion::ToSecret, &target))
            }
            Type::Checked(item, arguments) => {
                // A value that has passed the check keeps its type and is not checked again.
                if let Some(same) = same_bits(self, id, &actual, &target) {
                    return Some(same);
                }
                let base = lookup::alias_target(self.db, *item, arguments)?;
                let value = self.try_coerce(id, &base)?;
                Some(self.converted(value, Coercion::Check, &target))
            }
            Type::Function(wanted) if matches!(actual, Type::Function(_)) => {
                // An adapting lambda costs an allocation and a call, so it comes last.
                let same = same_bits(self, id, &actual, &target);
                same.or_else(|| adapter::adapted_function(self, id, wanted))
            }
            Type::Unit
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
            | Type::List(_)
            | Type::Map(..)
            | Type::Tuple(_)
            | Type::Record(..)
            | Type::Enum(..)
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Partial(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_) => same_bits(self, id, &actual, &target),
        }
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
    pub(super) fn join(
        &mut self,
        ids: Vec<ExpressionId>,
        are: Siblings,
    ) -> (Type, Vec<ExpressionId>) {
        let mut joined = Type::Never;
        for &id in &ids {
            let ty = self.ty(id);
            // What this is for the join alone can take more of the same.
            // `joined` is fresh above the values so far (`loosened`), so relating to it changes none of their types.
            if self.table.holds_text(&joined) && self.table.relate(&ty, &joined).is_some() {
                continue;
            }
            // Where two branches do not join, the type so far stays: the branch that differs is reported below, against the first.
            joined = self.table.join_types(&joined, &ty).unwrap_or(joined);
            joined = self.table.loosened(&joined, Side::Above);
        }
        // The label on the first branch explains where the type came from; one that never gives a value explains nothing.
        let first = ids.iter().copied().find(|&it| self.ty(it) != Type::Never);
        let mut reported = false;
        let ids = ids
            .into_iter()
            .map(|id| match self.try_coerce(id, &joined) {
                Some(converted) => converted,
                None => sibling_mismatch(self, id, &joined, first, are, &mut reported),
            })
            .collect();
        (joined, ids)
    }
}

/// Which expressions are given one type.
#[derive(Clone, Copy)]
pub(super) enum Siblings {
    Branches,
    /// The types of a literal's parts.
    Parts(errors::PartsOf),
}

/// The expression as the default type of an unbound variable, which is bound to that.
fn coerce_to_default(
    hir: &mut HirBuilder,
    id: ExpressionId,
    actual: &Type,
    target: &Type,
) -> Option<ExpressionId> {
    let variable = hir.table.unknown(target)?;
    // These say nothing about what the variable is: the default waits for the first value that does.
    if matches!(actual, Type::Never | Type::Invalid | Type::Variable(_)) {
        return None;
    }
    // Taken, not read: a default decides over the first value only. If that does not convert, the variable is bound to the
    // value's own type and later values are compared with that.
    let default_type = hir.table.take_default_type(variable)?;
    let converted = hir.try_coerce(id, &default_type)?;
    hir.table.bind(variable, &default_type).then_some(converted)
}

fn same_bits(
    hir: &mut HirBuilder,
    id: ExpressionId,
    actual: &Type,
    target: &Type,
) -> Option<ExpressionId> {
    match hir.table.relate(actual, target) {
        Some(Relation::Same) => Some(id),
        Some(Relation::Widen) => Some(widened(hir, id, target)),
        None => element_by_element(hir, id, target),
    }
}

/// The expression as a `target` of the same representation; a literal is given the type itself.
fn widened(hir: &mut HirBuilder, id: ExpressionId, target: &Type) -> ExpressionId {
    let expression = hir.arena.get_mut(id);
    // Keeps literals bare, so that the analyses and lowering see a string and not a conversion.
    if let (ExpressionKind::String(_), Type::Text(_)) = (&expression.kind, &expression.ty) {
        expression.ty = target.clone();
        return id;
    }
    hir.converted(id, Coercion::Widen, target)
}

/// The expression inside of conversions that change no representation.
pub(super) fn below_widening(hir: &HirBuilder, id: ExpressionId) -> ExpressionId {
    let mut current = id;
    while let ExpressionKind::Coerce {
        value,
        coercion: Coercion::Widen,
    } = hir.arena.get(current).kind
    {
        current = value;
    }
    current
}

/// A literal whose elements can be converted one by one, or several of these joined by `+`.
fn element_by_element(
    hir: &mut HirBuilder,
    id: ExpressionId,
    target: &Type,
) -> Option<ExpressionId> {
    let span = hir.span(id);
    // A join may have widened the literal before a type was wanted of it.
    let id = below_widening(hir, id);
    let literal = hir.arena.get(id).kind.clone();
    // Conversions of the first parts remain as unused expressions when a later part fails; nothing refers to them, and walks
    // start at the root.
    let kind = if let (ExpressionKind::Tuple(ids), Type::Tuple(types)) = (&literal, target) {
        if ids.len() != types.len() {
            return None;
        }
        let pairs = ids.iter().zip(types.iter());
        let ids: Option<Vec<_>> = pairs.map(|(id, ty)| hir.try_coerce(*id, ty)).collect();
        ExpressionKind::Tuple(ids?)
    } else if let (ExpressionKind::List(ids), Type::List(element)) = (&literal, target) {
        let ids = ids.iter().map(|it| hir.try_coerce(*it, element));
        ExpressionKind::List(ids.collect::<Option<Vec<_>>>()?)
    } else if let (ExpressionKind::Map(entries), Type::Map(key, value)) = (&literal, target) {
        let entries = entries.iter().map(|(left, right)| {
            Some((hir.try_coerce(*left, key)?, hir.try_coerce(*right, value)?))
        });
        ExpressionKind::Map(entries.collect::<Option<Vec<_>>>()?)
    } else if let ExpressionKind::Binary {
        operator: BinaryOperator::Add,
        left,
        right,
    } = literal
        && matches!(target, Type::List(_))
    {
        // `[1] + rest` as `[int?]`: both sides are converted before they are joined, since afterwards the list cannot change.
        ExpressionKind::Binary {
            operator: BinaryOperator::Add,
            left: hir.try_coerce(left, target)?,
            right: hir.try_coerce(right, target)?,
        }
    } else {
        return None;
    };
    Some(hir.push(kind, target.clone(), span))
}

/// Any value with a JSON form where `json` is wanted.
fn json_value(hir: &mut HirBuilder, id: ExpressionId, actual: &Type) -> Option<ExpressionId> {
    if hir.table.unknown(actual).is_some() {
        // Binding the variable to `json` is the only way to convert a value whose form is not known; a requirement could not choose
        // between the forms later.
        return same_bits(hir, id, actual, &Type::Json);
    }
    // `()` has a form, but an author who gives nothing where JSON is wanted has forgotten a value.
    if *actual == Type::Unit || !capability::has_json_form(hir, actual) {
        return None;
    }
    Some(hir.converted(id, Coercion::ToJson, &Type::Json))
}

/// The body of a request, as the variant for its type. Of an optional text it is not clear what `none` would be sent as.
fn http_body(
    hir: &mut HirBuilder,
    id: ExpressionId,
    actual: &Type,
    item: ItemId,
) -> Option<ExpressionId> {
    let kind = hir.table.operand(actual);
    let (variant, content) = if kind == Type::String {
        ("Text", hir.try_coerce(id, &Type::String)?)
    } else if kind == Type::Bytes {
        ("Bytes", id)
    } else if let Type::Optional(_) = kind {
        return None;
    } else {
        ("Json", hir.try_coerce(id, &Type::Json)?)
    };
    let variant = lookup::variant_named(hir.db, item, variant)?;
    let span = hir.span(id);
    let kind = ExpressionKind::Variant {
        item,
        variant,
        fields: vec![(0, content)],
    };
    Some(hir.push(kind, Type::Enum(item, Arc::from([])), span))
}

fn sibling_mismatch(
    hir: &mut HirBuilder,
    id: ExpressionId,
    joined: &Type,
    first: Option<ExpressionId>,
    are: Siblings,
    reported: &mut bool,
) -> ExpressionId {
    let span = hir.span(id);
    if !std::mem::replace(reported, true) {
        // Of a part, text is seldom what is meant: it is a number in an object.
        let advised = match are {
            Siblings::Branches => true,
            Siblings::Parts(_) => hir.table.operand(joined) != Type::String,
        };
        let plain = |hir: &HirBuilder| {
            let (wanted, found) = (hir.show(joined), hir.show(&hir.ty(id)));
            errors::mismatch(hir.place(span), &wanted, &found)
        };
        let is_float = hir.table.operand(&hir.ty(id)) == Type::Float;
        let is_among_ints = is_float && hir.table.operand(joined) == Type::Int;
        let mut diagnostic = match (first, are) {
            // The parts before it have to change: to make an int of each float takes a change of all, and loses digits.
            (Some(first), Siblings::Parts(_)) if is_among_ints => {
                float_wanted(hir, plain(hir), first)
            }
            _ if advised => mismatch(hir, id, joined),
            _ => plain(hir),
        };
        if let Siblings::Parts(of) = are {
            diagnostic = errors::parts_of_one_type(diagnostic, of);
        }
        if let (Siblings::Branches, Type::List(inner) | Type::Map(_, inner)) =
            (are, hir.table.operand(joined))
            && hir.table.operand(&inner) == Type::Json
        {
            diagnostic = errors::branches_of_json(diagnostic, &hir.show(joined));
        }
        if let Some(first) = first {
            let place = hir.place(hir.span(first));
            diagnostic = diagnostic.label(place, errors::first_branch(&hir.show(joined)));
        }
        hir.report(diagnostic);
    }
    hir.push(ExpressionKind::Invalid, joined.clone(), span)
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
            // Not for an unbound variable: it may itself turn out optional, and is bound as a whole by `join_plain`.
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
                // A new variable above both, instead of relating the two: each side keeps the freedom to be part of another union.
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
            // Whatever else two types are, one of them must widen to the other.
            _ => self.join_plain(&left, &right),
        }
    }

    fn join_plain(&mut self, left: &Type, right: &Type) -> Option<Type> {
        // Widening in one direction first: of `Percent` and `float` the join is `float`, whichever comes first.
        if self.relate(right, left).is_some() {
            return Some(left.clone());
        }
        if self.relate(left, right).is_some() {
            return Some(right.clone());
        }
        // Two checked types over one base meet in the base: `Percent` and `Share` join to `float`. Each step takes a check off, so
        // the recursion ends.
        let (base, other) = (self.unchecked(left), self.unchecked(right));
        (base != *left || other != *right)
            .then(|| self.join_types(&base, &other))
            .flatten()
    }
}
