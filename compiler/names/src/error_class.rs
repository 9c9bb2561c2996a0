//! Which built-in error a declaration of the prelude is, and what it is to signatures.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::ErrorClass;
use gsw_source::{Db, ItemId, ItemKind};

use crate::known::prelude_item;
use crate::module::prelude_file;
use crate::types::{ErrorName, ErrorSet};

/// The name that stands for all errors of a model, unless a program declares another thing of this name.
pub const MODEL_ERROR: &str = "ModelError";

/// The built-in error that `item` declares; `None` for a program's own.
pub fn builtin_error(db: &dyn Db, item: ItemId) -> Option<BuiltinError> {
    let is_prelude = item.kind(db) == ItemKind::Error && prelude_file(db) == Some(item.file(db));
    is_prelude.then(|| BuiltinError::named(item.name(db)))?
}

/// What the error that `item` declares is to signatures.
pub fn error_class(db: &dyn Db, item: ItemId) -> ErrorClass {
    builtin_error(db, item).map_or(ErrorClass::Error, class_of)
}

/// The declaration of a built-in error in the prelude.
pub fn builtin_item(db: &dyn Db, error: BuiltinError) -> Option<ItemId> {
    prelude_item(db, error.name())
}

/// The errors of a model, which [`MODEL_ERROR`] stands for.
pub fn model_errors(db: &dyn Db) -> ErrorSet {
    let all = BuiltinError::ALL.iter();
    let model = all.filter(|it| class_of(**it) == ErrorClass::Model);
    let items = model.filter_map(|it| builtin_item(db, *it));
    ErrorSet {
        kinds: items.map(|item| error_name(db, item)).collect(),
        open: false,
    }
}

/// The set that holds just this built-in error.
pub fn builtin_set(db: &dyn Db, error: BuiltinError) -> ErrorSet {
    let item = builtin_item(db, error).into_iter();
    ErrorSet {
        kinds: item.map(|item| error_name(db, item)).collect(),
        open: false,
    }
}

/// The member of a set for the error that `item` declares.
pub fn error_name(db: &dyn Db, item: ItemId) -> ErrorName {
    ErrorName {
        name: item.name(db).clone(),
        item,
    }
}

/// The table of built-in errors lists the nine of a model first, then other errors, then faults.
fn class_of(error: BuiltinError) -> ErrorClass {
    if error <= BuiltinError::ProviderError {
        ErrorClass::Model
    } else if error <= BuiltinError::Many {
        ErrorClass::Error
    } else {
        ErrorClass::Fault
    }
}
