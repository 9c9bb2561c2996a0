//! Instants as dates: RFC 3339, and patterns in a time zone. Zones come from the table inside the program, never from the
//! machine, so that a program says the same everywhere.

use std::str::FromStr;

use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};

use crate::duration::SECOND;

/// The shape of RFC 3339 up to the seconds, `0` for a digit. The crate reads more forms than that.
const SHAPE: &[u8] = b"0000-00-00T00:00:00";

/// What is wrong with the wish for a date as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no zone of this name.
    UnknownZone(String),
    /// The pattern asks for what a time has not.
    Pattern(String),
    /// The text is no time by the pattern.
    Text,
    /// The time is outside of 64 bits of nanoseconds.
    Range,
}

/// RFC 3339 in UTC, with as many digits of a second as are needed: `2026-01-31T09:30:00.25Z`.
#[must_use]
pub fn rfc3339(time: i64) -> String {
    Rfc3339::of(time).text().to_owned()
}

/// RFC 3339 in UTC without parts of a second, for people.
#[must_use]
pub fn to_the_second(time: i64) -> String {
    rfc3339(time.saturating_sub(time.rem_euclid(SECOND)))
}

/// An instant as RFC 3339, made without an allocation because every event has one.
#[derive(Clone, Copy, Debug)]
pub struct Rfc3339 {
    bytes: [u8; Self::LONGEST.len()],
    length: usize,
}

impl Rfc3339 {
    const LONGEST: &[u8] = b"0000-00-00T00:00:00.000000000Z";

    /// The text of a time in nanoseconds since 1970.
    #[must_use]
    pub fn of(time: i64) -> Self {
        const DAY: i64 = 86_400;
        let (seconds, mut fraction) = (
            time.div_euclid(1_000_000_000),
            time.rem_euclid(1_000_000_000),
        );
        let (year, month, day) = date(seconds.div_euclid(DAY));
        let second = seconds.rem_euclid(DAY);
        let mut it = Self {
            bytes: [0; Self::LONGEST.len()],
            length: Self::LONGEST.len(),
        };
        it.bytes.copy_from_slice(Self::LONGEST);
        it.digits(0, 4, year);
        it.digits(5, 2, month);
        it.digits(8, 2, day);
        it.digits(11, 2, second / 3_600);
        it.digits(14, 2, second / 60 % 60);
        it.digits(17, 2, second % 60);
        let mut digits = 9;
        while digits > 0 && fraction % 10 == 0 {
            (digits, fraction) = (digits - 1, fraction / 10);
        }
        it.digits(20, digits, fraction);
        it.length = if digits == 0 { 20 } else { 21 + digits };
        it.bytes[it.length - 1] = b'Z';
        it
    }

    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).expect("digits and signs are ASCII")
    }

    fn digits(&mut self, at: usize, count: usize, mut number: i64) {
        for digit in self.bytes[at..at + count].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
}

/// Year, month and day of a day since 1970, by the algorithm `civil_from_days` of Howard Hinnant: its years begin in March, so
/// that the day that is not in every year is the last one.
const fn date(day: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    let shifted = day + 719_468;
    let (era, of_era) = (shifted.div_euclid(ERA), shifted.rem_euclid(ERA));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, of_month)
}

/// What the message about a time outside of 64 bits of nanoseconds expects.
pub const RANGE: &str = "a time between 1677-09-21 and 2262-04-11";

/// What arithmetic on times says where its result is outside of 64 bits of nanoseconds.
pub const OUT_OF_RANGE: &str =
    "the time is out of range: times reach from 1677-09-21 to 2262-04-11, and durations 292 years";

/// Whether a text that is no time of ours has the form of one that is too far away, such as the last day of the year 9999.
#[must_use]
pub fn is_too_far(text: &str) -> bool {
    let year = text.get(..4).and_then(|it| it.parse::<u16>().ok());
    let is_date = text.get(4..).is_some_and(|it| it.starts_with('-'));
    is_date && year.is_some_and(|it| !(1678..2262).contains(&it))
}

