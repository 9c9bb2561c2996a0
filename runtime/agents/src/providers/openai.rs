//! Chat completions, as OpenAI and compatible servers speak them.

mod reader;
mod wire;

use gsw_engine::model::{Content, ModelAnswer, ModelFailure, ModelRequest};
use serde_json::Value;

use super::exchange::{AnswerReader, Exchange};
use super::http::Post;
use super::{OnDelta, Providers, missing_key, schema};
use crate::connections::address;
use reader::CompletionReader;
use wire::{Dialect, ResponseFormat};

/// Asks once, and once more with the schema in words if the server does not take it as it is.
pub(crate) async fn ask(
    providers: &Providers,
    model: &str,
    request: &ModelRequest,
    mut on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    let format = ResponseFormat::of(request);
    let first = ask_as(providers, model, request, &format, &mut on_delta).await;
    let outcome = match first {
        Err(failure) if format.is_native() && schema::is_refused(&failure) => {
            let format = ResponseFormat::described(request);
            // On the heap, since it is rare and would else take its room in every call.
            let second = Box::pin(ask_as(providers, model, request, &format, &mut on_delta));
            super::after(failure.attempts, second.await)
        }
        first => first,
    };
    super::with_key_hint("OPENAI_API_KEY", outcome)
}

async fn ask_as(
    providers: &Providers,
    model: &str,
    request: &ModelRequest,
    format: &ResponseFormat,
    on_delta: &mut OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    let (base, dialect) = match providers.environment.get("OPENAI_BASE_URL") {
        Some(base) => (base, Dialect::Compatible),
        None => ("https://api.openai.com/v1".into(), Dialect::Original),
    };
    let body = || wire::body(model, request, format, dialect);
    let post = post(providers, request, &base, &body)?;
    let host = address::host(&post.url);
    let new_reader =
        move || -> Box<dyn AnswerReader> { Box::new(CompletionReader::new(host.clone())) };
    let exchange = Exchange {
        post,
        retries: request.retries,
        limit: request.timeout,
        new_reader: &new_reader,
    };
    let mut answer = exchange.run(providers, on_delta).await?;
    if format.is_wrapped() {
        for content in &mut answer.content {
            if let Content::Text { text } = content {
                *text = schema::unwrapped(std::mem::take(text));
            }
        }
    }
    Ok(answer)
}

fn post<'a>(
    providers: &Providers,
    request: &ModelRequest,
    base: &str,
    body: &'a (dyn Fn() -> Result<Value, ModelFailure> + Sync),
) -> Result<Post<'a>, ModelFailure> {
    let key = providers.environment.get("OPENAI_API_KEY");
    let key = key.ok_or_else(|| missing_key(&request.model, "OPENAI_API_KEY"))?;
    Ok(Post {
        url: format!("{}/chat/completions", base.trim_end_matches('/')),
        headers: vec![
            ("authorization", format!("Bearer {key}")),
            ("accept", "text/event-stream".into()),
        ],
        body,
    })
}
