//! Wording of what is wrong with imports.

use gsw_source::{Code, Diagnostic, Place};

use super::names::suggest;

/// An import of a file that is not there.
pub fn unknown_module(place: Place, path: &str, suggestion: Option<&str>) -> Diagnostic {
    let message = format!("there is no module `{path}`");
    let diagnostic = Diagnostic::error(Code::UNKNOWN_MODULE, place, message);
    let diagnostic = if path.starts_with("std/") || path.starts_with('.') {
        diagnostic
    } else {
        diagnostic.note("a path starts with `std/`, `./` or `../`")
    };
    suggest(diagnostic, suggestion)
}

/// An import below a declaration.
pub fn late_import(place: Place) -> Diagnostic {
    let message = "an import stands before all other declarations";
    Diagnostic::error(Code::MISPLACED_STATEMENT, place, message)
}

/// A name in an import's braces that the module does not declare.
pub fn unknown_import(
    place: Place,
    name: &str,
    path: &str,
    suggestion: Option<&str>,
) -> Diagnostic {
    let message = format!("module `{path}` declares no `{name}`");
    suggest(
        Diagnostic::error(Code::UNKNOWN_IMPORT, place, message),
        suggestion,
    )
}

/// Modules that import each other in a circle; `path` ends with where it begins.
pub fn import_cycle(place: Place, path: &[String]) -> Diagnostic {
    let shown: Vec<String> = path.iter().map(|it| format!("`{it}`")).collect();
    let message = format!(
        "modules import each other in a circle: {}",
        shown.join(" → ")
    );
    Diagnostic::error(Code::IMPORT_CYCLE, place, message)
        .note("move what they share into a module of its own and import that")
}

/// An import, or one of its names, that nothing uses.
pub fn unused_import(place: Place, name: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::UNUSED_IMPORT,
        place,
        format!("the import `{name}` is not used"),
    )
}
