//! Undos of an ended run that have failed: retried, or settled by a person who knows their outcome.
//!
//! The wish is a record of the run, so that whoever replays it, in this life or a later one, does the same.

use gsw_engine::run::{NotUndone, UndoStanding};
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
            Ok(Brought::Ended(finished)) => may_be(&info.id, wish, &finished.not_undone)?,
            // It ended without failed undos.
            Ok(Brought::Waits { .. }) => return Err(NotAdded::NothingToUndo { id: info.id }),
            Err(why) => return Err(NotAdded::Diverged { id: info.id, why }),
        }
        Ok(store.reopen(&info.id, seen, &Record::Undo { now: now(), wish })?)
    }
}

/// Whether a wish is about something that failed.
fn may_be(id: &str, wish: UndoWish, failed: &[NotUndone]) -> Result<(), NotAdded> {
    let id = id.to_owned();
    let is_certain = |it: &NotUndone| it.standing == UndoStanding::Failed;
    match wish {
        UndoWish::Failed if failed.iter().any(is_certain) => Ok(()),
        UndoWish::Failed => Err(NotAdded::NothingToTry {
            left: failed.to_vec(),
        }),
        UndoWish::Again(number) | UndoWish::Done(number)
            if (1..=failed.len() as u64).contains(&number) =>
        {
            Ok(())
        }
        UndoWish::Again(_) | UndoWish::Done(_) => Err(NotAdded::NothingToUndo { id }),
    }
}
