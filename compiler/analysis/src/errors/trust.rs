//! Wording of untrusted values, where only trusted ones are allowed.

use gsw_source::{Code, Diagnostic, Place};

/// `what` flows to `wanted`, a parameter or a result that is `trusted`; `from` is where it enters the program.
pub fn untrusted_value(place: Place, wanted: &str, what: &str, from: Place) -> Diagnostic {
    let message = format!("{wanted} is `trusted`, and this may hold {what}");
    Diagnostic::error(Code::UNTRUSTED_VALUE, place, message)
        .label(from, "the untrusted value enters here".to_owned())
        .note("data from models, tools, pages, files and programs may have been written by anybody, and neither `if x in ALLOWED` nor a person's `true` changes where it came from")
        .note("use what the user gave, what a person answers (`human choose(…) -> Payee`), or a value of the program that it selects: `ALLOWED.find(it => it == x)`")
        .note("if the program has validated it, `trust(value, \"why\")` vouches for it")
}
