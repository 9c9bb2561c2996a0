//! A request on its way to its host, and the response that comes back over the same connection.

use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, Request, StatusCode};

use super::connector::Cause;
use super::lanes::{Lane, Place};
use super::unanswered::Unanswered;
use super::{http1, http2};

/// A response whose head is here.
#[derive(Debug)]
pub(crate) struct Response {
    head: Parts,
    body: Body,
    // After the body, since the connection is free once that is gone.
    #[expect(dead_code, reason = "it is held")]
    place: Place,
}

#[derive(Debug)]
enum Body {
    Shared(http2::Body),
    Alone(http1::Body),
}

/// A response whose head is on its way.
pub(super) struct Coming {
    head: Head,
    place: Place,
}

enum Head {
    Shared(http2::Head),
    Alone(http1::Head),
}

/// Hands a request to the connection of its place; the place is released if the connection refuses it.
pub(super) fn send(mut place: Place, request: Request<Bytes>) -> Result<Coming, Unanswered> {
    let head = match place.lane() {
        Lane::Shared(shared) => shared.send(request).map(Head::Shared),
        Lane::Alone(alone) => Ok(Head::Alone(alone.send(request))),
    };
    match head {
        Ok(head) => Ok(Coming { head, place }),
        Err(unanswered) => Err(place.failed(unanswered)),
    }
}

impl Coming {
    /// Waits for the status and the headers.
    pub async fn response(mut self) -> Result<Response, Unanswered> {
        let come = match &mut self.head {
            Head::Shared(head) => head.come().await.map(|it| (it.0, Body::Shared(it.1))),
            Head::Alone(head) => head.come().await.map(|it| (it.0, Body::Alone(it.1))),
        };
        let mut place = self.place;
        match come {
            Ok((head, body)) => Ok(Response { head, body, place }),
            Err(unanswered) => Err(place.failed(unanswered)),
        }
    }
}

impl Response {
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// The next part of its body; `None` at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, Cause> {
        match &mut self.body {
            Body::Shared(body) => body.more().await,
            Body::Alone(body) => body.more().await,
        }
    }
}
