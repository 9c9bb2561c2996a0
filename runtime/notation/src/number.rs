//! Numbers as text: floats as the shortest that reads back, always recognisable as a float; ints by all their digits.

/// `2.0`, `1e21`, `NaN`, `Infinity`, `-Infinity`.
#[must_use]
pub fn float_text(value: f64) -> String {
    match special_text(value) {
        Some(text) => text.into(),
        None => ryu::Buffer::new().format_finite(value).into(),
    }
}

/// Whether an int and a float are the same number: neither is rounded to the other.
#[must_use]
pub fn is_same(int: i64, float: f64) -> bool {
    // Of floats that equal the int as a float, those at the ends of the range are no ints; 128 bits hold them all.
    float == int as f64 && float as i128 == i128::from(int)
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

/// What any number must be.
pub const HELD: &str = "a number that a float can hold";

/// Whether a float can hold these digits, if not all of them.
#[must_use]
pub fn is_held(digits: &str) -> bool {
    digits.parse::<f64>().is_ok_and(f64::is_finite)
}

/// What these digits would have to be to stand in a `json`; `None` where they may.
#[must_use]
pub fn unfit_for_json(digits: &str) -> Option<&'static str> {
    if digits.parse::<i64>().is_ok() {
        return None;
    }
    match digits.parse::<f64>().ok().filter(|it| it.is_finite()) {
        Some(it) if keeps_digits(digits, it) => None,
        Some(_) => Some(EXACT),
        None => Some(HELD),
    }
}

/// The int that a float is exactly, without its fraction; `None` outside 64 bits.
#[must_use]
pub fn truncated(value: f64) -> Option<i64> {
    let value = value.trunc();
    // 2^63 is a float, the largest int is not.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value);
    fits.then_some(value as i64)
}

/// The int that digits of JSON are, whatever the notation: `3`, `3.0`, `3e2`. `None` where they have a fraction, or 64 bits do not
/// hold them; they never go by way of a float, which would round them.
#[must_use]
pub fn int(digits: &str) -> Option<i64> {
    match scaled(digits, 0)? {
        Scaled::Whole(it) => Some(it),
        Scaled::Cut(_) => None,
    }
}

/// Every int up to this one is a float, and no other int is read as the same float.
pub const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The int that a float surely stands for: a larger one may have been rounded from other digits.
#[must_use]
pub fn int_of_float(value: f64) -> Option<i64> {
    let is_sure = value.fract() == 0.0 && value.abs() < MOST_EXACT;
    is_sure.then_some(value as i64)
}

/// A number without its fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scaled {
    /// The number is this one, and nothing was lost.
    Whole(i64),
    /// There were digits behind the point, which are left out.
    Cut(i64),
}

/// The number that digits of JSON are, times ten to the power of `places`, exactly. `None` where 64 bits do not hold it.
#[must_use]
pub fn scaled(digits: &str, places: u8) -> Option<Scaled> {
    let (is_negative, rest) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // How many digits are before the point, once it is moved.
    let point = whole.len() as i64 + exponent + i64::from(places);
    let (mut number, mut is_cut, mut count) = (0_i128, false, 0);
    for digit in whole.bytes().chain(fraction.bytes()) {
        let digit = char::from(digit).to_digit(10)?;
        if count < point {
            number = within(number * 10 + i128::from(digit))?;
        } else {
            is_cut |= digit != 0;
        }
        count += 1;
    }
    if count == 0 {
        return None;
    }
    // Of zero there may be any number of zeros; any other number soon has too many.
    while count < point && number != 0 {
        number = within(number * 10)?;
        count += 1;
    }
    let number = i64::try_from(if is_negative { -number } else { number }).ok()?;
    Some(if is_cut {
        Scaled::Cut(number)
    } else {
        Scaled::Whole(number)
    })
}

/// A number that 64 bits may hold, its sign apart.
fn within(number: i128) -> Option<i128> {
    (number <= 1 << 63).then_some(number)
}

/// An exponent, or one that is as good: no text has so many digits that it could make up for more.
fn power(text: &str) -> Option<i64> {
    const MOST: i64 = 1 << 40;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(MOST).min(MOST);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Whether every underscore of some digits stands between two of them.
#[must_use]
pub fn is_grouped(digits: &str) -> bool {
    !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__")
}

#[cfg(test)]
mod tests {
    use super::{MOST_EXACT, Scaled, int, int_of_float, is_same, scaled};

    #[test]
    fn an_int_and_a_float_are_the_same_number_or_not() {
        let end: f64 = 9_223_372_036_854_775_808.0;
        for (int, float) in [
            (0, -0.0),
            (3, 3.0),
            (i64::MIN, -end),
            (1 << 62, end / 2.0),
            (i64::MAX - 1_023, end.next_down()),
        ] {
            assert!(is_same(int, float), "{int} {float}");
        }
        for (int, float) in [
            (i64::MAX, end),
            (i64::MAX - 1, end),
            ((1 << 53) | 1, MOST_EXACT),
            (3, 3.5),
            (0, f64::NAN),
            (i64::MAX, f64::INFINITY),
            (i64::MIN, f64::NEG_INFINITY),
        ] {
            assert!(!is_same(int, float), "{int} {float}");
        }
    }

    #[test]
    fn an_int_is_all_its_digits_in_any_notation() {
        for (digits, value) in [
            ("3", 3),
            ("-3.0", -3),
            ("3e2", 300),
            ("1.5E+1", 15),
            ("300e-2", 3),
            ("-0.0", 0),
            ("0e99999999999999999999", 0),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("900719925474099.3e1", 9_007_199_254_740_993),
            ("1234567890123456789.000", 1_234_567_890_123_456_789),
            ("9223372036854775807.0", i64::MAX),
            ("-9223372036854775808", i64::MIN),
            ("-9.223372036854775808e18", i64::MIN),
        ] {
            assert_eq!(int(digits), Some(value), "{digits}");
        }
    }

    #[test]
    fn what_would_lose_digits_is_no_int() {
        for digits in [
            "3.5",
            "0.99999999999999999999",
            "1.00000000000000000000001",
            "9007199254740993.4",
            "9223372036854775808",
            "-9223372036854775809",
            "1e19",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "",
            "-",
            "x",
            "1e",
            "0x10",
        ] {
            assert_eq!(int(digits), None, "{digits}");
        }
    }

    #[test]
    fn a_number_is_scaled_by_moving_its_point() {
        assert_eq!(scaled("1.5", 9), Some(Scaled::Whole(1_500_000_000)));
        assert_eq!(scaled("1.0000000005", 9), Some(Scaled::Cut(1_000_000_000)));
        assert_eq!(scaled("-1e-10", 9), Some(Scaled::Cut(0)));
        let long = format!("{}e-100000", "1".repeat(100_000));
        assert_eq!(scaled(&long, 0), Some(Scaled::Cut(0)));
    }

    #[test]
    fn a_float_is_an_int_where_it_stands_for_no_other() {
        assert_eq!(int_of_float(-3.0), Some(-3));
        assert_eq!(int_of_float(MOST_EXACT - 1.0), Some(9_007_199_254_740_991));
        for value in [MOST_EXACT, 0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(int_of_float(value), None, "{value}");
        }
    }
}
