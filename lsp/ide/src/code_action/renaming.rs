//! Fixes that give what is declared another name: a report knows only the declaration, so the edits of a rename are made in their place.

use gsw_source::{Database, LocatedEdit};
use gsw_syntax::is_name;

use super::CodeAction;
use crate::cursor::located;
use crate::rename::corrected;
use crate::symbol::{Symbol, declaration};

/// The action with the edits of the rename that its one edit begins, or as it is where it renames nothing; `None` where the rename is
/// refused.
pub fn with_all_names(db: &mut Database, action: CodeAction) -> Option<CodeAction> {
    let Some((symbol, edit)) = renamed(db, &action) else {
        return Some(action);
    };
    let edits = corrected(db, symbol, &edit.text)?;
    Some(CodeAction { edits, ..action })
}

/// What the only edit of an action gives another name where it is declared.
fn renamed(db: &Database, action: &CodeAction) -> Option<(Symbol, LocatedEdit)> {
    let [edit] = action.edits.as_slice() else {
        return None;
    };
    if !is_name(&edit.text) {
        return None;
    }
    let at = edit.location;
    let named = crate::cursor::cursor(db, at.file, at.span.start)?;
    let declared = located(db, declaration(db, named.symbol)?);
    (declared == at).then(|| (named.symbol, edit.clone()))
}
