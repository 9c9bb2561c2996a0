//! Wording of what is wrong with a program as a whole.

use gsw_source::{Code, Diagnostic, Place};

/// A program without an entry; `workflows` are those that it has.
/// `other` is the word for what is called `main` instead.
pub fn missing_main(place: Place, workflows: &[String], other: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::MISSING_MAIN,
        place,
        "the program has no workflow `main`",
    );
    if let Some(word) = other {
        return diagnostic.note(format!(
            "`main` is a {word} here; a program starts with `workflow main() {{ … }}`"
        ));
    }
    if workflows.is_empty() {
        return diagnostic.note("a program starts with `workflow main() { … }`");
    }
    let names: Vec<String> = workflows.iter().map(|it| format!("`{it}`")).collect();
    diagnostic.note(format!("name the workflow to run: {}", names.join(", ")))
}
