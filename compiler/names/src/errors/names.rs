//! Wording of what is wrong with names.

use gsw_source::{Code, Diagnostic, Place, Suggestion, did_you_mean};

/// A name that nothing in scope has.
pub fn unknown_name(place: Place, name: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    let message = format!("no name `{name}` is in scope");
    did_you_mean(
        Diagnostic::error(Code::UNKNOWN_NAME, place, message),
        suggestion,
    )
}

/// A name with a capital that is no type, variant or error.
pub fn value_with_capital(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note("names of types, variants and errors start with an uppercase letter, names of values with a lowercase letter")
}

/// An error that is raised and not declared.
pub fn undeclared_error(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "an error is declared at the top level: `error {name}(why: string)`; with a message alone it is `Failed(\"…\")`"
    ))
}

/// A module of the library that the file does not import; `start` is where its import would go.
pub fn module_not_imported(place: Place, name: &str, start: Place) -> Diagnostic {
    let message = format!("no name `{name}` is in scope");
    import_module(
        Diagnostic::error(Code::UNKNOWN_NAME, place, message),
        name,
        start,
    )
}

/// A module of the library is meant that is not imported; `start` is where imports go.
pub fn import_module(diagnostic: Diagnostic, name: &str, start: Place) -> Diagnostic {
    diagnostic
        .note(format!("`std/{name}` is a module of the library"))
        .fix(
            format!("import `std/{name}`"),
            start,
            format!("import std/{name}\n"),
        )
}

/// An agent that nothing declares.
pub fn declare_agent(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "an agent is declared: `agent {name} {{ model: \"openai/gpt-5\" }}`"
    ))
}

/// A value is assigned to a name that nothing has, or to a part of it.
pub fn undeclared_variable(place: Place, name: &str) -> Diagnostic {
    let message = format!("no name `{name}` is in scope");
    Diagnostic::error(Code::UNKNOWN_NAME, place, message)
        .note("a variable is declared before it is assigned: `let x = 1`, or `var x = 1` where it changes")
}

/// `start` is right before a name that `word` declares.
pub fn declare(diagnostic: Diagnostic, start: Place, word: &str) -> Diagnostic {
    diagnostic.fix("declare it", start, word)
}

/// A function of another language that prints.
pub fn log_instead(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic
        .note("`log.info(\"…\")` writes a line; a workflow's result is what the program prints")
}

/// `module.name` where the module has no such name.
pub fn unknown_member(
    place: Place,
    name: &str,
    module: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let message = format!("module `{module}` has no `{name}`");
    did_you_mean(
        Diagnostic::error(Code::UNKNOWN_NAME, place, message),
        suggestion,
    )
}

/// A name that is a method of a type of the module; `maker` is the function of the module that gives such a value.
pub fn is_method(diagnostic: Diagnostic, name: &str, of: &str, maker: Option<&str>) -> Diagnostic {
    diagnostic.note(match maker {
        Some(maker) => format!("`{name}` is a method of `{of}`: `{maker}(…).{name}(…)`"),
        None => format!("`{name}` is a method of `{of}`: `value.{name}(…)`"),
    })
}

/// A name that is in scope without the module.
pub fn known_everywhere(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!("`{name}` needs no module: write `{name}(…)`"))
}

/// The error of a module that is known everywhere.
pub fn error_everywhere(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{name}` needs no module: it is written by its name alone"
    ))
}

/// A name that the list of an import lacks; `end` is right after the last of that list.
pub fn not_listed(diagnostic: Diagnostic, module: &str, name: &str, end: Place) -> Diagnostic {
    diagnostic
        .note(format!(
            "`{module}` has one, which its import does not list"
        ))
        .fix(format!("import `{name}`"), end, format!(", {name}"))
}

/// A name that is written with the module that has it.
pub fn written_with_module(diagnostic: Diagnostic, module: &str, written: &str) -> Diagnostic {
    let place = diagnostic.place;
    diagnostic
        .note(format!("`{module}` has one: it is written `{written}`"))
        .fix(format!("write `{written}`"), place, written)
}

/// A type before the dot where the module of a function is meant, which takes its place.
pub fn function_of_module(
    diagnostic: Diagnostic,
    path: &str,
    module: &str,
    written: &str,
) -> Diagnostic {
    let place = diagnostic.place;
    diagnostic
        .note(format!("it is a function of `{path}`: `{written}(…)`"))
        .fix(format!("write `{module}`"), place, module)
}

/// A name before a dot, in a type, that is no module.
pub fn unknown_module_name(place: Place, name: &str) -> Diagnostic {
    let message = format!("no module `{name}` is in scope");
    Diagnostic::error(Code::UNKNOWN_NAME, place, message).note(format!(
        "import it first, for example `import ./{name}` or `import std/{name}`"
    ))
}

/// A name that its module keeps to itself.
pub fn private_name(place: Place, name: &str, module: &str) -> Diagnostic {
    let message = format!("`{name}` is private in module `{module}`");
    Diagnostic::error(Code::PRIVATE_NAME, place, message)
        .note("remove `private` from its declaration to use it in other modules")
}
