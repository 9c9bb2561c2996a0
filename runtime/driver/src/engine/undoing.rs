//! Undos of an ended run that have failed: retried, or settled by a person who knows their outcome.
//!
//! The wish is a record of the run, so that whoever replays it, in this life or a later one, does the same.

use gsw_engine::run::{FailedUndos, NotUndone, UndoStanding};
use gsw_journal::clock::now;
use gsw_journal::record::{Record, UndoWish};
use gsw_journal::store::Error;

use crate::durable::resume::Brought;
use crate::engine::resuming::{NotResumed, Read};
use crate::engine::runs::Runs;
use crate::engine::standing::NotAdded;

impl Runs {
    /// Records what is wanted of a run that has ended; it continues with that when it is resumed.
    pub(super) fn wish_undo(&self, id: &str, wish: UndoWish) -> Result<(), NotAdded> {
        let store = self.store().ok_or(NotResumed::NoStore)?.existing()?;
        let info = store.find(id)?;
        if !info.status.is_final() {
            return Err(Error::NotEnded(info.id).into());
        }
        let records = store.records(&info.id)?;
        let seen = records.len();
        // Before it is one to be resumed: should this process die here, it has still ended.
        let read = Read::of(&store, &info.id, records)?;
        match self.back(&info, read)?.brought {
            Ok(Brought::Ended(finished)) => may_be(&info.id, wish, &finished.failed_undos)?,
            // It ended without failed undos.
            Ok(Brought::Waits { .. }) => return Err(NotAdded::NothingToUndo { id: info.id }),
            Err(why) => return Err(NotAdded::Diverged { id: info.id, why }),
        }
        Ok(store.reopen(&info.id, seen, &Record::Undo { now: now(), wish })?)
    }
}

/// Whether a wish is about something that failed and is not settled.
fn may_be(id: &str, wish: UndoWish, undos: &FailedUndos) -> Result<(), NotAdded> {
    let is_certain = |it: &NotUndone| it.standing == UndoStanding::Failed;
    let id = || id.to_owned();
    match wish {
        UndoWish::Failed if undos.left.iter().any(is_certain) => Ok(()),
        UndoWish::Failed => Err(NotAdded::NothingToTry {
            left: undos.left.clone(),
        }),
        UndoWish::Again(number) | UndoWish::Done(number) => {
            if undos.left.iter().any(|it| it.number == number) {
                return Ok(());
            }
            let settled = undos.settled.iter().find(|it| it.number == number);
            Err(match settled {
                Some(settled) => NotAdded::UndoSettled {
                    id: id(),
                    settled: settled.clone(),
                },
                None => NotAdded::NothingToUndo { id: id() },
            })
        }
    }
}
