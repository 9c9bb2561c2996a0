//! The providers: the only place that sends requests to models over the network.

mod anthropic;
mod arguments;
mod call_names;
mod calls;
mod classify;
mod client;
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
pub struct Providers {
    network: Network,
    /// Asks the models of clients, where the program has some.
    clients: Option<Arc<dyn Models>>,
}

impl Providers {
    /// Providers with the keys and addresses of this environment.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self::with_policy(environment, Policy::default())
    }

    /// Like [`Self::new`], with other waits between attempts.
    #[must_use]
    pub fn with_policy(environment: Environment, policy: Policy) -> Self {
        Self {
            network: Network {
                environment,
                http: Http::default(),
                policy,
                traffic: Traffic::default(),
            },
            clients: None,
        }
    }

    /// Has the models of clients asked by these.
    #[must_use]
    pub fn asking_clients(self, clients: Arc<dyn Models>) -> Self {
        Self {
            clients: Some(clients),
            ..self
        }
    }

    /// Shares what providers report of their limits with other processes through files in this folder.
    #[must_use]
    pub fn sharing_limits(self, folder: PathBuf) -> Self {
        let shared = Shared::new(folder, self.network.policy.longest_retry_after);
        Self {
            network: Network {
                traffic: Traffic::shared(shared),
                ..self.network
            },
            ..self
        }
    }
}

impl Models for Providers {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        let on_delta = deltas_of(call);
        let (network, call) = (&self.network, call.clone());
        Box::pin(async move {
            let (provider, model) = model_name::parsed(&request.model)
                .map_err(|message| ModelFailure::new(FailureKind::Provider, message))?;
            match provider {
                Provider::Anthropic => ask::<Messages>(network, model, &request, on_delta).await,
                Provider::Client => {
                    let clients = self.clients.as_ref();
                    // Boxed, since few do it and all have room for it.
                    Box::pin(client::ask(network, clients, &request, &call, on_delta)).await
                }
                Provider::OpenAi => ask::<Completions>(network, model, &request, on_delta).await,
                Provider::OpenAiResponses => {
                    ask::<Responses>(network, model, &request, on_delta).await
                }
                Provider::Gemini => ask::<Generation>(network, model, &request, on_delta).await,
                Provider::Sim => Ok(sim::ask(&request, on_delta)),
            }
        })
    }
}
