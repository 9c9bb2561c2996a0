//! What programs mean: items, modules, names, types, the typed HIR, errors, effects, exhaustiveness, lints.

mod bounds;
mod call_summary;
mod check;
mod constant;
pub mod errors;
mod exhaustiveness;
pub mod hir;
mod infer;
mod item_bodies;
mod lints;
mod manifest;
mod mention;
mod not_yet_supported;
mod permission_block;
mod rules;
mod summary;

mod walk;

pub use bounds::check_bounds;
pub use call_summary::{ArgumentEffects, ItemSummary, Kept, Summary, Waits};
pub use check::{check_file, check_project, missing_main};
pub use constant::{ConstantValue, check_source, constant_value};
pub use exhaustiveness::pattern_diagnostics;
pub use infer::{body, infer_item, requirement_diagnostics, requirements};
pub use item_bodies::{GenericUse, ItemBodies, Reference, Requirement};
pub use manifest::{Manifest, agent_models, item_manifest, permissions};
pub use rules::{RepeatClass, is_mockable, repeat_class};
pub use summary::{error_diagnostics, item_summary};
pub use walk::{Child, children, modifier_expressions, visit_inline, visit_patterns};
