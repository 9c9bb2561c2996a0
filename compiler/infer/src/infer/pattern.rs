//! Patterns against the type they are matched with.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_source::{ItemId, ItemKind, Name, Span};
use gsw_syntax::ast;

use crate::errors::{patterns as errors, values};
use crate::hir::{ListRest, LocalId, LocalKind, Pattern, PatternKind};
use crate::infer::absence::Arms;
use crate::infer::context::Context;
use crate::infer::unify::Relation;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In `let`, `for` or a lambda's head: a name binds whatever there is.
    Binding,
    /// The whole pattern of `match`, `if let` or `catch`: a name on an optional is the value present.
    Top,
    /// A field or element of one of those.
    Inside,
}

/// What the pattern at work has bound, and where `none` stands in its neighbours.
#[derive(Default)]
pub(super) struct PatternNames {
    bound: Vec<(Name, LocalId)>,
    /// Names of the first alternative, which the others bind again.
    reused: Vec<(Name, LocalId)>,
    /// The way from the top to here.
    path: Vec<Name>,
    /// The arms of the `match` at work.
    arms: Arms,
    /// Which of them; `None` in patterns that belong to no arm.
    arm: Option<usize>,
}

impl PatternNames {
    /// Starts on the arms of another `match`; gives back what was before, to be restored.
    pub(super) fn enter(&mut self, arms: Arms) -> Self {
        let inner = Self {
            arms,
            ..Self::default()
        };
        std::mem::replace(self, inner)
    }

    /// The names that the last pattern bound.
    pub(super) fn take_bound(&mut self) -> Vec<(Name, LocalId)> {
        std::mem::take(&mut self.bound)
    }

    /// Goes on to an arm's pattern, or to what belongs to none.
    pub(super) fn at_arm(&mut self, index: Option<usize>) {
        self.arm = index;
    }
}

