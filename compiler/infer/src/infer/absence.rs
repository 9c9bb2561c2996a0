//! Whether another arm handles the absence of a field, so that a name in this one binds the value present.
//!
//! A name on a field binds the field as it is: `RateLimited(wait)` gives `wait` as an optional. Where an earlier arm has
//! taken everything that this arm would match with `none` there, or a later one, which would else never match, asks for it,
//! the name is the value present, unwrapped.

use std::sync::Arc;

use gsw_names::types::Type;
use gsw_names::{Definition, Parameter, resolve_name, substitute};
use gsw_source::Name;
use gsw_syntax::ast;

use crate::infer::lookup;
use crate::infer::names::Names;

/// The arms of a `match`, kept only where `none` occurs inside one of them.
#[derive(Default)]
pub(super) struct Arms {
    arms: Vec<Arm>,
}

struct Arm {
    pattern: ast::Pattern,
    guarded: Guarded,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Guarded {
    Yes,
    No,
}

impl Arms {
    /// The arms as written, matched with values of type `ty`.
    pub(super) fn new(names: &Names, arms: &[ast::MatchArm], ty: &Type) -> Self {
        // Almost no `match` has a `none` inside of a pattern. Without one no arm can take an absence, so nothing is copied.
        if !arms.iter().any(|it| holds_none(&it.pattern, Depth::Top)) {
            return Self::default();
        }
        let kept = arms.iter().map(|it| Arm {
            pattern: with_field_names(names, &it.pattern, ty),
            guarded: if it.guard.is_some() {
                Guarded::Yes
            } else {
                Guarded::No
            },
        });
        Self {
            arms: kept.collect(),
        }
    }

