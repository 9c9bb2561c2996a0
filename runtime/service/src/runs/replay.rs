//! A dry replay: whether a program can resume the runs of a store. Nothing is performed and nothing is written.

use std::path::Path;
use std::sync::Arc;

use gsw_agents::AgentPrompts;
use gsw_driver::durable::store::{Need, RunStore};
use gsw_driver::engine::places::Came;
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::load::Loaded;
use gsw_journal::list::Info;

/// A run that has not ended, and what happens to it under a program.
#[derive(Debug)]
pub struct Replayed {
    pub info: Info,
    pub verdict: Verdict,
}

/// What happens to a run under another program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    GoesOn,
    /// The program asks for something else; what is recorded, and what is asked for.
    Diverges(String),
    /// It cannot be tried, and why.
    Unreadable(String),
}

/// The runs of a store that have not ended, the newest first.
///
/// # Errors
/// When the store cannot be read.
pub fn in_flight(store: &Path) -> Result<Vec<Info>, String> {
    let store = open(store);
    // None is left out of a decision about a deployment.
    let listed = store.existing().and_then(|it| it.list()?.whole());
    let mut runs = listed.map_err(|it| it.to_string())?;
    runs.retain(|it| !it.status.is_final());
    Ok(runs)
}

/// Brings each run of a store that has not ended back in memory alone.
///
/// # Errors
/// When the store cannot be read.
pub fn dry_replay(loaded: Loaded, store: &Path) -> Result<Vec<Replayed>, String> {
    let runs = in_flight(store)?;
    let options = EngineOptions {
        prompts: Some(Arc::new(AgentPrompts)),
        store: Some(open(store)),
        ..EngineOptions::default()
    };
    let engine = Engine::new(loaded, options);
    let replayed = runs.into_iter().map(|info| {
        let verdict = match engine.places(&info.id).map(|it| it.came) {
            Ok(Came::ToItsEnd | Came::Ended) => Verdict::GoesOn,
            Ok(Came::Diverged(why)) => Verdict::Diverges(why),
            Err(error) => Verdict::Unreadable(error.to_string()),
        };
        Replayed { info, verdict }
    });
    Ok(replayed.collect())
}

fn open(store: &Path) -> Arc<RunStore> {
    RunStore::new(store.to_owned(), String::new(), Need::Asked)
}
