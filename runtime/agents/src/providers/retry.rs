//! Whether to retry a request that failed, and after how long.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use gsw_engine::model::{FailureKind, ModelFailure};
use reqwest::header::HeaderMap;

use super::traffic::Ending;
use crate::outcome;

#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The backoff after the first attempt; the run doubles it from there.
    pub first: Duration,
    /// A provider that asks to wait longer than this is reported to the program instead of being waited for.
    pub longest_retry_after: Duration,
    /// How long a model that is down is not asked at first, where another one follows.
    pub circuit: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            longest_retry_after: Duration::from_secs(120),
            circuit: Duration::from_secs(30),
        }
    }
}

impl Policy {
    /// How long to wait before the next attempt; `None` when the provider asks for too long.
    #[must_use]
    pub(crate) fn delay(&self, retry_after: Option<Duration>) -> Option<Duration> {
        match retry_after {
            Some(wait) if wait > self.longest_retry_after => None,
            Some(wait) if !wait.is_zero() => Some(wait),
            _ => Some(self.first.mul_f64(1.0 - 0.25 * random())),
        }
    }

    /// What a failure means to the other requests to its model.
    pub(crate) fn ending<'a>(&self, failure: &'a ModelFailure) -> Ending<'a> {
        let wait = failure.retry_after.unwrap_or(self.first);
        // What is too long to be waited for, the provider is to say to each of them.
        let wait = if wait > self.longest_retry_after {
            Duration::ZERO
        } else {
            wait
        };
        let why = &failure.message;
        match failure.kind {
            FailureKind::RateLimited => Ending::Limited(wait),
            FailureKind::Overloaded => Ending::Out {
                why,
                wait: Some(wait),
            },
            FailureKind::Provider if outcome::is_outage(failure) => Ending::Out { why, wait: None },
            FailureKind::Provider
            | FailureKind::Unauthorized
            | FailureKind::QuotaExceeded
            | FailureKind::ContextTooLong
            | FailureKind::PermissionDenied
            | FailureKind::NotRecorded => Ending::Refused,
        }
    }
}

/// From 0 to 1. Every `RandomState` is seeded anew, which is random enough to spread attempts.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Whether an answer of this status justifies a retry; the provider's own header takes precedence.
pub(crate) fn is_worth_another(status: u16, headers: &HeaderMap) -> bool {
    match text(headers, "x-should-retry") {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429) || status >= 500,
    }
}

/// When to come again: `retry-after-ms`, else `retry-after` in seconds or as an HTTP date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    if let Some(milliseconds) = number(headers, "retry-after-ms") {
        return seconds(milliseconds / 1000.0);
    }
    if let Some(given) = number(headers, "retry-after") {
        return seconds(given);
    }
    let date = http_date(text(headers, "retry-after")?)?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn number(headers: &HeaderMap, name: &str) -> Option<f64> {
    let number: f64 = text(headers, name)?.parse().ok()?;
    number.is_finite().then_some(number)
}

fn seconds(given: f64) -> Option<Duration> {
    Some(Duration::try_from_secs_f64(given.max(0.0)).unwrap_or(Duration::MAX))
}

/// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<SystemTime> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut words = text.split_once(',')?.1.split_ascii_whitespace();
    let day: i64 = words.next()?.parse().ok()?;
    let month = words.next().filter(|it| it.len() == 3)?;
    let month = MONTHS.find(month).filter(|it| it % 3 == 0)? as i64 / 3 + 1;
    let year: i64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(|it| it.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) || words.next() != Some("GMT") {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let days = u64::try_from(days_since_epoch(year, month, day)).ok()?;
    let since = days * 86_400 + hour * 3_600 + minute * 60 + second;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(since))
}

/// Days of a Gregorian date, counting years from March so that the leap day comes last (Hinnant, `days_from_civil`).
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{Policy, http_date, is_worth_another, retry_after};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn the_first_header_that_says_when_counts() {
        let now = http_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date");
        let after = |pairs| retry_after(&headers(pairs), now);
        assert_eq!(
            after(&[("retry-after-ms", "1500"), ("retry-after", "9")]),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            after(&[("retry-after", "0.5")]),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            after(&[("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")]),
            Some(Duration::from_secs(30))
        );
        assert_eq!(
            after(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")]),
            Some(Duration::ZERO)
        );
        assert_eq!(after(&[("retry-after", "soon")]), None);
        assert_eq!(after(&[("retry-after", "1e300")]), Some(Duration::MAX));
        assert_eq!(after(&[]), None);
    }

    #[test]
    fn dates_count_leap_days() {
        let at = |text| {
            let date: SystemTime = http_date(text).expect("a date");
            date.duration_since(SystemTime::UNIX_EPOCH)
                .expect("after the epoch")
                .as_secs()
        };
        assert_eq!(at("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
        assert_eq!(at("Tue, 29 Feb 2000 12:00:00 GMT"), 951_825_600);
        assert_eq!(http_date("Tue, 29 Feb 2000 25:00:00 GMT"), None);
    }

    #[test]
    fn the_providers_word_overrides_the_status() {
        assert!(is_worth_another(529, &headers(&[])));
        assert!(!is_worth_another(400, &headers(&[])));
        assert!(is_worth_another(
            400,
            &headers(&[("x-should-retry", "true")])
        ));
        assert!(!is_worth_another(
            500,
            &headers(&[("x-should-retry", "false")])
        ));
    }

    #[test]
    fn a_wait_is_the_providers_or_a_backoff() {
        let policy = Policy::default();
        let backoff = policy.delay(None).expect("a delay").as_secs_f64();
        assert!((0.375..=0.5).contains(&backoff), "{backoff}");
        assert!(policy.delay(Some(Duration::ZERO)).is_some());
        let asked = Duration::from_secs(120);
        assert_eq!(policy.delay(Some(asked)), Some(asked));
        assert_eq!(policy.delay(Some(Duration::from_secs(121))), None);
    }
}
