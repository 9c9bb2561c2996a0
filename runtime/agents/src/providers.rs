//! The providers: the only place that sends requests to models over the network.

mod anthropic;
mod arguments;
mod call_names;
mod calls;
mod classify;
mod connector;
mod exchange;
mod failure;
mod gemini;
mod halves;
mod http;
mod http1;
mod http2;
mod json;
mod keys;
mod lanes;
mod media;
mod network;
mod openai;
mod outgoing;
mod protocol;
mod response;
mod responses;
mod retry;
mod schema;
pub(crate) mod sim;
mod stream;
mod tools_in_words;
mod traffic;
mod unanswered;
mod usage;
mod window;

use std::path::PathBuf;
use std::sync::Arc;

use gsw_abi::provider::Provider;
use gsw_driver::call::Call;
use gsw_driver::models::{Models, Pending};
use gsw_engine::model::{FailureKind, ModelAnswer, ModelFailure, ModelRequest};

use crate::environment::Environment;
use crate::model_name;
use anthropic::Messages;
use gemini::Generation;
use http::Http;
use network::{Network, deltas_of};
use openai::Completions;
pub use outgoing::Outgoing;
use protocol::ask;
use responses::Responses;
pub use retry::Policy;
use traffic::{Shared, Traffic};

/// All providers of a process. Nothing is set up before the first request.
#[derive(Debug)]
pub struct Providers(Network);

impl Providers {
    /// Providers with the keys and addresses of this environment.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self::with_policy(environment, Policy::default())
    }

    /// Like [`Self::new`], with other waits between attempts.
    #[must_use]
    pub fn with_policy(environment: Environment, policy: Policy) -> Self {
        Self(Network {
            environment,
            http: Http::default(),
            policy,
            traffic: Traffic::default(),
        })
    }

    /// Shares what providers report of their limits with other processes through files in this folder.
    #[must_use]
    pub fn sharing_limits(self, folder: PathBuf) -> Self {
        let Self(network) = self;
        let shared = Shared::new(folder, network.policy.longest_retry_after);
        Self(Network {
            traffic: Traffic::shared(shared),
            ..network
        })
    }
}

impl Models for Providers {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        let on_delta = deltas_of(call);
        Box::pin(async move {
            let (provider, model) = model_name::parsed(&request.model)
                .map_err(|message| ModelFailure::new(FailureKind::Provider, message))?;
            match provider {
                Provider::Anthropic => ask::<Messages>(&self.0, model, &request, on_delta).await,
                Provider::OpenAi => ask::<Completions>(&self.0, model, &request, on_delta).await,
                Provider::OpenAiResponses => {
                    ask::<Responses>(&self.0, model, &request, on_delta).await
                }
                Provider::Gemini => ask::<Generation>(&self.0, model, &request, on_delta).await,
                Provider::Sim => Ok(sim::ask(&request, on_delta)),
            }
        })
    }
}