/// Reads RFC 3339 with any offset; `None` when it is none, a leap second, or outside what 64 bits of nanoseconds hold.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (date, offset) = text.as_bytes().split_at_checked(SHAPE.len())?;
    let fits = date.iter().zip(SHAPE).all(|(it, shape)| match shape {
        b'0' => it.is_ascii_digit(),
        b'T' => matches!(it, b'T' | b't' | b' '),
        other => it == other,
    });
    let offset = match offset.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|it| it.is_ascii_digit()).count();
            &fraction[digits..]
        }
        None => offset,
    };
    let is_offset = matches!(
        offset,
        b"Z" | b"z"
            | [
                b'+' | b'-',
                b'0'..=b'1',
                b'0'..=b'9',
                b':',
                b'0'..=b'5',
                b'0'..=b'9'
            ]
            | [
                b'+' | b'-',
                b'2',
                b'0'..=b'3',
                b':',
                b'0'..=b'5',
                b'0'..=b'9'
            ]
    );
    // The crate reads a leap second as the second before it, and the caller would not notice.
    let is_leap = date.ends_with(b":60");
    if !fits || is_leap || !is_offset {
        return None;
    }
    nanoseconds(Timestamp::from_str(text).ok()?)
}

/// `time` by a pattern of `strftime` in a zone. `%+` is RFC 3339 with the zone's offset.
///
/// # Errors
/// With an unknown zone, or what the pattern asks for in vain.
pub fn format(time: i64, pattern: &str, zone: &str) -> Result<String, Fault> {
    let zoned = instant(time).to_zoned(time_zone(zone)?);
    let pattern = with_ours(pattern, &zoned);
    strtime::format(&pattern, &zoned).map_err(|why| Fault::Pattern(why.to_string()))
}

/// What the message about a text that is no time by a pattern expects.
#[must_use]
pub fn expected(text: &str, pattern: &str) -> String {
    let is_undated = BrokenDownTime::parse(pattern, text).is_ok_and(|read| {
        let lacks = read.year().is_none() || read.month().is_none() || read.day().is_none();
        lacks && read.to_date().is_err()
    });
    if is_undated {
        "a time with its year, month and day".to_owned()
    } else {
        format!("a time like `{pattern}`")
    }
}

/// The instant that `text` is by a pattern of `strftime`. A text without an offset is local to `zone`.
///
/// # Errors
/// With an unknown zone or a text that does not fit.
pub fn parse(text: &str, pattern: &str, zone: &str) -> Result<i64, Fault> {
    let zone = time_zone(zone)?;
    let read = BrokenDownTime::parse(pattern, text).map_err(|_| Fault::Text)?;
    let instant = if read.offset().is_some() || read.timestamp().is_some() {
        read.to_timestamp()
    } else {
        // A date alone is its first moment.
        let date = read.to_date().map_err(|_| Fault::Text)?;
        let time = read.to_time().unwrap_or_default();
        date.to_datetime(time)
            .to_zoned(zone)
            .map(|it| it.timestamp())
    };
    let instant = instant.map_err(|_| Fault::Text)?;
    nanoseconds(instant).ok_or(Fault::Range)
}

fn instant(time: i64) -> Timestamp {
    Timestamp::from_nanosecond(time.into())
        .expect("64 bits of nanoseconds end long before the year 9999")
}

fn nanoseconds(instant: Timestamp) -> Option<i64> {
    i64::try_from(instant.as_nanosecond()).ok()
}

fn time_zone(name: &str) -> Result<TimeZone, Fault> {
    let known = TimeZoneDatabase::bundled().get(name);
    known.map_err(|_| Fault::UnknownZone(name.to_owned()))
}

/// The pattern with every `%+` replaced, which the crate does not know, and every `%s`, of which the crate cuts the fraction off:
/// before 1970 that is the second after the one that all other parts are of.
fn with_ours(pattern: &str, zoned: &Zoned) -> String {
    let mut whole = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('%') {
        whole.push_str(before);
        let directive = after.chars().next();
        let length = directive.map_or(0, char::len_utf8);
        match directive {
            Some('+') => whole.push_str(&zoned_rfc3339(zoned)),
            Some('s') => {
                let second = zoned.timestamp().as_nanosecond().div_euclid(1_000_000_000);
                whole.push_str(&second.to_string());
            }
            _ => {
                whole.push('%');
                whole.push_str(&after[..length]);
            }
        }
        rest = &after[length..];
    }
    whole + rest
}

