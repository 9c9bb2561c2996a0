//! The HTTP client that sends the current token with each request, and notices why a stream of answers has ended.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;
use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;

/// The token of the moment; none where there is none.
#[derive(Clone, Default)]
pub(crate) struct Bearer(Arc<Mutex<Shown>>);

#[derive(Default)]
struct Shown {
    token: Option<String>,
    times: u64,
}

impl Bearer {
    fn shown(&self) -> MutexGuard<'_, Shown> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows another one from now on.
    pub fn show(&self, token: Option<String>) {
        let mut shown = self.shown();
        shown.token = token;
        shown.times += 1;
    }

    /// How often it has changed.
    pub fn times(&self) -> u64 {
        self.shown().times
    }

    pub fn token(&self) -> Option<String> {
        self.shown().token.clone()
    }
}

/// A client that shows it.
#[derive(Clone)]
pub(crate) struct BearerClient {
    pub client: Client,
    pub bearer: Bearer,
    /// Receives why a stream has ended, which the library keeps to itself.
    pub over: Over,
}

pub(crate) type Over = Arc<dyn Fn(&str) + Send + Sync>;

/// Events of a server, of which one may be too large.
struct Watched {
    events: Events,
    over: Over,
}

impl Stream for Watched {
    type Item = Result<Sse, SseError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let next = this.events.as_mut().poll_next(context);
        if let Poll::Ready(Some(Err(SseError::Body(error)))) = &next
            && error.to_string().contains("exceeded the maximum size")
        {
            (this.over)("a message of it has more than 16 MB");
        }
        next
    }
}

impl BearerClient {
    fn watched(&self, events: Events) -> Events {
        let over = Arc::clone(&self.over);
        Box::pin(Watched { events, over })
    }

    fn heard(&self, posted: StreamableHttpPostResponse) -> StreamableHttpPostResponse {
        if let StreamableHttpPostResponse::Sse(events, session) = posted {
            return StreamableHttpPostResponse::Sse(self.watched(events), session);
        }
        posted
    }
}

type Failure = StreamableHttpError<reqwest::Error>;
type Events = Pin<Box<dyn Stream<Item = Result<Sse, SseError>> + Send>>;

/// A server that refuses without a challenge has its metadata at the well-known place; rmcp gives its words only.
fn refused(failure: Failure) -> Failure {
    if let StreamableHttpError::UnexpectedServerResponse(said) = &failure
        && said.starts_with("HTTP 401")
    {
        return StreamableHttpError::AuthRequired(AuthRequiredError::new(String::new()));
    }
    failure
}

impl StreamableHttpClient for BearerClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let token = self.bearer.token();
        let posted = self
            .client
            .post_message(uri, message, session, token, headers);
        posted.await.map(|it| self.heard(it)).map_err(refused)
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let token = self.bearer.token();
        let posted = self
            .client
            .post_message_with_response_limits(uri, message, session, token, headers, limits);
        posted.await.map(|it| self.heard(it)).map_err(refused)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let token = self.bearer.token();
        self.client
            .delete_session(uri, session, token, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failure> {
        let token = self.bearer.token();
        self.client
            .get_stream(uri, session, last, token, headers)
            .await
            .map(|it| self.watched(it))
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        largest: usize,
    ) -> Result<Events, Failure> {
        let token = self.bearer.token();
        self.client
            .get_stream_with_max_sse_event_size(uri, session, last, token, headers, largest)
            .await
            .map(|it| self.watched(it))
    }
}
