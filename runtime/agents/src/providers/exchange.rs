//! One HTTP request to a model, whatever the wire protocol: send, read the stream, fold it into an answer.
//!
//! A request that failed is sent again by the run, which reports each; here it is only decided whether that may help.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use gsw_engine::model::{Again, FailureKind, Fallback, ModelAnswer, ModelFailure};
use gsw_tree::usage::Usage;
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::classify::{ErrorBody, shortened};
use super::connector::Cause;
use super::halves::Halves;
use super::http::Post;
use super::json::Json;
use super::keys::without_keys;
use super::network::{Delta, Network, OnDelta};
use super::response::Response;
use super::retry::{is_worth_another, retry_after};
use super::stream::{Event, EventReader, StreamError};
use super::traffic::{Ending, Line, Quota, quota};
use crate::answer::strict_tree;
use crate::connections::failing::{Reached, describe};
use crate::connections::{address, connection};

/// The most that is read of a response that is no stream.
const LARGEST_BODY: usize = 64 << 20;
/// How long we wait for the end of a response whose answer is complete, so that its connection can be used again.
const LINGER: Duration = Duration::from_millis(20);

/// How long we wait for the body of an error, whose status says most.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// The longest limit that a clock can add to its time: thirty years.
const FOREVER: Duration = Duration::from_secs(1_000_000_000);

#[derive(Debug)]
pub(crate) struct Trouble {
    /// What to report if no other follows.
    pub failure: ModelFailure,
    pub is_worth_another: bool,
}

impl Trouble {
    /// The provider does not speak its protocol.
    pub fn malformed(host: &str, what: &str) -> Self {
        let message = format!("{host} sent an answer that cannot be read: {what}");
        Self {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: false,
        }
    }

    /// An event of a stream that is no JSON.
    fn no_event(host: &str, data: &str) -> Self {
        let what = format!("an event is not JSON: {}", shortened(data));
        Self::malformed(host, &what)
    }

    /// A call of a tool in which a field is named twice. The model has written that, so another answer may be better.
    fn two_meanings(host: &str) -> Self {
        Self {
            is_worth_another: true,
            ..Self::malformed(host, "a call of a tool in it names a field twice")
        }
    }

    /// The stream ended before the answer was whole.
    pub fn cut(host: &str) -> Self {
        let message = format!("{host} ended the stream before the answer was complete");
        Self {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: true,
        }
    }

    /// The provider says that it gave up in the middle, for this reason.
    pub fn given_up(host: &str, reason: &str) -> Self {
        let message = format!("{host} gave up before the answer was complete (`{reason}`)");
        Self {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: true,
        }
    }

    /// The answer calls tools, and how it ended says not that it is whole.
    pub fn doubtful(host: &str, reason: &str) -> Self {
        let end = match reason {
            "" => "did not say why its answer ended".to_owned(),
            reason => format!("ended its answer for a reason that is not known (`{reason}`)"),
        };
        let message = format!("{host} {end}: the calls of tools in it are not made");
        Self {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: true,
        }
    }

    /// Two calls of tools with one id.
    pub fn called_twice(host: &str, id: &str) -> Self {
        let what = format!("two calls of tools in it have one id (`{}`)", shortened(id));
        Self {
            is_worth_another: true,
            ..Self::malformed(host, &what)
        }
    }

    /// An error that came inside of a stream.
    pub fn reported(host: &str, body: &Json<'_>) -> Self {
        let body = body.to_value();
        let error = ErrorBody::read(&body);
        let blames_the_request = error.blames_the_request();
        let failure = error.into_failure(host, None, &body.to_string());
        let is_worth_another = !blames_the_request
            && matches!(
                failure.kind,
                FailureKind::Overloaded | FailureKind::RateLimited | FailureKind::Provider
            );
        Self {
            failure,
            is_worth_another,
        }
    }
}

/// The JSON of an event.
pub(crate) fn event_json<'t>(host: &str, data: &'t str) -> Result<Json<'t>, Trouble> {
    match json(data) {
        Ok(value) => Ok(value),
        Err(Unread::NoJson) => Err(Trouble::no_event(host, data)),
        Err(Unread::TwoMeanings) => Err(Trouble::two_meanings(host)),
    }
}

