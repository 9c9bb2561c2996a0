//! A connection of HTTP/2, over which many requests go at once.
//!
//! Requests are handed to `h2` itself: what is above it in clients of HTTP keeps several kilobytes for each request that waits
//! for its answer, and a request here has its whole body at once and is never redirected.

use std::future::pending;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Builder, ResponseFuture, SendRequest};
use h2::{Ping, PingPong, Reason, RecvStream};
use http::Request;
use http::response::Parts;
use tokio::time::{sleep, timeout};

use super::connector::{Cause, Socket};
use super::unanswered::Unanswered;

/// Requests on a connection: what servers of HTTP/2 allow at least (RFC 9113 §6.5.2 advises "no smaller than 100").
pub(super) const MOST: usize = 100;
/// A connection with requests on it is asked for a sign of life this often, since its end takes all of them along.
const SIGN_OF_LIFE: Duration = match cfg!(test) {
    true => Duration::from_millis(50),
    false => Duration::from_secs(20),
};
/// Bytes of one answer, and of all of a connection, that may come before they are read: answers are small.
const WINDOW: u32 = 256 << 10;
const ALL_WINDOWS: u32 = 5 << 20;
/// The largest head of an answer.
const LARGEST_HEAD: u32 = 16 << 10;

/// The way into a connection.
pub(super) struct Shared {
    sender: SendRequest<Bytes>,
    pulse: Arc<Pulse>,
}

/// State shared by the connection and its requests.
#[derive(Default, Debug)]
struct Pulse {
    requests: AtomicUsize,
    end: OnceLock<End>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Closed,
    /// It gave no sign of life.
    Silent,
}

/// The head of a response on its way.
pub(super) struct Head {
    response: ResponseFuture,
    pulse: Arc<Pulse>,
}

/// The body of a response on its way.
#[derive(Debug)]
pub(super) struct Body {
    stream: RecvStream,
    pulse: Arc<Pulse>,
}

impl Shared {
    /// Begins to speak over a socket.
    pub async fn over(socket: Socket) -> Result<Self, Cause> {
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_max_send_streams(MOST)
            .initial_window_size(WINDOW)
            .initial_connection_window_size(ALL_WINDOWS)
            .max_header_list_size(LARGEST_HEAD);
        let (sender, mut connection) = builder.handshake(socket.bytes).await.map_err(cause)?;
        let pulse = Arc::new(Pulse::default());
        let (kept, pings) = (Arc::clone(&pulse), connection.ping_pong());
        tokio::spawn(async move {
            // Every request is told how the connection ended.
            tokio::select! {
                _ = connection => {}
                () = silence(pings, &kept) => {}
            }
            let _ = kept.end.set(End::Closed);
        });
        Ok(Self { sender, pulse })
    }

    /// Takes a place for one more request, if there is one.
    pub fn enter(&self) -> Option<()> {
        let most = self.sender.current_max_send_streams().clamp(1, MOST);
        let more = |it: usize| (it < most).then_some(it + 1);
        let requests = &self.pulse.requests;
        let entered = requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        entered.ok().map(drop)
    }

    /// Releases the place that `enter` took.
    pub fn leave(&self) {
        self.pulse.requests.fetch_sub(1, Ordering::AcqRel);
    }

    pub fn is_used(&self) -> bool {
        self.pulse.requests.load(Ordering::Acquire) > 0
    }

    pub fn is_over(&self) -> bool {
        self.pulse.end.get().is_some()
    }

    /// Takes no further request, since the server does not.
    pub fn close(&self) {
        let _ = self.pulse.end.set(End::Closed);
    }

    /// Queues a whole request; it leaves as the server takes it.
    pub fn send(&self, request: Request<Bytes>) -> Result<Head, Unanswered> {
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, ());
        let sent = self.sender.clone().send_request(request, false);
        let (response, mut stream) = sent.map_err(|it| Unanswered::unsent(cause(it)))?;
        let sent = stream.send_data(body, true);
        sent.map_err(|it| self.pulse.unanswered(it))?;
        Ok(Head {
            response,
            pulse: Arc::clone(&self.pulse),
        })
    }
}

