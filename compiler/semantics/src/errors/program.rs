//! Wording of what is wrong with a program as a whole.

use gsw_source::{Code, Diagnostic, Place};

/// A program without an entry; `workflows` are those that it has.
pub fn missing_main(place: Place, workflows: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::MISSING_MAIN,
        place,
        "the program has no workflow `main`",
    );
    if workflows.is_empty() {
        return diagnostic.note("a program starts with `workflow main() { … }`");
    }
    let names: Vec<String> = workflows.iter().map(|it| format!("`{it}`")).collect();
    diagnostic.note(format!("name one to run it: {}", names.join(", ")))
}
