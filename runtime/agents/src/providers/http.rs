//! The HTTP client: made at first use, and its errors put into words.

use std::error::Error;
use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect;

use gsw_engine::model::{FailureKind, ModelFailure};

use super::opening::Openings;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// The client, its TLS and its roots; nothing of it exists before the first request.
#[derive(Debug, Default)]
pub(crate) struct Http {
    client: OnceLock<Result<reqwest::Client, String>>,
    openings: Openings,
}

/// A request that can be sent several times.
#[derive(Debug)]
pub(crate) struct Post {
    /// Where to.
    pub url: String,
    /// Besides the content type.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: String,
}

impl Http {
    /// Sends it and gives the response when its headers are here.
    pub async fn send(&self, post: &Post) -> Result<reqwest::Response, SendError> {
        let client = self
            .client
            .get_or_init(new_client)
            .as_ref()
            .map_err(|message| SendError::final_one(message.clone()))?;
        let headers = header_map(post)?;
        let turn = self.openings.turn(host(&post.url)).await;
        client
            .post(&post.url)
            .headers(headers)
            .body(turn.body(post.body.clone()))
            .send()
            .await
            .map_err(|error| SendError {
                is_worth_another: !error.is_builder() && tls_error(&error).is_none(),
                message: describe(&post.url, &error),
            })
    }
}

/// A request that did not get a response.
#[derive(Debug)]
pub(crate) struct SendError {
    /// Whether another attempt may succeed.
    pub is_worth_another: bool,
    /// For the user; holds no key.
    pub message: String,
}

impl SendError {
    fn final_one(message: String) -> Self {
        Self {
            is_worth_another: false,
            message,
        }
    }

    /// As a failure of the model.
    pub fn into_failure(self) -> ModelFailure {
        super::failure(FailureKind::Provider, self.message)
    }
}

fn new_client() -> Result<reqwest::Client, String> {
    // Fails only when another part of the process has installed one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT)
        // A redirected request would carry the key to another host.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("groundswell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("the HTTP client cannot start: {}", chain(&error)))
}

fn header_map(post: &Post) -> Result<HeaderMap, SendError> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    for (name, value) in &post.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            SendError::final_one(format!(
                "the value of the header `{name}` holds characters that cannot be sent; look at the key or version in the environment"
            ))
        })?;
        value.set_sensitive(*name == "authorization" || *name == "x-api-key");
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// An address as it can be said: without a user and a password.
pub(crate) fn without_user(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(user) => format!("{scheme}://{}", &rest[user + 1..]),
        None => address.to_owned(),
    }
}

/// What went wrong, with the host and never the key.
pub(crate) fn describe(url: &str, error: &reqwest::Error) -> String {
    let host = host(url);
    if error.is_builder() {
        let url = without_user(url);
        return format!("`{url}` is not an address that can be asked; look at the base URL");
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

/// `api.example.org:8443` of an address.
pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |it| it.1);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

fn tls_error(error: &reqwest::Error) -> Option<&rustls::Error> {
    causes(error).find_map(<dyn Error + 'static>::downcast_ref)
}

/// The error and what caused it, the outermost first.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
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

fn chain(error: &reqwest::Error) -> String {
    let parts: Vec<String> = causes(error).map(ToString::to_string).collect();
    parts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn a_host_is_named_without_credentials() {
        assert_eq!(
            host("https://user:pw@api.example.org:8443/v1?x"),
            "api.example.org:8443"
        );
        assert_eq!(host("localhost"), "localhost");
    }
}
