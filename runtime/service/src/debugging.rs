//! The engine that a debugger runs a program with: models, files and all else are real, nothing is recorded, and time can be
//! paused.

use std::sync::Arc;

use gsw_abi::program::Program;
use gsw_abi::types::TypeId;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_driver::human::Humans;
use gsw_driver::pauses::Pauses;
use gsw_engine::debug::Debugger;
use gsw_engine::load::Loaded;
use gsw_tree::event::EventKind;

use crate::arguments::BuiltinOptions;
use crate::mcp::progress;
use crate::setup::{base_options, settle};
use crate::store::Origin;
use crate::terminal;
use crate::undos::Stepping;
use crate::value_text;

/// The debugger and people that are attached to the runs.
pub struct Attached {
    pub debugger: Arc<dyn Debugger>,
    /// While the program is paused, so is time.
    pub pauses: Arc<Pauses>,
    /// Answers the questions of `human`s.
    pub humans: Arc<dyn Humans>,
}

/// An engine for runs that a debugger follows.
///
/// # Errors
/// When the environment says nothing that can be read.
pub fn engine(
    mut loaded: Loaded,
    options: &BuiltinOptions,
    attached: Attached,
    origin: &Origin,
) -> Result<Engine, String> {
    let Attached {
        debugger,
        pauses,
        humans,
    } = attached;
    let name = loaded.program.name.clone();
    let memory_limit = settle(&mut loaded, options)?;
    let options = EngineOptions {
        memory_limit,
        debugger: Some(debugger),
        pauses: Some(pauses),
        humans: Some(humans),
        ..base_options(&name, options, &terminal::stage(), origin)
    };
    Ok(Engine::new(loaded, options))
}

/// The line that is shown for an event while the run continues; most have none.
#[must_use]
pub fn line(event: &EventKind) -> Option<String> {
    progress::progress(event, Stepping::Step)
}

/// The JSON text of an answer of this type, read as on a command line: a text is written as it is, a record as JSON.
///
/// # Errors
/// When it cannot be read so.
pub fn read_answer(program: &Program, ty: TypeId, text: &str) -> Result<String, String> {
    value_text::read(&program.types, ty, text).map(|it| it.to_string())
}
