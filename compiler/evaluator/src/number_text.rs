//! Numbers and durations as text.

/// The shortest text that reads back: `2.0`, `1e21`, `NaN`.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    format!("{sign}{}", laid_out(&digits, exponent))
}

/// `d.ddd × 10^exponent` in the plain form where that is short, else in the scientific one.
fn laid_out(digits: &str, exponent: i32) -> String {
    let count = digits.len() as i32;
    let point = exponent + 1;
    if point >= count && point <= 16 {
        return format!("{digits}{}.0", "0".repeat((point - count) as usize));
    }
    if point > 0 && point <= 16 {
        let (whole, fraction) = digits.split_at(point as usize);
        return format!("{whole}.{fraction}");
    }
    if point > -5 && point <= 0 {
        return format!("0.{}{digits}", "0".repeat((-point) as usize));
    }
    let (first, rest) = digits.split_at(1);
    let rest = if rest.is_empty() {
        String::new()
    } else {
        format!(".{rest}")
    };
    format!("{first}{rest}e{exponent}")
}

/// `1m30s`, of nanoseconds.
pub fn duration_text(nanoseconds: i64) -> String {
    if nanoseconds == 0 {
        return "0s".into();
    }
    let mut rest = nanoseconds.unsigned_abs();
    let mut text = String::from(if nanoseconds < 0 { "-" } else { "" });
    let units = [
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
    ];
    for (name, unit) in units {
        if rest >= unit {
            text += &format!("{}{name}", rest / unit);
            rest %= unit;
        }
    }
    if rest > 0 {
        let milliseconds = rest as f64 / 1e6;
        text += &format!("{milliseconds}ms");
    }
    text
}

/// The nanoseconds of a float of seconds below 64 bits, as it is written; digits beyond the ninth are dropped.
pub fn nanoseconds(seconds: f64) -> i64 {
    let text = seconds.abs().to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.chars().chain("000000000".chars());
    let digits: String = whole.chars().chain(fraction.take(9)).collect();
    let parsed: Option<i64> = digits.parse().ok();
    parsed.map_or(0, |it| if seconds < 0.0 { -it } else { it })
}

#[cfg(test)]
mod tests {
    use super::{duration_text, float_text, nanoseconds};

    #[test]
    fn floats_are_short_and_recognisable() {
        let cases = [
            (2.0, "2.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1e21"),
            (-0.5, "-0.5"),
            (1e-9, "1e-9"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e16"),
            (0.00001, "0.00001"),
            (-0.0, "-0.0"),
            (1.25e300, "1.25e300"),
        ];
        for (value, text) in cases {
            assert_eq!(float_text(value), text);
        }
    }

    #[test]
    fn durations_read_like_literals() {
        assert_eq!(duration_text(90_000_000_000), "1m30s");
        assert_eq!(duration_text(-250_000_000), "-250ms");
        assert_eq!(nanoseconds(-351.364_182_864_95), -351_364_182_864);
        assert_eq!(nanoseconds(1.5e-8), 15);
    }
}
