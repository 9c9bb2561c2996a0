//! Patterns reduced to what matters for coverage: constructors, alternatives and wildcards.

use gsw_infer::hir::{Pattern, PatternKind};
use gsw_names::model_errors;
use gsw_names::types::Type;
use gsw_source::{Db, ItemId};

use super::constructor::{Constructor, field_types};

/// A pattern without names and spans.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Simple {
    Wildcard,
    /// Covers what the constructor makes from what the patterns cover.
    Made(Constructor, Vec<Simple>),
    /// Covers what any of these cover.
    Or(Vec<Simple>),
    /// Covers one value that is not known here: a constant.
    Opaque,
}

impl Simple {
    /// Whether it covers everything as it is.
    pub(super) fn is_open(&self) -> bool {
        match self {
            Self::Wildcard => true,
            Self::Or(parts) => parts.iter().any(Self::is_open),
            Self::Made(..) | Self::Opaque => false,
        }
    }
}

/// `pattern` without names and spans; `None` when part of it is invalid.
pub(super) fn simplify(db: &dyn Db, pattern: &Pattern) -> Option<Simple> {
    let made = |it| Some(Simple::Made(it, Vec::new()));
    match &pattern.kind {
        PatternKind::Wildcard | PatternKind::Binding(_) => Some(Simple::Wildcard),
        PatternKind::Int(value) => made(Constructor::Range(*value, *value)),
        PatternKind::Range { start, end } => made(Constructor::Range(*start, *end)),
        PatternKind::Float(bits) => made(Constructor::Float(*bits)),
        PatternKind::Bool(value) => made(Constructor::Bool(*value)),
        PatternKind::String(text) => made(Constructor::Text(text.clone())),
        // Its value is not evaluated here: coverage must not change when the constant is edited.
        PatternKind::Constant(_) => Some(Simple::Opaque),
        PatternKind::None => made(Constructor::None),
        PatternKind::Some(inside) => {
            Some(Simple::Made(Constructor::Some, vec![simplify(db, inside)?]))
        }
        PatternKind::Variant {
            item,
            variant,
            fields,
        } => {
            let constructor = Constructor::Variant(*item, *variant);
            with_fields(db, constructor, &pattern.ty, fields)
        }
        PatternKind::Record { fields } => with_fields(db, Constructor::Single, &pattern.ty, fields),
        PatternKind::Error { item, fields } => {
            with_fields(db, Constructor::Error(*item), &pattern.ty, fields)
        }
        PatternKind::ModelError => {
            // The family is written out, so an arm for one of its errors after it is found unreachable.
            let kinds = model_errors(db).kinds;
            let each = kinds.iter().map(|it| any_error(db, it.item));
            Some(Simple::Or(each.collect()))
        }
        PatternKind::Tuple(parts) => Some(Simple::Made(Constructor::Single, all(db, parts)?)),
        PatternKind::List {
            before,
            rest,
            after,
        } => {
            let mut parts = all(db, before)?;
            parts.extend(all(db, after)?);
            let constructor = match rest {
                None => Constructor::Length(parts.len()),
                Some(_) => Constructor::AtLeast(before.len(), after.len()),
            };
            Some(Simple::Made(constructor, parts))
        }
        PatternKind::Or(parts) => Some(Simple::Or(all(db, parts)?)),
        PatternKind::Invalid => None,
    }
}

fn all(db: &dyn Db, patterns: &[Pattern]) -> Option<Vec<Simple>> {
    patterns.iter().map(|it| simplify(db, it)).collect()
}

fn any_error(db: &dyn Db, item: ItemId) -> Simple {
    let constructor = Constructor::Error(item);
    let arity = field_types(db, &constructor, &Type::Error).len();
    Simple::Made(constructor, vec![Simple::Wildcard; arity])
}

fn with_fields(
    db: &dyn Db,
    constructor: Constructor,
    ty: &Type,
    fields: &[(u32, Pattern)],
) -> Option<Simple> {
    let mut parts = vec![Simple::Wildcard; field_types(db, &constructor, ty).len()];
    for (index, field) in fields {
        let simple = simplify(db, field)?;
        if let Some(part) = parts.get_mut(*index as usize) {
            *part = simple;
        }
    }
    Some(Simple::Made(constructor, parts))
}
