//! Warnings about code that compiles and is most likely not what was meant.

mod absent_index;
mod broken_pattern;
mod cached_effect;
mod comment;
mod deprecated;
mod duplicate_key;
mod empty_range;
mod local_name;
mod misplaced_doc;
mod missing_dollar;
mod negative_index;
mod same_twice;
mod senseless_argument;
mod setting;
mod swapped_fields;
mod unchanged;
mod unreachable;
mod unused;
mod unused_import;
mod unused_private;

use gsw_infer::ItemBodies;
use gsw_source::{Db, Diagnostic, ItemId};

pub use comment::accidental_comments;
pub use misplaced_doc::misplaced_docs;
pub use unused_import::unused_imports;
pub use unused_private::unused_private;

/// Warnings about `item` with these bodies.
pub fn lint_diagnostics(db: &dyn Db, item: ItemId, inferred: &ItemBodies) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    unused::check(db, inferred, &mut found);
    for body in &inferred.bodies {
        absent_index::check(db, body, &mut found);
        broken_pattern::check(db, body, &mut found);
        duplicate_key::check(db, body, &mut found);
        empty_range::check(db, body, &mut found);
        missing_dollar::check(db, body, &mut found);
        negative_index::check(db, body, &mut found);
        unchanged::check(db, body, &mut found);
        unreachable::check(body, &mut found);
        local_name::check(item, body, &mut found);
        swapped_fields::check(db, body, &mut found);
        same_twice::check(body, &mut found);
        senseless_argument::check(db, body, &mut found);
    }
    deprecated::check(db, item, inferred, &mut found);
    setting::check(db, item, &mut found);
    cached_effect::check(db, item, &mut found);
    found
}
