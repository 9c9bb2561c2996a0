//! Which named types of a schema go into its `$defs`, and under which name.

use std::collections::{BTreeMap, BTreeSet};

use crate::types::{Type, TypeId, TypeTable};

/// The names in `$defs` of all types that are used more than once or contain themselves.
pub(super) fn definitions(types: &TypeTable, roots: Vec<TypeId>) -> BTreeMap<TypeId, String> {
    let mut seen = BTreeSet::new();
    let mut shared = BTreeSet::new();
    let mut work = roots;
    while let Some(id) = work.pop() {
        let ty = types.get(id);
        if name(ty).is_some() && !seen.insert(id) {
            shared.insert(id);
            continue;
        }
        work.extend(parts(ty));
    }
    let mut taken = BTreeSet::new();
    let names = shared
        .into_iter()
        .filter_map(|id| Some((id, name(types.get(id))?)));
    names
        .map(|(id, name)| (id, free_name(&mut taken, name)))
        .collect()
}

/// The declared name of what may go into `$defs`.
pub(super) fn name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Record(it) => Some(&it.name),
        Type::Enum(it) => Some(&it.name),
        Type::ErrorKind(it) => Some(&it.name),
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
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Optional(_)
        | Type::List(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => None,
    }
}

/// The types that a type's schema mentions.
fn parts(ty: &Type) -> Vec<TypeId> {
    match ty {
        Type::Optional(it)
        | Type::List(it)
        | Type::Set { of: it, .. }
        | Type::Checked { base: it, .. } => vec![*it],
        Type::Map { key, value } => vec![*key, *value],
        Type::Tuple(parts) => parts.clone(),
        Type::Record(_) | Type::Enum(_) | Type::ErrorKind(_) => {
            ty.declared_fields().into_iter().map(|it| it.ty).collect()
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
        | Type::Media
        | Type::Error
        | Type::Literals(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Vec::new(),
    }
}

/// `Page<int>` as `Page_int`: letters that need no escape in a `$ref`, and no name twice.
fn free_name(taken: &mut BTreeSet<String>, name: &str) -> String {
    let plain: Vec<&str> = name
        .split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
        .filter(|it| !it.is_empty())
        .collect();
    let plain = plain.join("_");
    let mut free = plain.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{plain}_{number}");
        number += 1;
    }
    free
}
