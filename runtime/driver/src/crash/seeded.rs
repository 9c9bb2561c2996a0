//! Lives drawn from a seed: a run is killed repeatedly, immediately before or after some record, and its operations complete in
//! any order, possibly twice, or are cancelled.

use std::path::Path;
use std::sync::Arc;

use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunResult};
use gsw_journal::record::Record;
use gsw_tree::event::Event;

use crate::crash::Trial;
use crate::crash::checks::{difference, doubtful, once, only_what_is_open};
use crate::crash::life::{ID, Lived, Order, Subject};
use crate::crash::outside::Outside;
use crate::scripted::{Answer, Around, Entry, World, drawn};
use crate::tape::Tape;
use crate::turn_threads::TurnThreads;

/// How often a run is killed at most; then it may end.
const MOST_LIVES: u64 = 6;
/// A life writes this many records at most before it is killed.
const MOST_RECORDS: u64 = 14;

/// How a run ended.
#[derive(Debug)]
pub struct Lives {
    pub finished: Box<Finished>,
    pub lives: u64,
    /// In how many of them something `once` may have been done by the one before.
    pub in_doubt: u64,
}

/// Drives a run through lives drawn from the seed, in a folder of its own.
///
/// # Errors
/// When something is not as it must be: what happened twice, was lost, or is reported differently than before.
pub fn live_through(
    loaded: &Arc<Loaded>,
    around: &Around,
    entry: Entry,
    answer: Answer,
    seed: u64,
    folder: &Path,
) -> Result<Lives, String> {
    let world = World::new(loaded, around.clone(), Some(answer), None);
    let trial = Trial {
        subject: Subject {
            loaded: Arc::clone(loaded),
            around: around.clone(),
            entry,
        },
        tapes: Box::new(|| Tape::Off),
        folder: folder.to_owned(),
    };
    // On a thread whose stack is as deep as turns need.
    let lived = TurnThreads::shared().wait_for(move || trial.live_through(world, seed));
    lived.unwrap_or_else(|| Err("the trial panicked".into()))
}

impl Trial {
    fn live_through(&self, world: World, seed: u64) -> Result<Lives, String> {
        let outside = Outside::new(world);
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        // One run in four is cancelled at some point, often right at the beginning of a life.
        let to_cancel = drawn(&mut random)
            .is_multiple_of(4)
            .then(|| drawn(&mut random) % 100);
        let mut order = Order::Drawn { random, to_cancel };
        let (mut kept, mut said): (_, Vec<Event>) = (Vec::new(), Vec::new());
        let mut in_doubt = 0;
        for lives in 1.. {
            let limit = match lives {
                ..=MOST_LIVES => Some(kept.len() as u64 + 1 + drawn(&mut random) % MOST_RECORDS),
                _ => None,
            };
            let before = outside.performed().len();
            let records: Vec<Record> = kept
                .iter()
                .map(|(it, _): &(Record, _)| it.clone())
                .collect();
            in_doubt += u64::from(!doubtful(&records).is_empty());
            let store = self.store(&format!("life-{}.db", lives % 2));
            let path = store.path().to_owned();
            let lived = if kept.is_empty() {
                self.subject.begin(&outside, store, limit, &mut order)?
            } else {
                self.write(&store, kept.clone())?;
                self.subject.resume(&outside, store, limit, &mut order)?
            };
            let performed = outside.performed();
            once(&performed)?;
            only_what_is_open(&records, &performed[before..])?;
            says_again(&said, &lived.events)?;
            let Lived {
                finished,
                events,
                opened_with,
                steps,
            } = lived;
            if let Some(finished) = finished {
                self.ended(&finished, &path)?;
                return Ok(Lives {
                    finished,
                    lives,
                    in_doubt,
                });
            }
            let mut all = self.kept(&path)?;
            let limit = limit.unwrap_or(u64::MAX);
            // Immediately before the record or after it.
            let mut cut = limit - drawn(&mut random) % 2;
            if kept.is_empty() && cut < opened_with {
                cut = 0;
            }
            all.truncate(usize::try_from(cut).unwrap_or(usize::MAX));
            let last = steps.iter().rev().find(|(records, _)| *records <= cut);
            said = match (cut, last) {
                (0, _) | (_, None) => Vec::new(),
                (_, Some((_, count))) => events[..*count].to_vec(),
            };
            kept = all;
        }
        unreachable!("the last life has no limit")
    }

    /// A run that has ended stays so.
    fn ended(&self, finished: &Finished, path: &Path) -> Result<(), String> {
        match &finished.result {
            RunResult::Internal(message) => return Err(format!("Internal: {message}")),
            RunResult::Left(why) => return Err(why.to_string()),
            RunResult::Value(_)
            | RunResult::Raised(_)
            | RunResult::Cancelled
            | RunResult::InvalidInput(_) => {}
        }
        if finished.live_objects > 0 {
            return Err(format!("{} objects are left", finished.live_objects));
        }
        if !path.exists() {
            // No record needed a file.
            return Ok(());
        }
        let store = gsw_journal::store::Store::existing(path).map_err(|it| it.to_string())?;
        match store.take(ID) {
            Err(gsw_journal::store::Error::Ended { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
            Ok(_) => Err("it can be resumed after its end".into()),
        }
    }
}

/// Checks that the events before the last kept record are emitted again unchanged.
fn says_again(before: &[Event], now: &[Event]) -> Result<(), String> {
    let mut pairs = before.iter().zip(now);
    if let Some((was, is)) = pairs.find(|(was, is)| was != is) {
        return Err(difference("event", was, is));
    }
    if now.len() < before.len() {
        return Err(format!(
            "{} events were emitted, and now {}",
            before.len(),
            now.len()
        ));
    }
    Ok(())
}
