//! Patterns against the type they are matched with.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::{Diagnostic, Name, Span};
use gsw_syntax::ast;

use crate::errors::{elsewhere, habits, literals};
use crate::errors::{patterns as errors, values};
use crate::hir::{ListRest, LocalId, LocalKind, Pattern, PatternKind};
use crate::infer::absence::{from_end, from_start};
use crate::infer::context::Context;
use crate::infer::hir_builder::HirBuilder;
use crate::infer::lookup;
use crate::infer::unify::Relation;
use crate::infer::variant_pattern;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In `let` or a lambda's head: a name binds whatever there is.
    Binding,
    /// In the head of a loop: as there.
    Loop,
    /// The whole pattern of `match`, `if let` or `catch`: a name on an optional is the value present.
    Top,
    /// A field or element of one of those.
    Inside,
}

impl Context<'_> {
    /// A whole pattern against values of type `ty`; its names are in scope from now on.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, ty: &Type, place: Place) -> Pattern {
        self.pattern_names.start();
        inner_pattern(self, pattern, ty, place)
    }
}

fn inner_pattern(cx: &mut Context, pattern: &ast::Pattern, ty: &Type, place: Place) -> Pattern {
    let ty = cx.hir.table.resolve(ty);
    let span = pattern.span;
    let kind = match (&pattern.kind, &ty) {
        (ast::PatternKind::Wildcard, _) => PatternKind::Wildcard,
        (ast::PatternKind::Or(sides), _) => alternative_patterns(cx, sides, &ty, place),
        (ast::PatternKind::Binding(name), _) if names_variant(cx, name, &ty, place) => {
            misnamed_variant(cx, name, &ty, span)
        }
        (ast::PatternKind::Binding(name), _) => binding(cx, name, &ty, place),
        (ast::PatternKind::Literal(ast::Literal::None), Type::Optional(_)) => PatternKind::None,
        (ast::PatternKind::Literal(ast::Literal::None), Type::Variable(variable)) => {
            let inner = cx.hir.fresh();
            cx.hir.table.bind(*variable, &inner.optional());
            PatternKind::None
        }
        (ast::PatternKind::Invalid, _) => PatternKind::Invalid,
        // A pattern that is neither a name nor `none` is about the value present: `3 =>` matches an `int?` that holds 3.
        (_, Type::Optional(inner)) => {
            let inner = inner_pattern(cx, pattern, inner, Place::Inside);
            PatternKind::Some(Box::new(inner))
        }
        (_, Type::Invalid | Type::Never) => lost_pattern(cx, pattern),
        (
            ast::PatternKind::Literal(_)
            | ast::PatternKind::Range { .. }
            | ast::PatternKind::Variant { .. }
            | ast::PatternKind::Record { .. }
            | ast::PatternKind::Tuple(_)
            | ast::PatternKind::List { .. },
            _,
        ) => plain_pattern(cx, pattern, &ty, place),
    };
    Pattern { kind, ty, span }
}

/// A pattern that is neither a name nor about absence.
fn plain_pattern(cx: &mut Context, pattern: &ast::Pattern, ty: &Type, place: Place) -> PatternKind {
    let span = pattern.span;
    match &pattern.kind {
        ast::PatternKind::Literal(_) if cx.hir.table.unchecked(ty) == Type::Json => {
            let what = gsw_names::source_text(cx.db, cx.hir.item, span);
            of_other_sort(cx, &format!("`{what}`"), ty, span, habits::patterns_of_json)
        }
        ast::PatternKind::Literal(literal) => literal_pattern(&mut cx.hir, literal, ty, span),
        ast::PatternKind::Range {
            start,
            end,
            range_end,
        } => range_pattern(&mut cx.hir, *start, *end, *range_end, ty, span),
        ast::PatternKind::Variant { path, fields, rest } => {
            let fields = fields.as_deref().map(|it| (it, *rest));
            match variant_pattern::variant_pattern(cx, path, fields, ty, span) {
                Some(kind) => kind,
                None => lost_pattern(cx, pattern),
            }
        }
        ast::PatternKind::Record { path, fields, rest } => {
            match variant_pattern::record_pattern(cx, path, fields, *rest, ty, span) {
                Some(kind) => kind,
                None => lost_pattern(cx, pattern),
            }
        }
        ast::PatternKind::Tuple(parts) => match tuple_pattern(cx, parts, ty) {
            Some(kind) => kind,
            None => {
                report_tuple(cx, parts, ty, span, place);
                lost_pattern(cx, pattern)
            }
        },
        ast::PatternKind::List {
            before,
            rest,
            after,
        } => match list_pattern(cx, before, rest, after, ty, span) {
            Some(kind) => kind,
            None => lost_pattern(cx, pattern),
        },
        ast::PatternKind::Wildcard
        | ast::PatternKind::Binding(_)
        | ast::PatternKind::Or(_)
        | ast::PatternKind::Invalid => PatternKind::Invalid,
    }
}

