//! The providers: the only place that talks to models over the network.

mod anthropic;
mod arguments;
mod classify;
mod exchange;
pub(crate) mod http;
mod media;
mod openai;
mod opening;
mod retry;
mod schema;
pub(crate) mod sim;
mod stream;

use gsw_driver::call::{Call, Part};
use gsw_driver::models::{Models, Pending};
use gsw_engine::model::{FailureKind, ModelAnswer, ModelFailure, ModelRequest};

use crate::environment::Environment;
use http::Http;
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

/// The names of the providers, for messages.
pub(crate) const NAMES: &[&str] = &["anthropic", "openai", "sim"];

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
            let Some((provider, model)) = request.model.split_once('/') else {
                return Err(unknown(&request.model));
            };
            match provider {
                "anthropic" => anthropic::ask(self, model, &request, on_delta).await,
                "openai" => openai::ask(self, model, &request, on_delta).await,
                "sim" => Ok(sim::ask(&request, on_delta)),
                _ => Err(unknown(&request.model)),
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

fn unknown(model: &str) -> ModelFailure {
    failure(
        FailureKind::Provider,
        crate::request::malformed_model(model),
    )
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
            "`{model}` needs a key: set {variable}, or try without one by `--model sim/default`"
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
