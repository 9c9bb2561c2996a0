//! What programs mean: items, modules, names, types, the typed HIR, errors, effects, exhaustiveness, lints.

pub mod hir;
pub mod model;
pub mod types;
