//! Names that imports give in the place of others: such a one is known in its file alone.

use gsw_names::imports;
use gsw_source::{Db, File, LocatedEdit, Name, Span};
use gsw_syntax::ast::{Identifier, Import};
use gsw_syntax::file_item_ids;

use crate::cursor::{Cursor, in_file};
use crate::symbol::occurrences;

/// The name at the cursor, when an import of the file gives it.
pub fn alias(db: &dyn Db, cursor: Cursor) -> Option<Name> {
    let here = gsw_names::source_text(db, cursor.item, cursor.span);
    let mut all = imports(db, cursor.item.file(db)).into_iter();
    let is_given = all.any(|(item, import)| {
        let mut given = aliases(&import).filter(|(_, alias)| alias.name == here);
        given.any(|(_, alias)| {
            let mut own = occurrences(db, item).into_iter();
            own.any(|it| it.span == alias.span && it.symbol == cursor.symbol)
        })
    });
    is_given.then_some(here)
}

/// The other names of an import, each after the name that it stands for, which of a module has no place.
fn aliases(import: &Import) -> impl Iterator<Item = (Option<&Identifier>, &Identifier)> {
    let names = import.names.iter().flatten();
    let names = names.filter_map(|it| Some((Some(&it.name), it.alias.as_ref()?)));
    names.chain(import.alias.iter().map(|it| (None, it)))
}

/// The edits that give what the file calls `old` the name `new` there.
pub fn edits(db: &dyn Db, cursor: Cursor, old: &Name, new: &str) -> Vec<LocatedEdit> {
    let file = cursor.item.file(db);
    let mut edits = Vec::new();
    for item in file_item_ids(db, file).iter().copied() {
        let own = occurrences(db, item).into_iter().filter(|it| {
            it.symbol == cursor.symbol && gsw_names::source_text(db, item, it.span) == *old
        });
        edits.extend(own.map(|it| {
            let span = in_file(db, item, it.span);
            LocatedEdit::new(file, span, new)
        }));
    }
    edits
}

/// The edits without the other name where it is the first one: `Bug as Bug` is `Bug`.
pub fn without_repetition(
    db: &dyn Db,
    file: File,
    old: &Name,
    new: &str,
    mut edits: Vec<LocatedEdit>,
) -> Vec<LocatedEdit> {
    for (item, import) in imports(db, file) {
        for (name, alias) in aliases(&import) {
            if let Some(name) = name.filter(|it| it.name == new && alias.name == *old) {
                let span = in_file(db, item, Span::new(name.span.end, alias.span.end));
                edits.retain(|it| it.location.span.end != span.end);
                edits.push(LocatedEdit::new(file, span, ""));
            }
        }
    }
    edits
}
