//! Wording of what is wrong with types as written.

use gsw_source::{Code, Diagnostic, Name, Place, Suggestion, did_you_mean};

/// A type's name that nothing in scope has.
pub fn unknown_type(place: Place, name: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    let message = format!("no type `{name}` is in scope");
    did_you_mean(
        Diagnostic::error(Code::UNKNOWN_TYPE, place, message),
        suggestion,
    )
}

/// Names with `|` between them, which are the variants of an enum.
pub fn enum_instead(place: Place, names: &[Name]) -> Diagnostic {
    let names: Vec<&str> = names.iter().map(Name::as_str).collect();
    unknown_type(place, names.first().copied().unwrap_or_default(), None).note(format!(
        "variants are declared by `enum Name {{ {} }}`; a union has texts: `\"low\" | \"high\"`",
        names.join(", ")
    ))
}

/// A union with `null`; `whole` is all of it, and `optional` what is written instead.
pub fn optional_instead(place: Place, name: &str, whole: Place, optional: &str) -> Diagnostic {
    unknown_type(place, name, None)
        .note("a value that may be missing has an optional type, and is `none`")
        .fix(format!("write `{optional}`"), whole, optional)
}

/// A text of a union without its quotes.
pub fn text_without_quotes(place: Place, name: &str) -> Diagnostic {
    unknown_type(place, name, None)
        .note("each string of a union needs quotes")
        .fix(format!("write `\"{name}\"`"), place, format!("\"{name}\""))
}

/// The name of a field where the type of a map's keys is.
pub fn record_instead(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "`{{K: V}}` is the type of a map; a record is declared by `type Name {{ {name}: … }}`, without `=`"
    ))
}

/// A type of another language that has a form of its own here.
pub fn written_as(diagnostic: Diagnostic, shape: &str) -> Diagnostic {
    diagnostic.note(format!("it is written `{shape}`"))
}

/// A single letter that no type parameter has.
pub fn undeclared_parameter(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "type parameters are declared after the name: `fn first<T>(xs: [T]) -> T?`, `type Page<T> { … }`",
    )
}

/// A variant where a type is needed.
pub fn variant_as_type(place: Place, name: &str, declaration: &str) -> Diagnostic {
    let message = format!("`{name}` is a variant of `{declaration}`, not a type");
    Diagnostic::error(Code::NOT_A_TYPE, place, message).fix(
        format!("use the type `{declaration}`"),
        place,
        declaration,
    )
}

/// An error's name where a type is needed.
pub fn error_as_type(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` is an error, not a type");
    Diagnostic::error(Code::NOT_A_TYPE, place, message).note(
        "every error value has the type `Error`; a function says which errors it raises after `!`",
    )
}

/// The name of something else where a type is needed.
pub fn not_a_type(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(Code::NOT_A_TYPE, place, format!("`{name}` is not a type"))
}

/// Too many or too few type arguments.
pub fn type_argument_count(place: Place, name: &str, expected: usize, found: usize) -> Diagnostic {
    let expected = match expected {
        0 => "no type arguments".to_string(),
        1 => "one type argument".to_string(),
        n => format!("{n} type arguments"),
    };
    let message = format!("`{name}` takes {expected}, found {found}");
    let diagnostic = Diagnostic::error(Code::TYPE_ARGUMENT_COUNT, place, message);
    match (name, found) {
        ("Result", 2) => {
            diagnostic.note("functions raise errors without a `Result`: `-> int ! Failed`")
        }
        (_, 0) => diagnostic.note(format!("its arguments come after it: `{name}<int>`")),
        _ => diagnostic,
    }
}

/// Type parameters of a declaration whose values come from a model, a person or the command line.
pub fn generic_boundary(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` cannot have type parameters");
    Diagnostic::error(Code::TYPE_ARGUMENT_COUNT, place, message)
        .note("its types are shown to a model, a person or an external caller, so they are fixed: write them out, or make it a `fn`")
}

/// A map whose keys cannot be written as JSON keys.
pub fn map_key_type(place: Place, ty: &str) -> Diagnostic {
    let message = format!("`{ty}` cannot be the key of a map");
    Diagnostic::error(Code::MAP_KEY_TYPE, place, message)
        .note("keys are `string`, `int` or an enum without payloads")
}

/// Something in a union that is no string literal.
pub fn union_member(place: Place, ty: &str) -> Diagnostic {
    let message = format!("a union holds string literals only, found `{ty}`");
    Diagnostic::error(Code::UNION_MEMBER, place, message)
        .note("for a choice between types declare an `enum` with a variant for each")
}

/// A union whose last text alone is optional; `text` is the whole as it is meant.
pub fn optional_union(place: Place, whole: Place, text: &str) -> Diagnostic {
    Diagnostic::error(
        Code::UNION_MEMBER,
        place,
        "only the last text of this union is optional",
    )
    .note("a union that may be `none` goes in parentheses: `(\"a\" | \"b\")?`")
    .fix(format!("write `{text}`"), whole, text)
}

/// A type that cannot have a finite value.
pub fn infinite_type(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` contains itself, so no value of it could ever be constructed");
    Diagnostic::error(Code::INFINITE_TYPE, place, message)
        .note("a type may contain itself through `?`, a list, a map, a function, or an enum with a variant without it")
}

/// A generic type that contains itself with something larger than its type parameter.
pub fn endless_type(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` contains itself with ever larger types");
    Diagnostic::error(Code::INFINITE_TYPE, place, message)
        .note("each instance needs another, larger one; where it contains itself, pass its own type parameters unchanged")
}

/// A type beyond any that a program needs.
pub fn type_too_large(place: Place) -> Diagnostic {
    let message = "this type is made of more than 4,000 types, or nests more than 250 deep";
    Diagnostic::error(Code::TYPE_TOO_LARGE, place, message)
        .note("an alias counts as everything that it is made of; a record counts as one type, whatever it holds")
}

/// Something after `uses` that is no effect.
pub fn unknown_effect(place: Place, name: &str) -> Diagnostic {
    let names: Vec<String> = crate::types::Effect::ALL
        .iter()
        .map(|it| format!("`{}`", it.name()))
        .collect();
    Diagnostic::error(
        Code::UNKNOWN_EFFECT,
        place,
        format!("there is no effect `{name}`"),
    )
    .note(format!("the effects are {}", names.join(", ")))
}

/// A name after `!` that nothing in scope has.
pub fn unknown_error(place: Place, name: &str, suggestion: Option<&Suggestion>) -> Diagnostic {
    let message = format!("no error `{name}` is in scope");
    did_you_mean(
        Diagnostic::error(Code::UNKNOWN_NAME, place, message),
        suggestion,
    )
}

/// Something after `!` that is no error. `what` is in back-quotes where it is source text.
pub fn not_an_error(place: Place, what: &str) -> Diagnostic {
    let message = format!("{what} is not an error");
    Diagnostic::error(Code::NOT_AN_ERROR, place, message).note(
        "`!` is followed by errors: built-in ones such as `Timeout`, or those declared with `error`",
    )
}

/// A fault after `!`.
pub fn fault_in_signature(place: Place, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a fault, and faults are not listed in signatures");
    Diagnostic::error(Code::NOT_AN_ERROR, place, message)
        .note("a fault can happen anywhere; it may be caught by name but is never listed")
}
