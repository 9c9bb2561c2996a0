//! Names in what does not parse: a rename that may leave one of them behind is refused.

use gsw_source::{Db, File, ItemId, Name};
use gsw_syntax::file_item_ids;

use super::line;
use crate::cursor::in_file;
use crate::lost_name::{Position, lost_names};
use crate::symbol::{Symbol, occurrences};

/// Whether `file` has no name that may mean the symbol and does not say so.
pub fn check(db: &dyn Db, file: File, symbol: Symbol, old: &Name) -> Result<(), String> {
    for item in file_item_ids(db, file).iter().copied() {
        // What the scope of a name tells is among these.
        let known = occurrences(db, item);
        let lost = lost_names(db, item, &known);
        let mut left = lost.iter().filter(|it| it.name == *old);
        if let Some(it) = left.find(|it| may_mean(db, item, symbol, it.position)) {
            let line = line(db, file, in_file(db, item, it.span).start);
            return Err(format!(
                "`{old}` in line {line} may mean it, and what stands there does not parse: complete it first"
            ));
        }
    }
    Ok(())
}

/// Whether a name in `item` that stands so may be the symbol's.
fn may_mean(db: &dyn Db, item: ItemId, symbol: Symbol, position: Position) -> bool {
    match (symbol, position) {
        // Another name begins there.
        (_, Position::Declared) => false,
        // The name of an argument.
        (Symbol::Local { item: own, .. }, Position::Label) => own != item,
        (Symbol::Local { item: own, .. }, Position::Short | Position::Word) => own == item,
        // A local in scope would have been found.
        (Symbol::Local { .. }, Position::Alone | Position::Member) => false,
        (Symbol::Item(own), Position::Member) => own.name(db).contains('.'),
        (Symbol::Item(_), Position::Alone | Position::Short | Position::Word) => true,
        (Symbol::Item(_), Position::Label) => false,
        (Symbol::Variant { .. } | Symbol::Field { .. } | Symbol::Module(_), _) => true,
    }
}
