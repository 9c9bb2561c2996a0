//! Chat completions, as OpenAI and compatible servers speak them.

mod reader;
mod wire;

use gsw_abi::provider;
use gsw_engine::model::{Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest};
use serde::Serialize;

use super::exchange::AnswerReader;
use super::protocol::{Endpoint, Protocol, SchemaForm};
use super::schema;
use crate::environment::Environment;
use reader::CompletionReader;
use wire::Dialect;
pub(super) use wire::{ResponseFormat, schema_name};

/// The variable that names the field of the token limit, where the address says nothing of the server.
const TOKEN_LIMIT: &str = "OPENAI_TOKEN_LIMIT";

/// The address of OpenAI's API, or of a server that implements it.
pub(super) fn base(environment: &Environment) -> String {
    let base = environment.get(provider::OPENAI_ADDRESS);
    base.unwrap_or_else(|| "https://api.openai.com/v1".into())
}

/// A path of the API at `base`, with the headers of a request that is streamed.
pub(super) fn endpoint(base: &str, path: &str, key: &str) -> Endpoint {
    Endpoint {
        url: format!("{}/{path}", base.trim_end_matches('/')),
        headers: vec![
            ("authorization", format!("Bearer {key}")),
            ("accept", "text/event-stream".into()),
        ],
    }
}

/// Chat completions at an address.
pub(crate) struct Completions {
    base: String,
    dialect: Dialect,
}

impl Protocol for Completions {
    const KEY: &'static str = provider::OPENAI_KEY;

    type Format = ResponseFormat;

    fn configured(environment: &Environment) -> Result<Self, ModelFailure> {
        let base = base(environment);
        let dialect = match environment.get(TOKEN_LIMIT).as_deref() {
            None => Dialect::of(&base),
            Some("max_completion_tokens") => Dialect::Original,
            Some("max_tokens") => Dialect::Compatible,
            Some(other) => return Err(unknown_limit(other)),
        };
        Ok(Self { base, dialect })
    }

    fn endpoint(&self, key: &str, _model: &str) -> Endpoint {
        endpoint(&self.base, "chat/completions", key)
    }

    fn format(request: &ModelRequest, form: SchemaForm) -> ResponseFormat {
        ResponseFormat::of(request, form)
    }

    fn body<'a>(
        &self,
        model: &'a str,
        request: &'a ModelRequest,
        format: &'a ResponseFormat,
    ) -> Result<impl Serialize, ModelFailure> {
        wire::body(model, request, format, self.dialect)
    }

    fn reader(host: String) -> Box<dyn AnswerReader> {
        Box::new(CompletionReader::new(host))
    }

    fn unwrapped(answer: ModelAnswer, format: &ResponseFormat) -> ModelAnswer {
        unwrapped(answer, format)
    }
}

/// The answer without the object that its format put around it.
pub(super) fn unwrapped(mut answer: ModelAnswer, format: &ResponseFormat) -> ModelAnswer {
    if format.is_wrapped() {
        for content in &mut answer.content {
            if let Content::Text { text } = content {
                *text = schema::unwrapped(std::mem::take(text));
            }
        }
    }
    answer
}

fn unknown_limit(given: &str) -> ModelFailure {
    ModelFailure::new(
        FailureKind::Unauthorized,
        format!("{TOKEN_LIMIT} is `{given}`; it must be `max_tokens` or `max_completion_tokens`"),
    )
}
