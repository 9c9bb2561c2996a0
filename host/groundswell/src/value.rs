//! Rust types for the types of the language that Rust has no one type for.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gsw_notation::{calendar, duration};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A `{K: V}`, in order of insertion.
pub type Map<K, V> = indexmap::IndexMap<K, V>;

/// A `time`: nanoseconds since 1970-01-01T00:00:00Z; in JSON RFC 3339.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(pub i64);

/// A `duration`: nanoseconds, which may be negative; in JSON a number of seconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span(pub i64);

/// A `bytes`; in JSON base64.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({})", self.0.len())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&calendar::rfc3339(self.0))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = calendar::parse_rfc3339(&text);
        time.map(Self)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is not an RFC 3339 time")))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let seconds: Result<serde_json::Number, _> = duration::seconds_text(self.0).parse();
        seconds
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = serde_json::Number::deserialize(deserializer)?.to_string();
        let span = duration::from_seconds_text(&seconds);
        span.map(Self)
            .ok_or_else(|| D::Error::custom(format!("{seconds} is not a number of seconds")))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Bytes, Span, Time};

    #[test]
    fn values_have_the_form_of_the_language() {
        let time = Time(1_700_000_000_123_000_000);
        assert_eq!(
            serde_json::to_value(time).expect("it is JSON"),
            json!("2023-11-14T22:13:20.123Z")
        );
        assert_eq!(
            serde_json::to_string(&Span(-250_000_000)).expect("it is JSON"),
            "-0.25"
        );
        let spans: Vec<Span> = serde_json::from_str("[30, 1.5]").expect("they are spans");
        assert_eq!(spans, [Span(30_000_000_000), Span(1_500_000_000)]);
        let bytes: Bytes = serde_json::from_value(json!("AQI=")).expect("it is base64");
        assert_eq!(bytes, Bytes(vec![1, 2]));
        assert!(serde_json::from_value::<Time>(json!("yesterday")).is_err());
    }
}