/// Why a text cannot be used.
enum Unread {
    NoJson,
    TwoMeanings,
}

/// The JSON of a text. A field that is named twice counts once, but not in a call of a tool: there it is unknown which is
/// meant.
fn json(text: &str) -> Result<Json<'_>, Unread> {
    if let Some(json) = strict_tree(text) {
        return Ok(json);
    }
    match serde_json::from_str(text) {
        Ok(value) if calls(&value) => Err(Unread::TwoMeanings),
        Ok(value) => Ok(value.into()),
        Err(_) => Err(Unread::NoJson),
    }
}

/// Whether something in it is a call of a tool, in any of the protocols.
fn calls(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(calls),
        Value::Object(fields) => {
            let ty = fields.get("type").and_then(Value::as_str);
            matches!(ty, Some("tool_use" | "function_call" | "function"))
                || fields.contains_key("functionCall")
                || fields.values().any(calls)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Folds a wire protocol's events into an answer.
pub(crate) trait AnswerReader: Send {
    /// Takes one event; text and calls go to `on_delta` as it comes.
    fn event(&mut self, event: Event<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble>;
    /// Takes the answer of a server that does not stream.
    fn whole(&mut self, answer: &Json<'_>, on_delta: &mut OnDelta) -> Result<(), Trouble>;
    /// Whether something of the answer has come: text, thinking, or a call of a tool.
    fn has_begun(&self) -> bool;
    /// The tokens that the provider has counted so far.
    fn usage(&self) -> Option<Usage>;
    /// Whether the provider has reported the answer as complete.
    fn is_complete(&self) -> bool;
    /// The answer; an error if it is not complete.
    fn finish(self: Box<Self>) -> Result<ModelAnswer, Trouble>;
}

/// A request and how its answer is read.
pub(crate) struct Exchange<'a> {
    pub post: Post<'a>,
    /// What it shares with the other requests to its model.
    pub line: &'a Arc<Line>,
    /// `provider/model`
    pub model: String,
    pub fallback: Fallback,
    /// How long it may take, once it has its connection.
    pub limit: Duration,
    /// How long of that until something of the answer comes.
    pub first_token: Option<Duration>,
    /// A reader for the answer.
    pub new_reader: &'a (dyn Fn() -> Box<dyn AnswerReader> + Sync),
}

/// An answer that is read while it comes.
struct Reading<'a> {
    reader: &'a mut dyn AnswerReader,
    /// When something of the answer came first.
    first: &'a OnceLock<Instant>,
    on_delta: &'a mut OnDelta,
}

impl Reading<'_> {
    fn take(&mut self, event: Event<'_>) -> Result<(), Trouble> {
        self.reader.event(event, self.on_delta)?;
        if self.reader.has_begun() {
            self.first.get_or_init(Instant::now);
        }
        Ok(())
    }
}

impl Exchange<'_> {
    /// Sends the request and reads its answer.
    pub async fn run(
        &self,
        network: &Network,
        on_delta: &mut OnDelta,
    ) -> Result<ModelAnswer, ModelFailure> {
        // The waits for the provider's limits and for a connection are for other requests, each of which has its limit.
        let pass = self.line.enter(&self.model, self.fallback).await?;
        let connection = connection().await;
        let began = Instant::now();
        let mut said = None;
        let outcome = self.in_time(network, began, &mut said, on_delta).await;
        drop(connection);
        let span = network.policy.circuit;
        let mut trouble = match outcome {
            Ok(mut answer) => {
                answer.circuit = pass.ended(Ending::Answered, said, span);
                return Ok(answer);
            }
            Err(trouble) => trouble,
        };
        trouble.failure.message = without_keys(trouble.failure.message, &self.post.headers);
        let ending = network.policy.ending(&trouble.failure);
        trouble.failure.circuit = pass.ended(ending, said, span);
        // What has been streamed is no part of an answer.
        on_delta(Delta::Restart);
        let wait = network.policy.delay(trouble.failure.retry_after);
        Err(ModelFailure {
            attempts: 1,
            again: wait.filter(|_| trouble.is_worth_another).map(Again::After),
            took: u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX),
            ..trouble.failure
        })
    }

    /// Sends the request and reads its answer within both limits.
    async fn in_time(
        &self,
        network: &Network,
        began: Instant,
        said: &mut Option<Quota>,
        on_delta: &mut OnDelta,
    ) -> Result<ModelAnswer, Trouble> {
        let first = OnceLock::new();
        let deadline = began + self.limit.min(FOREVER);
        let mut once = pin!(self.once(network, said, &first, on_delta));
        let timed = |answer: ModelAnswer| ModelAnswer {
            first_token: first.get().map(|it: &Instant| it.duration_since(began)),
            ..answer
        };
        if let Some(limit) = self.first_token.filter(|it| *it < self.limit) {
            match timeout_at(began + limit, once.as_mut()).await {
                Ok(outcome) => return outcome.map(timed),
                Err(_) if first.get().is_none() => return Err(self.silent(limit)),
                Err(_) => {}
            }
        }
        match timeout_at(deadline, once).await {
            Ok(outcome) => outcome.map(timed),
            Err(_) => Err(self.late(first.get())),
        }
    }

    /// The time limit has passed. The usage of an answer that has `begun` is unknown.
    fn late(&self, begun: Option<&Instant>) -> Trouble {
        let message = format!(
            "{} gave no complete answer within {} s",
            self.host(),
            self.limit.as_secs_f64()
        );
        Trouble {
            failure: ModelFailure {
                begun: begun.map(|_| Box::default()),
                ..ModelFailure::new(FailureKind::Provider, message)
            },
            is_worth_another: false,
        }
    }

    /// Nothing of the answer has come, so that another attempt repeats nothing.
    fn silent(&self, limit: Duration) -> Trouble {
        let message = format!(
            "{} sent nothing of an answer within {} s (`first_token`)",
            self.host(),
            limit.as_secs_f64()
        );
        Trouble {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: true,
        }
    }

    fn host(&self) -> &str {
        self.post.address.host()
    }

    async fn once(
        &self,
        network: &Network,
        said: &mut Option<Quota>,
        first: &OnceLock<Instant>,
        on_delta: &mut OnDelta,
    ) -> Result<ModelAnswer, Trouble> {
        let sent = network.http.send(&self.post).await;
        let mut response = sent.map_err(|error| Trouble {
            is_worth_another: error.is_worth_another,
            failure: error.failure,
        })?;
        *said = quota(response.headers(), network.policy.longest_retry_after);
        if !response.status().is_success() {
            return Err(self.refused(&mut response).await);
        }
        let request_id = request_id(&response);
        let answered = self.read(&mut response, first, on_delta).await;
        match answered {
            Ok(answer) => Ok(ModelAnswer {
                request_id: request_id.or(answer.request_id),
                ..answer
            }),
            Err(mut trouble) => {
                let named = request_id.map(Into::into);
                trouble.failure.request_id = named.or(trouble.failure.request_id);
                Err(trouble)
            }
        }
    }

    /// Reads the answer of a response that is a success.
    async fn read(
        &self,
        response: &mut Response,
        first: &OnceLock<Instant>,
        on_delta: &mut OnDelta,
    ) -> Result<ModelAnswer, Trouble> {
        if let Some(encoding) = encoding(response) {
            // Unpacking it could take any amount of memory, and we never ask for it.
            let what = format!("it is compressed (`{encoding}`), which was not asked for");
            return Err(Trouble::malformed(self.host(), &what));
        }
        let mut reader = (self.new_reader)();
        let fed = self.feed(response, reader.as_mut(), first, on_delta).await;
        let counted = || Box::new(reader.usage().unwrap_or_default());
        let begun = reader.has_begun().then(counted);
        let read = fed.and_then(|()| reader.finish());
        let read = read.map(|mut answer| {
            // It stays in the conversation, for as long as that continues.
            answer.content.shrink_to_fit();
            answer
        });
        read.map_err(|mut trouble| {
            trouble.failure.begun = begun;
            trouble
        })
    }

    /// Feeds the reader with what arrives.
    async fn feed(
        &self,
        response: &mut Response,
        reader: &mut dyn AnswerReader,
        first: &OnceLock<Instant>,
        on_delta: &mut OnDelta,
    ) -> Result<(), Trouble> {
        let content_type = header(response, "content-type").unwrap_or_default();
        let content_type = content_type.to_ascii_lowercase();
        if content_type.starts_with("application/json") {
            let text = self.text(response).await?;
            let answer = json(&text).map_err(|why| match why {
                Unread::NoJson => Trouble::malformed(self.host(), &shortened(&text)),
                Unread::TwoMeanings => Trouble::two_meanings(self.host()),
            })?;
            if answer.get("error").is_some_and(|it| !it.is_null()) {
                return Err(Trouble::reported(self.host(), &answer));
            }
            reader.whole(&answer, on_delta)
        } else if content_type.is_empty() || content_type.starts_with("text/event-stream") {
            let mut reading = Reading {
                reader,
                first,
                on_delta,
            };
            self.stream(response, &mut reading).await
        } else {
            let text = self.text(response).await?;
            let what = format!(
                "{content_type} instead of an event stream: {}",
                shortened(&text)
            );
            Err(Trouble::malformed(self.host(), &what))
        }
    }

    async fn stream(
        &self,
        response: &mut Response,
        reading: &mut Reading<'_>,
    ) -> Result<(), Trouble> {
        let (mut events, mut halves) = (EventReader::default(), Halves::default());
        while let Some(bytes) = response.chunk().await.map_err(|it| self.broken(&it))? {
            let mut bytes = &*bytes;
            while let Some(event) = events.next(&mut bytes).map_err(|it| self.unreadable(it))? {
                let data = &*halves.join(event.data);
                reading.take(Event { data, ..event })?;
                if reading.reader.is_complete() {
                    let _ = timeout(LINGER, response.chunk()).await;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn refused(&self, response: &mut Response) -> Trouble {
        let status = response.status().as_u16();
        let request_id = request_id(response);
        // Where the body cannot be read, the status still counts.
        let text = match encoding(response) {
            Some(_) => String::new(),
            None => {
                let text = timeout(ERROR_BODY, self.text(response)).await;
                text.ok().and_then(Result::ok).unwrap_or_default()
            }
        };
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        let mut failure = ErrorBody::read(&body).into_failure(self.host(), Some(status), &text);
        let headers = response.headers();
        if let Some(place) = headers.get("location").and_then(|it| it.to_str().ok()) {
            let place = address::shown(place);
            failure.message = format!(
                "{} redirects to {place} (status {status}), which is not followed, since it would take the key there; look at the base URL",
                self.host()
            );
        }
        failure.request_id = request_id.map(Into::into).or(failure.request_id);
        failure.retry_after = retry_after(headers, SystemTime::now()).or(failure.retry_after);
        Trouble {
            // An account without credit gets no better by asking again.
            is_worth_another: failure.kind != FailureKind::QuotaExceeded
                && is_worth_another(status, headers),
            failure,
        }
    }

    async fn text(&self, response: &mut Response) -> Result<String, Trouble> {
        let mut body = Vec::new();
        while let Some(bytes) = response.chunk().await.map_err(|it| self.broken(&it))? {
            body.extend_from_slice(&bytes);
            if body.len() > LARGEST_BODY {
                return Err(self.unreadable(StreamError::TooLarge));
            }
        }
        let mut text =
            String::from_utf8(body).map_err(|_| self.unreadable(StreamError::NotUtf8))?;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(text)
    }

    fn broken(&self, cause: &Cause) -> Trouble {
        let message = describe(self.post.address.text(), Reached::Host, cause.as_ref());
        Trouble {
            failure: ModelFailure::new(FailureKind::Provider, message),
            is_worth_another: true,
        }
    }

    fn unreadable(&self, error: StreamError) -> Trouble {
        let what = match error {
            StreamError::TooLarge => "it is too large",
            StreamError::NotUtf8 => "it is not UTF-8",
        };
        Trouble::malformed(self.host(), what)
    }
}

/// What the provider calls the request.
fn request_id(response: &Response) -> Option<String> {
    let names = ["request-id", "x-request-id"];
    let mut given = names.iter().filter_map(|it| header(response, it));
    given.find(|it| !it.is_empty())
}

/// How the body is compressed, if it is.
fn encoding(response: &Response) -> Option<String> {
    let encoding = header(response, "content-encoding")?;
    (!encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity")).then_some(encoding)
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?;
    Some(value.to_owned())
}
