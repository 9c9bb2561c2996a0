//! Sends a batch of spans over OTLP/HTTP and reads what the collector says.

use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::InstrumentationScope;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, redirect};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::connections::{failing, tls};
use crate::telemetry::attribute::{number, text};
use crate::telemetry::names;
use crate::telemetry::settings::{Protocol, Settings};

/// How much of an answer is read.
const LONGEST_ANSWER: usize = 64 << 10;

/// What a collector says to a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It took it, but for this many spans.
    Taken {
        /// Spans that it did not take.
        rejected: u64,
        /// What it says about them.
        why: Option<String>,
    },
    /// It will never take it.
    Refused(String),
    /// It may take it another time.
    Later {
        /// What is in the way.
        why: String,
        /// When to retry, where the answer says it.
        after: Option<Duration>,
    },
}

pub struct Sender {
    settings: Settings,
    /// Made at first use: a run without spans needs neither client nor runtime.
    line: Option<(Client, Runtime)>,
}

impl Sender {
    pub const fn new(settings: Settings) -> Self {
        Self {
            settings,
            line: None,
        }
    }

    /// Sends spans and returns them with the answer, waiting as long as the settings allow.
    pub fn send(&mut self, spans: Vec<Span>) -> (Vec<Span>, Answer) {
        let mut request = self.request(spans);
        let (content_type, body) = match self.settings.protocol {
            Protocol::Protobuf => ("application/x-protobuf", request.encode_to_vec()),
            Protocol::Json => match serde_json::to_vec(&request) {
                Ok(body) => ("application/json", body),
                Err(error) => return (spans_of(&mut request), Answer::Refused(error.to_string())),
            },
        };
        let answer = match self.post(content_type, body) {
            Ok(answer) | Err(answer) => answer,
        };
        (spans_of(&mut request), answer)
    }

    fn post(&mut self, content_type: &'static str, body: Vec<u8>) -> Result<Answer, Answer> {
        let headers = headers(&self.settings, content_type)?;
        if self.line.is_none() {
            self.line = Some(open(&self.settings)?);
        }
        let Some((client, runtime)) = &self.line else {
            return Err(Answer::Refused("there is no HTTP client".into()));
        };
        let address = &self.settings.address;
        let protocol = self.settings.protocol;
        runtime.block_on(async {
            let sent = client
                .post(address)
                .headers(headers)
                .body(body)
                .send()
                .await;
            match sent {
                Ok(response) => Ok(read(response, protocol).await),
                Err(error) if error.is_builder() => Err(Answer::Refused(failing::describe_client(
                    &self.settings.collector(),
                    &error,
                ))),
                Err(error) => Err(Answer::Later {
                    why: failing::describe_client(&self.settings.collector(), &error),
                    after: None,
                }),
            }
        })
    }

    fn request(&self, spans: Vec<Span>) -> ExportTraceServiceRequest {
        let named = self
            .settings
            .resource
            .iter()
            .map(|(name, value)| text(name, value));
        let mut attributes: Vec<_> = named.collect();
        attributes.extend([
            text(names::SDK_NAME, names::SCOPE),
            text(names::SDK_LANGUAGE, "rust"),
            text(names::SDK_VERSION, env!("CARGO_PKG_VERSION")),
            number(names::PROCESS_ID, u64::from(std::process::id())),
        ]);
        let scope = InstrumentationScope {
            name: names::SCOPE.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..InstrumentationScope::default()
        };
        ExportTraceServiceRequest {
            resource_spans: vec![ResourceSpans {
                resource: Some(Resource {
                    attributes,
                    ..Resource::default()
                }),
                scope_spans: vec![ScopeSpans {
                    scope: Some(scope),
                    spans,
                    ..ScopeSpans::default()
                }],
                ..ResourceSpans::default()
            }],
        }
    }
}

fn spans_of(request: &mut ExportTraceServiceRequest) -> Vec<Span> {
    let resources = request.resource_spans.drain(..);
    let scopes = resources.flat_map(|it| it.scope_spans);
    scopes.flat_map(|it| it.spans).collect()
}

fn open(settings: &Settings) -> Result<(Client, Runtime), Answer> {
    let client = Client::builder()
        .tls_backend_preconfigured(tls().map_err(Answer::Refused)?)
        .timeout(settings.timeout)
        // A redirected request would carry the headers to another host.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("groundswell/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Answer::Refused(format!("the HTTP client cannot start: {error}")))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Answer::Refused(format!("the HTTP client cannot start: {error}")))?;
    Ok((client, runtime))
}

fn headers(settings: &Settings, content_type: &'static str) -> Result<HeaderMap, Answer> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static(content_type));
    for (name, value) in &settings.headers {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| Answer::Refused(format!("`{name}` is not the name of a header")))?;
        // The value may be a key, so it is not shown.
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            Answer::Refused(format!(
                "the value of the header `{name}` contains characters that cannot be sent"
            ))
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

async fn read(mut response: Response, protocol: Protocol) -> Answer {
    let status = response.status();
    let after = response.headers().get("retry-after");
    let after = after
        .and_then(|it| it.to_str().ok()?.parse().ok())
        .map(Duration::from_secs);
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_ANSWER {
            break;
        }
    }
    match status.as_u16() {
        200..300 => taken(&body, protocol),
        429 | 502 | 503 | 504 => Answer::Later {
            why: format!("the collector answers {status}"),
            after,
        },
        _ => Answer::Refused(format!("the collector answers {status}")),
    }
}

/// A collector may take a batch in part. An answer that cannot be read takes it whole, as the standard's empty one does.
fn taken(body: &[u8], protocol: Protocol) -> Answer {
    let (rejected, message) = match protocol {
        Protocol::Protobuf => {
            let answer = ExportTraceServiceResponse::decode(body).unwrap_or_default();
            let partial = answer.partial_success.unwrap_or_default();
            let rejected = u64::try_from(partial.rejected_spans).unwrap_or(0);
            (rejected, partial.error_message)
        }
        Protocol::Json => {
            let answer: Value = serde_json::from_slice(body).unwrap_or_default();
            let partial = &answer["partialSuccess"];
            let rejected = &partial["rejectedSpans"];
            // Whole numbers of 64 bits are text in this form, and not everybody knows.
            let as_text = || rejected.as_str().and_then(|it| it.parse().ok());
            let message = partial["errorMessage"].as_str().unwrap_or_default();
            (
                rejected.as_u64().or_else(as_text).unwrap_or(0),
                message.to_owned(),
            )
        }
    };
    Answer::Taken {
        rejected,
        why: (!message.is_empty()).then(|| format!("the collector says: {message}")),
    }
}
