//! What an engine is set up with, as options and environment say: models, limits, prices, observers.

use std::sync::Arc;
use std::time::Duration;

use gsw_abi::option::BuiltinOption;
use gsw_agents::{AgentPrompts, Cache, Environment, McpServers, Providers, WebClient, known_model};
use gsw_driver::engine::EngineOptions;
use gsw_driver::host::Variables;
use gsw_engine::load::Loaded;
use gsw_tree::observe::{History, Observers};

use crate::arguments::{BuiltinOptions, TapeOption};
use crate::consent::authorizing_on;
use crate::store::{self, Origin};
use crate::tape::Taping;
use crate::terminal::Stage;
use crate::{cache, environment, memory, prices};

/// The engine options that the command line and the environment determine.
pub(crate) fn base_options(
    program: &str,
    options: &BuiltinOptions,
    stage: &Arc<Stage>,
    origin: &Origin,
) -> EngineOptions {
    EngineOptions {
        models: Some(Arc::new(models(program, options))),
        prompts: Some(Arc::new(AgentPrompts)),
        answers: Some(Arc::new(match options.tape {
            TapeOption::Off => cache::of(program, options.cache.as_deref()),
            // An answer that another run has kept would be missing in the file, or hide what is in it.
            TapeOption::Record(_) | TapeOption::Replay(_) => Cache::default(),
        })),
        web: Some(Arc::new(WebClient::default())),
        servers: Some(Arc::new(McpServers::authorizing(authorizing_on(
            stage,
            &origin.command,
        )))),
        model_override: model(options),
        ..EngineOptions::default()
    }
}

/// The model that replaces every agent's.
fn model(options: &BuiltinOptions) -> Option<String> {
    let variable = || BuiltinOption::Model.variable().and_then(environment::text);
    options.model.clone().or_else(variable)
}

/// The providers of models.
pub(crate) fn models(program: &str, options: &BuiltinOptions) -> Providers {
    let providers = Providers::new(Environment::process());
    match cache::limits(program, options.cache.as_deref()) {
        Some(folder) => providers.sharing_limits(folder),
        None => providers,
    }
}

/// Observers that are all attached before a run begins, so no history is kept.
pub(crate) fn observers() -> Arc<Observers> {
    Arc::new(Observers::new(History {
        count: 0,
        ..History::default()
    }))
}

/// The limit of memory, how long a run waits before its process leaves it, and the recording of requests to models.
pub(crate) fn prepared(
    loaded: &mut Loaded,
    options: &BuiltinOptions,
    variables: &Variables,
) -> Result<(Option<u64>, Option<Duration>, Taping), String> {
    let limit = settle(loaded, options)?;
    let idle = store::idle(&loaded.program, options.idle)?;
    let taping = Taping::begin(&options.tape, variables.used_secrets())?;
    Ok((limit, idle, taping))
}

/// Looks at the model that is given, and applies the prices of the environment; returns the limit of memory.
pub(crate) fn settle(loaded: &mut Loaded, options: &BuiltinOptions) -> Result<Option<u64>, String> {
    if let Some(given) = model(options) {
        known_model(&given, &loaded.program.models)?;
    }
    let prices = prices::of_user()?;
    if !prices.is_empty() {
        let models = &mut Arc::make_mut(&mut loaded.program).models;
        // The first row that fits counts.
        models.prices.splice(0..0, prices);
    }
    memory::limit(options.memory)
}
