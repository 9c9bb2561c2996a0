//! Wording of texts that are none of a union of literals.

use gsw_source::{Code, Diagnostic, Place, Suggestion};

/// A string literal that is none of the union's.
pub fn not_in_union(
    place: Place,
    text: &str,
    wanted: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        Code::TYPE_MISMATCH,
        place,
        format!("`{text:?}` is not one of `{wanted}`"),
    );
    match suggestion {
        Some(it) => {
            let text = format!("{:?}", it.as_str());
            diagnostic.suggest(&text, place, text.clone(), it.applicability)
        }
        None => diagnostic,
    }
}

/// A literal that makes strings no union, where that is used as one.
pub fn literal_outside(
    diagnostic: Diagnostic,
    place: Place,
    text: &str,
    suggestion: Option<&Suggestion>,
) -> Diagnostic {
    let diagnostic = diagnostic.label(place, format!("`{text:?}` is not one of them"));
    match suggestion {
        Some(it) => {
            let text = format!("{:?}", it.as_str());
            let diagnostic = diagnostic.fix(format!("write `{text}`"), place, text);
            diagnostic.decided_by(it.applicability)
        }
        None => diagnostic,
    }
}
