//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

pub mod calls;
mod constants;
mod coverage;
mod declarations;
mod habits;
mod heads;
mod lints;
mod modules;
mod names;
pub mod patterns;
mod program;
pub mod records;
mod throws;
mod types;
mod unsupported;
pub mod values;
mod workflows;

pub use constants::{constant_circle, effect_in_constant, question_in_constant};
pub use coverage::{Insertion, missing_case, refutable_pattern, unreachable_arm, unreachable_side};
pub use declarations::{
    HostToolProblem, attribute_arguments, duplicate_definition, duplicate_wire_name, host_tool,
    method_of_foreign_type, misplaced_attribute, misplaced_secret, missing_type, needs_host,
    not_an_agent, payload_called_kind, payload_without_name, reserved_parameter,
    self_outside_method, shared_host_tool, unknown_attribute, unusual_local, unusual_name,
    wrong_case,
};
pub use habits::{instead_of_method, instead_of_name, is_foreign_name};
pub use heads::{misplaced_agent, misplaced_repeat_class, missing_body, reserved_word};
pub use lints::{
    deprecated, unknown_model, unreachable_code, unread_variable, unsupported_setting,
    unused_field, unused_import, unused_local,
};
pub use modules::{import_cycle, late_import, unknown_import, unknown_module};
pub use names::{
    log_instead, module_not_imported, private_name, unknown_member, unknown_module_name,
    unknown_name,
};
pub use program::missing_main;
pub use throws::{
    impossible_catch, left_out_of_type, never_raised, undeclared_errors, undeclared_open_error,
};
pub use types::{
    error_as_type, fault_in_signature, infinite_type, map_key_type, not_a_type, not_an_error,
    type_argument_count, union_member, unknown_effect, unknown_error, unknown_type,
    variant_as_type, written_as,
};
pub use unsupported::not_compiled_yet;
pub use workflows::{
    beyond_project, broken_check, cannot_leave, captured_cycle, declared_once, media_answer,
    media_inside, misplaced_statement, not_mockable, not_permitted, not_recordable, outside_loop,
    repeats_once_effect, secret_exposed, target_not_permitted,
};
