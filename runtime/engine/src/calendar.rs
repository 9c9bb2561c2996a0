//! Instants as dates: RFC 3339 and patterns. Days are counted as in "chrono-compatible low-level date algorithms" by Hinnant.

use crate::duration::SECOND;

const DAY: i64 = 86_400;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// An instant taken apart, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
}

/// RFC 3339 in UTC, with as many digits of a second as are needed: `2026-01-31T09:30:00.25Z`.
#[must_use]
pub fn rfc3339(time: i64) -> String {
    let it = date(time);
    let fraction = if it.nanosecond == 0 {
        String::new()
    } else {
        format!(".{}", format!("{:09}", it.nanosecond).trim_end_matches('0'))
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{fraction}Z",
        it.year, it.month, it.day, it.hour, it.minute, it.second
    )
}

/// Reads RFC 3339 with any offset; `None` when it is none, or outside what 64 bits of nanoseconds hold.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        let is_number = digits.iter().all(u8::is_ascii_digit);
        is_number.then(|| {
            digits
                .iter()
                .fold(0, |all, digit| all * 10 + i64::from(digit - b'0'))
        })
    };
    let is = |at: usize, allowed: &[u8]| bytes.get(at).is_some_and(|it| allowed.contains(it));
    let separated = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    if !separated {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (nanosecond, rest) = fraction(&bytes[19..])?;
    let offset = offset_seconds(rest)?;
    let seconds = days(year, month, day) * DAY + hour * 3_600 + minute * 60 + second - offset;
    let all = i128::from(seconds) * i128::from(SECOND) + i128::from(nanosecond);
    i64::try_from(all).ok()
}

/// `time` by a pattern with `%Y %m %d %H %M %S` and their kin as of `strftime`, in UTC; `Err` is what it does not know.
///
/// # Errors
/// With the unknown directive.
pub fn format(time: i64, pattern: &str) -> Result<String, String> {
    let it = date(time);
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(char) = chars.next() {
        if char != '%' {
            text.push(char);
            continue;
        }
        let directive = chars.next().ok_or_else(|| "%".to_owned())?;
        text.push_str(&piece(&it, time, directive).ok_or_else(|| format!("%{directive}"))?);
    }
    Ok(text)
}

fn piece(it: &Date, time: i64, directive: char) -> Option<String> {
    let hour = (it.hour + 11) % 12 + 1;
    Some(match directive {
        'Y' => format!("{:04}", it.year),
        'y' => format!("{:02}", it.year.rem_euclid(100)),
        'm' => format!("{:02}", it.month),
        'B' => MONTHS[it.month as usize - 1].into(),
        'b' | 'h' => MONTHS[it.month as usize - 1][..3].into(),
        'd' => format!("{:02}", it.day),
        'e' => format!("{:2}", it.day),
        'j' => format!(
            "{:03}",
            days(it.year, it.month, it.day) - days(it.year, 1, 1) + 1
        ),
        'A' => weekday(time).into(),
        'a' => weekday(time)[..3].into(),
        'H' => format!("{:02}", it.hour),
        'I' => format!("{hour:02}"),
        'p' => (if it.hour < 12 { "AM" } else { "PM" }).into(),
        'M' => format!("{:02}", it.minute),
        'S' => format!("{:02}", it.second),
        'f' => format!("{:09}", it.nanosecond),
        'L' => format!("{:03}", it.nanosecond / 1_000_000),
        's' => time.div_euclid(SECOND).to_string(),
        'F' => format!("{:04}-{:02}-{:02}", it.year, it.month, it.day),
        'T' => format!("{:02}:{:02}:{:02}", it.hour, it.minute, it.second),
        'R' => format!("{:02}:{:02}", it.hour, it.minute),
        'z' => "+0000".into(),
        'Z' => "UTC".into(),
        '+' => rfc3339(time),
        'n' => "\n".into(),
        't' => "\t".into(),
        '%' => "%".into(),
        _ => return None,
    })
}

fn weekday(time: i64) -> &'static str {
    let day = time.div_euclid(SECOND).div_euclid(DAY);
    // 1970-01-01 was a Thursday.
    WEEKDAYS[(day + 4).rem_euclid(7) as usize]
}

/// The nanoseconds of `.123`, if it is there, and what follows.
fn fraction(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let Some(digits) = bytes.strip_prefix(b".") else {
        return Some((0, bytes));
    };
    let count = digits.iter().take_while(|it| it.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let nine = digits[..count]
        .iter()
        .copied()
        .chain(std::iter::repeat(b'0'))
        .take(9);
    Some((
        nine.fold(0, |all, digit| all * 10 + i64::from(digit - b'0')),
        &digits[count..],
    ))
}

fn offset_seconds(bytes: &[u8]) -> Option<i64> {
    let digit = |at: usize| {
        bytes[at]
            .is_ascii_digit()
            .then(|| i64::from(bytes[at] - b'0'))
    };
    match bytes {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digit(1)? * 10 + digit(2)?, digit(4)? * 10 + digit(5)?);
            let seconds = hours * 3_600 + minutes * 60;
            let is_valid = hours < 24 && minutes < 60;
            is_valid.then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn date(time: i64) -> Date {
    let (seconds, nanosecond) = (time.div_euclid(SECOND), time.rem_euclid(SECOND));
    let (days, second) = (seconds.div_euclid(DAY) + 719_468, seconds.rem_euclid(DAY));
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leaps = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leaps) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    Date {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month,
        day: day_of_year - (153 * shifted + 2) / 5 + 1,
        hour: second / 3_600,
        minute: second / 60 % 60,
        second: second % 60,
        nanosecond,
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse_rfc3339, rfc3339};

    #[test]
    fn instants_read_back() {
        for time in [0, 1, -1, i64::MAX, i64::MIN, 1_700_000_000_250_000_000] {
            assert_eq!(
                parse_rfc3339(&rfc3339(time)),
                Some(time),
                "{}",
                rfc3339(time)
            );
        }
        assert_eq!(
            rfc3339(1_700_000_000_250_000_000),
            "2023-11-14T22:13:20.25Z"
        );
        assert_eq!(rfc3339(951_782_400_000_000_000), "2000-02-29T00:00:00Z");
    }

    #[test]
    fn offsets_count_and_nonsense_does_not() {
        assert_eq!(parse_rfc3339("1970-01-01T01:00:00+01:00"), Some(0));
        for text in [
            "",
            "1970-01-01",
            "1970-13-01T00:00:00Z",
            "1970-02-30T00:00:00Z",
            "x",
        ] {
            assert_eq!(parse_rfc3339(text), None);
        }
        assert_eq!(parse_rfc3339("1970-01-01T00:00:00"), None);
        assert_eq!(parse_rfc3339("9999-01-01T00:00:00Z"), None);
    }

    #[test]
    fn patterns_name_their_parts() {
        let time = 1_700_000_000_000_000_000;
        let text = format(time, "%a %d %b %Y, %H:%M%% day %j %I %p");
        assert_eq!(text.as_deref(), Ok("Tue 14 Nov 2023, 22:13% day 318 10 PM"));
        assert_eq!(format(time, "%Q"), Err("%Q".into()));
    }
}
