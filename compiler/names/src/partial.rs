//! The partial type of a value that is still arriving.

use std::sync::Arc;

use gsw_source::Db;

use crate::known::KnownItem;
use crate::types::Type;

/// [`Type::partial`], but that a set of the library is of one piece: it is there when all of it has come.
#[must_use]
pub fn partial(db: &dyn Db, whole: Type) -> Type {
    let part = whole.partial();
    if let Type::Partial(inner) = &part
        && let Type::Record(item, _) = &**inner
        && KnownItem::Set.is(db, *item)
    {
        return (**inner).clone();
    }
    part
}

/// The type of a field of a record of which some fields are there; `whole` is that of the field, whose check is looked through.
#[must_use]
pub fn partial_field(db: &dyn Db, whole: Type) -> Type {
    let whole = if let Type::Optional(inner) = whole {
        Arc::unwrap_or_clone(inner)
    } else {
        whole
    };
    partial(db, whole).optional()
}
