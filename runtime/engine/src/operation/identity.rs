//! How an operation is recognised in another life of its run, and how it is described to people.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use gsw_abi::site::Site;
use gsw_notation::duration::{self, SECOND};
use serde::Serialize;
use serde_json::json;

use crate::hidden::REDACTED;
use crate::hidden::words::{CUT, SHOWN, one_line};
use crate::model::ModelRequest;
use crate::operation::{Delivery, HttpRequest, McpRequest, Request};

/// What is asked for and where, without anything that only this image knows.
#[derive(Serialize)]
struct Canonical<'a, T: Serialize> {
    site: Site,
    request: &'a T,
}

impl HttpRequest {
    /// What it asks for in a few words, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("http {} {}", self.method, short(&self.url))
    }
}

impl McpRequest {
    /// What it asks for in a few words, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let server = self.server();
        let server = short(&server);
        match self.ask.summary() {
            (what, None) => format!("mcp {server} {}", short(&what)),
            (what, Some(input)) => format!("mcp {server} {}({})", short(&what), short(input)),
        }
    }
}

impl Request {
    /// Its place in the program and its whole request, as bytes: equal in every process of the run, even if the program was
    /// compiled again and its tables have another order.
    #[must_use]
    pub fn identity(&self, site: Site) -> Vec<u8> {
        match self {
            // These hold indices of tables; their meaning is encoded apart.
            Self::Human { question } => canonical(
                site,
                &json!({ "human": {
                    "digest": question.digest,
                    "refused": question.refused.as_ref().map(|it| it.count),
                }}),
            ),
            Self::External { external } => canonical(
                site,
                &json!({ "external": {
                    "digest": external.digest,
                    "key": external.key,
                }}),
            ),
            Self::StartRun { start } => canonical(
                site,
                &json!({ "start_run": {
                    "workflow": start.was.as_ref().unwrap_or(&start.workflow),
                    "input": start.input,
                    "id": start.id,
                }}),
            ),
            Self::Model { request, delivery }
                if request.tools.iter().any(|it| it.was.is_some()) =>
            {
                canonical(site, &as_offered_before(request, *delivery))
            }
            request @ (Self::Sleep { .. }
            | Self::Now
            | Self::Random
            | Self::RandomInt { .. }
            | Self::Uuid
            | Self::FsRead { .. }
            | Self::FsReadBytes { .. }
            | Self::FsWrite { .. }
            | Self::FsWriteBytes { .. }
            | Self::FsAppend { .. }
            | Self::FsExists { .. }
            | Self::FsList { .. }
            | Self::FsGlob { .. }
            | Self::FsRemove { .. }
            | Self::FsMakeDir { .. }
            | Self::EnvGet { .. }
            | Self::MediaUrl { .. }
            | Self::Model { .. }
            | Self::Piece { .. }
            | Self::Scripted { .. }
            | Self::LookUp { .. }
            | Self::Keep { .. }
            | Self::OtherRun { .. }
            | Self::Exec { .. }
            | Self::Http { .. }
            | Self::Mcp { .. }
            | Self::Mocked { .. }
            | Self::Compile { .. }
            | Self::Host { .. }) => canonical(site, request),
        }
    }

    /// What it asks for in a few words, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        match self {
            Self::Sleep { nanoseconds } => {
                // Until a time it is as long as is left of it.
                let shown = match *nanoseconds {
                    long if long >= 60 * SECOND => long - long % SECOND,
                    short => short,
                };
                format!("sleep of {}", duration::text(shown))
            }
            Self::Now => "the time".into(),
            Self::Random => "a random number".into(),
            Self::RandomInt { low, high } => format!("a random number from {low} to {high}"),
            Self::Uuid => "a UUID".into(),
            Self::FsRead { path } | Self::FsReadBytes { path } => about("fs.read", path),
            Self::FsWrite { path, .. } | Self::FsWriteBytes { path, .. } => about("fs.write", path),
            Self::FsAppend { path, text } => {
                format!("{} {}", about("fs.append", path), quoted(text))
            }
            Self::FsExists { path } => about("fs.exists", path),
            Self::FsList { path } => about("fs.list", path),
            Self::FsGlob { pattern } => about("fs.glob", pattern),
            Self::FsRemove { path } => about("fs.remove", path),
            Self::FsMakeDir { path } => about("fs.make_dir", path),
            Self::EnvGet { name } => about("env.get", name),
            Self::MediaUrl { .. } => "the address of a medium".into(),
            Self::Model { request, .. } => format!("model {}", request.model),
            Self::Piece { .. } => "more of an answer".into(),
            Self::Scripted { .. } => "an answer of a test".into(),
            Self::LookUp { .. } => "a look into the cache".into(),
            Self::Keep { .. } => "keeping an answer".into(),
            Self::StartRun { start } => format!("spawn detached {}", start.workflow),
            Self::Exec { request } => {
                let mut words = "exec".to_owned();
                for word in &request.argv {
                    // Writing to a string cannot fail.
                    let _ = write!(words, " {}", short(word));
                    if words.len() > SHOWN {
                        break;
                    }
                }
                short(&words).into_owned()
            }
            Self::Http { request } => request.summary(),
            Self::Mcp { request } => request.summary(),
            Self::Host { tool, input } => format!("{tool}({})", short(input)),
            Self::Mocked { call } => format!("{}({})", call.item, short(&call.input)),
            Self::Human { question } => format!("human {}", question.human),
            Self::External { external } => format!("external {}", external.name),
            Self::Compile { written } => about("compile", &written.source),
            Self::OtherRun { run, ask } => about(ask.function(), run),
        }
    }
}

/// What is left of a [`Request::summary`] without what was given, for who does not know what of it is hidden.
#[must_use]
pub fn bare_summary(summary: &str) -> String {
    let spaced = ["exec ", "http ", "mcp "];
    let spaced = spaced.into_iter().find(|it| summary.starts_with(it));
    match spaced.map(str::len).or_else(|| summary.find(['(', '`'])) {
        Some(end) => format!("{}{REDACTED}", &summary[..end]),
        None => summary.to_owned(),
    }
}

/// The request with the names by which an earlier version of the program offered its tools.
fn as_offered_before(request: &ModelRequest, delivery: Delivery) -> Request {
    let mut request = ModelRequest::clone(request);
    for tool in &mut request.tools {
        if let Some(was) = tool.was.take() {
            tool.name = was;
        }
    }
    Request::Model {
        request: Arc::new(request),
        delivery,
    }
}

fn canonical(site: Site, request: &impl Serialize) -> Vec<u8> {
    let canonical = Canonical { site, request };
    serde_json::to_vec(&canonical).expect("requests have JSON, which a test reads back")
}

fn about(what: &str, argument: &str) -> String {
    format!("{what} {}", quoted(argument))
}

fn quoted(text: &str) -> String {
    format!("`{}`", short(text))
}

/// The beginning of a text, in one line.
fn short(text: &str) -> Cow<'_, str> {
    if text.len() <= SHOWN && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let (text, is_cut) = match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => (&text[..cut], true),
        None => (text, false),
    };
    let mut shown = one_line(text);
    if is_cut {
        shown.push(CUT);
    }
    Cow::Owned(shown)
}
