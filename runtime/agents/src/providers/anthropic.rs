//! Anthropic's Messages API.

mod cache;
mod reader;
mod wire;

use gsw_abi::provider;
use gsw_engine::model::{FailureKind, ModelFailure, ModelRequest};
use serde::Serialize;

use super::exchange::AnswerReader;
use super::protocol::{Endpoint, Protocol, SchemaForm};
use crate::environment::Environment;
use reader::MessageReader;

/// The version that we speak unless the environment names another.
const VERSION: &str = "2026-10-21";

/// The Messages API at an address.
pub(crate) struct Messages {
    base: String,
    version: String,
    authentication: Authentication,
}

/// The header that carries the key.
#[derive(Clone, Copy)]
enum Authentication {
    Bearer,
    ApiKey,
}

impl Protocol for Messages {
    const KEY: &'static str = provider::ANTHROPIC_KEY;

    type Format = SchemaForm;

    fn configured(environment: &Environment) -> Result<Self, ModelFailure> {
        let base = environment.get(provider::ANTHROPIC_ADDRESS);
        let version = environment.get("ANTHROPIC_VERSION");
        let authentication = match environment.get("ANTHROPIC_AUTH").as_deref() {
            None | Some("bearer") => Authentication::Bearer,
            Some("x-api-key") => Authentication::ApiKey,
            Some(other) => return Err(unknown_authentication(other)),
        };
        Ok(Self {
            base: base.unwrap_or_else(|| "https://api.anthropic.com".into()),
            version: version.unwrap_or_else(|| VERSION.into()),
            authentication,
        })
    }

    fn endpoint(&self, key: &str, _model: &str) -> Endpoint {
        let key = match self.authentication {
            Authentication::Bearer => ("authorization", format!("Bearer {key}")),
            Authentication::ApiKey => ("x-api-key", key.to_owned()),
        };
        Endpoint {
            url: format!("{}/v1/messages", self.base.trim_end_matches('/')),
            headers: vec![
                key,
                ("anthropic-version", self.version.clone()),
                ("accept", "text/event-stream".into()),
            ],
        }
    }

    fn format(_request: &ModelRequest, form: SchemaForm) -> SchemaForm {
        form
    }

    fn body<'a>(
        &self,
        model: &'a str,
        request: &'a ModelRequest,
        form: &'a SchemaForm,
    ) -> Result<impl Serialize, ModelFailure> {
        wire::body(model, request, *form)
    }

    fn reader(host: String) -> Box<dyn AnswerReader> {
        Box::new(MessageReader::new(host))
    }
}

fn unknown_authentication(given: &str) -> ModelFailure {
    ModelFailure::new(
        FailureKind::Unauthorized,
        format!("ANTHROPIC_AUTH is `{given}`; it must be `bearer` or `x-api-key`"),
    )
}
