//! Wording of what waits where nothing can.

use gsw_source::{Code, Diagnostic, Place};

/// Why an expression may not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoWaiting {
    /// The default of a field of a record, a variant or an error.
    FieldDefault,
    /// A `where`.
    Check,
    /// A setting of an agent.
    AgentSetting,
    /// The key after `idempotent by`.
    Key,
    /// An example of a prompt.
    Example,
    /// The body of a prompt that holds more than a `system` and a `user` text.
    Conversation,
    /// The default of a parameter of what is also started from outside: a "workflow" or a "tool".
    StartedFromOutside(&'static str),
    Constant,
}

/// An expression that waits, or may do so, in a place that cannot be suspended.
pub fn cannot_wait(place: Place, reason: NoWaiting) -> Diagnostic {
    let (what, note) = match reason {
        NoWaiting::FieldDefault => (
            "the default of a field cannot wait".to_owned(),
            "it is also evaluated while an answer or an input is read, which cannot be suspended; give the value where the record is made, or make the field optional",
        ),
        NoWaiting::Check => (
            "a `where` cannot wait".to_owned(),
            "it is also evaluated while an answer or an input is read, which cannot be suspended; do this in a function, and call it where the value is used",
        ),
        NoWaiting::AgentSetting => (
            "a setting of an agent cannot wait".to_owned(),
            "it is evaluated inside a request; the texts and settings of a prompt may wait, and so may those of a call",
        ),
        NoWaiting::Key => (
            "the key of an idempotent tool cannot wait".to_owned(),
            "it decides whether the tool is called at all; compute it before the call, and pass it as a parameter",
        ),
        NoWaiting::Example => (
            "an example of a prompt, and the text that it shows, cannot wait".to_owned(),
            "examples are evaluated once, before any call; pass what comes from outside as a parameter of the prompt",
        ),
        NoWaiting::Conversation => (
            "the body of a prompt with statements or several texts cannot wait".to_owned(),
            "it only assembles texts; pass what comes from outside as a parameter of the prompt",
        ),
        NoWaiting::StartedFromOutside(kind) => (
            format!("the default of a {kind}'s parameter cannot wait"),
            "it is also evaluated for a call from outside, before anything runs that could be suspended; make the parameter optional, and use `??` in the body",
        ),
        NoWaiting::Constant => (
            "a constant cannot wait".to_owned(),
            "it is evaluated where it is used, also where nothing can be suspended; write a function instead",
        ),
    };
    Diagnostic::error(Code::CANNOT_WAIT, place, what).note(note)
}

/// A prompt or a question in `tools` with a default that waits.
pub fn offered_default_waits(place: Place, tool: &str, parameter: &str) -> Diagnostic {
    let message = format!("`{tool}` cannot be a tool: the default of its `{parameter}` waits");
    Diagnostic::error(Code::CANNOT_WAIT, place, message).note(
        "what a model leaves out is filled in before anything runs that could be suspended; make the parameter optional, and use `??` in the text",
    )
}

/// Beside the default itself.
pub const fn this_waits() -> &'static str {
    "this default waits"
}
