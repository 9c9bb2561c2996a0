//! The places of a stored run's operations in its program, found by replaying it in memory.

use std::collections::BTreeMap;

use gsw_engine::port::Deaf;

use crate::durable::resume::{Brought, bring_back_seen};
use crate::engine::resuming::{NotResumed, Read};
use crate::engine::runs::Runs;
use crate::turn_threads::TurnThreads;

/// What a program makes of a run of the store: nothing was performed.
#[derive(Debug)]
pub struct Places {
    /// The paths of nodes by the numbers of their operations, as far as the run goes with this program.
    pub of: BTreeMap<u64, String>,
    pub came: Came,
}

/// How far a run comes with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Came {
    /// It has got all that was recorded, and continues from there.
    ToItsEnd,
    /// It has got all that was recorded, and has ended.
    Ended,
    /// The program asks for something else; what is recorded, and what is asked for.
    Diverged(String),
}

impl Runs {
    /// Brings a run back in memory alone.
    pub(super) fn places(&self, id: &str) -> Result<Places, NotResumed> {
        let store = self.store().ok_or(NotResumed::NoStore)?.existing()?;
        let info = store.find(id)?;
        let read = Read::of(&store, &info.id, store.records(&info.id)?)?;
        let entry = self.entry(&info, read.beginning.entered)?;
        let mut run = self.bare_run(read.beginning.start, Box::new(Deaf));
        let past = read.past;
        let went = TurnThreads::shared().wait_for(move || {
            let mut of = BTreeMap::new();
            entry.begin(&mut run);
            let brought = bring_back_seen(&mut run, past, &mut |run, operation| {
                of.insert(operation.id.0, run.tree().path(operation.node));
            });
            let came = match brought {
                Ok(Brought::Waits { .. }) => Came::ToItsEnd,
                Ok(Brought::Ended(_)) => Came::Ended,
                Err(why) => Came::Diverged(why),
            };
            Places { of, came }
        });
        went.ok_or_else(|| NotResumed::Unreadable {
            id: info.id,
            why: "bringing it back failed".into(),
        })
    }
}