/// Whether a name that would bind is that of a variant which is written without its capital, as was reported where it is declared.
fn names_variant(cx: &Context, name: &ast::Identifier, ty: &Type, place: Place) -> bool {
    let present: &Type = if let Type::Optional(inner) = ty {
        inner
    } else {
        ty
    };
    let Type::Enum(item, _) = cx.hir.table.unchecked(present) else {
        return false;
    };
    let may_differ = matches!(place, Place::Top | Place::Inside);
    may_differ && lookup::variant_named(cx.db, item, &name.name).is_some()
}

fn misnamed_variant(
    cx: &mut Context,
    name: &ast::Identifier,
    ty: &Type,
    span: Span,
) -> PatternKind {
    if let Type::Optional(inner) = ty {
        let kind = misnamed_variant(cx, name, inner, span);
        let ty = (**inner).clone();
        return PatternKind::Some(Box::new(Pattern { kind, ty, span }));
    }
    let path = std::slice::from_ref(name);
    let found = variant_pattern::variant_pattern(cx, path, None, ty, span);
    found.unwrap_or(PatternKind::Invalid)
}

fn binding(cx: &mut Context, name: &ast::Identifier, ty: &Type, place: Place) -> PatternKind {
    // A field's name binds the field as it is, unless another arm takes its absence.
    let takes_inside = match place {
        Place::Binding | Place::Loop => false,
        Place::Top => true,
        Place::Inside => cx.pattern_names.absence_is_taken(),
    };
    if let Type::Optional(inner) = ty
        && takes_inside
    {
        return PatternKind::Some(Box::new(Pattern {
            kind: PatternKind::Binding(bind(cx, name, inner)),
            ty: (**inner).clone(),
            span: name.span,
        }));
    }
    PatternKind::Binding(bind(cx, name, ty))
}

/// The local that a name in a pattern binds.
pub(super) fn bind(cx: &mut Context, name: &ast::Identifier, ty: &Type) -> LocalId {
    // `(a, a)`: it is declared nevertheless, so that its uses are not reported.
    if cx.pattern_names.binds(&name.name) {
        let place = cx.hir.place(name.span);
        cx.hir.report(errors::bound_twice(place, &name.name));
    }
    let local = match cx.pattern_names.reused(&name.name) {
        Some(local) => {
            let first = cx.hir.locals.local(local).ty.clone();
            // The alternatives share one local, so its types must agree; strings differ by checks and unions only, never in form.
            let texts = [ty, &first].map(|it| cx.hir.table.operand(it) == Type::String);
            let related = cx.hir.table.relate(ty, &first);
            if related.is_none() || related == Some(Relation::Widen) && texts != [true; 2] {
                let place = cx.hir.place(name.span);
                let (wanted, found) = (cx.hir.show(&first), cx.hir.show(ty));
                cx.hir.report(values::mismatch(place, &wanted, &found));
            }
            local
        }
        None => cx.declare(&name.name, ty.clone(), LocalKind::Let, name.span),
    };
    cx.pattern_names.add(name.name.clone(), local);
    local
}

fn alternative_patterns(
    cx: &mut Context,
    sides: &[ast::Pattern],
    ty: &Type,
    place: Place,
) -> PatternKind {
    let before = cx.pattern_names.open_alternatives();
    let mut first: Vec<(Name, LocalId)> = Vec::new();
    let mut is_taken_apart = false;
    let mut patterns = Vec::with_capacity(sides.len());
    for (index, side) in sides.iter().enumerate() {
        patterns.push(inner_pattern(cx, side, ty, place));
        let bound = cx.pattern_names.take_alternative(&before);
        if index == 0 {
            // The first alternative declares the names, the others bind the same locals, so the body needs no knowledge of which matched.
            cx.pattern_names.reuse(&bound);
            first = bound;
            continue;
        }
        let missing = first
            .iter()
            .find(|(it, _)| !bound.iter().any(|(other, _)| it == other));
        let surplus = bound
            .iter()
            .find(|(it, _)| !first.iter().any(|(other, _)| it == other));
        if let Some((name, _)) = missing.or(surplus) {
            let place = cx.hir.place(side.span);
            let report = errors::different_bindings(place, name);
            let is_name = |it: &ast::Pattern| matches!(it.kind, ast::PatternKind::Binding(_));
            is_taken_apart = sides.iter().all(is_name);
            cx.hir.report(match is_taken_apart {
                true => habits::first_and_rest(report),
                false => report,
            });
        }
    }
    cx.pattern_names.close_alternatives(&before, first);
    if is_taken_apart {
        // `[h | t]`: what it was to match is another pattern.
        return PatternKind::Invalid;
    }
    PatternKind::Or(patterns)
}

