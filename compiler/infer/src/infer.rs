//! Query `infer_item`: from the syntax of an item's bodies to their typed form, with everything wrong in their types.
//!
//! Bidirectional: what is expected flows into literals, lambdas and branches, what is found flows out and is converted.
#![allow(missing_docs, reason = "salsa generates public functions without docs")]

mod absence;
mod argument;
mod call;
pub(crate) mod capability;
mod coerce;
mod collection;
mod context;
mod control;
mod conversion;
mod expression;
mod item_body;
mod lambda;
mod literal;
mod lookup;
mod method;
mod mock;
mod name;
mod offer;
mod operator;
mod otherwise;
mod pattern;
mod prompt;
mod record;
mod reflection;
mod requirement;
mod setting;
mod statement;
mod table;
mod text;
mod unify;
mod variant_pattern;
mod workflow;
mod zonk;

pub use name::kind_text;
pub use requirement::{requirement_diagnostics, requirements};

use std::sync::Arc;

use gsw_source::{Db, ItemId};

use crate::hir::{Body, BodyPart, Modifiers};
use crate::infer::item_body::ItemInference;
use crate::item_bodies::ItemBodies;

/// All bodies of `item`.
#[salsa::tracked(returns(ref))]
pub fn infer_item(db: &dyn Db, item: ItemId) -> ItemBodies {
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
    if let Some(ast) = gsw_syntax::item_ast(db, item) {
        inference.run(&ast);
    }
    inference.found
}

/// One body of `item`; `None` when it has no such part.
pub fn body(db: &dyn Db, item: ItemId, part: BodyPart) -> Option<Arc<Body>> {
    infer_item(db, item)
        .bodies
        .iter()
        .find(|it| it.part == part)
        .cloned()
}
