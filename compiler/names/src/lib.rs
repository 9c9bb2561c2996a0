//! What names mean: modules and imports, scopes, the heads of declarations, and which types there are.
#![warn(clippy::wildcard_enum_match_arm)]

mod alias;
mod attribute;
mod built_in;
mod constant_type;
mod cycle;
mod declaration;
mod declared_type;
mod display;
mod error_class;
mod error_kinds;
pub mod errors;
pub mod foreign;
mod generics;
mod handler;
mod held;
mod host_tool;
mod import;
mod import_graph;
mod known;
mod lower_type;
mod method;
mod module;
mod naming;
mod offered_resource;
mod partial;
mod recursion;
mod scope;
mod signature;
mod skill;
mod source_text;
mod substitute;
mod tool_list;
mod tree;
pub mod types;
mod variance;

pub use alias::{alias_target, has_check};
pub use attribute::{PUBLIC_ATTRIBUTES, RequirementKind};
pub use built_in::built_in_types;
pub use cycle::{groups, on_cycles};
pub use declaration::{ItemSignature, item_signature};
pub use declared_type::{CheckedTypeDeclaration, is_plain_enum, type_declaration};
pub use display::{display_parameter, display_type};
pub use error_class::{
    MODEL_ERROR, builtin_error, builtin_item, builtin_set, error_class, error_name, model_errors,
};
pub use error_kinds::ErrorKinds;
pub use generics::generics_of;
pub use handler::{handler_form, handler_word, is_decision};
pub use held::{
    MOST_INSTANCES, MOST_PARTS, find_held, has_media_inside, holds_media, holds_secret, is_larger,
    is_too_large,
};
pub use host_tool::{is_host_tool, needs_host, shared_names};
pub use import::{
    acyclic_imports, import_diagnostics, imported_files, imports, is_reported, with_import,
    with_module_of,
};
pub use import_graph::is_cycle;
pub use known::KnownItem;
pub use lower_type::{is_key, lower_throws, lower_type, simple_type};
pub use method::{ANY_VALUE, method, method_names};
pub use module::{
    PRELUDE, implicit_module, is_std, library_module, module_file, module_path, prelude_file,
    shown_module, std_file,
};
pub use naming::{local_name, name_diagnostics};
pub use partial::{partial, partial_field};
pub use recursion::{recursion_diagnostic, type_grows};
pub use scope::{
    Definition, ModuleScope, import_name, is_private, member_names, module_scope, resolve_callable,
    resolve_error, resolve_member, resolve_name, seems_declared, suggest, variants_named,
    visible_names,
};
pub use signature::{
    LockedTool, OfferedResource, Parameter, Presence, Signature, TypeDeclaration,
    TypeDeclarationKind, Variant,
};
pub use skill::{SkillsAt, is_skill_tool, project_skills, skill_instructions, skills_at};
pub use source_text::{WrittenPart, item_text, source_text, written_check, written_parts};
pub use substitute::substitute;
pub use tool_list::{
    Alias, agent_prompts, alias_of, given_by_call, is_question, is_spawn_request,
    is_written_request, is_written_word, listed_hooks, listed_skill_tools, listed_spawns,
    listed_tools, module_tools, server_tool, server_tools, settings_of, spawn_name,
    suggested_alias, tool_by_alias,
};
pub use tree::{declared_name, item_head, keep_heads, with_line_end};
pub use variance::{Variance, type_variances};
