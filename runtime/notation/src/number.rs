//! Floats as text: the shortest that reads back, always recognisable as a float.

/// `2.0`, `1e21`, `NaN`, `Infinity`, `-Infinity`.
#[must_use]
pub fn float_text(value: f64) -> String {
    match special_text(value) {
        Some(text) => text.into(),
        None => ryu::Buffer::new().format_finite(value).into(),
    }
}

/// The name of a float that is no number of JSON.
#[must_use]
pub fn special_text(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        None
    }
}

/// The float of such a name.
#[must_use]
pub fn special(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// The float that a text is: digits, with a point, an exponent and a sign, or one of the names above.
#[must_use]
pub fn parse_float(text: &str) -> Option<f64> {
    // Rust also reads `inf`, `nan` and their kin in any case.
    let is_number = text
        .bytes()
        .all(|it| !it.is_ascii_alphabetic() || matches!(it, b'e' | b'E'));
    if is_number {
        text.parse().ok()
    } else {
        special(text)
    }
}

/// Whether a float that was read from these digits says all of them: it rounds a fraction, but an integer that it rounds is
/// another one, such as the number of an account.
#[must_use]
pub fn keeps_digits(digits: &str, float: f64) -> bool {
    digits.contains(['.', 'e', 'E']) || format!("{float:.0}") == digits
}

/// What a number must be whose digits are all to be kept.
pub const EXACT: &str = "an integer of 64 bits, or a string";

/// The int that a float is exactly, without its fraction; `None` outside 64 bits.
#[must_use]
pub fn truncated(value: f64) -> Option<i64> {
    let value = value.trunc();
    // 2^63 is a float, the largest int is not.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    fits.then_some(value as i64)
}
