//! Wording of what is wrong with raised and caught errors.

use gsw_source::{Code, Diagnostic, Place};

/// An error that a body raises and its signature leaves out.
pub fn undeclared_error(place: Place, error: &str, name: &str, declared: &[String]) -> Diagnostic {
    let message =
        format!("this can raise `{error}`, which the signature of `{name}` does not list");
    undeclared(place, message, declared).note(format!("add it: `! {}`", with(declared, error)))
}

/// An error of any kind where a signature lists some.
pub fn undeclared_open_error(place: Place, name: &str, declared: &[String]) -> Diagnostic {
    let message =
        format!("this can raise any error, and the signature of `{name}` lists only some");
    undeclared(place, message, declared).note(
        "what a stored function or an `Error` from elsewhere raises is not known; catch it here",
    )
}

/// A function that raises or does what the type where it goes leaves out.
pub fn left_out_of_type(place: Place, what: &str, ty: &str) -> Diagnostic {
    let message = format!("this function can {what}, which `{ty}` leaves out");
    Diagnostic::error(Code::UNDECLARED_ERROR, place, message)
        .note("what a function type lists after `!` and `uses` is all that its functions may raise and do")
}

/// An arm of a `catch` for something that is never raised.
pub fn impossible_catch(place: Place) -> Diagnostic {
    let message = "what this arm catches is never raised here";
    Diagnostic::warning(Code::IMPOSSIBLE_CATCH, place, message)
        .note("the errors that can arrive here are inferred from the code to the left of `catch` and the arms above")
}

/// An error that a signature lists and nothing in the body raises; `cut` is what to take out of the list.
pub fn never_raised(place: Place, error: &str, name: &str, cut: Place) -> Diagnostic {
    let message = format!("`{name}` never raises `{error}`");
    Diagnostic::warning(Code::NEVER_RAISED, place, message)
        .note("callers would handle what cannot happen")
        .fix("take it out", cut, "")
}

fn undeclared(place: Place, message: String, declared: &[String]) -> Diagnostic {
    let listed = if declared.is_empty() {
        "the signature lists no error".to_string()
    } else {
        let quoted: Vec<String> = declared.iter().map(|it| format!("`{it}`")).collect();
        format!("the signature lists {}", quoted.join(", "))
    };
    Diagnostic::error(Code::UNDECLARED_ERROR, place, message).note(listed)
}

fn with(declared: &[String], error: &str) -> String {
    let all: Vec<&str> = declared.iter().map(String::as_str).chain([error]).collect();
    all.join(" | ")
}
