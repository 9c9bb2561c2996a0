//! Wording of what is wrong with imports.

use gsw_source::{Code, Diagnostic, Edit, Place, Suggestion, did_you_mean};

/// An import of a file that is not there.
/// `modules` are those of the library.
pub fn unknown_module(
    place: Place,
    path: &str,
    suggestion: Option<&Suggestion>,
    modules: &[String],
) -> Diagnostic {
    let message = format!("there is no module `{path}`");
    let diagnostic = Diagnostic::error(Code::UNKNOWN_MODULE, place, message);
    let diagnostic = if let Some(name) = path.strip_prefix("std/") {
        let suggestion = suggestion.filter(|_| super::instead_of_module(name).is_none());
        let diagnostic = did_you_mean(diagnostic, suggestion);
        return match (super::instead_of_module(name), suggestion) {
            (Some(sentence), _) => diagnostic.note(sentence),
            (None, Some(_)) => diagnostic,
            (None, None) => diagnostic.note(format!("the modules are {}", modules.join(", "))),
        };
    } else if path.starts_with('.') {
        diagnostic
            .note("`./x` is the file `x.gsw` beside this one, `../x` the one in the parent folder")
    } else if path == "std" {
        diagnostic.note("the modules of the library are imported one by one: `import std/fs`")
    } else {
        diagnostic.note(format!(
            "a path starts with `std/`, `./` or `../`: the file `{path}.gsw` beside this one is `./{path}`"
        ))
    };
    did_you_mean(diagnostic, suggestion)
}

/// An import of a file that is there and cannot be read; `why` says it of a file.
pub fn unreadable_module(place: Place, path: &str, why: &str) -> Diagnostic {
    let message = format!("the file of module `{path}` {why}");
    Diagnostic::error(Code::UNKNOWN_MODULE, place, message)
}

/// A name in an import's braces that the module does not declare.
pub fn unknown_import(
    place: Place,
    name: &str,
    path: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let message = format!("module `{path}` declares no `{name}`");
    did_you_mean(
        Diagnostic::error(Code::UNKNOWN_IMPORT, place, message),
        suggestion,
    )
}

/// The name of a variant where its enum is imported.
pub fn brings_variants(diagnostic: Diagnostic, of: &str, path: &str) -> Diagnostic {
    diagnostic.note(format!(
        "it is a variant of `{of}`, and an enum brings its variants: `import {path}.{{{of}}}`"
    ))
}

/// Modules that import each other in a cycle; `path` ends with where it begins.
pub fn import_cycle(place: Place, path: &[String]) -> Diagnostic {
    let shown: Vec<String> = path.iter().map(|it| format!("`{it}`")).collect();
    let message = format!(
        "modules import each other in a cycle: {}",
        shown.join(" → ")
    );
    Diagnostic::error(Code::IMPORT_CYCLE, place, message)
        .note("move what they share into a module of its own and import that")
}

/// An import after a declaration; `start` is where that begins, `text` the import.
pub fn late_import(place: Place, start: Place, text: &str) -> Diagnostic {
    let message = "an import comes before all other declarations";
    let edit = |place, text: String| Edit { place, text };
    let edits = vec![
        edit(start, format!("{text}\n\n")),
        edit(place, String::new()),
    ];
    Diagnostic::error(Code::MISPLACED_STATEMENT, place, message)
        .fix_parts("move it to the top", edits)
}
