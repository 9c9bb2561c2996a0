//! What every provider over the network shares: a key, an address, and how the schema is delivered.

use gsw_engine::model::{
    Again, Content, FailureKind, ModelAnswer, ModelFailure, ModelRequest, StopReason, Wording,
};
use serde::Serialize;

use super::exchange::{AnswerReader, Exchange};
use super::failure::{missing_key, with_key_hint};
use super::http::Post;
use super::network::{Delta, Network, OnDelta};
use super::schema;
use super::tools_in_words;
use super::window;
use crate::environment::Environment;

/// How the model learns the schema of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SchemaForm {
    Absent,
    /// The provider constrains the model to it.
    Native,
    /// The system prompt describes it.
    Described,
}

impl SchemaForm {
    /// The strictest that the request allows.
    pub fn of(request: &ModelRequest) -> Self {
        match &request.schema {
            None => Self::Absent,
            Some(schema) => match request.schema_delivery {
                Wording::Native if schema::can_constrain(schema) => Self::Native,
                Wording::Native | Wording::Described => Self::Described,
            },
        }
    }
}

/// Where requests go, and the headers besides the content type.
pub(crate) struct Endpoint {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
}

/// The wire protocol of a provider, as the environment configures it.
pub(crate) trait Protocol: Sized + Sync {
    /// The environment variable that holds the key.
    const KEY: &'static str;

    /// What a request says of the answer's schema; made once for all attempts.
    type Format: Sync;

    /// Reads what the environment says of the provider.
    fn configured(environment: &Environment) -> Result<Self, ModelFailure>;

    /// Where requests with this key to a model go.
    fn endpoint(&self, key: &str, model: &str) -> Endpoint;

    /// The schema in this form.
    fn format(request: &ModelRequest, form: SchemaForm) -> Self::Format;

    /// The JSON of a request; `model` is without the provider's name.
    fn body<'a>(
        &self,
        model: &'a str,
        request: &'a ModelRequest,
        format: &'a Self::Format,
    ) -> Result<impl Serialize, ModelFailure>;

    /// A reader for the answer to one attempt, of which `host` is named in failures.
    fn reader(host: String) -> Box<dyn AnswerReader>;

    /// The answer without what its format put around it.
    fn unwrapped(answer: ModelAnswer, _format: &Self::Format) -> ModelAnswer {
        answer
    }
}

/// Asks once. What a provider does not take natively is to be described to it when it is asked again.
pub(crate) async fn ask<P: Protocol>(
    network: &Network,
    model: &str,
    request: &ModelRequest,
    on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    if request.tools.is_empty() || request.tool_delivery == Wording::Native {
        return ask_natively::<P>(network, model, request, on_delta).await;
    }
    // Boxed, since few do it and all have room for it.
    Box::pin(ask_in_words::<P>(network, model, request, on_delta)).await
}

/// Asks with the tools described in the text.
async fn ask_in_words<P: Protocol>(
    network: &Network,
    model: &str,
    request: &ModelRequest,
    mut on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    let in_words = tools_in_words::request(request);
    // Before the end it is unknown whether it is a call or the answer.
    let answer = ask_natively::<P>(network, model, &in_words, Box::new(|_| ())).await?;
    let answer = tools_in_words::answer(answer, request);
    if answer.stop == StopReason::End {
        let texts = answer.content.iter().filter_map(Content::text);
        texts.for_each(|it| on_delta(Delta::Text(it)));
    }
    Ok(answer)
}

/// Asks with the tools as the provider takes them.
async fn ask_natively<P: Protocol>(
    network: &Network,
    model: &str,
    request: &ModelRequest,
    mut on_delta: OnDelta,
) -> Result<ModelAnswer, ModelFailure> {
    window::check(request)?;
    let key = network.environment.get(P::KEY);
    let key = key.ok_or_else(|| missing_key(&request.model, P::KEY))?;
    let protocol = P::configured(&network.environment)?;
    let asking = Asking {
        network,
        endpoint: protocol.endpoint(&key, model),
        protocol,
        key,
        model,
        request,
    };
    network.traffic.keep_pace(request.rate.as_ref()).await;
    let form = SchemaForm::of(request);
    let mut outcome = asking.once(form, &mut on_delta).await;
    if let Err(failure) = &mut outcome {
        if form == SchemaForm::Native && schema::is_refused(failure) {
            failure.again = Some(Again::SchemaDescribed);
        } else if !request.tools.is_empty() && tools_in_words::is_refused(failure) {
            failure.again = Some(Again::ToolsDescribed);
        }
    }
    with_key_hint(P::KEY, outcome)
}

/// One request on its way to a provider.
struct Asking<'a, P> {
    network: &'a Network,
    protocol: P,
    key: String,
    endpoint: Endpoint,
    model: &'a str,
    request: &'a ModelRequest,
}

impl<P: Protocol> Asking<'_, P> {
    /// Asks with the schema in this form.
    async fn once(
        &self,
        form: SchemaForm,
        on_delta: &mut OnDelta,
    ) -> Result<ModelAnswer, ModelFailure> {
        let format = P::format(self.request, form);
        let body = || {
            let body = self.protocol.body(self.model, self.request, &format)?;
            serde_json::to_string(&body)
                .map_err(|it| ModelFailure::new(FailureKind::Provider, it.to_string()))
        };
        let Endpoint { url, .. } = &self.endpoint;
        let line = self.network.traffic.line(url, self.model, &self.key);
        let new_reader = || P::reader(line.address.host().to_owned());
        let exchange = Exchange {
            post: Post {
                address: &line.address,
                headers: self.endpoint.headers.clone(),
                body: &body,
            },
            line: &line,
            model: self.request.model.clone(),
            fallback: self.request.fallback,
            limit: self.request.timeout,
            first_token: self.request.first_token,
            new_reader: &new_reader,
        };
        let answer = exchange.run(self.network, on_delta).await?;
        Ok(P::unwrapped(answer, &format))
    }
}
