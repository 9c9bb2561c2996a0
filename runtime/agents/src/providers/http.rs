//! Requests to providers on their way over HTTP, and their errors put into words.

use std::error::Error;
use std::io;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use gsw_engine::model::{FailureKind, ModelFailure};
use serde_json::Value;

use super::keys::is_secret;
use super::lanes::{CONNECT, Lanes, Place};
use super::opening::Openings;
use crate::connections::address::{self, Address};

/// What all requests share.
#[derive(Debug, Default)]
pub(crate) struct Http {
    lanes: Lanes,
    openings: Openings,
}

/// A response whose headers are here.
#[derive(Debug)]
pub(crate) struct Responding {
    pub response: reqwest::Response,
    /// Held until the response is read.
    pub place: Place,
}

/// A request that can be sent several times.
pub(crate) struct Post<'a> {
    pub address: &'a Address,
    pub headers: Vec<(&'static str, String)>,
    /// Makes its JSON each time, when it is about to be sent: many requests wait for their turn, and a body may be large.
    pub body: &'a (dyn Fn() -> Result<Value, ModelFailure> + Sync),
}

impl Http {
    /// Sends it and gives the response when its headers are here.
    pub async fn send(&self, post: &Post<'_>) -> Result<Responding, SendError> {
        let headers = header_map(post)?;
        let host = post.address.host();
        let turn = self.openings.turn(host).await;
        let place = self.lanes.place().map_err(SendError::final_one)?;
        let turn = turn.into(place.entry(host).await);
        let client = place.client();
        let body = (post.body)().map_err(SendError::refused)?.to_string();
        let request = match post.address.url() {
            Some(url) => client.post(url.clone()),
            // What is wrong with it is reported when it is sent.
            None => client.post(post.address.text()),
        };
        let request = request.headers(headers).body(turn.body(body));
        let response = request.send().await.map_err(|error| SendError {
            is_worth_another: !error.is_builder() && tls_error(&error).is_none(),
            failure: ModelFailure::new(
                FailureKind::Provider,
                describe(post.address.text(), &error),
            ),
        })?;
        Ok(Responding { response, place })
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

fn header_map(post: &Post<'_>) -> Result<HeaderMap, SendError> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    for (name, value) in &post.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            SendError::final_one(format!(
                "the value of the header `{name}` contains characters that cannot be sent; check the key or version in the environment"
            ))
        })?;
        value.set_sensitive(is_secret(name));
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// What went wrong, with the host and never the key.
pub(crate) fn describe(url: &str, error: &reqwest::Error) -> String {
    let host = address::host(url);
    if error.is_builder() {
        let shown = address::shown(url);
        return format!("`{shown}` is not an address that can be reached; check the base URL");
    }
    if let Some(tls) = tls_error(error) {
        return format!("no secure connection to {host}: {tls}");
    }
    if error.is_connect() && error.is_timeout() {
        return format!(
            "{host} did not accept a connection within {} s",
            CONNECT.as_secs()
        );
    }
    if error.is_connect() {
        return format!("{host} cannot be reached: {}", last_cause(error));
    }
    format!("the connection to {host} failed: {}", last_cause(error))
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    causes(error).find_map(<dyn Error + 'static>::downcast_ref)
}

/// The error and what caused it, the outermost first.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let this = next?;
        // An `io::Error` leaves the error that it carries out of its sources.
        let carried = this
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = carried.map(|it| it as _).or_else(|| this.source());
        Some(this)
    })
}

/// What an error comes from in the end, in its own words.
pub(crate) fn last_cause(error: &reqwest::Error) -> String {
    causes(error)
        .last()
        .map_or_else(|| error.to_string(), ToString::to_string)
}

pub(super) fn chain(error: &reqwest::Error) -> String {
    let parts: Vec<String> = causes(error).map(ToString::to_string).collect();
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde_json::json;

    use super::{Address, Http, Post};
    use crate::providers::opening::AT_ONCE;

    #[tokio::test]
    async fn a_body_is_made_when_it_is_its_turn() {
        let http = Arc::new(Http::default());
        let mut turns = Vec::new();
        for _ in 0..AT_ONCE {
            turns.push(http.openings.turn("127.0.0.1:1").await);
        }
        let is_made = Arc::new(AtomicBool::new(false));
        let (sender, made) = (Arc::clone(&http), Arc::clone(&is_made));
        let sending = tokio::spawn(async move {
            let body = || {
                made.store(true, Ordering::SeqCst);
                Ok(json!({}))
            };
            let post = Post {
                address: &Address::of("http://127.0.0.1:1/v1".into()),
                headers: Vec::new(),
                body: &body,
            };
            sender.send(&post).await.map(|it| it.response.status())
        });
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!is_made.load(Ordering::SeqCst));
        drop(turns);
        let error = sending
            .await
            .expect("no panic")
            .expect_err("nobody is there");
        assert!(is_made.load(Ordering::SeqCst), "{error:?}");
    }
}
