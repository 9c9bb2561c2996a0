//! What the headers of a response say is left of a provider's limits.

use std::time::{Duration, Instant, SystemTime};

use gsw_notation::calendar::parse_rfc3339;
use reqwest::header::HeaderMap;

use super::limits::Quota;

/// The pairs of headers that say how much is left and when there is more: of requests, then of tokens.
const REQUESTS: [(&str, &str); 2] = [
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ),
];
const TOKENS: [(&str, &str); 4] = [
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
];

/// What is left; `None` where there is no header, or more than `longest` would have to be waited for.
pub(crate) fn quota(headers: &HeaderMap, longest: Duration) -> Option<Quota> {
    let requests = REQUESTS
        .iter()
        .filter_map(|names| said(headers, *names, longest));
    // How many tokens a request takes is unknown before it is answered; only that there are none left is certain.
    let tokens = TOKENS
        .iter()
        .filter_map(|names| said(headers, *names, longest));
    let all = requests.chain(tokens.filter(|it| it.requests == 0));
    all.min_by_key(|it| (it.requests, std::cmp::Reverse(it.until)))
}

fn said(headers: &HeaderMap, names: (&str, &str), longest: Duration) -> Option<Quota> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let requests: i64 = text(names.0)?.parse().ok()?;
    let wait = wait(text(names.1)?, SystemTime::now()).filter(|it| *it <= longest)?;
    Some(Quota {
        requests: u64::try_from(requests).unwrap_or(0),
        until: Instant::now() + wait,
    })
}

/// How long until a time of RFC 3339, or a duration such as `6m0s`, `1.5s`, `20ms`, or a number of seconds.
fn wait(text: &str, now: SystemTime) -> Option<Duration> {
    if let Some(nanoseconds) = parse_rfc3339(text) {
        let since = Duration::from_nanos(u64::try_from(nanoseconds).ok()?);
        let time = SystemTime::UNIX_EPOCH + since;
        return Some(time.duration_since(now).unwrap_or(Duration::ZERO));
    }
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let (mut rest, mut sum) = (text, Duration::ZERO);
    while !rest.is_empty() {
        let digits = rest.find(|it: char| !it.is_ascii_digit() && it != '.')?;
        let (number, unit) = rest.split_at(digits);
        let letters = unit.find(|it: char| !it.is_ascii_alphabetic());
        let (unit, after) = unit.split_at(letters.unwrap_or(unit.len()));
        let seconds = match unit {
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        sum = sum.checked_add(part)?;
        rest = after;
    }
    (!text.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::{quota, wait};

    #[test]
    fn times_and_durations_are_read() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for (text, milliseconds) in [
            ("2001-09-09T01:47:40Z", 60_000),
            ("2001-09-09T03:47:40.500+02:00", 60_500),
            ("2001-01-01T00:00:00Z", 0),
            ("6m0s", 360_000),
            ("1h2m3.5s", 3_723_500),
            ("20ms", 20),
            ("1", 1_000),
            ("0.25", 250),
        ] {
            let found = wait(text, now);
            assert_eq!(found, Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in [
            "",
            "soon",
            "5 minutes",
            "-1",
            "1x",
            "s",
            "2001-13-09T01:47:40Z",
            "1e400s",
        ] {
            assert_eq!(wait(text, now), None, "{text}");
        }
    }

    #[test]
    fn the_least_that_is_left_counts() {
        let headers = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let pair = |(name, value): &(&'static str, &'static str)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            };
            pairs.iter().map(pair).collect()
        };
        let longest = Duration::from_secs(120);
        let left = |pairs: &[(&'static str, &'static str)]| {
            quota(&headers(pairs), longest).map(|it| it.requests)
        };
        let requests = ("x-ratelimit-remaining-requests", "7");
        let reset = ("x-ratelimit-reset-requests", "1s");
        assert_eq!(left(&[requests, reset]), Some(7));
        // Tokens say something only where there are none.
        let some = ("x-ratelimit-remaining-tokens", "12");
        let none = ("x-ratelimit-remaining-tokens", "0");
        let soon = ("x-ratelimit-reset-tokens", "1m");
        assert_eq!(left(&[requests, reset, some, soon]), Some(7));
        assert_eq!(left(&[requests, reset, none, soon]), Some(0));
        // What would take too long is left to the provider to say.
        assert_eq!(left(&[none, ("x-ratelimit-reset-tokens", "6h")]), None);
        assert_eq!(left(&[requests]), None);
    }
}
