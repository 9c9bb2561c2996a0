//! The providers: the only place that talks to models over the network.

mod anthropic;
mod arguments;
mod classify;
mod exchange;
pub(crate) mod http;
mod media;
mod openai;
mod opening;
mod protocol;
mod retry;
mod schema;
pub(crate) mod sim;
mod stream;

use gsw_abi::provider::{OFFLINE_MODEL, Provider};
use gsw_engine::driver::call::{Call, Part};
use gsw_engine::model::{FailureKind, ModelAnswer, ModelFailure, ModelRequest, Models, Pending};

use crate::environment::Environment;
use crate::model_name;
use anthropic::Messages;
use http::Http;
use openai::Completions;
use protocol::ask;
pub use retry::Policy;

/// Takes the text of an answer as it comes.
type OnDelta = Box<dyn FnMut(&str) + Send>;

/// All providers of a process. Nothing is set up before the first request.
#[derive(Debug)]
pub struct Providers {
    environment: Environment,
    http: Http,
    policy: Policy,
}

impl Providers {
    /// Providers whose keys and addresses stand in this environment.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self::with_policy(environment, Policy::default())
    }

    /// The same with other delays between attempts.
    #[must_use]
    pub fn with_policy(environment: Environment, policy: Policy) -> Self {
        Self {
            environment,
            http: Http::default(),
            policy,
        }
    }
}

impl Models for Providers {
    fn ask(
        &self,
        request: ModelRequest,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        let on_delta = deltas_of(call);
        Box::pin(async move {
            let (provider, model) = model_name::parsed(&request.model)
                .map_err(|message| failure(FailureKind::Provider, message))?;
            match provider {
                Provider::Anthropic => ask::<Messages>(self, model, &request, on_delta).await,
                Provider::OpenAi => ask::<Completions>(self, model, &request, on_delta).await,
                Provider::Sim => Ok(sim::ask(&request, on_delta)),
            }
        })
    }
}

/// Hands text to the parts of a call as it comes; an empty one says that a further attempt begins from nothing.
fn deltas_of(call: &Call) -> OnDelta {
    let parts = call.parts.clone();
    Box::new(move |text| {
        parts.send(match text {
            "" => Part::Restart,
            text => Part::Text(text.to_owned()),
        });
    })
}

/// A failure without a request.
fn failure(kind: FailureKind, message: String) -> ModelFailure {
    ModelFailure {
        kind,
        message,
        status: None,
        retry_after: None,
        again_in: None,
        attempts: 0,
        tokens: None,
        limit: None,
    }
}

/// The failure of a key that is not set.
fn missing_key(model: &str, variable: &str) -> ModelFailure {
    failure(
        FailureKind::Unauthorized,
        format!(
            "`{model}` needs a key: set {variable}, or try without one by `--model {OFFLINE_MODEL}`"
        ),
    )
}

/// The outcome, saying which variable holds a key that was refused.
fn with_key_hint(
    variable: &str,
    outcome: Result<ModelAnswer, ModelFailure>,
) -> Result<ModelAnswer, ModelFailure> {
    outcome.map_err(|mut failure| {
        if failure.kind == FailureKind::Unauthorized && failure.status.is_some() {
            failure.message.push_str(&format!("; look at {variable}"));
        }
        failure
    })
}

/// The outcome of a request that followed another one of so many attempts.
fn after(
    attempts: u32,
    outcome: Result<ModelAnswer, ModelFailure>,
) -> Result<ModelAnswer, ModelFailure> {
    match outcome {
        Ok(answer) => Ok(ModelAnswer {
            attempts: answer.attempts + attempts,
            ..answer
        }),
        Err(failure) => Err(ModelFailure {
            attempts: failure.attempts + attempts,
            ..failure
        }),
    }
}
