//! Wording of warnings about code that compiles and is most likely not what was meant.

use gsw_source::{Code, Diagnostic, Place};

/// A local that nothing reads. `what` is the sort of local, such as `variable`.
pub fn unused_local(place: Place, what: &str, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_VARIABLE,
        place,
        format!("{what} `{name}` is never used"),
    )
    .note("a name that starts with `_` says so on purpose")
    .fix(format!("rename it to `_{name}`"), place, format!("_{name}"))
}

/// A field that a pattern binds by its name and nothing reads.
pub fn unused_field(place: Place, name: &str) -> Diagnostic {
    let message = format!("variable `{name}` is never used");
    Diagnostic::warning(Code::UNUSED_VARIABLE, place, message)
        .note(format!("`{name}: _` says so on purpose"))
        .fix(format!("write `{name}: _`"), place, format!("{name}: _"))
}

/// A `var` that is assigned and never read.
pub fn unread_variable(place: Place, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_VARIABLE,
        place,
        format!("variable `{name}` is assigned and never read"),
    )
}

/// Statements behind one that never ends normally; `rest` is all of the block behind it.
pub fn unreachable_code(place: Place, cause: Place, rest: Place) -> Diagnostic {
    Diagnostic::warning(Code::UNREACHABLE_CODE, place, "this is never reached")
        .label(cause, "the block is always left here")
        .fix("remove what is never reached", rest, "")
}

/// A use of what is marked `@deprecated`.
pub fn deprecated(place: Place, name: &str, why: &str) -> Diagnostic {
    let message = format!("`{name}` is deprecated: {why}");
    Diagnostic::warning(Code::DEPRECATED, place, message)
}

/// A setting that the agent's model does not take.
pub fn unsupported_setting(place: Place, setting: &str, model: &str) -> Diagnostic {
    let message = format!("`{model}` takes no `{setting}`, so it is not sent");
    Diagnostic::warning(Code::UNSUPPORTED_SETTING, place, message)
        .note("the newest interface of Anthropic has no sampling settings any more")
}

/// A model whose provider nobody knows.
pub fn unknown_model(
    place: Place,
    model: &str,
    providers: &[&str],
    suggestion: Option<&str>,
) -> Diagnostic {
    let message = format!("`{model}` names no provider that there is");
    let known: Vec<String> = providers.iter().map(|it| format!("`{it}/…`")).collect();
    let diagnostic = Diagnostic::warning(Code::UNKNOWN_MODEL, place, message).note(format!(
        "a model is written `provider/name`: {}",
        known.join(", ")
    ));
    match suggestion {
        Some(it) => diagnostic.fix(format!("write `{it}`"), place, format!("{it:?}")),
        None => diagnostic,
    }
}

/// An import, or one of its names, that nothing uses.
/// `removed` is what goes away with it.
pub fn unused_import(place: Place, removed: Place, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_IMPORT,
        place,
        format!("the import `{name}` is not used"),
    )
    .fix("remove it", removed, "")
}