    /// Whether arm `index` need not care for `none` at `path`, where it has a name.
    pub(super) fn take_absence(&self, index: usize, path: &[Name]) -> bool {
        let Some(own) = self.arms.get(index) else {
            return false;
        };
        let before = self.arms[..index]
            .iter()
            // A guarded arm may decline the value, so it takes nothing away from the arms after it.
            .filter(|it| it.guarded == Guarded::No);
        if before
            .into_iter()
            .any(|it| covers(&it.pattern, &own.pattern, Some(path)))
        {
            return true;
        }
        // `B(_, y) => …, B(_, none) => …`: as a plain name `y` would also match the absence, and the later arm could never match.
        own.guarded == Guarded::No
            && self.arms[index + 1..].iter().any(|it| {
                asks_for_none(&it.pattern, path) && covers(&own.pattern, &it.pattern, None)
            })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    Inside,
}

/// Whether `none` occurs somewhere inside a pattern.
fn holds_none(pattern: &ast::Pattern, depth: Depth) -> bool {
    match &pattern.kind {
        // At the top `none` is about the whole value, whose names are unwrapped anyway (`Place::Top`).
        ast::PatternKind::Literal(ast::Literal::None) => depth == Depth::Inside,
        ast::PatternKind::Or(sides) => sides.iter().any(|it| holds_none(it, depth)),
        ast::PatternKind::Wildcard
        | ast::PatternKind::Binding(_)
        | ast::PatternKind::Literal(_)
        | ast::PatternKind::Range { .. }
        | ast::PatternKind::Variant { .. }
        | ast::PatternKind::Record { .. }
        | ast::PatternKind::Tuple(_)
        | ast::PatternKind::List { .. }
        | ast::PatternKind::Invalid => fields(pattern)
            .iter()
            .any(|(_, it)| holds_none(it, Depth::Inside)),
    }
}

/// Whether a pattern has `none` at `path`.
fn asks_for_none(pattern: &ast::Pattern, path: &[Name]) -> bool {
    if let ast::PatternKind::Or(sides) = &pattern.kind {
        return sides.iter().any(|it| asks_for_none(it, path));
    }
    let Some((step, rest)) = path.split_first() else {
        return matches!(pattern.kind, ast::PatternKind::Literal(ast::Literal::None));
    };
    let fields = fields(pattern);
    fields
        .iter()
        .any(|(name, it)| name == step && asks_for_none(it, rest))
}

/// Whether `general` matches whatever `special` does, where a name stands for everything; with a path, of `special` with
/// `none` there.
fn covers(general: &ast::Pattern, special: &ast::Pattern, path: Option<&[Name]>) -> bool {
    // At the end of the path the question is about `none` alone. A name is no answer there: whether it matches `none` is what
    // is being decided.
    if path.is_some_and(<[Name]>::is_empty) {
        return matches!(
            general.kind,
            ast::PatternKind::Wildcard | ast::PatternKind::Literal(ast::Literal::None)
        );
    }
    match (&general.kind, &special.kind) {
        (ast::PatternKind::Or(sides), _) => sides.iter().any(|it| covers(it, special, path)),
        (_, ast::PatternKind::Or(sides)) => sides.iter().all(|it| covers(general, it, path)),
        (ast::PatternKind::Wildcard | ast::PatternKind::Binding(_), _) => true,
        (ast::PatternKind::Literal(left), ast::PatternKind::Literal(right)) => left == right,
        (
            ast::PatternKind::Variant { path: left, .. },
            ast::PatternKind::Variant { path: right, .. },
        )
        | (
            ast::PatternKind::Record { path: left, .. },
            ast::PatternKind::Record { path: right, .. },
        ) => {
            let last = |path: &[ast::Identifier]| path.last().map(|it| it.name.clone());
            last(left) == last(right) && covers_fields(general, special, path)
        }
        (ast::PatternKind::Tuple(_), ast::PatternKind::Tuple(_)) => {
            covers_fields(general, special, path)
        }
        (ast::PatternKind::List { .. }, ast::PatternKind::List { .. }) => {
            fits_length(general, special) && covers_fields(general, special, path)
        }
        (
            ast::PatternKind::Literal(_)
            | ast::PatternKind::Range { .. }
            | ast::PatternKind::Variant { .. }
            | ast::PatternKind::Record { .. }
            | ast::PatternKind::Tuple(_)
            | ast::PatternKind::List { .. }
            | ast::PatternKind::Invalid,
            _,
        ) => false,
    }
}

/// Whether one list pattern takes lists of every length that another takes, counting elements from the same ends: where it has
/// `..` and the other has not, an element from the end is not looked for.
fn fits_length(general: &ast::Pattern, special: &ast::Pattern) -> bool {
    let (Some(general), Some(special)) = (lengths(general), lengths(special)) else {
        return false;
    };
    let ((before, after, rest), (other_before, other_after, other_rest)) = (general, special);
    match (rest, other_rest) {
        (ast::ListRest::Complete, ast::ListRest::Complete) => before == other_before,
        (ast::ListRest::Complete, ast::ListRest::Ignored | ast::ListRest::Bound(_)) => false,
        (
            ast::ListRest::Ignored | ast::ListRest::Bound(_),
            ast::ListRest::Complete | ast::ListRest::Ignored | ast::ListRest::Bound(_),
        ) => before <= other_before && after <= other_after,
    }
}

/// How many elements a list pattern names at either end, and what it does with those between.
fn lengths(pattern: &ast::Pattern) -> Option<(usize, usize, &ast::ListRest)> {
    match &pattern.kind {
        ast::PatternKind::List {
            before,
            rest,
            after,
        } => Some((before.len(), after.len(), rest)),
        ast::PatternKind::Wildcard
        | ast::PatternKind::Binding(_)
        | ast::PatternKind::Literal(_)
        | ast::PatternKind::Range { .. }
        | ast::PatternKind::Variant { .. }
        | ast::PatternKind::Record { .. }
        | ast::PatternKind::Tuple(_)
        | ast::PatternKind::Or(_)
        | ast::PatternKind::Invalid => None,
    }
}

fn covers_fields(general: &ast::Pattern, special: &ast::Pattern, path: Option<&[Name]>) -> bool {
    let special = fields(special);
    fields(general).iter().all(|(name, general)| {
        let inner = path
            .and_then(|it| it.split_first())
            .filter(|(step, _)| *step == name);
        match special.iter().find(|(it, _)| it == name) {
            Some((_, special)) => covers(general, special, inner.map(|(_, rest)| rest)),
            None => matches!(
                general.kind,
                ast::PatternKind::Wildcard | ast::PatternKind::Binding(_)
            ),
        }
    })
}

/// The patterns inside a pattern, by how they are reached.
fn fields(pattern: &ast::Pattern) -> Vec<(Name, &ast::Pattern)> {
    match &pattern.kind {
        ast::PatternKind::Tuple(parts) => {
            let parts = parts.iter().enumerate();
            parts
                .map(|(index, it)| (Name::from(index.to_string()), it))
                .collect()
        }
        ast::PatternKind::Variant {
            path,
            fields: Some(fields),
            ..
        }
        | ast::PatternKind::Record { path, fields, .. } => {
            let fields = fields.iter().enumerate();
            fields
                .map(|(index, it)| match &it.name {
                    Some(name) => (way_to(path, &name.name), &it.pattern),
                    None => (way_to(path, &index.to_string()), &it.pattern),
                })
                .collect()
        }
        ast::PatternKind::List { before, after, .. } => {
            let before = before.iter().enumerate();
            let before = before.map(|(index, it)| (from_start(index), it));
            let after = after.iter().rev().enumerate();
            before
                .chain(after.map(|(index, it)| (from_end(index), it)))
                .collect()
        }
        ast::PatternKind::Wildcard
        | ast::PatternKind::Binding(_)
        | ast::PatternKind::Literal(_)
        | ast::PatternKind::Range { .. }
        | ast::PatternKind::Variant { .. }
        | ast::PatternKind::Or(_)
        | ast::PatternKind::Invalid => Vec::new(),
    }
}

/// The way to an element before the `..` of a list pattern.
pub(super) fn from_start(index: usize) -> Name {
    Name::from(format!("[{index}]"))
}

/// The way to an element after the `..`, the last of which is number 0.
pub(super) fn from_end(index: usize) -> Name {
    Name::from(format!("[-{index}]"))
}

/// How the field of that name of a variant, error or record is named on the way to it.
pub(super) fn way_to(names: &[ast::Identifier], field: &str) -> Name {
    let owner = names.last().map_or("", |it| it.name.as_str());
    Name::from(format!("{owner}.{field}"))
}

/// The pattern with the names of what it matches by position, so that both ways to write a field are one.
fn with_field_names(names: &Names, pattern: &ast::Pattern, ty: &Type) -> ast::Pattern {
    let mut named = pattern.clone();
    let ty = names.table.unchecked(ty);
    match (&mut named.kind, &ty) {
        (_, Type::Optional(inner)) => return with_field_names(names, pattern, inner),
        (ast::PatternKind::Or(sides), _) => {
            for side in sides {
                *side = with_field_names(names, side, &ty);
            }
        }
        (ast::PatternKind::Tuple(parts), Type::Tuple(types)) => {
            for (part, ty) in parts.iter_mut().zip(types.iter()) {
                *part = with_field_names(names, part, ty);
            }
        }
        (ast::PatternKind::List { before, after, .. }, Type::List(element)) => {
            for part in before.iter_mut().chain(after) {
                *part = with_field_names(names, part, element);
            }
        }
        (
            ast::PatternKind::Variant {
                path,
                fields: Some(fields),
                ..
            }
            | ast::PatternKind::Record { path, fields, .. },
            _,
        ) => {
            let (declared, arguments) = declared_fields(names, path, &ty);
            for (index, field) in fields.iter_mut().enumerate() {
                let declared = match &field.name {
                    Some(name) => declared.iter().find(|it| it.name == name.name),
                    None => declared.get(index),
                };
                let Some(declared) = declared else {
                    continue;
                };
                let span = field.pattern.span;
                let name = declared.name.clone();
                field.name.get_or_insert(ast::Identifier { name, span });
                let ty = substitute(&declared.ty, &arguments);
                field.pattern = with_field_names(names, &field.pattern, &ty);
            }
        }
        (
            ast::PatternKind::Wildcard
            | ast::PatternKind::Binding(_)
            | ast::PatternKind::Literal(_)
            | ast::PatternKind::Range { .. }
            | ast::PatternKind::Variant { fields: None, .. }
            | ast::PatternKind::Tuple(_)
            | ast::PatternKind::List { .. }
            | ast::PatternKind::Invalid,
            _,
        ) => {}
    }
    named
}

/// The fields that a pattern of this name takes out of a value of type `ty`, and the type's arguments.
fn declared_fields<'db>(
    names: &Names<'_, 'db>,
    path: &[ast::Identifier],
    ty: &Type,
) -> (&'db [Parameter], Arc<[Type]>) {
    let none = (&[][..], Arc::from([]));
    let Some(name) = path.last() else {
        return none;
    };
    match ty {
        Type::Enum(item, arguments) => {
            let mut variants = lookup::variants(names.db, *item).iter();
            let variant = variants.find(|it| it.name == name.name);
            variant.map_or(none, |it| (it.fields.as_slice(), Arc::clone(arguments)))
        }
        Type::Record(item, arguments) => (lookup::fields(names.db, *item), Arc::clone(arguments)),
        Type::Error => match resolve_name(names.db, names.file, &name.name) {
            Some(Definition::Item(item)) if lookup::is_error(names.db, item) => {
                (lookup::fields(names.db, item), Arc::from([]))
            }
            Some(Definition::Item(_) | Definition::Variant { .. } | Definition::Module(_))
            | None => none,
        },
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
        | Type::Agent
        | Type::Never
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map(..)
        | Type::Tuple(_)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => none,
    }
}
