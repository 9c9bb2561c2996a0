//! What a value of a type holds: the types of all its parts, looked into by instance, through aliases with checks too.

use gsw_source::{Db, ItemId};
use rustc_hash::FxHashSet;

use crate::alias::alias_target;
use crate::declared_type::type_declaration;
use crate::recursion::type_grows;
use crate::signature::TypeDeclarationKind;
use crate::substitute::substitute;
use crate::types::{Type, any_part, is_media, parts};

/// How many instances a value may hold. A type that holds ever larger instances of itself is beyond any number; this one is a guess
/// at what is beyond any program, and few enough for the stack of code that visits them one inside of the other.
pub const MOST_INSTANCES: usize = 2_000;

/// How many types may be in one that is written out; a guess as well. The page of `type-too-large` names both limits.
pub const MOST_PARTS: usize = 4_000;

/// How deep types may nest in one; what the parser accepts nests less.
pub const DEEPEST_PART: usize = 250;

/// Whether a type is larger than any that a program needs. Types share their parts, so one that doubles forty times is made in no
/// time, and a walk over it never ends: it is refused where it is made.
pub fn is_too_large(ty: &Type) -> bool {
    is_larger(ty, Type::clone)
}

/// Like [`is_too_large`], for a type whose parts are what `resolve` makes of them.
pub fn is_larger(ty: &Type, resolve: impl Fn(&Type) -> Type) -> bool {
    exceeds(ty, 1, &mut { MOST_PARTS }, &resolve)
}

/// Whether `ty`, which is `depth` deep, nests too deep or has more than the parts that are `left`.
fn exceeds(ty: &Type, depth: usize, left: &mut usize, resolve: &impl Fn(&Type) -> Type) -> bool {
    if *left == 0 || depth > DEEPEST_PART {
        return true;
    }
    *left -= 1;
    any_part(&resolve(ty), |it| exceeds(it, depth + 1, left, resolve))
}

/// Whether something among the first parts of `ty` was reported, so that the whole need not be.
pub(crate) fn was_reported(ty: &Type) -> bool {
    let mut waiting = vec![ty.clone()];
    for _ in 0..MOST_PARTS {
        match waiting.pop() {
            Some(Type::Invalid) => return true,
            Some(ty) => waiting.extend(parts(&ty)),
            None => return false,
        }
    }
    false
}

/// What `wanted` says of the first part of a value of this type that it says something of; `endless` when the parts have no end.
pub fn find_held<T>(
    db: &dyn Db,
    ty: &Type,
    endless: Option<T>,
    wanted: impl Fn(&Type) -> Option<T>,
) -> Option<T> {
    // Empty ones allocate nothing, and most types have no parts.
    let mut seen: FxHashSet<Type> = FxHashSet::default();
    let mut waiting = Vec::new();
    let mut next = Some(ty.clone());
    while let Some(ty) = next {
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
                if type_grows(db, *item) || seen.len() > MOST_INSTANCES || is_too_large(&ty) {
                    return endless;
                }
                if seen.insert(ty.clone()) {
                    waiting.extend(declared_parts(db, *item, arguments));
                }
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
            | Type::Function(_)
            | Type::Task(_)
            | Type::Stream(_)
            | Type::Queue(_)
            | Type::Parameter(..)
            | Type::Variable(_)
            | Type::Text(_)
            | Type::Invalid => {}
        }
        // In the order in which they are written.
        waiting[before..].reverse();
        next = waiting.pop();
    }
    None
}

/// Whether a value of this type holds a secret. One whose parts have no end is refused wherever something is recorded.
pub fn holds_secret(db: &dyn Db, ty: &Type) -> bool {
    find_held(db, ty, None, |it| (*it == Type::Secret).then_some(())).is_some()
}

/// Whether there is an image or a document somewhere in a value of this type.
pub fn holds_media(db: &dyn Db, ty: &Type) -> bool {
    let wanted = |ty: &Type| is_media(ty).then_some("media");
    find_held(db, ty, None, wanted).is_some()
}

/// Whether a value of this type holds an image or a document and is neither one nor a list of them.
pub fn has_media_inside(db: &dyn Db, ty: &Type) -> bool {
    !is_media(ty) && holds_media(db, ty)
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
