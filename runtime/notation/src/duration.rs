//! Durations as text: `1m30s` for people, seconds for JSON.

use crate::number::{self, Scaled, scaled};

pub const SECOND: i64 = 1_000_000_000;

/// `1m30s`, `250ms`, `0s`; what is finer than a millisecond is a fraction of one.
#[must_use]
pub fn text(nanoseconds: i64) -> String {
    if nanoseconds == 0 {
        return "0s".into();
    }
    let mut text = String::new();
    if nanoseconds < 0 {
        text.push('-');
    }
    let mut rest = nanoseconds.unsigned_abs();
    for (unit, size) in &UNITS[..4] {
        let size = size.unsigned_abs();
        if rest >= size {
            text.push_str(&format!("{}{unit}", rest / size));
            rest %= size;
        }
    }
    if rest > 0 {
        text.push_str(&decimal(rest, 1_000_000));
        text.push_str("ms");
    }
    text
}

/// Why a text is no literal of a duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralError {
    /// A part has no unit, or an unknown one.
    Unit,
    /// Units do not fall, or one stands there twice.
    Order,
    /// An underscore stands where none may.
    Digits,
    /// More than 64 bits of nanoseconds.
    Range,
}

/// The nanoseconds of a literal of the language: whole numbers with units that fall, each once, as in `250ms` and `1h30m`.
///
/// # Errors
/// When it is none.
pub fn literal(text: &str) -> Result<i64, LiteralError> {
    let is_digit = |it: char| it.is_ascii_digit() || it == '_';
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (digits, behind) = rest.split_at(rest.find(|it| !is_digit(it)).unwrap_or(rest.len()));
        let (unit, behind) = behind.split_at(behind.find(is_digit).unwrap_or(behind.len()));
        let size = UNITS.iter().find(|it| it.0 == unit).map(|it| it.1);
        if digits.is_empty() {
            return Err(LiteralError::Unit);
        }
        parts.push((digits, size.ok_or(LiteralError::Unit)?));
        rest = behind;
    }
    if parts.is_empty() {
        return Err(LiteralError::Unit);
    }
    if !parts.is_sorted_by(|a, b| a.1 > b.1) {
        return Err(LiteralError::Order);
    }
    let mut sum = 0_i64;
    for (digits, size) in parts {
        if !number::is_grouped(digits) {
            return Err(LiteralError::Digits);
        }
        let count = digits.replace('_', "").parse::<i64>().ok();
        let part = count.and_then(|it| it.checked_mul(size));
        let total = part.and_then(|it| sum.checked_add(it));
        sum = total.ok_or(LiteralError::Range)?;
    }
    Ok(sum)
}

/// The nanoseconds of what a person writes outside of a program: a literal, after a `-` perhaps, or a number of seconds.
#[must_use]
pub fn parse(text: &str) -> Option<i64> {
    from_seconds_text(text).or_else(|| match text.strip_prefix('-') {
        Some(rest) => literal(rest).ok().map(|it| -it),
        None => literal(text).ok(),
    })
}

/// The units of literals with their nanoseconds, the largest first.
const UNITS: [(&str, i64); 5] = [
    ("d", 86_400 * SECOND),
    ("h", 3_600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", SECOND / 1_000),
];

/// The exact number of seconds: `90`, `0.25`.
#[must_use]
pub fn seconds_text(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    format!(
        "{sign}{}",
        decimal(nanoseconds.unsigned_abs(), SECOND as u64)
    )
}

/// The nanoseconds of a JSON number of seconds; `None` when they leave 64 bits. Digits beyond the ninth are dropped.
#[must_use]
pub fn from_seconds_text(text: &str) -> Option<i64> {
    match scaled(text, PLACES)? {
        Scaled::Whole(it) | Scaled::Cut(it) => Some(it),
    }
}

/// Decimal places of a second that a duration holds.
pub const PLACES: u8 = 9;

/// `value / unit` exactly, `unit` being a power of ten.
fn decimal(value: u64, unit: u64) -> String {
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::{LiteralError, SECOND, from_seconds_text, literal, parse, seconds_text, text};

    #[test]
    fn literals_are_whole_numbers_with_units_that_fall() {
        assert_eq!(literal("1s122ms"), Ok(1_122_000_000));
        assert_eq!(literal("1h30m"), Ok(5_400 * SECOND));
        assert_eq!(literal("1_000ms"), Ok(SECOND));
        for (wrong, why) in [
            ("", LiteralError::Unit),
            ("1", LiteralError::Unit),
            ("s", LiteralError::Unit),
            ("1.5s", LiteralError::Unit),
            ("1h30", LiteralError::Unit),
            ("5 m", LiteralError::Unit),
            ("1w", LiteralError::Unit),
            ("30m1h", LiteralError::Order),
            ("1h1h", LiteralError::Order),
            ("1__0s", LiteralError::Digits),
            ("_1s", LiteralError::Digits),
            ("1_s", LiteralError::Digits),
            ("106752d", LiteralError::Range),
            ("99999999999999999999s", LiteralError::Range),
        ] {
            assert_eq!(literal(wrong), Err(why), "{wrong}");
        }
    }

    #[test]
    fn people_write_literals_or_seconds() {
        for nanoseconds in [0, SECOND / 4, 90 * SECOND, -300 * SECOND, 86_461 * SECOND] {
            assert_eq!(parse(&text(nanoseconds)), Some(nanoseconds));
        }
        assert_eq!(parse("1.5"), Some(SECOND * 3 / 2));
        for wrong in ["", "-", "--1s", "1.5s", "never", "inf", "NaN", "1e999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn reads_like_a_literal() {
        assert_eq!(text(0), "0s");
        assert_eq!(text(90 * SECOND), "1m30s");
        assert_eq!(text(SECOND / 4), "250ms");
        assert_eq!(text(-(86_400 + 60) * SECOND), "-1d1m");
        assert_eq!(text(1_500), "0.0015ms");
        assert_eq!(text(i64::MIN), "-106751d23h47m16s854.775808ms");
    }

    #[test]
    fn seconds_read_back() {
        for nanoseconds in [
            0,
            1,
            SECOND,
            -SECOND / 2,
            i64::MAX,
            i64::MIN,
            90 * SECOND + 5,
        ] {
            assert_eq!(
                from_seconds_text(&seconds_text(nanoseconds)),
                Some(nanoseconds)
            );
        }
        assert_eq!(from_seconds_text("1.5e0"), Some(SECOND * 3 / 2));
        assert_eq!(from_seconds_text("1.7e-8"), Some(17));
        assert_eq!(from_seconds_text("1e300"), None);
        assert_eq!(
            from_seconds_text("99999999999999999999999999999999999999999"),
            None
        );
    }
}
