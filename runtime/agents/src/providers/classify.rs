//! Which kind of failure a provider's error is: by its code, then its type, then the status.

use std::time::Duration;

use gsw_engine::model::{FailureKind, ModelFailure, Oversize};
use serde_json::Value;

/// An error object of either wire protocol.
#[derive(Debug, Default)]
pub(crate) struct ErrorBody {
    codes: Vec<String>,
    message: Option<String>,
    /// When to retry, where the body says it.
    retry_after: Option<Duration>,
    /// What the provider calls the request; a gateway may have dropped the header that says it too.
    request_id: Option<String>,
}

impl ErrorBody {
    /// Reads `{"error": {...}}` as both protocols send it; anything else gives an empty one.
    pub fn read(body: &Value) -> Self {
        // Some send it in a list, as a stream of one.
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let details = error.get("details");
        // An object of ours, or Google's list of objects.
        let detail = |name: &str| {
            let list = details.and_then(Value::as_array).into_iter().flatten();
            let mut all = details.into_iter().chain(list);
            all.find_map(|it| text(it.get(name)))
        };
        let codes = [
            detail("error_code"),
            detail("reason"),
            text(error.get("code")),
            text(error.get("type")),
            text(error.get("status")),
        ];
        Self {
            codes: codes.into_iter().flatten().collect(),
            retry_after: detail("retryDelay").as_deref().and_then(seconds),
            message: text(error.get("message")).or_else(|| text(Some(error))),
            request_id: text(body.get("request_id")).filter(|it| !it.is_empty()),
        }
    }

    /// Whether the request itself is wrong, so that it will be wrong again.
    pub fn blames_the_request(&self) -> bool {
        let is_lasting = |it: &String| {
            matches!(
                it.as_str(),
                "invalid_request_error"
                    | "not_found_error"
                    | "model_not_found"
                    | "invalid_prompt"
                    | "INVALID_ARGUMENT"
                    | "NOT_FOUND"
            )
        };
        self.codes.iter().any(is_lasting)
    }

    /// The failure, with what the provider says.
    pub fn into_failure(self, host: &str, status: Option<u16>, fallback: &str) -> ModelFailure {
        let by_code = self.codes.iter().find_map(|it| by_code(it));
        let mut kind = by_code
            .or(status.map(by_status))
            .unwrap_or(FailureKind::Provider);
        let message = self.message.unwrap_or_else(|| shortened(fallback));
        let mut oversize = None;
        // Neither protocol has a dependable code for this one, so the message has to do.
        if kind == FailureKind::Provider && says_too_long(&message) {
            kind = FailureKind::ContextTooLong;
            oversize = numbers_around(&message);
        }
        let mut failure = ModelFailure::new(kind, worded(host, status, &message));
        failure.status = status;
        failure.retry_after = self.retry_after;
        failure.request_id = self.request_id.map(Into::into);
        failure.oversize = oversize.map(Box::new);
        failure
    }
}

/// The seconds of `32.5s`.
fn seconds(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

/// The kind that a code or type names, when it names one.
fn by_code(code: &str) -> Option<FailureKind> {
    Some(match code {
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => {
            FailureKind::RateLimited
        }
        "overloaded_error" | "server_overloaded" | "engine_overloaded" | "UNAVAILABLE" => {
            FailureKind::Overloaded
        }
        "authentication_error"
        | "permission_error"
        | "invalid_api_key"
        | "API_KEY_INVALID"
        | "UNAUTHENTICATED"
        | "PERMISSION_DENIED" => FailureKind::Unauthorized,
        "billing_error"
        | "insufficient_quota"
        | "billing_hard_limit_reached"
        | "spend_limit_exceeded"
        | "credit_balance_too_low" => FailureKind::QuotaExceeded,
        "request_too_large" | "context_length_exceeded" | "context_window_exceeded" => {
            FailureKind::ContextTooLong
        }
        _ => return None,
    })
}

fn by_status(status: u16) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Unauthorized,
        402 => FailureKind::QuotaExceeded,
        413 => FailureKind::ContextTooLong,
        429 => FailureKind::RateLimited,
        503 | 529 => FailureKind::Overloaded,
        _ => FailureKind::Provider,
    }
}

fn worded(host: &str, status: Option<u16>, message: &str) -> String {
    match (status, message.is_empty()) {
        (Some(status), true) => format!("{host} answered with status {status}"),
        (Some(status), false) => format!("{host} answered with status {status}: {message}"),
        (None, true) => format!("{host} reported an error"),
        (None, false) => format!("{host} reported an error: {message}"),
    }
}

fn says_too_long(message: &str) -> bool {
    [
        "prompt is too long",
        "maximum context length",
        "exceeds the context",
        "exceeds the maximum number of tokens",
    ]
    .iter()
    .any(|it| message.contains(it))
}

/// The two numbers of `prompt is too long: 208310 tokens > 200000 maximum`.
fn numbers_around(message: &str) -> Option<Oversize> {
    let (before, after) = message.split_once('>')?;
    let number = |text: &str| -> Option<u64> {
        text.split(|it: char| !it.is_ascii_digit())
            .find(|it| !it.is_empty())?
            .parse()
            .ok()
    };
    Some(Oversize {
        tokens: number(before)?,
        limit: number(after)?,
    })
}

/// The beginning of a text of unknown size, on one line.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    gsw_notation::text::shortened(&words, MOST)
}

#[cfg(test)]
mod tests {
    use gsw_engine::model::{FailureKind, Oversize};
    use serde_json::{Value, json};

    use super::ErrorBody;

    fn kind(status: u16, body: &Value) -> FailureKind {
        ErrorBody::read(body)
            .into_failure("host", Some(status), "")
            .kind
    }

    #[test]
    fn the_code_counts_before_the_type_before_the_status() {
        let quota = json!({"error": {"type": "rate_limit_error", "message": "m",
            "details": {"error_code": "spend_limit_exceeded"}}});
        assert_eq!(kind(429, &quota), FailureKind::QuotaExceeded);
        let overloaded = json!({"error": {"type": "overloaded_error", "message": "m"}});
        assert_eq!(kind(500, &overloaded), FailureKind::Overloaded);
        assert_eq!(kind(402, &json!({})), FailureKind::QuotaExceeded);
        assert_eq!(kind(404, &json!("no such model")), FailureKind::Provider);
        // The text of an error never decides: row 4291 is no 429.
        let row = json!({"error": {"type": "invalid_request_error", "message": "row 4291"}});
        assert_eq!(kind(400, &row), FailureKind::Provider);
    }

    #[test]
    fn a_request_that_is_too_long_says_how_long() {
        let body = json!({"error": {"type": "invalid_request_error",
            "message": "prompt is too long: 208310 tokens > 200000 maximum"}});
        let failure = ErrorBody::read(&body).into_failure("host", Some(400), "");
        assert_eq!(failure.kind, FailureKind::ContextTooLong);
        let (tokens, limit) = (208_310, 200_000);
        assert_eq!(
            failure.oversize.as_deref(),
            Some(&Oversize { tokens, limit })
        );
    }
}
