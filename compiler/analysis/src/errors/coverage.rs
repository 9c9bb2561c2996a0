//! Wording of what patterns miss.

use gsw_source::{Code, Diagnostic, Place};

/// A `match` that does not cover everything; `missing` as source text, not empty. The arms for it are inserted at
/// `insertion`, each between `before` and `after`.
pub fn missing_case(place: Place, missing: &[String], insertion: &Insertion) -> Diagnostic {
    let message = format!("this `match` does not cover {}", listed(missing));
    let Insertion {
        place: end,
        first,
        before,
        after,
    } = insertion;
    let mut text = String::new();
    for (index, it) in missing.iter().enumerate() {
        let before = if index == 0 { first } else { before };
        text += &format!("{before}{it} => fail AssertionFailed(\"not handled\"){after}");
    }
    let title = match missing {
        [_] => "add the arm that is missing",
        _ => "add the arms that are missing",
    };
    Diagnostic::error(Code::MISSING_CASE, place, message)
        .note("add an arm for what is missing, or `_ => …` for everything else")
        .offer(title, *end, text)
}

/// A `match` of which it takes too long to find out whether it covers everything.
pub fn match_too_complex(place: Place, insertion: &Insertion) -> Diagnostic {
    let message = "this `match` is too complex to check that it covers every value";
    let Insertion {
        place: end,
        first,
        before: _,
        after,
    } = insertion;
    let text = format!("{first}_ => fail AssertionFailed(\"not handled\"){after}");
    Diagnostic::error(Code::MATCH_TOO_COMPLEX, place, message)
        .note("its arms look at many parts of the value at once; add an arm `_ => …` for everything else, or match the parts one after the other")
        .offer("add an arm for everything else", *end, text)
}

/// The report of a pattern of `let`, `for` or a lambda that is too complex.
pub fn pattern_too_complex(place: Place) -> Diagnostic {
    let message = "this pattern is too complex to check that it matches every value";
    Diagnostic::error(Code::MATCH_TOO_COMPLEX, place, message)
        .note("use `match` with an arm `_ => …` for everything else")
}

/// Where arms are put into a `match`.
pub struct Insertion {
    pub place: Place,
    /// The text before the first new arm.
    pub first: String,
    /// The text before each other one.
    pub before: String,
    pub after: &'static str,
}

/// An arm that earlier ones leave nothing to.
pub fn unreachable_arm(place: Place) -> Diagnostic {
    let message = "this arm is never reached: the arms above it cover everything it matches";
    Diagnostic::warning(Code::UNREACHABLE_ARM, place, message)
}

/// A mock that earlier ones leave nothing to.
pub fn unreachable_mock(place: Place) -> Diagnostic {
    let message = "this mock never answers: a mock above it takes every call that it matches";
    Diagnostic::warning(Code::UNREACHABLE_ARM, place, message).note(
        "the first mock that matches answers: write the more specific one first, or several answers in turn as `-> a then b`",
    )
}

/// A side of `|` that earlier ones leave nothing to.
pub fn unreachable_side(place: Place) -> Diagnostic {
    let message =
        "this side of `|` is never reached: the patterns before it cover everything it matches";
    Diagnostic::warning(Code::UNREACHABLE_ARM, place, message)
}

/// A pattern of `let`, `for` or a lambda that does not match every value.
pub fn refutable_pattern(place: Place, missing: &[String]) -> Diagnostic {
    let message = format!(
        "this pattern does not match {}, and there is no branch for that",
        listed(missing)
    );
    Diagnostic::error(Code::REFUTABLE_PATTERN, place, message).note(
        "use `match`, `if let … { } else { }`, or `let … else { … }` with a block that leaves",
    )
}

/// What a pattern takes that matches everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// `_` for an optional, which most likely was to ask whether there is a value.
    Absence,
    Value,
}

/// The pattern of a condition that matches every value.
pub fn always_matches(place: Place, takes: Takes) -> Diagnostic {
    let diagnostic = Diagnostic::warning(
        Code::ALWAYS_MATCHES,
        place,
        "this pattern always matches, so this check has no effect",
    );
    match takes {
        Takes::Absence => diagnostic
            .note("`_` matches `none` as well: `x.is_some()` says whether there is a value, and a name, `_value`, matches only a value that is present")
            .offer("write `_value`", place, "_value"),
        Takes::Value => diagnostic
            .note("a pattern that always matches is not a condition: bind it with `let` alone, for all that follows"),
    }
}

/// How many missing cases a report names.
const SHOWN: usize = 4;

fn listed(texts: &[String]) -> String {
    let quoted: Vec<String> = texts
        .iter()
        .take(SHOWN)
        .map(|it| format!("`{it}`"))
        .collect();
    match texts.len() {
        0..=SHOWN => quoted.join(", "),
        count => format!("{} and {} more", quoted.join(", "), count - SHOWN),
    }
}
