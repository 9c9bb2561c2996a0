//! The forms of times and durations in the JSON of events: as in the language's.

/// Times as RFC 3339 in JSON.
pub mod time {
    use gsw_notation::calendar;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(time: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(calendar::Rfc3339::of(*time).text())
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it has another form.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let text = String::deserialize(deserializer)?;
        calendar::parse_rfc3339(&text)
            .ok_or_else(|| D::Error::custom("this is not an RFC 3339 time"))
    }
}

/// Optional times as RFC 3339 in JSON; an absent one is `null`.
pub mod optional_time {
    use gsw_notation::calendar;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(time: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(calendar::rfc3339).serialize(serializer)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it has another form.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<i64>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let time = calendar::parse_rfc3339(&text);
        time.map(Some)
            .ok_or_else(|| D::Error::custom("this is not an RFC 3339 time"))
    }
}

/// Durations as a number of seconds in JSON.
pub mod seconds {
    use gsw_notation::duration::SECOND;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(duration: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(*duration as f64 / SECOND as f64)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it has another form.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Ok((seconds * SECOND as f64).round() as i64)
    }
}

/// Optional durations as a number of seconds in JSON; an absent one is `null`.
pub mod optional_seconds {
    use gsw_notation::duration::SECOND;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        duration: &Option<i64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let seconds = duration.map(|it| it as f64 / SECOND as f64);
        seconds.serialize(serializer)
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it has another form.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<i64>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        Ok(seconds.map(|it| (it * SECOND as f64).round() as i64))
    }
}

/// The schema of a time.
#[cfg(test)]
pub(super) struct Time;

#[cfg(test)]
impl schemars::JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Time".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}
