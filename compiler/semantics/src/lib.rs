//! What programs mean: items, modules, names, types, the typed HIR, errors, effects, exhaustiveness, lints.

mod display;
pub mod hir;
pub mod model;
mod substitute;
pub mod types;

pub use display::display_type;
pub use substitute::substitute;
