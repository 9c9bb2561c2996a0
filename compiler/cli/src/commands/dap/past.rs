//! A replay for the debugger: the run again with the same outcomes, up to an earlier point.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use gsw_driver::turn_threads::TurnThreads;
use gsw_engine::debug::{Recording, Replayed};

use super::Heard;
use super::breakpoints::Breakpoints;
use super::follower::{Follower, Mode, Wanted};
use super::launch::Program;

pub struct Replays<'a> {
    pub program: &'a Program,
    pub recording: Recording,
    pub breakpoints: Arc<Mutex<Breakpoints>>,
    pub heard: Sender<Heard>,
}

impl Replays<'_> {
    fn follower(&self, id: u64, mode: Mode) -> Arc<Follower> {
        let breakpoints = Arc::clone(&self.breakpoints);
        Follower::new(id, mode, breakpoints, self.heard.clone(), None)
    }

    /// What runs it again, with its follower.
    fn replay(
        &self,
        by: Arc<Follower>,
    ) -> Result<impl FnOnce() -> Replayed + Send + use<>, String> {
        let loaded = Arc::new(self.program.loaded()?);
        let recording = self.recording.clone();
        let prompts = Some(gsw_service::testing::prompts());
        Ok(move || recording.replay(loaded, prompts, by))
    }

    /// The last point that is of interest before another one.
    pub fn scan(&self, until: u64, wanted: Wanted) -> Result<Option<u64>, String> {
        let follower = self.follower(0, Mode::Scan { until, wanted });
        let replay = self.replay(Arc::clone(&follower))?;
        match TurnThreads::shared().wait_for(replay) {
            Some(Replayed::ToItsEnd) => Ok(follower.found()),
            Some(Replayed::NotAtAll(why)) => Err(format!("the run cannot be run again: {why}")),
            None => Err("the run cannot be run again".to_owned()),
        }
    }

    /// Runs it again; the follower says where it stops, or that it never does.
    pub fn begin(&self, id: u64, mode: Mode) -> Result<Arc<Follower>, String> {
        let follower = self.follower(id, mode);
        let (replay, heard) = (self.replay(Arc::clone(&follower))?, self.heard.clone());
        let replay = move || {
            // The receiver ends after all runs have.
            let _ = heard.send(Heard::Replayed(id, replay()));
        };
        let begun = TurnThreads::shared().run(replay);
        begun.map_err(|error| format!("no thread can be started: {error}"))?;
        Ok(follower)
    }
}
