//! `textDocument/definition` and `textDocument/declaration`: where the name at a place is declared.

use gsw_source::{Db, File, Location};

use crate::cursor::{cursor, located};
use crate::symbol::declaration;

/// The declaration of the name at byte `offset` of `file`.
#[must_use]
pub fn definition(db: &dyn Db, file: File, offset: u32) -> Option<Location> {
    let cursor = cursor(db, file, offset)?;
    Some(located(db, declaration(db, cursor.symbol)?))
}