impl Context<'_> {
    /// A whole pattern against values of type `ty`; its names are in scope from now on.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, ty: &Type, place: Place) -> Pattern {
        self.pattern_names.bound.clear();
        self.pattern_names.reused.clear();
        self.pattern_names.path.clear();
        self.inner_pattern(pattern, ty, place)
    }

    fn inner_pattern(&mut self, pattern: &ast::Pattern, ty: &Type, place: Place) -> Pattern {
        let ty = self.table.resolve(ty);
        let span = pattern.span;
        let kind = match (&pattern.kind, &ty) {
            (ast::PatternKind::Wildcard, _) => PatternKind::Wildcard,
            (ast::PatternKind::Or(sides), _) => self.alternatives(sides, &ty, place),
            (ast::PatternKind::Binding(name), _) => self.binding(name, &ty, place),
            (ast::PatternKind::Literal(ast::Literal::None), Type::Optional(_)) => PatternKind::None,
            (ast::PatternKind::Literal(ast::Literal::None), Type::Variable(variable)) => {
                let inner = self.fresh();
                self.table.bind(*variable, &inner.optional());
                PatternKind::None
            }
            (ast::PatternKind::Invalid, _) => PatternKind::Invalid,
            // A pattern that is neither a name nor `none` is about the value present: `3 =>` matches an `int?` that holds 3.
            (_, Type::Optional(inner)) => {
                let inner = self.inner_pattern(pattern, inner, Place::Inside);
                PatternKind::Some(Box::new(inner))
            }
            (_, Type::Invalid | Type::Never) => self.lost_pattern(pattern),
            (
                ast::PatternKind::Literal(_)
                | ast::PatternKind::Range { .. }
                | ast::PatternKind::Variant { .. }
                | ast::PatternKind::Record { .. }
                | ast::PatternKind::Tuple(_)
                | ast::PatternKind::List { .. },
                _,
            ) => self.plain_pattern(pattern, &ty),
        };
        Pattern { kind, ty, span }
    }

    /// A pattern that is neither a name nor about absence.
    fn plain_pattern(&mut self, pattern: &ast::Pattern, ty: &Type) -> PatternKind {
        let span = pattern.span;
        match &pattern.kind {
            ast::PatternKind::Literal(literal) => self.literal_pattern(literal, ty, span),
            ast::PatternKind::Range {
                start,
                end,
                range_end,
            } => self.range_pattern(*start, *end, *range_end, ty, span),
            ast::PatternKind::Variant { path, fields, rest } => {
                let fields = fields.as_deref().map(|it| (it, *rest));
                match self.variant_pattern(path, fields, ty, span) {
                    Some(kind) => kind,
                    None => self.lost_pattern(pattern),
                }
            }
            ast::PatternKind::Record { path, fields, rest } => {
                match self.record_pattern(path, fields, *rest, ty, span) {
                    Some(kind) => kind,
                    None => self.lost_pattern(pattern),
                }
            }
            ast::PatternKind::Tuple(parts) => match self.tuple_pattern(parts, ty, span) {
                Some(kind) => kind,
                None => self.lost_pattern(pattern),
            },
            ast::PatternKind::List {
                before,
                rest,
                after,
            } => match self.list_pattern(before, rest, after, ty, span) {
                Some(kind) => kind,
                None => self.lost_pattern(pattern),
            },
            ast::PatternKind::Wildcard
            | ast::PatternKind::Binding(_)
            | ast::PatternKind::Or(_)
            | ast::PatternKind::Invalid => PatternKind::Invalid,
        }
    }

    fn binding(&mut self, name: &ast::Identifier, ty: &Type, place: Place) -> PatternKind {
        // A field's name binds the field as it is, unless another arm takes its absence.
        let takes_inside = match place {
            Place::Binding => false,
            Place::Top => true,
            Place::Inside => {
                let names = &self.pattern_names;
                names
                    .arm
                    .is_some_and(|it| names.arms.take_absence(it, &names.path))
            }
        };
        if let Type::Optional(inner) = ty
            && takes_inside
        {
            return PatternKind::Some(Box::new(Pattern {
                kind: PatternKind::Binding(self.bind(name, inner)),
                ty: (**inner).clone(),
                span: name.span,
            }));
        }
        PatternKind::Binding(self.bind(name, ty))
    }

    /// The local that a name in a pattern binds.
    pub(super) fn bind(&mut self, name: &ast::Identifier, ty: &Type) -> LocalId {
        let find = |list: &[(Name, LocalId)]| {
            list.iter()
                .find(|(it, _)| *it == name.name)
                .map(|(_, local)| *local)
        };
        // `(a, a)`: it is declared nevertheless, so that its uses are not reported.
        if find(&self.pattern_names.bound).is_some() {
            let place = self.place(name.span);
            self.report(errors::bound_twice(place, &name.name));
        }
        let local = match find(&self.pattern_names.reused) {
            Some(local) => {
                let first = self.scopes.local(local).ty.clone();
                // The alternatives share one local, so its types must agree; strings differ by checks and unions only, never in form.
                let texts = [ty, &first].map(|it| self.table.operand(it) == Type::String);
                let related = self.table.relate(ty, &first);
                if related.is_none() || related == Some(Relation::Widen) && texts != [true; 2] {
                    let place = self.place(name.span);
                    let (wanted, found) = (self.show(&first), self.show(ty));
                    self.report(values::mismatch(place, &wanted, &found));
                }
                local
            }
            None => self.declare(&name.name, ty.clone(), LocalKind::Let, name.span),
        };
        self.pattern_names.bound.push((name.name.clone(), local));
        local
    }

    fn alternatives(&mut self, sides: &[ast::Pattern], ty: &Type, place: Place) -> PatternKind {
        let outer = self.pattern_names.bound.len();
        let reused = self.pattern_names.reused.len();
        let mut first: Vec<(Name, LocalId)> = Vec::new();
        let mut patterns = Vec::with_capacity(sides.len());
        for (index, side) in sides.iter().enumerate() {
            patterns.push(self.inner_pattern(side, ty, place));
            let bound = self.pattern_names.bound.split_off(outer);
            if index == 0 {
                // The first alternative declares the names, the others bind the same locals, so the body needs no knowledge of which matched.
                self.pattern_names.reused.extend(bound.iter().cloned());
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
                let place = self.place(side.span);
                self.report(errors::different_bindings(place, name));
            }
        }
        self.pattern_names.reused.truncate(reused);
        self.pattern_names.bound.extend(first);
        PatternKind::Or(patterns)
    }

    fn literal_pattern(&mut self, literal: &ast::Literal, ty: &Type, span: Span) -> PatternKind {
        let (kind, own) = match literal {
            ast::Literal::Int(value) => match value.and_then(|it| i64::try_from(it).ok()) {
                Some(value) => (PatternKind::Int(value), Type::Int),
                None => (PatternKind::Invalid, Type::Int),
            },
            ast::Literal::Float(bits) => (PatternKind::Float(*bits), Type::Float),
            ast::Literal::Bool(value) => (PatternKind::Bool(*value), Type::Bool),
            ast::Literal::Duration(value) => (PatternKind::Int(*value), Type::Duration),
            ast::Literal::String(text) => (PatternKind::String(text.clone()), Type::String),
            ast::Literal::None => {
                self.never_matches("`none`", ty, span);
                return PatternKind::Invalid;
            }
        };
        let plain = self.table.unchecked(ty);
        if plain == Type::Secret {
            let place = self.place(span);
            self.report(errors::secret_pattern(place));
            return PatternKind::Invalid;
        }
        match (&plain, literal) {
            (Type::Literals(names), ast::Literal::String(text)) => {
                if names.contains(text) {
                    return kind;
                }
                self.outside_union(text, names, ty, span);
                PatternKind::Invalid
            }
            (Type::Text(_), ast::Literal::String(text)) => {
                // Whether this literal can occur is known when it is known which union, if any, the string belongs to.
                self.postponed.add_text_pattern(text.clone(), plain, span);
                kind
            }
            _ if self.table.relate(&own, &plain).is_some() => kind,
            _ => {
                let what = format!("a literal of type `{}`", self.show(&own));
                self.never_matches(&what, ty, span);
                PatternKind::Invalid
            }
        }
    }

    fn outside_union(&mut self, text: &Name, names: &[Name], ty: &Type, span: Span) {
        let suggestion = gsw_source::nearest(text, names.iter());
        let (place, wanted) = (self.place(span), self.show(ty));
        let suggestion = suggestion.as_deref();
        self.report(values::not_in_union(place, text, &wanted, suggestion));
    }

    /// Looks again at patterns of strings that have turned out to be literals of a union.
    pub(super) fn settle_text_patterns(&mut self) {
        for (text, ty, span) in self.postponed.take_text_patterns() {
            if let Type::Literals(names) = self.table.zonk(&ty)
                && !names.contains(&text)
            {
                self.outside_union(&text, &names, &ty, span);
            }
        }
    }

    /// Reports a pattern of the wrong sort.
    pub(super) fn never_matches(&mut self, what: &str, ty: &Type, span: Span) {
        let (place, text) = (self.place(span), self.show(ty));
        self.report(errors::wrong_pattern(place, what, &text));
    }

    fn range_pattern(
        &mut self,
        start: i64,
        end: i64,
        range_end: ast::RangeEnd,
        ty: &Type,
        span: Span,
    ) -> PatternKind {
        let plain = self.table.unchecked(ty);
        if self.table.relate(&Type::Int, &plain).is_none() {
            self.never_matches("a range of ints", ty, span);
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
                let place = self.place(span);
                self.report(errors::empty_range(place));
                PatternKind::Invalid
            }
        }
    }

    fn tuple_pattern(
        &mut self,
        parts: &[ast::Pattern],
        ty: &Type,
        span: Span,
    ) -> Option<PatternKind> {
        if let Some(variable) = self.table.unknown(ty) {
            let types = self.fresh_arguments(parts.len());
            self.table.bind(variable, &Type::Tuple(types.into()));
        }
        let plain = self.table.unchecked(ty);
        let types = if let Type::Tuple(types) = plain
            && types.len() == parts.len()
        {
            types
        } else {
            self.never_matches(&format!("a tuple of {}", parts.len()), ty, span);
            return None;
        };
        let mut patterns = Vec::with_capacity(parts.len());
        for (index, (part, ty)) in parts.iter().zip(types.iter()).enumerate() {
            patterns.push(self.pattern_inside(Name::from(index.to_string()), part, ty));
        }
        Some(PatternKind::Tuple(patterns))
    }

    /// The pattern of a field.
    pub(super) fn pattern_inside(
        &mut self,
        step: Name,
        pattern: &ast::Pattern,
        ty: &Type,
    ) -> Pattern {
        self.pattern_names.path.push(step);
        let inner = self.inner_pattern(pattern, ty, Place::Inside);
        self.pattern_names.path.pop();
        inner
    }

    fn list_pattern(
        &mut self,
        before: &[ast::Pattern],
        rest: &ast::ListRest,
        after: &[ast::Pattern],
        ty: &Type,
        span: Span,
    ) -> Option<PatternKind> {
        if let Some(variable) = self.table.unknown(ty) {
            let element = self.fresh();
            self.table.bind(variable, &element.list());
        }
        let Type::List(element) = self.table.unchecked(ty) else {
            self.never_matches("a list", ty, span);
            return None;
        };
        let step = Name::new_static("[]");
        let many = |this: &mut Self, patterns: &[ast::Pattern]| -> Vec<Pattern> {
            patterns
                .iter()
                .map(|it| this.pattern_inside(step.clone(), it, &element))
                .collect()
        };
        let before = many(self, before);
        let rest = match rest {
            ast::ListRest::Complete => None,
            ast::ListRest::Ignored => Some(ListRest::Ignored),
            ast::ListRest::Bound(name) => {
                let whole = Type::List(Arc::clone(&element));
                Some(ListRest::Bound(self.bind(name, &whole)))
            }
        };
        let after = many(self, after);
        Some(PatternKind::List {
            before,
            rest,
            after,
        })
    }

    /// Binds the names of a pattern that came to nothing, so that their uses are not reported.
    fn lost_pattern(&mut self, pattern: &ast::Pattern) -> PatternKind {
        match &pattern.kind {
            ast::PatternKind::Binding(name) => {
                self.bind(name, &Type::Invalid);
            }
            ast::PatternKind::Variant {
                fields: Some(fields),
                ..
            }
            | ast::PatternKind::Record { fields, .. } => {
                for field in fields {
                    self.lost_pattern(&field.pattern);
                }
            }
            ast::PatternKind::Tuple(parts) => {
                for part in parts {
                    self.lost_pattern(part);
                }
            }
            ast::PatternKind::Or(parts) => {
                // One alternative is enough: all of them bind the same names.
                parts.first().map(|it| self.lost_pattern(it));
            }
            ast::PatternKind::List {
                before,
                rest,
                after,
            } => {
                for part in before.iter().chain(after) {
                    self.lost_pattern(part);
                }
                if let ast::ListRest::Bound(name) = rest {
                    self.bind(name, &Type::Invalid);
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

    /// Whether an item is an error.
    pub(super) fn is_error(&self, item: ItemId) -> bool {
        item.kind(self.db) == ItemKind::Error
    }
}
