//! What programs mean: items, modules, names, types, the typed HIR, errors, effects, exhaustiveness, lints.
#![warn(clippy::wildcard_enum_match_arm)]

mod alias;
mod attribute;
mod bodies;
mod bounds;
mod check;
mod configuration;
mod constant;
mod constant_type;
mod declaration;
mod declared_type;
mod display;
mod edit_distance;
mod error_class;
pub mod errors;
mod exhaustiveness;
mod habit;
mod held;
pub mod hir;
mod host_tool;
mod import;
mod import_graph;
mod infer;
mod known;
mod lints;
mod lower_type;
mod manifest;
mod mention;
mod method;
pub mod model;
mod module;
mod naming;
mod not_yet_supported;
mod permission_block;
mod project;
mod recursion;
mod rules;
mod scope;
mod substitute;
mod summary;
mod tool_list;
mod tree;

pub mod types;
mod walk;

pub use alias::{alias_target, has_check};
pub use attribute::RequirementKind;
pub use bodies::item_bodies;
pub use bounds::check_bounds;
pub use check::{check_file, check_project, missing_main};
pub use configuration::{
    CheckedConfiguration, Configuration, LintLevel, ModelDefaults, configuration_diagnostics,
    file_configuration, file_prices, project_configuration, resolved_model,
};
pub use constant::{ConstantValue, check_source, constant_value};
pub use declaration::{ItemSignature, generics_of, item_signature};
pub use declared_type::{CheckedTypeDeclaration, is_plain_enum, type_declaration};
pub use display::display_type;
pub use edit_distance::nearest;
pub use error_class::{
    builtin_error, builtin_item, builtin_set, error_class, error_name, model_errors,
};
pub use exhaustiveness::pattern_diagnostics;
pub use host_tool::{is_host_tool, needs_host};
pub use import::{acyclic_imports, imported_files};
pub use infer::{body, infer_item, requirement_diagnostics, requirements, source_text};
pub use known::KnownItem;
pub use lower_type::{effect_named, is_key, lower_throws, lower_type};
pub use manifest::{Manifest, agent_models, item_manifest, permissions};
pub use method::{method, method_names};
pub use module::{
    implicit_module, is_std, module_file, module_path, prelude_file, shown_module, std_file,
};
pub use project::{CONFIGURATION, find_configuration, follow_imports, module_key, open_project};
pub use rules::{RepeatClass, is_mockable, repeat_class};
pub use scope::{
    Definition, ModuleScope, is_private, member_names, module_scope, resolve_callable,
    resolve_member, resolve_name, suggest, variants_named, visible_names,
};
pub use substitute::substitute;
pub use summary::{error_diagnostics, item_summary};
pub use tool_list::{is_question, is_spawn_request, listed_spawns, listed_tools, spawn_name};
pub use walk::{Child, children, modifier_expressions, visit_inline, visit_patterns};
