//! Requests to providers on their way over HTTP, and their errors put into words.

use bytes::Bytes;
use gsw_engine::model::{FailureKind, ModelFailure};
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
    USER_AGENT,
};
use http::{Method, Request};

use super::connector::AGENT;
use super::keys::is_secret;
use super::lanes::{Lanes, NoPlace};
use super::response::{Response, send};
use super::unanswered::{Sent, Unanswered};
use crate::connections::address::{Address, Target};
use crate::connections::failing;

/// How often a request that its server has not begun to work on is sent again at once. A guess: more refusals are an outage.
const AT_ONCE_AGAIN: usize = 5;

/// Headers that a request has besides those of its provider.
const OURS: usize = 5;

/// The connections that all requests share.
#[derive(Debug, Default)]
pub(crate) struct Http {
    lanes: Lanes,
}

/// A request that can be sent several times.
pub(crate) struct Post<'a> {
    pub address: &'a Address,
    pub headers: Vec<(&'static str, String)>,
    /// Writes its JSON each time, when it is about to be sent: many requests wait for their turn, and a body may be large.
    pub body: &'a (dyn Fn() -> Result<String, ModelFailure> + Sync),
}

impl Http {
    /// Sends it and returns the response when its head has arrived.
    pub async fn send(&self, post: &Post<'_>) -> Result<Response, SendError> {
        // What is wrong with the request itself is reported before its host is looked for.
        for (name, text) in &post.headers {
            value(name, text)?;
        }
        let Some(target) = post.address.target() else {
            let message = failing::no_address(post.address.text());
            return Err(SendError::final_one(message));
        };
        let mut again = AT_ONCE_AGAIN;
        loop {
            let place = self.lanes.place(target).await;
            let place = place.map_err(|it| post.nowhere(it))?;
            let unanswered = match send(place, post.request(target)?) {
                Ok(coming) => match coming.response().await {
                    Ok(response) => return Ok(response),
                    Err(unanswered) => unanswered,
                },
                Err(unanswered) => unanswered,
            };
            if unanswered.sent == Sent::Maybe || again == 0 {
                return Err(post.unanswered(&unanswered));
            }
            again -= 1;
        }
    }
}

impl Post<'_> {
    fn request(&self, target: &Target) -> Result<Request<Bytes>, SendError> {
        let body = (self.body)().map_err(SendError::refused)?;
        let mut headers = HeaderMap::with_capacity(self.headers.len() + OURS);
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, body.len().into());
        for (name, text) in &self.headers {
            headers.insert(HeaderName::from_static(name), value(name, text)?);
        }
        if let Some(authorization) = target.authorization() {
            let given = headers.entry(AUTHORIZATION);
            given.or_insert_with(|| authorization.clone());
        }
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = target.uri().clone();
        *request.headers_mut() = headers;
        Ok(request)
    }

    fn nowhere(&self, why: NoPlace) -> SendError {
        match why {
            NoPlace::Nowhere(message) => SendError::final_one(message),
            NoPlace::Unreached(unanswered) => self.unanswered(&unanswered),
        }
    }

    fn unanswered(&self, unanswered: &Unanswered) -> SendError {
        let cause = unanswered.cause.as_ref();
        let message = failing::describe(self.address.text(), unanswered.reached, cause);
        SendError {
            is_worth_another: failing::tls_error(cause).is_none(),
            failure: ModelFailure::new(FailureKind::Provider, message),
        }
    }
}

/// A request that did not get a response.
#[derive(Debug)]
pub(crate) struct SendError {
    /// Whether another attempt may succeed.
    pub is_worth_another: bool,
    /// For the user; holds no key.
    pub failure: ModelFailure,
}

impl SendError {
    fn final_one(message: String) -> Self {
        Self::refused(ModelFailure::new(FailureKind::Provider, message))
    }

    fn refused(failure: ModelFailure) -> Self {
        Self {
            is_worth_another: false,
            failure,
        }
    }
}

fn value(name: &str, text: &str) -> Result<HeaderValue, SendError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        SendError::final_one(format!(
            "the value of the header `{name}` contains characters that cannot be sent; check the key or version in the environment"
        ))
    })?;
    value.set_sensitive(is_secret(name));
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::net::TcpListener;

    use super::{Address, Http, Post};

    #[tokio::test]
    async fn a_body_is_made_when_it_is_its_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        let http = Arc::new(Http::default());
        let turns = http.lanes.hold_turns(&url).await;
        let address = Address::of(format!("{url}/v1"));
        let is_made = Arc::new(AtomicBool::new(false));
        let (sender, made) = (Arc::clone(&http), Arc::clone(&is_made));
        let sending = tokio::spawn(async move {
            let body = || {
                made.store(true, Ordering::SeqCst);
                Ok("{}".to_owned())
            };
            let post = Post {
                address: &address,
                headers: Vec::new(),
                body: &body,
            };
            sender.send(&post).await.map(|it| it.status())
        });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!is_made.load(Ordering::SeqCst));
        drop(turns);
        drop(listener.accept().await.expect("a client"));
        let error = sending
            .await
            .expect("no panic")
            .expect_err("nobody answers");
        assert!(is_made.load(Ordering::SeqCst), "{error:?}");
    }
}
