//! Ids that programs give to detached runs.

use gsw_engine::operation::{Failure, Outcome};

/// The longest id that a program gives to a run, in bytes: ids are names of files and parts of commands.
const LONGEST_ID: usize = 200;

/// Why an id that a program has made is none.
pub(super) fn unfit_id(id: &str) -> Option<&'static str> {
    let fits = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '.' | ':');
    if id.is_empty() {
        Some("it is empty")
    } else if id.len() > LONGEST_ID {
        Some("it is longer than 200 bytes")
    } else if !id.chars().all(fits) || id.starts_with(['-', '.']) {
        Some(
            "only letters, digits, `-`, `_`, `.` and `:` may be in it, and it begins with none of `-` and `.`",
        )
    } else {
        None
    }
}

/// The id of a run that was there when one of `workflow` was to start. Who gives the id of another workflow's run must not take that
/// for its own.
pub(super) fn given(id: &str, workflow: &str, of: Option<&str>) -> Outcome {
    match of.filter(|it| *it != workflow) {
        Some(of) => Outcome::Failed(Failure::Other {
            message: format!("`{id}` is a run of `{of}`, so none of `{workflow}` can have that id"),
        }),
        None => Outcome::Text(id.to_owned()),
    }
}
