//! The Responses API of OpenAI. Nothing is kept at the provider: each request holds its whole conversation.

mod reader;
mod wire;

use gsw_abi::provider;
use gsw_engine::model::{ModelAnswer, ModelFailure, ModelRequest};
use serde::Serialize;

use super::exchange::AnswerReader;
use super::openai::{self, ResponseFormat};
use super::protocol::{Endpoint, Protocol, SchemaForm};
use crate::environment::Environment;
use reader::ResponseReader;

/// The Responses API at an address.
pub(crate) struct Responses {
    base: String,
}

impl Protocol for Responses {
    const KEY: &'static str = provider::OPENAI_KEY;

    type Format = ResponseFormat;

    fn configured(environment: &Environment) -> Result<Self, ModelFailure> {
        Ok(Self {
            base: openai::base(environment),
        })
    }

    fn endpoint(&self, key: &str, _model: &str) -> Endpoint {
        openai::endpoint(&self.base, "responses", key)
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
        Ok(wire::body(model, request, format))
    }

    fn reader(host: String) -> Box<dyn AnswerReader> {
        Box::new(ResponseReader::new(host))
    }

    fn unwrapped(answer: ModelAnswer, format: &ResponseFormat) -> ModelAnswer {
        openai::unwrapped(answer, format)
    }
}
