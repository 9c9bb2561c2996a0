//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

pub mod calls;
pub mod configuration;
mod constants;
mod coverage;
mod declarations;
mod habits;
mod lints;
mod modules;
mod names;
pub mod patterns;
mod program;
pub mod records;
mod throws;
mod types;
pub mod values;
mod waiting;
mod workflows;

pub use constants::{constant_circle, effect_in_constant, question_in_constant};
pub use coverage::{
    Insertion, match_too_complex, missing_case, pattern_too_complex, refutable_pattern,
    unreachable_arm, unreachable_side,
};
pub use declarations::{
    HostToolProblem, attribute_arguments, duplicate_definition, duplicate_wire_name, host_tool,
    method_of_foreign_type, misplaced_agent, misplaced_attribute, misplaced_repeat_class,
    misplaced_secret, missing_body, missing_type, not_an_agent, payload_called_kind,
    payload_without_name, reserved_parameter, reserved_word, self_outside_method, shared_host_tool,
    unknown_attribute, unusual_local, unusual_name, wrong_case,
};
pub use habits::{instead_of_method, instead_of_name, is_foreign_name};
pub use lints::{
    deprecated, not_compiled_yet, unknown_model, unreachable_code, unread_variable,
    unsupported_setting, unused_field, unused_local,
};
pub use modules::{import_cycle, late_import, unknown_import, unknown_module, unused_import};
pub use names::{
    log_instead, module_not_imported, private_name, unknown_member, unknown_module_name,
    unknown_name,
};
pub use program::{missing_main, needs_host};
pub use throws::{
    given_by_type, impossible_catch, left_out_of_type, never_raised, undeclared_errors,
    undeclared_open_error,
};
pub use types::{
    broken_check, endless_type, error_as_type, fault_in_signature, infinite_type, map_key_type,
    not_a_type, not_an_error, secret_exposed, type_argument_count, union_member, unknown_effect,
    unknown_error, unknown_type, variant_as_type, written_as,
};
pub use waiting::{NoWaiting, cannot_wait};
pub use workflows::{
    cannot_leave, captured_cycle, declared_once, media_answer, media_inside, misplaced_statement,
    not_mockable, not_permitted, not_recordable, outside_loop, repeats_once_effect,
    target_not_permitted,
};
