//! Wording of what is written instead of names and methods of other languages.

use gsw_source::Diagnostic;

/// Names of functions and types of other languages, and what is written here.
const NAMES: &[(&str, &str)] = &[
    ("Error", "an error of your own words is `Failed(\"…\")`"),
    ("Exception", "an error of your own words is `Failed(\"…\")`"),
    (
        "Just",
        "a value is taken where it may also be `none`; write the value itself",
    ),
    ("Nothing", "what is not there is `none`"),
    (
        "Some",
        "a value is taken where it may also be `none`; write the value itself, and a name in a pattern",
    ),
    (
        "assert_eq",
        "`assert a == b` shows both sides when they differ",
    ),
    ("enumerate", "it is a method: `xs.enumerate()`"),
    (
        "expect",
        "`assert a == b` shows both sides when they differ",
    ),
    (
        "float",
        "text becomes a number with `.parse_float()`, an int with `.to_float()`",
    ),
    ("format", "values are put into text with `\"${…}\"`"),
    (
        "int",
        "text becomes a number with `.parse_int()`, a float with `.to_int()`",
    ),
    (
        "isinstance",
        "the type of a value is known; a choice between variants is a `match`",
    ),
    ("len", "it is a method: `xs.len()`"),
    ("max", "it is a method: `a.max(b)`, `xs.max()`"),
    ("min", "it is a method: `a.min(b)`, `xs.min()`"),
    ("panic", "`fail Failed(\"…\")` gives up"),
    ("parseFloat", "text becomes a number with `.parse_float()`"),
    ("parseInt", "text becomes a number with `.parse_int()`"),
    (
        "range",
        "a range is written `0..n`, or `0..=n` with its end",
    ),
    (
        "sorted",
        "it is a method: `xs.sort()`, `xs.sort_by(x => x.name)`",
    ),
    ("str", "values are put into text with `\"${…}\"`"),
    ("string", "values are put into text with `\"${…}\"`"),
    ("sum", "it is a method: `xs.sum()`"),
    ("todo", "`fail Failed(\"…\")` gives up"),
    ("zip", "it is a method: `xs.zip(ys)`"),
];

/// Methods of other languages that are something else than a method here.
const OTHERWISE: &[(&str, &str)] = &[
    ("await", "a task is waited for with `await t`"),
    (
        "catch",
        "`catch { … }` goes after the expression that it guards",
    ),
    (
        "clone",
        "values never change, so nothing needs to be copied",
    ),
    ("copy", "values never change, so nothing needs to be copied"),
    (
        "expect",
        "`?? fail Failed(\"…\")` says what holds instead of `none`",
    ),
    ("format", "values are put into text with `\"${…}\"`"),
    ("iter", "iterate over a list or map directly: `for x in xs`"),
    ("then", "a task is waited for with `await t`"),
    (
        "unwrap",
        "`?? value` and `?? fail Failed(\"…\")` say what holds instead of `none`",
    ),
    ("unwrap_or", "`?? value` says what holds instead of `none`"),
    (
        "unwrap_or_default",
        "`?? value` says what holds instead of `none`",
    ),
    (
        "unwrap_or_else",
        "`?? value` says what holds instead of `none`",
    ),
];

/// Whether a name is one of another language.
pub fn is_foreign_name(name: &str) -> bool {
    NAMES.iter().any(|(it, _)| *it == name)
}

/// Adds what is written instead of a name of another language.
pub fn instead_of_name(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    with_sentence(diagnostic, NAMES, name)
}

/// Adds what is written instead of a method or field of another language.
pub fn instead_of_method(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    with_sentence(diagnostic, OTHERWISE, name)
}

fn with_sentence(diagnostic: Diagnostic, table: &[(&str, &'static str)], name: &str) -> Diagnostic {
    match table.iter().find(|(it, _)| *it == name) {
        Some((_, sentence)) => diagnostic.note(*sentence),
        None => diagnostic,
    }
}
