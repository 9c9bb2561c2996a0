//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

mod declarations;
mod foreign;
mod foreign_methods;
mod modules;
mod names;
mod outside;
mod types;

pub use declarations::{
    HostToolProblem, ResourceProblem, attribute_arguments, duplicate_definition,
    duplicate_wire_name, function_instead, hides_error, host_tool, method_of_alias,
    method_of_error, method_of_foreign_type, misplaced_attribute, misplaced_secret, misplaced_was,
    missing_type, needs_host, not_a_server, not_an_agent, payload_called_kind,
    payload_without_name, repeated_test, reserved_parameter, resource, self_outside_method,
    shared_host_tool, type_of_nothing, unknown_attribute, unusual_local, unusual_name, wrong_case,
};
pub use foreign::{Kind, instead_of_method, instead_of_name, instead_on};
pub use modules::{
    brings_variants, import_cycle, late_import, unknown_import, unknown_module, unreadable_module,
};
pub use names::{
    declare, declare_agent, error_everywhere, function_of_module, import_module, is_method,
    known_everywhere, log_instead, module_not_imported, not_listed, private_name, undeclared_error,
    undeclared_variable, unknown_member, unknown_module_name, unknown_name, value_with_capital,
    written_with_module,
};
pub use outside::{instead_of_attribute, instead_of_member, instead_of_module};
pub use types::{
    endless_type, enum_instead, error_as_type, fault_in_signature, generic_boundary, infinite_type,
    map_key_type, not_a_type, not_an_error, optional_instead, optional_union, record_instead,
    text_without_quotes, type_argument_count, type_too_large, undeclared_parameter, union_member,
    unknown_effect, unknown_error, unknown_type, variant_as_type, written_as,
};
