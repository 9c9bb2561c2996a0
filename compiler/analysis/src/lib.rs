//! What is wrong with a program beyond its types, and what its parts can do: errors and effects of calls, exhaustiveness, rules, lints.
#![warn(clippy::wildcard_enum_match_arm)]

mod bounds;
mod call_summary;
mod check;
mod constant;
mod constant_failure;
mod errors;
mod exhaustiveness;
mod lints;
mod manifest;
mod mention;
mod named_lambda;
mod permission_block;
mod rules;
mod summary;
mod trust;

pub use bounds::check_bounds;
pub use call_summary::{Acts, ArgumentEffects, ItemSummary, Kept, PartSummary, Summary, Waits};
pub use check::{check_ahead, check_file, check_project, first_diagnostics, missing_main};
pub use constant::{ConstantValue, check_source, constant_value};
pub use exhaustiveness::pattern_diagnostics;
pub use manifest::{Manifest, agent_models, changes_outside, item_manifest, permissions};
pub use rules::{RepeatClass, is_mockable, repeat_class};
pub use summary::{error_diagnostics, item_summary};
pub use trust::{GuardedParameter, guarded_parameters, says_foreign};
