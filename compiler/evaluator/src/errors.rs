//! Wording of what is wrong with the values of constants.

use gsw_source::{Code, Diagnostic, Place};

/// A constant whose evaluation raises.
pub(crate) fn failing_constant(place: Place, error: &str, message: Option<&str>) -> Diagnostic {
    let text = match message {
        Some(message) => format!("this raises `{error}`: {message}"),
        None => format!("this raises `{error}`"),
    };
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
        .note("a constant is evaluated while compiling")
}

/// A constant that is too much to evaluate.
pub(crate) fn endless_constant(place: Place, why: &str) -> Diagnostic {
    let text = format!("this cannot be evaluated while compiling: {why}");
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
}

/// A constant that reaches outside; `what` is what it uses.
pub(crate) fn impure_constant(place: Place, what: &str) -> Diagnostic {
    let text = format!("a constant is evaluated while compiling, and this uses {what}");
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
        .note("a function without parameters does it each time it is called")
}
