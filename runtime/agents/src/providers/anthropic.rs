//! Anthropic's Messages API.

mod reader;
mod wire;

use gsw_engine::model::{ModelAnswer, ModelFailure, ModelRequest};
use serde_json::Value;

use super::exchange::{AnswerReader, Exchange};
use super::http::Post;
use super::{OnDelta, Providers, missing_key, schema};
use crate::connections::address;
use reader::MessageReader;
use wire::SchemaForm;

/// The version that we speak unless the environment names another.
const VERSION: &str = "2026-10-21";

/// Asks once, and once more with the schema in words if the provider does not take it as it is.
pub(crate) async fn ask(
    providers: &Providers,
    model: &str,
    request: &ModelRequest,
    mut on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    let form = match &request.schema {
        Some(schema) if !schema::can_constrain(schema) => SchemaForm::Described,
        _ => SchemaForm::Native,
    };
    let first = ask_as(providers, model, request, form, &mut on_delta).await;
    let outcome = match first {
        Err(failure) if form == SchemaForm::Native && has_refused_schema(request, &failure) => {
            let described = SchemaForm::Described;
            // On the heap, since it is rare and would else take its room in every call.
            let second = Box::pin(ask_as(providers, model, request, described, &mut on_delta));
            super::after(failure.attempts, second.await)
        }
        first => first,
    };
    super::with_key_hint("ANTHROPIC_API_KEY", outcome)
}

fn has_refused_schema(request: &ModelRequest, failure: &ModelFailure) -> bool {
    request.schema.is_some() && schema::is_refused(failure)
}

async fn ask_as(
    providers: &Providers,
    model: &str,
    request: &ModelRequest,
    form: SchemaForm,
    on_delta: &mut OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    let body = || wire::body(model, request, form);
    let post = post(providers, request, &body)?;
    let host = address::host(&post.url);
    let new_reader =
        move || -> Box<dyn AnswerReader> { Box::new(MessageReader::new(host.clone())) };
    let exchange = Exchange {
        post,
        retries: request.retries,
        limit: request.timeout,
        new_reader: &new_reader,
    };
    exchange.run(providers, on_delta).await
}

fn post<'a>(
    providers: &Providers,
    request: &ModelRequest,
    body: &'a (dyn Fn() -> Result<Value, ModelFailure> + Sync),
) -> Result<Post<'a>, ModelFailure> {
    let variable = |name| providers.environment.get(name);
    let key = variable("ANTHROPIC_API_KEY")
        .ok_or_else(|| missing_key(&request.model, "ANTHROPIC_API_KEY"))?;
    let base = variable("ANTHROPIC_BASE_URL").unwrap_or_else(|| "https://api.anthropic.com".into());
    let key_header = match variable("ANTHROPIC_AUTH").as_deref() {
        None | Some("bearer") => ("authorization", format!("Bearer {key}")),
        Some("x-api-key") => ("x-api-key", key),
        Some(other) => return Err(unknown_auth(other)),
    };
    let version = variable("ANTHROPIC_VERSION").unwrap_or_else(|| VERSION.into());
    Ok(Post {
        url: format!("{}/v1/messages", base.trim_end_matches('/')),
        headers: vec![
            key_header,
            ("anthropic-version", version),
            ("accept", "text/event-stream".into()),
        ],
        body,
    })
}

fn unknown_auth(given: &str) -> ModelFailure {
    super::failure(
        gsw_engine::model::FailureKind::Unauthorized,
        format!("ANTHROPIC_AUTH is `{given}`; it must be `bearer` or `x-api-key`"),
    )
}