fn literal_pattern(
    hir: &mut HirBuilder,
    literal: &ast::Literal,
    ty: &Type,
    span: Span,
) -> PatternKind {
    let (kind, own) = match literal {
        ast::Literal::Int(value) => match value.map(i64::try_from) {
            Some(Ok(value)) => (PatternKind::Int(value), Type::Int),
            Some(Err(_)) => {
                let place = hir.place(span);
                hir.report(gsw_syntax::number_too_large(place));
                (PatternKind::Invalid, Type::Int)
            }
            None => (PatternKind::Invalid, Type::Int),
        },
        ast::Literal::Float(bits) => (PatternKind::Float(*bits), Type::Float),
        ast::Literal::Bool(value) => (PatternKind::Bool(*value), Type::Bool),
        ast::Literal::Duration(value) => (PatternKind::Int(*value), Type::Duration),
        ast::Literal::String(text) => (PatternKind::String(text.clone()), Type::String),
        ast::Literal::None => {
            never_matches(hir, "`none`", ty, span);
            return PatternKind::Invalid;
        }
    };
    let plain = hir.table.unchecked(ty);
    if plain == Type::Secret {
        let place = hir.place(span);
        hir.report(errors::secret_pattern(place));
        return PatternKind::Invalid;
    }
    if let (Type::Literals(names), ast::Literal::String(text)) = (&plain, literal) {
        if names.contains(text) {
            return kind;
        }
        outside_union(hir, text, names, ty, span);
        PatternKind::Invalid
    } else if let (Type::Text(_), ast::Literal::String(text)) = (&plain, literal) {
        // Whether this literal can occur is known when it is known which union, if any, the string belongs to.
        hir.postponed.add_text_pattern(text.clone(), plain, span);
        kind
    } else if hir.table.relate(&own, &plain).is_some() {
        kind
    } else {
        let what = format!("a literal of type `{}`", hir.show(&own));
        if own == Type::String && plain == Type::Error {
            let report = errors::wrong_pattern(hir.place(span), &what, &hir.show(ty));
            hir.report(elsewhere::fails_with_text(report));
        } else {
            never_matches(hir, &what, ty, span);
        }
        PatternKind::Invalid
    }
}

fn outside_union(hir: &mut HirBuilder, text: &Name, names: &[Name], ty: &Type, span: Span) {
    let suggestion = gsw_source::nearest(text, names.iter());
    let (place, wanted) = (hir.place(span), hir.show(ty));
    let suggestion = suggestion.as_ref();
    hir.report(literals::not_in_union(place, text, &wanted, suggestion));
}

/// Looks again at patterns of strings that have turned out to be literals of a union.
pub(super) fn settle_text_patterns(hir: &mut HirBuilder) {
    for (text, ty, span) in hir.postponed.take_text_patterns() {
        if let Type::Literals(names) = hir.table.zonk(&ty)
            && !names.contains(&text)
        {
            outside_union(hir, &text, &names, &ty, span);
        }
    }
}

/// Reports a pattern of the wrong sort.
pub(super) fn never_matches(hir: &mut HirBuilder, what: &str, ty: &Type, span: Span) {
    let report = errors::wrong_pattern(hir.place(span), what, &hir.show(ty));
    let is_function = matches!(hir.table.unchecked(ty), Type::Function(_));
    hir.report(if is_function {
        errors::function_by_pattern(report)
    } else {
        report
    });
}

/// Reports a pattern for values of another sort, with what is written instead: of several arms, the first.
pub(super) fn of_other_sort(
    cx: &mut Context,
    what: &str,
    ty: &Type,
    span: Span,
    advise: fn(Diagnostic) -> Diagnostic,
) -> PatternKind {
    if cx.pattern_names.tell_sort() {
        let (place, text) = (cx.hir.place(span), cx.hir.show(ty));
        cx.hir
            .report(advise(errors::wrong_pattern(place, what, &text)));
    }
    PatternKind::Invalid
}

fn range_pattern(
    hir: &mut HirBuilder,
    start: i64,
    end: i64,
    range_end: ast::RangeEnd,
    ty: &Type,
    span: Span,
) -> PatternKind {
    let plain = hir.table.unchecked(ty);
    if hir.table.relate(&Type::Int, &plain).is_none() {
        never_matches(hir, "a range of ints", ty, span);
        return PatternKind::Invalid;
    }
    let last = match range_end {
        ast::RangeEnd::Exclusive => end.checked_sub(1),
        ast::RangeEnd::Inclusive => Some(end),
    };
    match last {
        // Stored with both ends included, so later stages know one form; an end before the first int makes the range empty.
        Some(end) if start <= end => PatternKind::Range { start, end },
        _ => {
            let place = hir.place(span);
            hir.report(errors::empty_range(place));
            PatternKind::Invalid
        }
    }
}

