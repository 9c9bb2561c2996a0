//! Wording of reports about patterns.

use gsw_source::{Code, Diagnostic, Place};

/// A pattern that values of the type never match.
pub fn wrong_pattern(place: Place, what: &str, ty: &str) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_PATTERN,
        place,
        format!("{what} never matches a value of type `{ty}`"),
    )
}

/// A pattern for what a function would give.
pub fn function_by_pattern(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "a function, or a variant with a payload, gives its value when it is called: `Box(1)`",
    )
}

/// A tuple's pattern where a list is destructured.
pub fn list_by_tuple(diagnostic: Diagnostic, names: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a list may have any length: `let [{names}] = xs else {{ … }}` destructures one of that length"
    ))
}

/// A tuple's pattern where a record is destructured.
pub fn record_by_tuple(diagnostic: Diagnostic, name: &str) -> Diagnostic {
    diagnostic.note(format!(
        "a record is destructured by its type and the names of its fields: `{name} {{ field, .. }}`"
    ))
}

/// A tuple's pattern where a loop gives single elements.
pub fn position_by_tuple(diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.note(
        "to get elements with their index, use `enumerate`: `for (i, x) in xs.enumerate() { … }`",
    )
}

/// A pattern over fields that leaves some out without `..`.
pub fn fields_left_out(place: Place, names: &[&str], what: &str) -> Diagnostic {
    let list: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    Diagnostic::error(
        Code::WRONG_PATTERN,
        place,
        format!("this pattern of `{what}` leaves out {}", list.join(", ")),
    )
    .note("`..` at the end leaves out the rest")
}

/// The `..` that such a pattern lacks.
pub fn leave_out_rest(diagnostic: Diagnostic, place: Place, text: &str) -> Diagnostic {
    diagnostic.offer("leave out the rest", place, text)
}

pub fn too_many_fields(place: Place, what: &str, most: usize, found: usize) -> Diagnostic {
    let has = match most {
        0 => "no payload".to_owned(),
        1 => "1 field".to_owned(),
        most => format!("{most} fields"),
    };
    Diagnostic::error(
        Code::WRONG_PATTERN,
        place,
        format!("`{what}` has {has}, and this pattern has {found}"),
    )
}

/// A pattern that looks into a secret.
pub fn secret_pattern(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::WRONG_PATTERN,
        place,
        "a `secret` cannot be compared with a pattern",
    )
    .note(super::values::SECRET)
}

/// `let p = e` that is no condition of its own.
pub fn misplaced_let(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::MISPLACED_LET,
        place,
        "`let` is allowed only as a condition of `if` or `while`, by itself or joined to others by `and`",
    )
    .note("elsewhere the names in its pattern might not be bound")
}

/// The block after `else` of a `let` reaches its end.
pub fn else_must_leave(place: Place) -> Diagnostic {
    Diagnostic::error(
        Code::ELSE_MUST_LEAVE,
        place,
        "the `else` block of this `let` can reach its end, where the names in the pattern have no value",
    )
    .note("end it with `return`, `fail`, `break` or `continue`; what stands for an absent value follows `??`: `let x = m.get(\"a\") ?? 0`")
}

/// Alternatives that bind different names.
pub fn different_bindings(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::DIFFERENT_BINDINGS,
        place,
        format!("`{name}` is not bound in every alternative"),
    )
    .note("all sides of `|` bind the same names with the same types")
}

/// A name that one pattern binds twice.
pub fn bound_twice(place: Place, name: &str) -> Diagnostic {
    Diagnostic::error(
        Code::DIFFERENT_BINDINGS,
        place,
        format!("`{name}` is already bound in this pattern"),
    )
}

/// A range that holds nothing.
pub fn empty_range(place: Place) -> Diagnostic {
    Diagnostic::error(Code::WRONG_PATTERN, place, "this range is empty")
}
