//! What happened in a run of a program's store, for the author of a test of it. Nothing is performed and nothing is written.

use std::sync::Arc;

use gsw_abi::program::Program;
use gsw_agents::AgentPrompts;
use gsw_driver::engine::happened::Happened;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::debug::Debugger;
use gsw_engine::load::Loaded;

use crate::runs::{ids, newest_of_all};
use crate::store::{self, Origin};

/// A run of the store that is named, which a debugger may follow meanwhile, or that the program keeps its runs in, by its id or the beginning
/// of it; the newest one without an id.
///
/// # Errors
/// When there is no store, no such run, or this program cannot read it.
pub fn happened(
    loaded: Loaded,
    store: Option<&str>,
    id: Option<&str>,
    origin: &Origin,
    debugger: Option<Arc<dyn Debugger>>,
) -> Result<Happened, String> {
    let store = store::of(&loaded.program, store, origin)
        .ok_or("no runs are stored here: name a store with `--store FILE`")?;
    let id = match id {
        Some(word) => ids::of_word(&store, word).map_err(|it| it.to_string())?,
        None => newest_of_all(&store)?,
    };
    let options = EngineOptions {
        prompts: Some(Arc::new(AgentPrompts)),
        store: Some(store),
        debugger,
        ..EngineOptions::default()
    };
    let happened = Engine::new(loaded, options).happened(&id);
    happened.map_err(|it| it.to_string())
}

/// How many records of a run its store has by now; a larger number means that more has happened.
///
/// # Errors
/// When there is no store, or no such run.
pub fn records_of(
    program: &Program,
    store: Option<&str>,
    id: &str,
    origin: &Origin,
) -> Result<u64, String> {
    let store = store::of(program, store, origin).ok_or("no runs are stored here")?;
    let read = || store.existing()?.find(id);
    let info = read().map_err(|it| it.to_string())?;
    Ok(info.records)
}
