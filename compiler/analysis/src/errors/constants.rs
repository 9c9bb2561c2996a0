//! Wording of reports about constants: what they cannot be computed from, and failures of computing them.

use gsw_source::{Code, Diagnostic, Place};

/// A constant that needs its own value; `path` ends with where it begins.
pub fn constant_cycle(place: Place, path: &[&str]) -> Diagnostic {
    let shown: Vec<String> = path.iter().map(|it| format!("`{it}`")).collect();
    let name = path.first().copied().unwrap_or_default();
    let message = format!("`{name}` needs its own value: {}", shown.join(" → "));
    Diagnostic::error(Code::NOT_CONSTANT, place, message)
}

/// A call that asks the run about itself.
pub fn question_in_constant(place: Place, operation: &str) -> Diagnostic {
    let message = format!(
        "a constant is evaluated before the program runs, and `{operation}` depends on the run that it is called in"
    );
    Diagnostic::error(Code::NOT_CONSTANT, place, message)
        .note("make it a function, or compute it in the workflow")
}

/// A call that reaches outside of the program.
pub fn effect_in_constant(place: Place, effect: &str) -> Diagnostic {
    let message =
        format!("a constant is evaluated before the program runs, and this needs `{effect}`");
    Diagnostic::error(Code::NOT_CONSTANT, place, message)
        .note("make it a function, or compute it in the workflow")
}

/// A constant whose evaluation raises.
pub fn failing_constant(place: Place, error: &str, message: Option<&str>) -> Diagnostic {
    let text = match message {
        Some(message) => format!("this raises `{error}`: {message}"),
        None => format!("this raises `{error}`"),
    };
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
        .note("constants are evaluated at compile time")
}

/// A constant that is too much to evaluate.
pub fn endless_constant(place: Place, why: &str) -> Diagnostic {
    let text = format!("this cannot be evaluated at compile time: {why}");
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
}

/// A constant that reaches outside; `what` is what it uses.
pub fn impure_constant(place: Place, what: &str) -> Diagnostic {
    let text = format!("a constant is evaluated at compile time, and this uses {what}");
    Diagnostic::error(Code::NOT_CONSTANT, place, text)
        .note("write a function without parameters instead, which is evaluated at each call")
}
