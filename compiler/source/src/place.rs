//! A place in source text: a span and what it is relative to.

use crate::{File, ItemId, Span};

/// A span in a file, or in an item whose own place may move without changing this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// `span` counts from the first byte of the file.
    File { file: File, span: Span },
    /// `span` counts from the first byte of the item. `gsw_syntax::locate` turns it into a file's.
    Item { item: ItemId, span: Span },
}

impl Place {
    /// The file that it is in.
    pub fn file(self, db: &dyn crate::Db) -> File {
        match self {
            Self::File { file, .. } => file,
            Self::Item { item, .. } => item.file(db),
        }
    }
}