fn zoned_rfc3339(zoned: &Zoned) -> String {
    let instant = zoned.timestamp();
    if zoned.offset().is_zero() {
        return instant.to_string();
    }
    instant.display_with_offset(zoned.offset()).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Fault, expected, format, instant, parse, parse_rfc3339, rfc3339};

    const NOVEMBER: i64 = 1_700_000_000_000_000_000;

    #[test]
    fn instants_read_back() {
        for time in [0, 1, -1, i64::MAX, i64::MIN, NOVEMBER + 250_000_000] {
            let text = rfc3339(time);
            assert_eq!(parse_rfc3339(&text), Some(time), "{text}");
        }
        assert_eq!(rfc3339(NOVEMBER + 250_000_000), "2023-11-14T22:13:20.25Z");
        assert_eq!(rfc3339(951_782_400_000_000_000), "2000-02-29T00:00:00Z");
        // An odd step, so that every day of four centuries and more comes with other times and fractions.
        let mut time = i64::MIN;
        while let Some(next) = time.checked_add(86_399_123_456_700) {
            assert_eq!(rfc3339(next), instant(next).to_string());
            time = next;
        }
    }

    #[test]
    fn offsets_count_and_nonsense_does_not() {
        assert_eq!(parse_rfc3339("1970-01-01T01:00:00+01:00"), Some(0));
        for text in [
            "",
            "x",
            "1970-01-01",
            "1970-13-01T00:00:00Z",
            "1970-02-30T00:00:00Z",
            "1970-01-01T00:00:00",
            "2016-12-31T23:59:60Z",
            "2026-01-02T03:04:60Z",
            "1970-01-01T00:00:00+01",
            "1970-01-01T00:00:00+25:00",
            "1970-01-01T00:00:00+24:00",
            "1970-01-01T00:00:00-01:60",
            "1970-01-01T00:00:00.Z",
            "1970-01-01T00:00:00Z[Europe/Berlin]",
            "9999-01-01T00:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn patterns_name_their_parts_in_a_zone() {
        let text = format(NOVEMBER, "%a %d %b %Y, %H:%M%% day %j %I %p", "UTC");
        assert_eq!(text.as_deref(), Ok("Tue 14 Nov 2023, 22:13% day 318 10 PM"));
        let text = format(NOVEMBER, "%H:%M %z %+ %%+", "Europe/Berlin");
        assert_eq!(
            text.as_deref(),
            Ok("23:13 +0100 2023-11-14T23:13:20+01:00 %+")
        );
        // A second is the same one in all its forms, also before 1970.
        for (time, text) in [(-500_000_000, "-1 59 %s"), (1_500_000_000, "1 01 %s")] {
            assert_eq!(format(time, "%s %S %%s", "UTC").as_deref(), Ok(text));
        }
        assert!(matches!(
            format(NOVEMBER, "%!", "UTC"),
            Err(Fault::Pattern(_))
        ));
        assert!(matches!(
            format(NOVEMBER, "%", "UTC"),
            Err(Fault::Pattern(_))
        ));
        assert_eq!(
            format(0, "%Y", "Mars/Base"),
            Err(Fault::UnknownZone("Mars/Base".into()))
        );
    }

    #[test]
    fn a_text_is_read_in_a_zone() {
        assert_eq!(
            parse("1970-01-02", "%Y-%m-%d", "UTC"),
            Ok(86_400_000_000_000)
        );
        let berlin = parse("01.01.1970 01:00", "%d.%m.%Y %H:%M", "Europe/Berlin");
        assert_eq!(berlin, Ok(0));
        assert_eq!(
            parse("01:00 +0100 1970-01-01", "%H:%M %z %F", "Asia/Tokyo"),
            Ok(0)
        );
        assert_eq!(parse("soon", "%Y", "UTC"), Err(Fault::Text));
        assert_eq!(parse("12:00", "%H:%M", "UTC"), Err(Fault::Text));
        assert_eq!(parse("1500-01-01", "%Y-%m-%d", "UTC"), Err(Fault::Range));
    }

    #[test]
    fn a_date_that_is_missing_is_what_is_expected() {
        let undated = "a time with its year, month and day";
        for (text, pattern) in [("13:30", "%H:%M"), ("2024", "%Y"), ("29.02.", "%d.%m.")] {
            assert_eq!(expected(text, pattern), undated, "{text}");
        }
        for (text, pattern) in [
            ("soon", "%H:%M"),
            ("30.02.2024", "%d.%m.%Y"),
            ("1500-01-01", "%F"),
        ] {
            assert_eq!(expected(text, pattern), format!("a time like `{pattern}`"));
        }
    }
}
