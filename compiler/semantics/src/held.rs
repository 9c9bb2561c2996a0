//! What a value of a type holds: the types of all its parts, looked into by instance, through aliases with checks too.

use std::collections::HashSet;

use gsw_source::{Db, ItemId};

use crate::alias::alias_target;
use crate::declared_type::type_declaration;
use crate::infer::parts;
use crate::model::TypeDeclarationKind;
use crate::recursion::type_grows;
use crate::substitute::substitute;
use crate::types::Type;

/// How many instances a value may hold. A type that holds ever larger instances of itself is beyond any number; this one is a guess
/// at what is beyond any program, and few enough for the stack of who looks into them one inside of the other.
pub(crate) const MOST_INSTANCES: usize = 2_000;

/// How many types may stand in one that is written out; a guess, likewise.
const MOST_PARTS: usize = 4_000;

/// Whether a type is larger than any that is not made by a type that holds ever larger instances of itself.
pub(crate) fn is_endless(ty: &Type) -> bool {
    let mut waiting = vec![ty.clone()];
    let mut count = 0;
    while let Some(ty) = waiting.pop() {
        count += 1;
        if count > MOST_PARTS {
            return true;
        }
        waiting.extend(parts(&ty));
    }
    false
}

/// What `wanted` says of the first part of a value of this type that it says something of; `endless` when the parts have no end.
pub(crate) fn find_held<T>(
    db: &dyn Db,
    ty: &Type,
    endless: Option<T>,
    wanted: impl Fn(&Type) -> Option<T>,
) -> Option<T> {
    let mut seen: HashSet<Type> = HashSet::new();
    let mut waiting = vec![ty.clone()];
    while let Some(ty) = waiting.pop() {
        if let Some(found) = wanted(&ty) {
            return Some(found);
        }
        let before = waiting.len();
        match &ty {
            Type::Optional(it) | Type::List(it) | Type::Partial(it) | Type::Map(_, it) => {
                waiting.push((**it).clone());
            }
            Type::Tuple(them) => waiting.extend(them.iter().cloned()),
            Type::Checked(item, arguments)
            | Type::Record(item, arguments)
            | Type::Enum(item, arguments) => {
                if type_grows(db, *item) || seen.len() > MOST_INSTANCES || is_endless(&ty) {
                    return endless;
                }
                if seen.insert(ty.clone()) {
                    waiting.extend(declared_parts(db, *item, arguments));
                }
            }
            _ => {}
        }
        // In the order in which they are written.
        waiting[before..].reverse();
    }
    None
}

/// The types of what a declared type is made of, for these arguments.
fn declared_parts(db: &dyn Db, item: ItemId, arguments: &[Type]) -> Vec<Type> {
    let declared = |it: &Type| substitute(it, arguments);
    match &type_declaration(db, item).declaration.kind {
        TypeDeclarationKind::Record(fields) => fields.iter().map(|it| declared(&it.ty)).collect(),
        TypeDeclarationKind::Enum(variants) => {
            let fields = variants.iter().flat_map(|it| &it.fields);
            fields.map(|it| declared(&it.ty)).collect()
        }
        TypeDeclarationKind::Alias { .. } => vec![declared(&alias_target(db, item))],
    }
}
