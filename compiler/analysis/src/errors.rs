//! The wording of every diagnostic: one function each, by topic. Nothing else in the crate holds prose.

mod constants;
mod coverage;
mod heads;
mod lints;
mod program;
mod throws;
mod trust;
mod waiting;
mod workflows;

pub use constants::{
    constant_cycle, effect_in_constant, endless_constant, failing_constant, impure_constant,
    question_in_constant,
};
pub use coverage::{
    Insertion, Takes, always_matches, match_too_complex, missing_case, pattern_too_complex,
    refutable_pattern, unreachable_arm, unreachable_mock, unreachable_side,
};
pub use heads::{
    asks_nothing, ends_with_answer, misplaced_agent, misplaced_repeat_class, missing_body,
    reserved_word,
};
pub use lints::{
    Marked, Meant, Senseless, Unused, UnusedMeant, absent_index, accidental_comment,
    broken_pattern, cached_effect, deprecated, doubled_braces, dropped_result, duplicate_key,
    empty_range, idle_doc, idle_spawns, lost_update, missing_braces, missing_dollar, misused_local,
    negative_index, own_value, same_condition, same_operands, senseless_argument, swapped_fields,
    trailing_doc, unbounded_calls, uncached_text, unchanged_variable, unknown_model,
    unreachable_code, unread_variable, unsupported_setting, unused_field, unused_import,
    unused_local, unused_private, unused_task, unused_value,
};
pub use program::missing_main;
pub use throws::{
    catch_without_arms, given_by_type, impossible_catch, late_answer, left_out_of_type,
    never_raised, undeclared_errors, undeclared_open_error,
};
pub use trust::untrusted_value;
pub use waiting::{NoWaiting, cannot_wait, offered_default_waits, this_waits};
pub use workflows::{
    FormerNameProblem, STATE_OR_VARIABLE, Said, Wanted, beyond_project, broken_check, cannot_leave,
    captured_by, captured_cycle, declared_once, media_answer, media_inside, misplaced_mock,
    misplaced_statement, mocks_outside_test, not_mockable, not_permitted, not_recordable,
    outside_loop, repeats_once_effect, retries_once_tool, secret_exposed, senseless_setting,
    target_not_permitted, unmatchable_entry, wrong_former_name,
};
