//! Wording of what the language has and the compiler does not yet.

use gsw_source::{Code, Diagnostic, Place};

/// Something that parses and has a meaning, and cannot be compiled yet.
pub fn not_compiled_yet(place: Place, what: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NOT_YET_SUPPORTED,
        place,
        format!("{what} cannot be compiled yet"),
    )
}
