//! Chat completions, as OpenAI and compatible servers speak them.

mod reader;
mod wire;

use gsw_abi::provider;
use gsw_engine::model::{Content, ModelAnswer, ModelFailure, ModelRequest};
use serde_json::Value;

use super::exchange::AnswerReader;
use super::protocol::{Endpoint, Protocol, SchemaForm};
use super::schema;
use crate::environment::Environment;
use reader::CompletionReader;
use wire::{Dialect, ResponseFormat};

/// Chat completions at an address.
pub(crate) struct Completions {
    base: String,
    dialect: Dialect,
}

impl Protocol for Completions {
    const KEY: &'static str = provider::OPENAI_KEY;

    type Format = ResponseFormat;

    fn configured(environment: &Environment) -> Result<Self, ModelFailure> {
        let (base, dialect) = match environment.get(provider::OPENAI_ADDRESS) {
            Some(base) => (base, Dialect::Compatible),
            None => ("https://api.openai.com/v1".into(), Dialect::Original),
        };
        Ok(Self { base, dialect })
    }

    fn endpoint(&self, key: &str) -> Endpoint {
        Endpoint {
            url: format!("{}/chat/completions", self.base.trim_end_matches('/')),
            headers: vec![
                ("authorization", format!("Bearer {key}")),
                ("accept", "text/event-stream".into()),
            ],
        }
    }

    fn format(request: &ModelRequest, form: SchemaForm) -> ResponseFormat {
        ResponseFormat::of(request, form)
    }

    fn body(
        &self,
        model: &str,
        request: &ModelRequest,
        format: &ResponseFormat,
    ) -> Result<Value, ModelFailure> {
        wire::body(model, request, format, self.dialect)
    }

    fn reader(host: String) -> Box<dyn AnswerReader> {
        Box::new(CompletionReader::new(host))
    }

    fn unwrapped(mut answer: ModelAnswer, format: &ResponseFormat) -> ModelAnswer {
        if format.is_wrapped() {
            for content in &mut answer.content {
                if let Content::Text { text } = content {
                    *text = schema::unwrapped(std::mem::take(text));
                }
            }
        }
        answer
    }
}
