//! Takes records and tuples apart before a part of them grows.
//!
//! A list, map or string grows in place where it has one owner. `R { items: r.items + [x], n: r.n + 1 }` reads `r` once more
//! after the list; until then `r` owns the list too, and each such update would copy it. So where all that is read of `r` later
//! are fields, they are read with the list, and `r` ends before the list grows:
//!
//! ```text
//! items = load r.0               items = load r.0
//! more = list_concat(items, …)   n = load r.1        (here ownership releases `r`)
//! n = load r.1                   more = list_concat(items, …)
//! ```
//!
//! Terms: a *field* is a local and the number of a word in it; a *cut* is a place after which a local is apart, which means
//! that each of its fields that is needed later has a local of its own, its *home*. A local is apart along all ways from a cut
//! to where it is written again; an edge that joins such a way from outside reads the fields too.
//!
//! Nothing else may change: objects are immutable while a local owns them and a record has the same fields always, so a field
//! may be read earlier. What a plan needs is found by a backward analysis over locals that are needed whole and over fields.
//!
//! Comes before ownership, which then finds that a local that was taken apart ends earlier.

mod cuts;
mod needs;
mod rewrite;
#[cfg(test)]
mod tests;

use gsw_abi::types::TypeTable;

use crate::ir::{BlockId, Function};
use crate::passes::apart::cuts::cuts_of;
use crate::passes::apart::needs::{Fields, needs_at_start};
use crate::passes::apart::rewrite::rewrite;
use crate::role::edges;

/// Records in records are taken apart from the outside in, one level a round. A guess: what lies deeper is copied.
const ROUNDS: usize = 8;

/// Takes apart what may hold something that grows.
pub fn take_apart(function: &mut Function, types: &TypeTable) {
    // Nothing can be read on the way into a function that is entered again by a jump.
    let is_entered_again = function.blocks.iter().any(|block| {
        edges(&block.terminator)
            .iter()
            .any(|it| it.target == BlockId(0))
    });
    if is_entered_again {
        return;
    }
    for _ in 0..ROUNDS {
        let Some(fields) = Fields::of(function, types) else {
            return;
        };
        let needs = needs_at_start(function, &fields);
        let cuts = cuts_of(function, &fields, &needs);
        if cuts.iter().all(Vec::is_empty) {
            return;
        }
        rewrite(function, &fields, &needs, &cuts);
    }
}
