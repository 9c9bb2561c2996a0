//! What a debugger runs a program with: models, files and all else are real, nothing is written down, and time can stand still.

use std::sync::Arc;

use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::pauses::Pauses;
use gsw_engine::debug::Debugger;
use gsw_engine::load::Loaded;
use gsw_tree::event::EventKind;

use crate::arguments::BuiltinOptions;
use crate::execute::{around, settle};
use crate::mcp::progress;
use crate::store::Origin;
use crate::terminal;

/// An engine for runs that a debugger follows.
///
/// # Errors
/// When the environment says nothing that can be read.
pub fn engine(
    mut loaded: Loaded,
    options: &BuiltinOptions,
    (debugger, pauses): (Arc<dyn Debugger>, Arc<Pauses>),
    origin: &Origin,
) -> Result<Engine, String> {
    let name = loaded.program.name.clone();
    let memory_limit = settle(&mut loaded, options)?;
    let options = EngineOptions {
        memory_limit,
        debugger: Some(debugger),
        pauses: Some(pauses),
        ..around(&name, options, (&terminal::stage(), origin))
    };
    Ok(Engine::new(loaded, options))
}

/// What people are told of an event while the run goes on; most say nothing.
#[must_use]
pub fn line(event: &EventKind) -> Option<String> {
    progress::progress(event)
}
