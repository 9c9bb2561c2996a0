//! `workspace/symbol`: the declarations of a project whose names hold the letters of a query, in order.

use gsw_source::{Db, Location};
use gsw_syntax::file_item_ids;

use crate::cursor::{in_file, located};
use crate::declared_name::name_span;
use crate::document_symbol::{SymbolKind, item_kind};
use crate::files::own_files;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceSymbol {
    pub name: String,
    pub kind: SymbolKind,
    pub location: Location,
    /// The module that declares it.
    pub module: String,
}

/// How many an editor is given at once; a user who wants another one types one more letter. A guess.
const MOST: usize = 500;

/// What `query` finds: names that begin with it first, then those that hold its letters one after another.
#[must_use]
pub fn workspace_symbol(db: &dyn Db, query: &str) -> Vec<WorkspaceSymbol> {
    let mut found = Vec::new();
    for file in own_files(db) {
        for item in file_item_ids(db, file).iter().copied() {
            let name = item.name(db);
            let (Some(rank), Some(kind)) = (rank(name, query), item_kind(db, item)) else {
                continue;
            };
            let Some(span) = name_span(db, item) else {
                continue;
            };
            let place = gsw_source::Place::File {
                file,
                span: in_file(db, item, span),
            };
            let symbol = WorkspaceSymbol {
                name: name.to_string(),
                kind,
                location: located(db, place),
                module: gsw_names::shown_module(db, file),
            };
            found.push((rank, symbol));
        }
    }
    found.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    found.truncate(MOST);
    found.into_iter().map(|(_, it)| it).collect()
}

/// How well a name fits, the best first; `None` when it does not.
fn rank(name: &str, query: &str) -> Option<u8> {
    let (name, query) = (name.to_lowercase(), query.to_lowercase());
    if name == query {
        return Some(0);
    }
    if name.starts_with(&query) {
        return Some(1);
    }
    if name.contains(&query) {
        return Some(2);
    }
    let mut letters = name.chars();
    query
        .chars()
        .all(|it| letters.any(|letter| letter == it))
        .then_some(3)
}
