//! `textDocument/documentLink`: the imports of a file, each leading to the file that it names.

use gsw_names::{imports, module_file};
use gsw_source::{Db, File, Span};

use crate::cursor::in_file;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// In the file.
    pub span: Span,
    pub target: File,
}

#[must_use]
pub fn document_link(db: &dyn Db, file: File) -> Vec<Link> {
    imports(db, file)
        .into_iter()
        .filter_map(|(item, import)| {
            Some(Link {
                span: in_file(db, item, import.path_span),
                target: module_file(db, file, &import.path)?,
            })
        })
        .collect()
}
