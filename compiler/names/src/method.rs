//! Methods: which function a name behind a value's dot is.

use gsw_source::{Db, File, ItemId, ItemKind, Name};

use crate::alias::alias_target;
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
    sources(db, receiver)
        .into_iter()
        .find_map(|source| match source {
            Source::Declared { file, ty } => {
                let item = module_scope(db, file)
                    .items
                    .get(format!("{ty}.{name}").as_str());
                item.copied()
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
    for source in sources(db, receiver) {
        match source {
            Source::Declared { file, ty } => {
                let prefix = format!("{ty}.");
                let items = module_scope(db, file).items.keys();
                names.extend(
                    items
                        .filter_map(|it| it.strip_prefix(prefix.as_str()))
                        .map(Name::new),
                );
            }
            Source::Library(file) => {
                let items = module_scope(db, file).items.iter();
                let methods = items.filter(|(_, item)| is_method(db, **item));
                names.extend(methods.map(|(name, _)| name.clone()));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

enum Source {
    Declared { file: File, ty: Name },
    Library(File),
}

/// Where methods of this type are looked for, in order.
fn sources(db: &dyn Db, receiver: &Type) -> Vec<Source> {
    let mut found = Vec::new();
    let mut ty = receiver.clone();
    loop {
        if let Type::Record(item, _) | Type::Enum(item, _) | Type::Checked(item, _) = &ty {
            found.push(Source::Declared {
                file: item.file(db),
                ty: item.name(db).clone(),
            });
        }
        let Type::Checked(item, arguments) = &ty else {
            break;
        };
        ty = substitute(&alias_target(db, *item), arguments);
    }
    let modules = library_module(&ty).into_iter().chain([ANY_VALUE]);
    found.extend(
        modules
            .filter_map(|it| std_file(db, it))
            .map(Source::Library),
    );
    found
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
        Type::Secret => "std/secret",
        Type::Image | Type::Document => "std/image",
        Type::Unit
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