fn tuple_pattern(cx: &mut Context, parts: &[ast::Pattern], ty: &Type) -> Option<PatternKind> {
    if let Some(variable) = cx.hir.table.unknown(ty) {
        let types = cx.hir.fresh_arguments(parts.len());
        cx.hir.table.bind(variable, &Type::Tuple(types.into()));
    }
    let plain = cx.hir.table.unchecked(ty);
    let Type::Tuple(types) = plain else {
        return None;
    };
    if types.len() != parts.len() {
        return None;
    }
    let mut patterns = Vec::with_capacity(parts.len());
    for (index, (part, ty)) in parts.iter().zip(types.iter()).enumerate() {
        patterns.push(pattern_inside(cx, Name::from(index.to_string()), part, ty));
    }
    Some(PatternKind::Tuple(patterns))
}

/// Reports the pattern of a tuple where values are something else.
fn report_tuple(cx: &mut Context, parts: &[ast::Pattern], ty: &Type, span: Span, place: Place) {
    let what = format!("a tuple of {}", parts.len());
    let report = errors::wrong_pattern(cx.hir.place(span), &what, &cx.hir.show(ty));
    let plain = cx.hir.table.unchecked(ty);
    cx.hir.report(if let Type::Record(item, _) = plain {
        errors::record_by_tuple(report, item.name(cx.db))
    } else if matches!(plain, Type::List(_)) && (2..=3).contains(&parts.len()) {
        errors::list_by_tuple(report, &["a", "b", "c"][..parts.len()].join(", "))
    } else if place == Place::Loop && parts.len() == 2 {
        errors::position_by_tuple(report)
    } else {
        report
    });
}

/// The pattern of a field.
pub(super) fn pattern_inside(
    cx: &mut Context,
    step: Name,
    pattern: &ast::Pattern,
    ty: &Type,
) -> Pattern {
    cx.pattern_names.step_in(step);
    let inner = inner_pattern(cx, pattern, ty, Place::Inside);
    cx.pattern_names.step_out();
    inner
}

fn list_pattern(
    cx: &mut Context,
    before: &[ast::Pattern],
    rest: &ast::ListRest,
    after: &[ast::Pattern],
    ty: &Type,
    span: Span,
) -> Option<PatternKind> {
    if let Some(variable) = cx.hir.table.unknown(ty) {
        let element = cx.hir.fresh();
        cx.hir.table.bind(variable, &element.list());
    }
    let Type::List(element) = cx.hir.table.unchecked(ty) else {
        never_matches(&mut cx.hir, "a list", ty, span);
        return None;
    };
    let inside = |cx: &mut Context, step: Name, pattern: &ast::Pattern| {
        pattern_inside(cx, step, pattern, &element)
    };
    let before = before.iter().enumerate();
    let before: Vec<Pattern> = before
        .map(|(index, it)| inside(cx, from_start(index), it))
        .collect();
    let rest = match rest {
        ast::ListRest::Complete => None,
        ast::ListRest::Ignored => Some(ListRest::Ignored),
        ast::ListRest::Bound(name) => {
            let whole = Type::List(Arc::clone(&element));
            Some(ListRest::Bound(bind(cx, name, &whole)))
        }
    };
    let count = after.len();
    let after = after.iter().enumerate();
    let after = after
        .map(|(index, it)| inside(cx, from_end(count - 1 - index), it))
        .collect();
    Some(PatternKind::List {
        before,
        rest,
        after,
    })
}

/// Binds the names of an invalid pattern, so that their uses are not reported.
fn lost_pattern(cx: &mut Context, pattern: &ast::Pattern) -> PatternKind {
    match &pattern.kind {
        ast::PatternKind::Binding(name) => {
            bind(cx, name, &Type::Invalid);
        }
        ast::PatternKind::Variant {
            fields: Some(fields),
            ..
        }
        | ast::PatternKind::Record { fields, .. } => {
            for field in fields {
                lost_pattern(cx, &field.pattern);
            }
        }
        ast::PatternKind::Tuple(parts) => {
            for part in parts {
                lost_pattern(cx, part);
            }
        }
        ast::PatternKind::Or(parts) => {
            // One alternative is enough: all of them bind the same names.
            parts.first().map(|it| lost_pattern(cx, it));
        }
        ast::PatternKind::List {
            before,
            rest,
            after,
        } => {
            for part in before.iter().chain(after) {
                lost_pattern(cx, part);
            }
            if let ast::ListRest::Bound(name) = rest {
                bind(cx, name, &Type::Invalid);
            }
        }
        ast::PatternKind::Wildcard
        | ast::PatternKind::Literal(_)
        | ast::PatternKind::Range { .. }
        | ast::PatternKind::Variant { .. }
        | ast::PatternKind::Invalid => {}
    }
    PatternKind::Invalid
}
