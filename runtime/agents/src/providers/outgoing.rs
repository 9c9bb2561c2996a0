//! A request as its provider would get it, for people to look at. Nothing is sent, and no key is read: the name of its variable
//! takes its place.

use gsw_abi::provider::Provider;
use gsw_engine::model::{FailureKind, ModelFailure, ModelRequest};
use serde_json::Value;

use super::anthropic::Messages;
use super::client;
use super::gemini::Generation;
use super::openai::Completions;
use super::protocol::{Protocol, SchemaForm};
use super::responses::Responses;
use crate::connections::address;
use crate::environment::Environment;
use crate::model_name;

/// A request as its provider would get it.
#[derive(Debug)]
pub struct Outgoing {
    pub url: String,
    /// [`Self::key`] takes the place of the key.
    pub headers: Vec<(&'static str, String)>,
    /// `$` and the name of the variable that holds the key.
    pub key: String,
    pub body: Value,
}

impl Outgoing {
    /// The first attempt at this request; `None` when its model is simulated and nothing would be sent.
    ///
    /// # Errors
    /// When it could not be sent either: its model is of no known provider, or the provider does not take what is in it.
    pub fn of(
        request: &ModelRequest,
        environment: &Environment,
    ) -> Result<Option<Self>, ModelFailure> {
        let (provider, model) = model_name::parsed(&request.model)
            .map_err(|message| ModelFailure::new(FailureKind::Provider, message))?;
        match provider {
            Provider::Anthropic => by::<Messages>(model, request, environment).map(Some),
            Provider::OpenAi => by::<Completions>(model, request, environment).map(Some),
            Provider::OpenAiResponses => by::<Responses>(model, request, environment).map(Some),
            Provider::Gemini => by::<Generation>(model, request, environment).map(Some),
            Provider::Client => Err(client::shown_by_its_client()),
            Provider::Sim => Ok(None),
        }
    }
}

fn by<P: Protocol>(
    model: &str,
    request: &ModelRequest,
    environment: &Environment,
) -> Result<Outgoing, ModelFailure> {
    let protocol = P::configured(environment)?;
    let key = format!("${}", P::KEY);
    let endpoint = protocol.endpoint(&key, model);
    let format = P::format(request, SchemaForm::of(request));
    let body = serde_json::to_value(protocol.body(model, request, &format)?)
        .map_err(|it| ModelFailure::new(FailureKind::Provider, it.to_string()))?;
    Ok(Outgoing {
        url: address::printable(&endpoint.url),
        headers: endpoint.headers,
        body,
        key,
    })
}
