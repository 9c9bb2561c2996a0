//! Wording of what patterns miss.

use gsw_source::{Code, Diagnostic, Place};

/// A `match` that does not cover everything; `missing` as source text, not empty.
pub fn missing_case(place: Place, missing: &[String]) -> Diagnostic {
    let message = format!("this `match` does not cover {}", listed(missing));
    Diagnostic::error(Code::MISSING_CASE, place, message)
        .note("add an arm for what is missing, or `_ => …` for everything else")
}

/// An arm that earlier ones leave nothing to.
pub fn unreachable_arm(place: Place) -> Diagnostic {
    let message = "this arm is never reached: the arms above it cover everything it matches";
    Diagnostic::warning(Code::UNREACHABLE_ARM, place, message)
}

/// A pattern of `let`, `for` or a lambda that does not match every value.
pub fn refutable_pattern(place: Place, missing: &[String]) -> Diagnostic {
    let message = format!(
        "this pattern does not match {}, and nothing says what happens then",
        listed(missing)
    );
    Diagnostic::error(Code::REFUTABLE_PATTERN, place, message)
        .note("use `match`, or `if let … { } else { }`")
}

fn listed(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|it| format!("`{it}`")).collect();
    quoted.join(", ")
}
