//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time, in nanoseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX))
}
