//! Durations as text: `1m30s` for people, seconds for JSON.

use crate::number::{Scaled, scaled};

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
    for (unit, size) in [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)] {
        let size = size * SECOND as u64;
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
    use super::{SECOND, from_seconds_text, seconds_text, text};

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
