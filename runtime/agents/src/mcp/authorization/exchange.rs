//! The requests of OAuth beside those to the server: as permitted as any, never in the clear, with small answers.

use std::time::Duration;

use gsw_driver::servers::ServerFailure;
use gsw_driver::web::ReachOf;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, StatusCode, Url};
use serde_json::Value;

use crate::web::client_for;

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(30);
/// The largest answer in bytes.
const LARGEST: usize = 1 << 20;

/// Sends requests for one server.
pub(super) struct Exchange<'a> {
    pub server: &'a Url,
    pub reach_of: &'a ReachOf,
}

pub(super) struct Answer {
    pub status: StatusCode,
    /// `null` if it is no JSON.
    pub body: Value,
}

impl Exchange<'_> {
    /// An address that may be used: `https`, or a local one if the server itself is local, so that no server leads a program to
    /// what listens on this machine.
    pub fn address(&self, text: &str) -> Result<Url, ServerFailure> {
        let url = Url::parse(text)
            .map_err(|why| failed(format!("its authorization has no address `{text}`: {why}")))?;
        let is_safe = match url.scheme() {
            "https" => true,
            "http" => is_local(&url) && is_local(self.server),
            _ => false,
        };
        match is_safe {
            true => Ok(url),
            false => Err(failed(format!(
                "its authorization leads to `{text}`, which is not `https`"
            ))),
        }
    }

    pub async fn get(&self, url: &Url) -> Result<Answer, ServerFailure> {
        let client = client_for(url, self.reach_of)?;
        self.send(client.get(url.clone()), url).await
    }

    pub async fn post_json(&self, url: &Url, body: &Value) -> Result<Answer, ServerFailure> {
        let client = client_for(url, self.reach_of)?;
        let request = client.post(url.clone());
        let request = request.header(CONTENT_TYPE, "application/json");
        self.send(request.body(body.to_string()), url).await
    }

    /// Sends a form, and an `Authorization` header if one is given.
    pub async fn post_form(
        &self,
        url: &Url,
        form: String,
        authorization: Option<String>,
    ) -> Result<Answer, ServerFailure> {
        let client = client_for(url, self.reach_of)?;
        let mut request = client.post(url.clone());
        request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(authorization) = authorization {
            request = request.header(reqwest::header::AUTHORIZATION, authorization);
        }
        self.send(request.body(form), url).await
    }

    async fn send(&self, request: RequestBuilder, url: &Url) -> Result<Answer, ServerFailure> {
        let request = request.header(ACCEPT, "application/json").timeout(LIMIT);
        let host = url.host_str().unwrap_or_default();
        // The error of the client shows the address, which may hold secrets.
        let unreachable = |error: reqwest::Error| {
            let why = match error.is_timeout() {
                true => "it takes too long to answer",
                false => "it cannot be reached",
            };
            failed(format!("the authorization server at {host}: {why}"))
        };
        let mut response = request.send().await.map_err(unreachable)?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(more) = response.chunk().await.map_err(unreachable)? {
            bytes.extend_from_slice(&more);
            if bytes.len() > LARGEST {
                let why = format!("the authorization server at {host} answers too much");
                return Err(failed(why));
            }
        }
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Answer { status, body })
    }
}

/// Whether an address is one of this machine.
pub(super) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|it| it.is_loopback())
}

pub(super) fn failed(why: String) -> ServerFailure {
    ServerFailure::Server(why)
}
