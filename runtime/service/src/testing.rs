//! What tests run with: machines of prompt calls, and engines that reach models.

use std::sync::Arc;

use gsw_agents::{AgentPrompts, Environment, Providers, Recording};
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::host::Variables;
use gsw_driver::tape::Tape;
use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;
use gsw_engine::run::PromptsInTests;

use crate::prices;

/// What makes the machines of prompt calls.
#[must_use]
pub fn prompts() -> Arc<dyn Prompts> {
    Arc::new(AgentPrompts)
}

/// An engine for tests that reach models where nothing mocks a prompt; with a `model` every agent's is replaced by it. Answers
/// are not kept: each run asks anew.
///
/// # Errors
/// When the user's table of prices cannot be read.
pub fn live_engine(loaded: Loaded, model: Option<String>) -> Result<Engine, String> {
    engine(loaded, model, Variables::default(), Tape::Off)
}

/// An engine for one test whose models are recorded, and what records them.
///
/// # Errors
/// When the user's table of prices cannot be read.
pub fn recording_engine(loaded: Loaded) -> Result<(Engine, Arc<Recording>), String> {
    let variables = Variables::default();
    let environment = Environment::process();
    let recording = Arc::new(Recording::new(&environment, variables.used_secrets()));
    let tape = Tape::Records(Arc::clone(&recording) as _);
    Ok((engine(loaded, None, variables, tape)?, recording))
}

fn engine(
    mut loaded: Loaded,
    model: Option<String>,
    variables: Variables,
    tape: Tape,
) -> Result<Engine, String> {
    let prices = prices::of_user()?;
    if !prices.is_empty() {
        // The first row that fits counts.
        let models = &mut Arc::make_mut(&mut loaded.program).models;
        models.prices.splice(0..0, prices);
    }
    let options = EngineOptions {
        models: Some(Arc::new(Providers::new(Environment::process()))),
        prompts: Some(prompts()),
        model_override: model,
        variables,
        tape,
        prompts_in_tests: PromptsInTests::Asked,
        ..EngineOptions::default()
    };
    Ok(Engine::new(loaded, options))
}
