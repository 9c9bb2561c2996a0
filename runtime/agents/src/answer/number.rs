//! Numbers: JSON's, what else models write, and what happens to their digits.

use gsw_notation::duration;
use gsw_notation::number::{Scaled, scaled};
use serde_json::{Number, Value};

/// The value of digits that [`is_strict`] accepts. It keeps them.
pub(crate) fn value(digits: &str) -> Value {
    Value::Number(Number::from_string_unchecked(digits.to_owned()))
}

/// Whether this is a number as JSON writes it.
pub(crate) fn is_strict(text: &str) -> bool {
    strict_length(text.as_bytes()) == Some(text.len())
}

/// How long the JSON number is that these bytes begin with.
pub(crate) fn strict_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|it| it.is_ascii_digit()).count()
    };
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && bytes[at] == b'0') {
        return None;
    }
    at += whole;
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent == 0 {
            return None;
        }
        at += 1 + sign + exponent;
    }
    Some(at)
}

/// The digits of a number with a plus, separated thousands, a currency sign, or a point at its edge.
pub(crate) fn loose(text: &str) -> Option<String> {
    const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
    let text = text.trim().trim_matches(CURRENCIES).trim();
    let (sign, digits) = match text.strip_prefix(['-', '−']) {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.trim_start_matches(CURRENCIES);
    if digits.starts_with('-') {
        return None;
    }
    let joined = without_separators(digits)?;
    let joined = joined.strip_suffix('.').unwrap_or(&joined);
    let zero = if joined.starts_with('.') { "0" } else { "" };
    // Rewritten and read by the strict rule, so that nothing else gets through.
    let strict = format!("{sign}{zero}{joined}");
    is_strict(&strict).then_some(strict)
}

/// `1,234,567.5` and `1_000` without their separators; `None` where they are misplaced.
fn without_separators(text: &str) -> Option<String> {
    let (whole, rest) = match text.split_once('.') {
        Some((whole, rest)) => (whole, Some(rest)),
        None => (text, None),
    };
    let whole = if whole.contains([',', '_']) {
        let groups: Vec<&str> = whole.split([',', '_']).collect();
        let is_group = |it: &&str| it.len() == 3 && it.bytes().all(|it| it.is_ascii_digit());
        // `1,5` is a decimal comma or two numbers: neither is guessed.
        let is_fine = (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(is_group);
        is_fine.then(|| groups.concat())?
    } else {
        whole.to_owned()
    };
    Some(match rest {
        Some(rest) => format!("{whole}.{rest}"),
        None => whole,
    })
}

/// The seconds that a text with units means: `90s`, `1h 30m`, `2 minutes`, `PT1H30M`.
pub(crate) fn seconds(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let text = match text.strip_prefix("pt") {
        Some(iso) => iso.to_owned(),
        None => text,
    };
    let mut nanoseconds: i64 = 0;
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find(|it: char| !(it.is_ascii_digit() || it == '.'))?;
        let (count, after) = rest.split_at(end);
        let after = after.trim_start();
        let end = after
            .find(|it: char| !it.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let size = match unit {
            "ms" | "millisecond" | "milliseconds" => 1_000_000,
            "s" | "sec" | "secs" | "second" | "seconds" => duration::SECOND,
            "m" | "min" | "mins" | "minute" | "minutes" => 60 * duration::SECOND,
            "h" | "hour" | "hours" => 3_600 * duration::SECOND,
            "d" | "day" | "days" => 86_400 * duration::SECOND,
            _ => return None,
        };
        // A fraction of a unit is exact in nanoseconds, or it is no duration.
        let Scaled::Whole(count) = scaled(is_strict(count).then_some(count)?, duration::PLACES)?
        else {
            return None;
        };
        let part = i128::from(count) * i128::from(size);
        if part % i128::from(duration::SECOND) != 0 {
            return None;
        }
        let part = i64::try_from(part / i128::from(duration::SECOND)).ok()?;
        nanoseconds = nanoseconds.checked_add(part)?;
        rest = after.trim_start_matches([' ', ',']);
    }
    (!text.is_empty()).then(|| duration::seconds_text(nanoseconds))
}

/// What happens to a number's digits in 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Digits {
    Kept,
    /// The nearest float or duration is another number than the one that is written.
    Rounded,
    /// It has more digits than an int holds.
    TooMany,
}

/// The most digits that any float has.
const MOST_DIGITS: usize = 767;

/// Of a number as a float. A whole number must be that float; of a fraction the float must say as many digits as are written.
pub(crate) fn as_float(digits: &str) -> Digits {
    let is_whole = !digits.contains(['.', 'e', 'E']);
    if is_whole && let Ok(whole) = digits.parse::<i128>() {
        return kept((whole as f64) as i128 == whole);
    }
    let plain = significant(digits);
    if plain.is_empty() {
        return Digits::Kept;
    }
    let float: f64 = digits.parse().unwrap_or(f64::NAN);
    if plain.len() > MOST_DIGITS || !float.is_finite() {
        return Digits::Rounded;
    }
    let precision = plain.len() - 1;
    kept(significant(&format!("{float:.precision$e}")) == plain)
}

/// Of a number of seconds as a duration, which counts nanoseconds.
pub(crate) fn as_duration(digits: &str) -> Digits {
    match scaled(digits, duration::PLACES) {
        Some(Scaled::Cut(_)) => Digits::Rounded,
        // What is too long for a duration, the check says.
        Some(Scaled::Whole(_)) | None => Digits::Kept,
    }
}

fn kept(is_kept: bool) -> Digits {
    if is_kept {
        Digits::Kept
    } else {
        Digits::Rounded
    }
}

/// The digits of a number from the first to the last that is no zero.
fn significant(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits
        .trim_start_matches('0')
        .trim_end_matches('0')
        .to_owned()
}

/// Of a number in `json`, which has ints and floats.
pub(crate) fn in_json(digits: &str) -> Digits {
    let is_whole = !digits.contains(['.', 'e', 'E']);
    if !is_whole {
        return as_float(digits);
    }
    if digits.parse::<i64>().is_ok() {
        Digits::Kept
    } else {
        Digits::TooMany
    }
}

#[cfg(test)]
mod tests {
    use super::{Digits, as_duration, as_float, in_json, is_strict, loose, seconds};

    #[test]
    fn numbers_in_other_notations_are_the_same_numbers() {
        for (text, digits) in [
            ("1,234,567.5", "1234567.5"),
            ("1_000", "1000"),
            ("+3", "3"),
            (".5", "0.5"),
            ("5.", "5"),
            ("$1,200.50", "1200.50"),
            ("-$3", "-3"),
            ("12 €", "12"),
            ("−7", "-7"),
        ] {
            assert_eq!(loose(text).as_deref(), Some(digits), "{text}");
        }
        for text in [
            "1,5", "12 kg", "007", "", "1e", "--1", "1.2.3", "12%", "1,2345", "+-3", "~5", ">5",
            "(5)",
        ] {
            assert_eq!(loose(text), None, "{text}");
        }
        assert!(is_strict("-0.5e+3") && !is_strict("01") && !is_strict("1."));
    }

    #[test]
    fn units_of_time_are_seconds() {
        for (text, digits) in [
            ("90s", "90"),
            ("1h 30m", "5400"),
            ("2 minutes", "120"),
            ("250ms", "0.25"),
            ("PT1H30M", "5400"),
            ("1.5 hours", "5400"),
        ] {
            assert_eq!(seconds(text).as_deref(), Some(digits), "{text}");
        }
        for text in [
            "",
            "5",
            "five minutes",
            "3 weeks",
            "1h and more",
            "P1D",
            "0.0000000001s",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn lost_digits_are_known() {
        assert_eq!(as_float("9007199254740993"), Digits::Rounded);
        assert_eq!(as_float("9007199254740992"), Digits::Kept);
        assert_eq!(as_float("0.30000000000000004"), Digits::Kept);
        assert_eq!(as_float("0.123456789012345678901"), Digits::Rounded);
        assert_eq!(as_float("9007199254740993.0"), Digits::Rounded);
        assert_eq!(as_float("0.10000000000000001"), Digits::Kept);
        assert_eq!(as_float("1e-400"), Digits::Rounded);
        assert_eq!(as_float("0.0e-400"), Digits::Kept);
        assert_eq!(as_float("5e-324"), Digits::Kept);
        assert_eq!(as_float("1e23"), Digits::Kept);
        assert_eq!(as_duration("1.000000001"), Digits::Kept);
        assert_eq!(as_duration("1.0000000005"), Digits::Rounded);
        assert_eq!(as_duration("1e-10"), Digits::Rounded);
        assert_eq!(in_json("9223372036854775807"), Digits::Kept);
        assert_eq!(in_json("9223372036854775808"), Digits::TooMany);
        assert_eq!(in_json("1e300"), Digits::Kept);
    }
}
