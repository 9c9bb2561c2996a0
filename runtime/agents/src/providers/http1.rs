//! A connection of HTTP/1.1, which has one request at a time.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use http::response::Parts;
use http::uri::{PathAndQuery, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use super::connector::{Cause, Socket, Speech};
use super::unanswered::Unanswered;

/// How long a connection may take to be ready for its next request once the response before was read.
const READY: Duration = Duration::from_millis(20);

/// The way into a connection.
pub(super) struct Alone {
    sender: SendRequest<Full<Bytes>>,
    speech: Speech,
}

/// The head of a response on its way.
pub(super) struct Head(
    Pin<Box<dyn Future<Output = hyper::Result<http::Response<Incoming>>> + Send>>,
);

/// The body of a response on its way.
#[derive(Debug)]
pub(super) struct Body(Incoming);

impl Alone {
    /// Begins to speak over a socket.
    pub async fn over(socket: Socket) -> Result<Self, Cause> {
        let (sender, connection) = handshake(TokioIo::new(socket.bytes)).await?;
        // It tells the request how it ends. Spawned as it is: a block around it would hold it twice.
        tokio::spawn(connection);
        let speech = socket.speech;
        Ok(Self { sender, speech })
    }

    pub fn is_over(&self) -> bool {
        self.sender.is_closed()
    }

    pub fn is_ready(&self) -> bool {
        self.sender.is_ready()
    }

    /// Waits until the connection has seen the end of the response before. Not for long: it may have been left in its middle.
    pub async fn ready(mut self) -> Option<Self> {
        let ready = timeout(READY, self.sender.ready()).await;
        matches!(ready, Ok(Ok(()))).then_some(self)
    }

    /// Sends a request and returns the future of its response.
    pub fn send(&mut self, mut request: Request<Bytes>) -> Head {
        let (whole, host) = (request.uri().clone(), host(request.uri()));
        if let Some(host) = host {
            request.headers_mut().insert(HOST, host);
        }
        match &self.speech {
            Speech::Http1ByProxy(who) => {
                if let Some(who) = who {
                    request
                        .headers_mut()
                        .insert(PROXY_AUTHORIZATION, who.clone());
                }
            }
            Speech::Http1 | Speech::Http2 => {
                let path = whole.path_and_query().cloned();
                *request.uri_mut() = path.unwrap_or(PathAndQuery::from_static("/")).into();
            }
        }
        Head(Box::pin(self.sender.send_request(request.map(Full::new))))
    }
}

/// The host of an address, with the port where it is not that of the scheme.
fn host(uri: &Uri) -> Option<HeaderValue> {
    let host = uri.host()?;
    let usual = match uri.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let port = uri.port_u16().filter(|it| *it != usual);
    let text = port.map_or_else(|| host.to_owned(), |it| format!("{host}:{it}"));
    text.try_into().ok()
}

impl Head {
    pub async fn come(&mut self) -> Result<(Parts, Body), Unanswered> {
        match self.0.as_mut().await {
            Ok(response) => {
                let (head, body) = response.into_parts();
                Ok((head, Body(body)))
            }
            // It was never taken from the queue.
            Err(error) if error.is_canceled() => Err(Unanswered::unsent(error.into())),
            Err(error) => Err(Unanswered::failed(error.into())),
        }
    }
}

impl Body {
    /// The next part of the body; `None` at its end.
    pub async fn more(&mut self) -> Result<Option<Bytes>, Cause> {
        while let Some(frame) = self.0.frame().await {
            // Trailers are ignored.
            if let Ok(bytes) = frame?.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}
