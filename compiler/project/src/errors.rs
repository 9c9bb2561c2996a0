//! Wording of what is wrong with a `gsw.toml`.

use gsw_abi::permission::Permission;
use gsw_source::{Code, Diagnostic, Place, Suggestion, did_you_mean};

/// Text that is no TOML; `why` is the parser's.
pub fn invalid_toml(place: Place, why: &str) -> Diagnostic {
    let why = why.lines().next().unwrap_or(why);
    Diagnostic::error(
        Code::INVALID_TOML,
        place,
        format!("this cannot be read as TOML: {why}"),
    )
}

/// A key that means nothing; `table` is the table around it, empty at the top.
pub fn unknown_key(
    place: Place,
    key: &str,
    table: &str,
    suggestion: Option<&Suggestion>,
    known: &[&str],
) -> Diagnostic {
    let where_to = match table {
        "" => "`gsw.toml`".to_owned(),
        table => format!("`[{table}]`"),
    };
    let known: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
    let report = Diagnostic::error(
        Code::UNKNOWN_KEY,
        place,
        format!("{where_to} has no key `{key}`"),
    );
    let report = report.note(format!("it takes {}", known.join(", ")));
    let report = match (table, key) {
        ("", "package" | "project") => report
            .note("`name`, `entry` and `version` go at the top of the file, outside any table"),
        _ => report,
    };
    did_you_mean(report, suggestion)
}

/// A value of the wrong type, or one that is not possible.
pub fn wrong_value(place: Place, key: &str, expected: &str, found: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_VALUE,
        place,
        format!("`{key}` must be {expected}, found {found}"),
    )
}

/// An entry of `[permissions]` that can never cover anything.
pub fn unmatchable_entry(
    place: Place,
    permission: Permission,
    entry: &str,
    meant: &str,
) -> Diagnostic {
    let message = format!("`{entry}` covers nothing of `{permission}`");
    Diagnostic::error(Code::WRONG_VALUE, place, message).note(format!("write `{meant}`"))
}

/// A short name of a model that is none.
pub fn wrong_alias(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_VALUE,
        place,
        format!("`{name}` cannot be the short name of a model"),
    )
    .note("a short name has lower-case letters, digits, `-` and `_`, and no `/`, as in `fast = \"openai/gpt-5\"`")
}

/// A table of prices of something that is no model.
pub fn wrong_model(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_VALUE,
        place,
        format!("`{name}` is not the name of a model"),
    )
    .note("write `[\"provider/model\"]`, with quotes; a name that ends in `*` matches every name with that prefix")
}

/// A model without one of the prices that it must have.
pub fn missing_price(place: Place, model: &str, key: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_VALUE,
        place,
        format!("`{model}` has no price `{key}`"),
    )
    .note("`input` and `output` are dollars per million tokens; `cache_read` and `cache_write` may be left out, and `long` has all of them for requests with more input than `above` tokens")
}

/// A file that is named and not there.
pub fn unreadable_file(place: Place, path: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_VALUE,
        place,
        format!("the file `{path}` cannot be read"),
    )
    .note("a path is relative to the folder of `gsw.toml`")
}
