//! Embeds a workflow in an axum service: `POST /reply` starts a run, its events and its result come back as server-sent
//! events, and dropping the request cancels the run.

mod conversation;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::response::sse::{KeepAlive, Sse};
use axum::routing::post;
use axum::{Json, Router};
use groundswell::Host;
use serde::Deserialize;

pub use conversation::Conversation;

#[allow(
    missing_docs,
    reason = "what has no docs in the workflow has none here"
)]
pub mod support {
    groundswell::include_workflows!("support");
}

/// A mail as it is posted.
#[derive(Deserialize, Debug)]
pub struct Mail {
    /// The customer's number.
    pub customer: String,
    /// What the customer wrote.
    pub text: String,
}

/// The service around a host of the workflow.
pub fn service(host: Host) -> Router {
    Router::new().route("/reply", post(reply)).with_state(host)
}

async fn reply(
    State(host): State<Host>,
    Json(mail): Json<Mail>,
) -> Result<impl IntoResponse, (StatusCode, String)> {
    let run = support::reply(&host, mail.customer, mail.text)
        .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(Sse::new(Conversation::new(run)).keep_alive(KeepAlive::default()))
}
