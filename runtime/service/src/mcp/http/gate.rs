//! What a request must be before the protocol sees it: shown the token, sent to the one path, and here in full soon enough.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, WWW_AUTHENTICATE};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use rmcp::transport::StreamableHttpService;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::mcp::http::places::{Answering, Place};
use crate::mcp::http::sessions::Sessions;
use crate::mcp::read::{self, Refused};
use crate::mcp::server::Server;

/// Where the protocol is spoken.
pub(super) const PATH: &str = "/mcp";
/// The largest body of a request, in bytes.
pub(super) const LARGEST: usize = 4 << 20;
/// How many bytes of bodies are held for all clients together.
const ALL_BODIES: usize = 64 << 20;
/// How deep arrays and objects nest, which is what the protocol's crate takes.
const DEEPEST: usize = 127;
/// How long a body may take.
const BODY: Duration = Duration::from_secs(30);

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The way to the protocol.
pub(super) struct Gate {
    service: StreamableHttpService<Server, Sessions>,
    token: Option<String>,
    /// The bytes of bodies that still fit.
    permits: Arc<Semaphore>,
}

/// The body of an answer, whose connection keeps its place until the last of it has gone.
struct Held {
    body: BoxBody<Bytes, Infallible>,
    _answering: Answering,
}

/// What a body takes of the bytes that fit; it is given back when this is dropped.
#[derive(Default)]
struct Permits(Option<OwnedSemaphorePermit>);

impl Permits {
    fn add(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(all) => all.merge(more),
            None => self.0 = Some(more),
        }
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Gate {
    pub fn new(service: StreamableHttpService<Server, Sessions>, token: Option<String>) -> Self {
        Self {
            service,
            token,
            permits: Arc::new(Semaphore::new(ALL_BODIES)),
        }
    }

    pub async fn answer(&self, request: Request<Incoming>, place: &Arc<Place>) -> Answer {
        match self.admitted(request).await {
            Ok((request, permits)) => {
                let answering = place.answering();
                let answer = self.understood(request).await;
                // The body was read and understood.
                drop(permits);
                answer.map(|body| {
                    let held = Held {
                        body,
                        _answering: answering,
                    };
                    held.boxed()
                })
            }
            Err(refused) => *refused,
        }
    }

    /// The answer of the protocol, which calls a body that it cannot read one of another media type.
    async fn understood(&self, request: Request<Full<Bytes>>) -> Answer {
        let (head, body) = request.into_parts();
        let posts_json = head.method == Method::POST && is_json(&head.headers);
        let bytes = match posts_json {
            true => body
                .collect()
                .await
                .map_or_else(|it| match it {}, |it| it.to_bytes()),
            false => return self.service.handle(Request::from_parts(head, body)).await,
        };
        let message = read::message(&bytes, DEEPEST);
        // Whether the request comes from whom it may come from is looked at there and first, so what is refused goes there as
        // a body that cannot be read.
        let bytes = match &message {
            Ok(_) => bytes,
            Err(_) => Bytes::new(),
        };
        let request = Request::from_parts(head, Full::new(bytes));
        let answer = self.service.handle(request).await;
        if answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
            return answer;
        }
        unreadable(match message {
            Ok(message) => Refused::too_deep(&message, DEEPEST),
            Err(refused) => refused,
        })
    }

    /// The request with all of its body, and the permits that it takes.
    async fn admitted(
        &self,
        request: Request<Incoming>,
    ) -> Result<(Request<Full<Bytes>>, Permits), Box<Answer>> {
        let (head, body) = request.into_parts();
        // Of two, one would be checked, and the other trusted by a proxy in front of it.
        if head.headers.get_all(HOST).iter().count() != 1 {
            return Err(refused(StatusCode::BAD_REQUEST, "it needs one `Host`"));
        }
        if head.uri.path() != PATH {
            let why = format!("MCP is spoken at {PATH}");
            return Err(refused(StatusCode::NOT_FOUND, &why));
        }
        if let Some(token) = &self.token
            && !shows(&head.headers, token)
        {
            let mut answer = refused(StatusCode::UNAUTHORIZED, "it needs the bearer token");
            let challenge = hyper::header::HeaderValue::from_static("Bearer");
            answer.headers_mut().insert(WWW_AUTHENTICATE, challenge);
            return Err(answer);
        }
        let length = head.headers.get(CONTENT_LENGTH);
        let length = length.and_then(|it| it.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|it| it > LARGEST) {
            return Err(too_large());
        }
        let collected = tokio::time::timeout(BODY, self.collected(body)).await;
        let (body, permits) = collected
            .map_err(|_| refused(StatusCode::REQUEST_TIMEOUT, "the body takes too long"))??;
        Ok((Request::from_parts(head, Full::new(body)), permits))
    }

    async fn collected(&self, mut body: Incoming) -> Result<(Bytes, Permits), Box<Answer>> {
        let (mut bytes, mut permits) = (BytesMut::new(), Permits::default());
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                refused(
                    StatusCode::BAD_REQUEST,
                    &format!("the body breaks off: {error}"),
                )
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len() + data.len() > LARGEST {
                return Err(too_large());
            }
            let wanted = u32::try_from(data.len()).map_err(|_| too_large())?;
            let taken = Arc::clone(&self.permits).try_acquire_many_owned(wanted);
            permits.add(taken.map_err(|_| {
                let why = "too many request bodies are in flight; try again";
                refused(StatusCode::SERVICE_UNAVAILABLE, why)
            })?);
            bytes.extend_from_slice(&data);
        }
        Ok((bytes.freeze(), permits))
    }
}

/// Whether the token is shown; how long it takes says nothing about where another one differs.
fn shows(headers: &HeaderMap, token: &str) -> bool {
    let shown = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
    let shown = shown.and_then(|it| {
        let (scheme, shown) = it.split_once(' ')?;
        scheme
            .eq_ignore_ascii_case("bearer")
            .then_some(shown.trim())
    });
    let Some(shown) = shown.filter(|it| it.len() == token.len()) else {
        return false;
    };
    let differences = shown
        .bytes()
        .zip(token.bytes())
        .map(|(one, other)| one ^ other);
    std::hint::black_box(differences.fold(0, |all, it| all | it)) == 0
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let essence = kind.and_then(|it| it.split(';').next());
    essence.is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"))
}

/// The error for a body that is no message. A request that is understood but for its parameters is answered like any other.
fn unreadable(refused: Refused) -> Answer {
    let status = match refused.is_of_a_request() {
        true => StatusCode::OK,
        false => StatusCode::BAD_REQUEST,
    };
    let error = refused.answer().map(|it| serde_json::to_vec(&it));
    // A notification is not answered, and an error of ours is JSON.
    let body = error.and_then(Result::ok).unwrap_or_default();
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    let json = hyper::header::HeaderValue::from_static("application/json");
    answer.headers_mut().insert(CONTENT_TYPE, json);
    answer
}

fn too_large() -> Box<Answer> {
    let why = format!("a request has {LARGEST} bytes at most");
    refused(StatusCode::PAYLOAD_TOO_LARGE, &why)
}

fn refused(status: StatusCode, why: &str) -> Box<Answer> {
    let mut answer = Response::new(Full::new(Bytes::from(format!("{why}\n"))).boxed());
    *answer.status_mut() = status;
    let text = hyper::header::HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, text);
    Box::new(answer)
}
