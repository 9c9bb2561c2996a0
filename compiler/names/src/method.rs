//! Methods: which function a name after a value's dot is.

use gsw_source::{Db, File, ItemId, ItemKind, Name};

use crate::alias::alias_target;
use crate::declaration::item_signature;
use crate::module::std_file;
use crate::scope::{is_private, module_scope};
use crate::substitute::substitute;
use crate::types::Type;

/// The module whose functions are methods of every value.
pub const ANY_VALUE: &str = "std/value";

/// The function that `receiver.name(…)` calls; its first parameter takes the receiver.
///
/// Declared types have the `fn Type.name` of their own module, built-in types the public functions of theirs.
pub fn method(db: &dyn Db, receiver: &Type, name: &str) -> Option<ItemId> {
    find_source(db, receiver, |source| match source {
        Source::Declared(item) => {
            let items = &module_scope(db, item.file(db)).items;
            let method = format!("{}.{name}", item.name(db));
            items.get(method.as_str()).copied()
        }
        Source::Library(file) => {
            let item = *module_scope(db, file).items.get(name)?;
            is_method(db, item).then_some(item)
        }
    })
}

/// The names of all methods of `receiver`, sorted.
pub fn method_names(db: &dyn Db, receiver: &Type) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    let plain = plain(db, receiver);
    let every: Option<()> = find_source(db, receiver, |source| {
        match source {
            Source::Declared(item) => {
                let prefix = format!("{}.", item.name(db));
                let items = module_scope(db, item.file(db)).items.keys();
                let methods = items.filter_map(|it| it.strip_prefix(prefix.as_str()));
                names.extend(methods.map(Name::new));
            }
            Source::Library(file) => {
                let items = module_scope(db, file).items.iter();
                let methods = items.filter(|(_, item)| {
                    is_method(db, **item) && takes_receiver(db, **item, &plain)
                });
                names.extend(methods.map(|(name, _)| name.clone()));
            }
        }
        None
    });
    debug_assert!(every.is_none());
    names.sort();
    names.dedup();
    names
}

/// The type that a checked one is made of in the end.
fn plain(db: &dyn Db, ty: &Type) -> Type {
    let mut ty = ty.clone();
    while let Type::Checked(item, arguments) = &ty {
        ty = substitute(&alias_target(db, *item), arguments);
    }
    ty
}

/// Whether the first parameter of a function of the library is of the sort of `receiver`: not of what makes one, `time.from_unix`.
fn takes_receiver(db: &dyn Db, item: ItemId, receiver: &Type) -> bool {
    let is_text = |it: &Type| matches!(it, Type::String | Type::Literals(_) | Type::Text(_));
    let signature = &item_signature(db, item).signature;
    signature.parameters.first().is_some_and(|first| {
        let is_alike = std::mem::discriminant(&first.ty) == std::mem::discriminant(receiver);
        let is_any = matches!(first.ty, Type::Parameter(..));
        is_alike || is_any || is_text(&first.ty) && is_text(receiver)
    })
}

enum Source {
    /// The module of a declared type, for the functions with its name before a dot.
    Declared(ItemId),
    Library(File),
}

/// The first that `wanted` finds where methods of this type are looked for, in order.
fn find_source<T>(
    db: &dyn Db,
    receiver: &Type,
    mut wanted: impl FnMut(Source) -> Option<T>,
) -> Option<T> {
    let mut ty = receiver.clone();
    loop {
        if let Type::Record(item, _) | Type::Enum(item, _) | Type::Checked(item, _) = &ty
            && let Some(found) = wanted(Source::Declared(*item))
        {
            return Some(found);
        }
        let Type::Checked(item, arguments) = &ty else {
            break;
        };
        ty = substitute(&alias_target(db, *item), arguments);
    }
    let mut modules = library_module(&ty).into_iter().chain([ANY_VALUE]);
    modules.find_map(|it| wanted(Source::Library(std_file(db, it)?)))
}

fn library_module(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::List(_) => "std/list",
        Type::Map(..) => "std/map",
        Type::String | Type::Literals(_) => "std/string",
        Type::Optional(_) => "std/optional",
        Type::Int => "std/int",
        Type::Float => "std/float",
        Type::Duration => "std/duration",
        Type::Time => "std/time",
        Type::Json => "std/json",
        Type::Bytes => "std/bytes",
        Type::Error => "std/error",
        Type::Task(_) => "std/task",
        Type::Stream(_) => "std/stream",
        Type::Queue(_) => "std/queue",
        Type::Session => "std/session",
        Type::Image => "std/image",
        Type::Document => "std/document",
        Type::Secret
        | Type::Unit
        | Type::Bool
        | Type::Agent
        | Type::Never
        | Type::Tuple(_)
        | Type::Record(..)
        | Type::Enum(..)
        | Type::Checked(..)
        | Type::Function(_)
        | Type::Partial(_)
        | Type::Parameter(..)
        | Type::Variable(_)
        | Type::Text(_)
        | Type::Invalid => return None,
    })
}

/// Whether a function of the library can take a receiver. What makes a value, such as `json.parse`, has none to take, but
/// only its parameter's type says so, which inference checks.
fn is_method(db: &dyn Db, item: ItemId) -> bool {
    item.kind(db) == ItemKind::Function && !item.name(db).contains('.') && !is_private(db, item)
}
