//! Typed bodies: from the syntax of an item's bodies to the typed HIR, with everything wrong in their types.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod errors;
pub mod hir;
mod infer;
mod item_bodies;
mod not_yet_supported;
mod walk;

pub use infer::test::{cassette_file, pass_share, repeat_count};
pub use infer::{
    LISTED_AS_TOOLS, body, expansion_diagnostics, infer_item, keep_bodies, kind_text, listed_kind,
    requirement_diagnostics, requirements,
};
pub use item_bodies::{GenericUse, ItemBodies, Reference, Requirement};
pub use not_yet_supported::{Missing, item_not_yet_supported};
pub use walk::{Child, children, modifier_expressions, visit_inline, visit_patterns};