impl Head {
    pub async fn come(&mut self) -> Result<(Parts, Body), Unanswered> {
        let response = (&mut self.response).await;
        let (head, stream) = response
            .map_err(|it| self.pulse.unanswered(it))?
            .into_parts();
        let pulse = Arc::clone(&self.pulse);
        Ok((head, Body { stream, pulse }))
    }
}

impl Body {
    /// The next part of the body; `None` at its end.
    pub async fn more(&mut self) -> Result<Option<Bytes>, Cause> {
        let bytes = match self.stream.data().await {
            None => return Ok(None),
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => {
                return match error.reason() {
                    // The server ended it in peace: what has come is whole.
                    Some(Reason::NO_ERROR | Reason::CANCEL) => Ok(None),
                    _ => Err(self.pulse.cause(error)),
                };
            }
        };
        // Fails only for more than came.
        let _ = self.stream.flow_control().release_capacity(bytes.len());
        Ok(Some(bytes))
    }
}

impl Pulse {
    fn unanswered(&self, error: h2::Error) -> Unanswered {
        let is_refused = match error.reason() {
            Some(Reason::REFUSED_STREAM) => error.is_reset() && error.is_remote(),
            // Where the server ends the connection in peace, what it has begun to work on continues.
            Some(Reason::NO_ERROR) => error.is_go_away() && error.is_remote(),
            _ => false,
        };
        let cause = self.cause(error);
        match is_refused {
            true => Unanswered::refused(cause),
            false => Unanswered::failed(cause),
        }
    }

    fn cause(&self, error: h2::Error) -> Cause {
        match self.end.get() {
            Some(End::Silent) => {
                io::Error::new(io::ErrorKind::TimedOut, "operation timed out").into()
            }
            Some(End::Closed) | None => cause(error),
        }
    }
}

/// Completes when a connection with requests on it does not answer a ping in time.
async fn silence(pings: Option<PingPong>, pulse: &Pulse) {
    let Some(mut pings) = pings else {
        return pending().await;
    };
    loop {
        sleep(SIGN_OF_LIFE).await;
        if pulse.requests.load(Ordering::Acquire) == 0 {
            continue;
        }
        match timeout(SIGN_OF_LIFE, pings.ping(Ping::opaque())).await {
            Ok(Ok(_)) => {}
            // The connection has its own end.
            Ok(Err(_)) => return pending().await,
            Err(_) => {
                // Said before the connection is dropped, with which its requests end.
                let _ = pulse.end.set(End::Silent);
                return;
            }
        }
    }
}

fn cause(error: h2::Error) -> Cause {
    match error.is_io() {
        true => error
            .into_io()
            .map_or_else(|| "it broke".into(), Cause::from),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Request;

    use super::Shared;
    use crate::connections::failing::last_cause;
    use crate::providers::connector::{Socket, Speech};
    use crate::providers::unanswered::Sent;

    #[tokio::test]
    async fn a_connection_that_gives_no_sign_of_life_ends_with_its_requests() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let shared = Shared::over(Socket {
            bytes: Box::new(ours),
            speech: Speech::Http2,
        });
        let shared = shared.await.expect("it can be written");
        shared.enter().expect("there is a place");
        let mut request = Request::new(Bytes::from_static(b"{}"));
        *request.uri_mut() = "https://host/".parse().expect("an address");
        let mut head = shared.send(request).expect("it is sent");
        let failed = head.come().await.expect_err("nobody answers");
        assert_eq!(last_cause(failed.cause.as_ref()), "operation timed out");
        assert_eq!(failed.sent, Sent::Maybe);
        assert!(shared.is_over());
        drop(theirs);
    }
}
