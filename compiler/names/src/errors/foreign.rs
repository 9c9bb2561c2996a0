//! Wording of what is written instead of names and methods of other languages.

use gsw_source::Diagnostic;

/// Names of functions and types of other languages, and what is written here.
const NAMES: &[(&str, &str)] = &[
    (
        "Error",
        "an error with a message of your own is `Failed(\"…\")`",
    ),
    (
        "Exception",
        "an error with a message of your own is `Failed(\"…\")`",
    ),
    (
        "Just",
        "a plain value is accepted where an optional is expected; write the value itself",
    ),
    ("Nothing", "a missing value is written `none`"),
    (
        "Some",
        "a plain value is accepted where an optional is expected; write the value itself, and a name in a pattern",
    ),
    (
        "Promise",
        "`await [t1, t2]` waits for all tasks, `race [t1, t2]` for the first; `parallel for x in xs { … }` does work at once",
    ),
    (
        "assert_eq",
        "`assert a == b` shows both sides when they differ",
    ),
    (
        "asyncio",
        "`spawn f()` gives a task, `await [t1, t2]` waits for all, and `sleep(5s)` for a while",
    ),
    (
        "datetime",
        "`now()` is the time, and `time.parse(text)` reads one",
    ),
    ("enumerate", "it is a method: `xs.enumerate()`"),
    (
        "expect",
        "`assert a == b` shows both sides when they differ",
    ),
    (
        "float",
        "text is converted to a number with `.parse_float()`, an int with `.to_float()`",
    ),
    ("format", "put values into text with `\"${…}\"`"),
    (
        "int",
        "text is converted to a number with `.parse_int()`, a float with `.to_int()`",
    ),
    (
        "isinstance",
        "types are known at compile time; `match` tells variants apart",
    ),
    ("len", "it is a method: `xs.len()`"),
    ("max", "it is a method: `a.max(b)`, `xs.max()`"),
    ("min", "it is a method: `a.min(b)`, `xs.min()`"),
    ("panic", "`fail Failed(\"…\")` raises an error"),
    ("pass", "a block that does nothing is `{ }`"),
    (
        "parseFloat",
        "text is converted to a number with `.parse_float()`",
    ),
    (
        "parseInt",
        "text is converted to a number with `.parse_int()`",
    ),
    (
        "range",
        "a range is written `0..n`, or `0..=n` with its end",
    ),
    (
        "sorted",
        "it is a method: `xs.sort()`, `xs.sort_by(x => x.name)`",
    ),
    ("str", "put values into text with `\"${…}\"`"),
    ("string", "put values into text with `\"${…}\"`"),
    ("sum", "it is a method: `xs.sum()`"),
    ("todo", "`fail Failed(\"…\")` raises an error"),
    ("zip", "it is a method: `xs.zip(ys)`"),
];

const CAPITAL: &str = "`s.slice(0, 1).upper() + s.slice(1, s.len())` begins with a capital";

const CHARACTERS: &str = "texts are compared: `c >= \"0\" and c <= \"9\"`; `std/regex` knows classes of characters, `regex.new(r\"^\\d+$\").matches(c)`";

const MEAN: &str = "the mean of floats is `xs.sum() / xs.len().to_float()`";

/// Methods of other languages that are something else than a method here.
const OTHERWISE: &[(&str, &str)] = &[
    ("average", MEAN),
    ("avg", MEAN),
    ("await", "wait for a task with `await t`"),
    ("capitalize", CAPITAL),
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
        "`?? fail Failed(\"…\")` says what to use instead of `none`",
    ),
    ("format", "put values into text with `\"${…}\"`"),
    (
        "join",
        "strings are joined: `xs.map(x => \"${x}\").join(\", \")`",
    ),
    (
        "pop",
        "values never change: `xs.last()` is the last element, `xs.slice(0, xs.len() - 1)` what is before it",
    ),
    ("is_alpha", CHARACTERS),
    ("is_alphanumeric", CHARACTERS),
    ("is_digit", CHARACTERS),
    ("is_numeric", CHARACTERS),
    ("is_whitespace", CHARACTERS),
    ("isalpha", CHARACTERS),
    ("isdigit", CHARACTERS),
    ("iter", "iterate over a list or map directly: `for x in xs`"),
    ("mean", MEAN),
    (
        "repeat",
        "a list of `n` equal elements is `(0..n).map(_ => x)`",
    ),
    ("then", "wait for a task with `await t`"),
    ("title", CAPITAL),
    (
        "unwrap",
        "`?? value` and `?? fail Failed(\"…\")` say what to use instead of `none`",
    ),
    ("unwrap_or", "`?? value` says what to use instead of `none`"),
    (
        "unwrap_or_default",
        "`?? value` says what to use instead of `none`",
    ),
    (
        "unwrap_or_else",
        "`?? value` says what to use instead of `none`",
    ),
];

/// What is written instead of functions that modules have in other languages.
const MEMBERS: &[(&str, &[&str], &str)] = &[
    (
        "std/json",
        &[
            "dumps",
            "encode",
            "stringify",
            "text",
            "to_string",
            "to_text",
        ],
        "a value as JSON is `value.to_json().to_string()` on one line and `json.pretty(value)` on several",
    ),
    (
        "std/json",
        &["decode", "from_text", "loads"],
        "JSON is read with `json.parse(text) as Order`",
    ),
    (
        "std/session",
        &["create", "new", "start"],
        "a conversation with an agent begins with `session(helper)`",
    ),
];

/// Adds what is written instead of a function of a module.
pub fn instead_of_member(diagnostic: Diagnostic, module: &str, name: &str) -> Diagnostic {
    let found = MEMBERS
        .iter()
        .find(|it| it.0 == module && it.1.contains(&name));
    match found {
        Some((_, _, sentence)) => diagnostic.note(*sentence),
        None => diagnostic,
    }
}

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
