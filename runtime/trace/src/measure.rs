//! Durations, numbers and money as people read them.

/// `840 µs`, `12 ms`, `1.24 s`, `2 min 5 s`, `1 h 3 min`.
#[must_use]
pub fn duration(nanoseconds: i64) -> String {
    let ns = nanoseconds.max(0);
    let (ms, s) = (ns / 1_000_000, ns / 1_000_000_000);
    match s {
        _ if ns == 0 => "0 ms".into(),
        _ if ms == 0 => format!("{} µs", (ns / 1_000).max(1)),
        0 => format!("{ms} ms"),
        1..60 => format!("{}.{:02} s", s, ms % 1_000 / 10),
        60..3_600 => format!("{} min {} s", s / 60, s % 60),
        _ => format!("{} h {} min", s / 3_600, s % 3_600 / 60),
    }
}

/// A number with its thousands separated: `1,234,567`.
#[must_use]
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 node`, `12,345 nodes`; `what` is the singular.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", number(count))
}

/// Dollars with the digits that matter: `$1.24`, `$0.0031`, `<$0.0001`.
#[must_use]
pub fn money(usd: f64) -> String {
    match usd {
        _ if usd == 0.0 => "$0".into(),
        _ if usd < 0.000_1 => "<$0.0001".into(),
        _ if usd < 1.0 => format!("${usd:.4}"),
        _ => format!("${usd:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, duration, money, number};

    #[test]
    fn figures_read_well() {
        let shown = [
            0,
            900,
            840_000,
            12_000_000,
            1_240_000_000,
            125_000_000_000,
            3_780_000_000_000,
        ]
        .map(duration);
        assert_eq!(
            shown,
            [
                "0 ms",
                "1 µs",
                "840 µs",
                "12 ms",
                "1.24 s",
                "2 min 5 s",
                "1 h 3 min"
            ]
        );
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(number),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(counted(1, "node"), "1 node");
        assert_eq!(counted(12_345, "node"), "12,345 nodes");
        assert_eq!(
            [0.0, 0.000_01, 0.003_1, 1.239].map(money),
            ["$0", "<$0.0001", "$0.0031", "$1.24"]
        );
    }
}
