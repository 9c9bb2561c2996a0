//! Query `infer_item`: from the syntax of an item's bodies to their typed form, with everything wrong in their types.
//!
//! Bidirectional type inference, after Pierce and Turner, *Local Type Inference* (2000), with unification variables for what
//! neither direction knows at the time.
//!
//! ```text
//! let share: Percent? = if known { 0.5 } else { none }   // down: each branch is checked against `Percent?`
//! let sizes = files.map(it => it.len())                  // up: `it` from `files`, the result from the body
//! ```
//!
//! **Down**, an [`Expected`](expected::Expected) enters each expression. `Type` is an obligation: the expression comes back with
//! that type, or the mismatch was reported. `Hint` only helps to choose (a variant's enum, a lambda's parameters, a literal's
//! element) and its giver checks what comes back. **Up**, each expression has a type when its rule ends, which may hold
//! variables. Where a value meets a type, [`coerce`] puts in the conversions that are not written.
//!
//! A type variable is bound once, by unification in the [`table`], never to a type that contains it. Before it is bound
//! it may have a default type, which is used if the first value converts to it. Strings have variables of their own with an
//! order instead of equality, since a literal may be one of several unions: see [`mod@text`]. Arguments that are lambdas are
//! inferred after the others, so that the types that they take are known.
//!
//! What a rule can read and change is its first parameter: see [`context`].
//!
//! Invariants:
//!
//! - An expression is reported at most once: a rule that fails gives `Type::Invalid`, which is accepted everywhere.
//! - A body is inferred without looking into any other: heads of declarations are written out, so a change of one body
//!   infers one item again.
//! - What an operator needs of a type parameter becomes a requirement, checked where the parameter is known (`requirement`).
//! - After [`zonk`] no type of a body holds a variable; what was never found is `()`, or reported at the binding.

mod absence;
mod absorb;
mod adapter;
mod arena;
mod argument;
mod assignment;
mod awaiting;
mod call;
pub(crate) mod capability;
mod coerce;
mod collection;
mod context;
mod control;
mod conversation;
mod conversion;
mod expansion;
mod expected;
mod expression;
mod findings;
mod hir_builder;
mod hook;
mod item_body;
mod lambda;
mod literal;
mod locals;
mod logic;
mod lookup;
mod method;
mod mismatch;
mod mock;
mod name;
mod names;
mod narrowing;
mod near_method;
mod offer;
mod open_type;
mod operands;
mod operator;
mod otherwise;
mod parallel;
mod pattern;
mod pattern_names;
mod postponed;
mod prompt;
mod range;
mod record;
mod reflection;
mod requirement;
mod scopes;
mod script;
mod server_tool;
mod setting;
mod statement;
mod table;
pub(crate) mod test;
mod text;
mod unify;
mod variant_pattern;
mod workflow;
mod zonk;

pub use expansion::expansion_diagnostics;
pub use name::kind_text;
pub use offer::LISTED_AS_TOOLS;
pub use requirement::{requirement_diagnostics, requirements};
pub use setting::listed_kind;

use std::sync::Arc;

use gsw_source::{Db, ItemId, Retained};

use crate::hir::{Body, BodyPart, Modifiers};
use crate::infer::item_body::ItemInference;
use crate::item_bodies::ItemBodies;

/// The bodies of `item` with their types. `lru` for the reason that `parse_file` has, and as much a guess. In a box, since what is
/// released leaves its place behind.
#[salsa::tracked(returns(deref), lru = 2048)]
pub fn infer_item(db: &dyn Db, item: ItemId) -> Box<ItemBodies> {
    let mut inference = ItemInference {
        db,
        item,
        found: ItemBodies {
            bodies: Vec::new(),
            modifiers: Modifiers::default(),
            diagnostics: Vec::new(),
            references: Vec::new(),
            requirements: Vec::new(),
            generic_uses: Vec::new(),
            short_fields: Vec::new(),
        },
    };
    // One query for all parts of an item, because they share its head and its diagnostics; an edit of one part therefore
    // infers all of them again, and nothing outside of the item.
    if let Some(ast) = gsw_syntax::item_ast(db, item) {
        inference.run(&ast);
    }
    Box::new(inference.found)
}

/// How many items' bodies stay when others are released.
pub fn keep_bodies(db: &mut dyn Db, retained: Retained) {
    let items = match retained {
        Retained::Many => 2048,
        Retained::Few => 256,
    };
    infer_item::set_lru_capacity(db, items);
}

/// One body of `item`; `None` when it has no such part.
pub fn body(db: &dyn Db, item: ItemId, part: BodyPart) -> Option<Arc<Body>> {
    infer_item(db, item)
        .bodies
        .iter()
        .find(|it| it.part == part)
        .cloned()
}
