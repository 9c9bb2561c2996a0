//! Wording of what is wrong with raised and caught errors.

use gsw_source::{Code, Diagnostic, Place};

/// Errors that a body raises at one place and its signature leaves out; `end` is right behind those that it lists.
pub fn undeclared_errors(
    place: Place,
    errors: &[String],
    name: &str,
    declared: &[String],
    end: Option<Place>,
) -> Diagnostic {
    let quoted: Vec<String> = errors.iter().map(|it| format!("`{it}`")).collect();
    let message = format!(
        "this can raise {}, which the signature of `{name}` does not list",
        quoted.join(", ")
    );
    let diagnostic = undeclared(place, message, declared);
    let added = errors.join(" | ");
    match end {
        Some(end) => diagnostic
            .note("catch it here, or add it to the signature after `!`")
            .offer(format!("list `{added}`"), end, format!(" | {added}")),
        None => diagnostic.note("catch it here"),
    }
}

/// An error of any kind where a signature lists some.
pub fn undeclared_open_error(place: Place, name: &str, declared: &[String]) -> Diagnostic {
    let message =
        format!("this can raise any error, and the signature of `{name}` lists only some");
    undeclared(place, message, declared).note(
        "what a stored function raises, or an `Error` that was passed in, is not known; catch it here",
    )
}

/// A function that raises or does what the type where it goes leaves out.
pub fn left_out_of_type(place: Place, what: &str, ty: &str) -> Diagnostic {
    let message = format!("this function can {what}, which `{ty}` does not list");
    Diagnostic::error(Code::UNDECLARED_ERROR, place, message)
        .note("what a function type lists after `!` and `uses` is all that its functions may raise and do")
}

/// A function that takes functions of fewer errors or effects than the type where it goes lets be given to it.
pub fn given_by_type(place: Place, what: &str, ty: &str) -> Diagnostic {
    let message = format!(
        "through `{ty}` this function may be passed functions that can {what}, which its parameter does not accept"
    );
    Diagnostic::error(Code::UNDECLARED_ERROR, place, message)
        .note("its parameter must accept every function that the type allows: list more after `!` or `uses` in the parameter's type")
}

/// An arm of a `catch` for something that is never raised.
pub fn impossible_catch(place: Place) -> Diagnostic {
    let message = "this arm catches an error that is never raised here";
    Diagnostic::warning(Code::IMPOSSIBLE_CATCH, place, message)
        .note("the errors that can reach an arm are inferred from the code to the left of `catch` and the arms above")
}

/// `catch { }`
pub fn catch_without_arms(place: Place) -> Diagnostic {
    let message = "this `catch` has no arms, so it catches nothing";
    Diagnostic::warning(Code::IMPOSSIBLE_CATCH, place, message)
        .note("an arm says what is used instead of the value: `f(x) catch { Timeout(_) => 0 }`; `catch _ => ()` drops every error of what gives no value")
}

/// `Timeout` of a prompt.
pub fn late_answer(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("a request that takes longer than the `timeout` of an agent or prompt raises `ProviderError`; `Timeout` is raised by a block, `timeout 30s { … }`")
}

/// An error that a signature lists and nothing in the body raises; `cut` is what to take out of the list.
pub fn never_raised(place: Place, error: &str, name: &str, cut: Place) -> Diagnostic {
    let message = format!("`{name}` never raises `{error}`");
    Diagnostic::warning(Code::NEVER_RAISED, place, message)
        .note("callers would have to handle an error that cannot happen")
        .offer("take it out", cut, "")
}

fn undeclared(place: Place, message: String, declared: &[String]) -> Diagnostic {
    let quoted: Vec<String> = declared.iter().map(|it| format!("`{it}`")).collect();
    let listed = format!("the signature lists {}", quoted.join(", "));
    Diagnostic::error(Code::UNDECLARED_ERROR, place, message).note(listed)
}
