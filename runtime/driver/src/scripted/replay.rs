//! Runs a program again with recorded outcomes, in their order.

use std::sync::Arc;

use gsw_engine::load::Loaded;
use gsw_engine::run::{Run, Turn};

use crate::scripted::{Around, Brought, Entry, REASON, Report};
use crate::turn_threads::TurnThreads;

/// Runs a program with a record. `None` when the record ends before the run does.
#[must_use]
pub fn replay(
    loaded: &Arc<Loaded>,
    around: &Around,
    entry: Entry,
    record: Vec<Brought>,
) -> Option<Report> {
    let (loaded, around) = (Arc::clone(loaded), around.clone());
    TurnThreads::shared().wait_for(move || {
        let mut run = around.run(&loaded);
        entry.begin(&mut run);
        carry(run, record)
    })?
}

fn carry(mut run: Box<Run>, record: Vec<Brought>) -> Option<Report> {
    let mut requested = Vec::new();
    let mut left = record.clone().into_iter();
    let mut suspensions = 0;
    loop {
        match run.turn() {
            Turn::Done(finished) => {
                return Some(Report {
                    finished,
                    suspensions,
                    operations: requested.len() as u64,
                    requested,
                    record,
                });
            }
            Turn::Busy { operations, .. } => {
                requested.extend(operations);
                continue;
            }
            Turn::Blocked { operations, .. } => requested.extend(operations),
        }
        suspensions += 1;
        match left.next()? {
            Brought::Outcome { id, outcome, now } => run.complete(id, outcome, now).ok()?,
            Brought::Cancel { now } => run.cancel(REASON, now),
        }
    }
}
