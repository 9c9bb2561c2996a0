//! Wording of hooks.

use gsw_abi::hook::Moment;
use gsw_source::{Code, Diagnostic, Place, Suggestion, did_you_mean};

/// A handler that hooks do not have.
pub fn unknown_handler(place: Place, name: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    let known = Moment::ALL.map(|it| format!("`{}`", it.name()));
    let message = format!("a hook has no handler `{name}`");
    let report = Diagnostic::error(Code::WRONG_HANDLER, place, message)
        .note(format!("it has {}", known.join(", ")));
    did_you_mean(report, suggestion)
}

/// Two handlers for one moment.
pub fn second_handler(place: Place, name: &str) -> Diagnostic {
    let message = format!("the hook has a handler `{name}` already");
    Diagnostic::error(Code::WRONG_HANDLER, place, message)
        .note("put everything in one handler, or declare a second hook")
}

/// A handler with other parameters than it is given.
pub fn handler_parameters(place: Place, name: &str, given: &[&str]) -> Diagnostic {
    let form = format!("`{name}({})`", given.join(", "));
    let message = format!("this handler is written {form}, without types");
    Diagnostic::error(Code::WRONG_HANDLER, place, message)
}
