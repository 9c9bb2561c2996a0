//! Wording of what is in the head of a declaration where it is not allowed.

use gsw_source::{Code, Diagnostic, Place};

pub use gsw_syntax::reserved_word;

/// A function without its block.
pub fn missing_body(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` has no body");
    Diagnostic::error(Code::UNEXPECTED_TOKEN, place, message)
        .note("write its body after the head, in braces: `{ … }`")
}

/// A prompt without a word for its model.
pub fn asks_nothing(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` has no text for a model to answer");
    Diagnostic::warning(Code::ASKS_NOTHING, place, message)
        .note("`user \"…\"` says what is wanted; a parameter that no text uses is appended")
}

/// A prompt whose last text is an answer.
pub fn ends_with_answer(place: Place) -> Diagnostic {
    let message = "the prompt ends with an answer, so a model is asked nothing";
    Diagnostic::warning(Code::ASKS_NOTHING, place, message).note(
        "a prompt ends with a `user` text: `assistant` is for earlier answers; the form of this one is given by the result type",
    )
}

/// `by` after the head of what no agent runs.
pub fn misplaced_agent(place: Place) -> Diagnostic {
    let message = "`by` belongs in the head of a `prompt`";
    Diagnostic::error(Code::MISPLACED_MODIFIER, place, message)
}

/// `once` and its kin after the head of what is no tool.
pub fn misplaced_repeat_class(place: Place, word: &str) -> Diagnostic {
    let message = format!("`{word}` belongs in the head of a `tool`");
    Diagnostic::error(Code::MISPLACED_MODIFIER, place, message)
}
