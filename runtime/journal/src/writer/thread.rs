//! What the thread that writes to a store does.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::chain;
use crate::clock::now;
use crate::error::Error;
use crate::list::ResultDelivery;
use crate::open_file::OpenFile;
use crate::owner::Owner;
use crate::questions::Table;
use crate::record::Chain;
use crate::recording::Recording;
use crate::row::{RunRow, StoreId};
use crate::writer::{AGAIN, Command, Failure, Place, RENEWAL, What, Write};

/// The most writes of one transaction.
const GROUP: usize = 512;

/// When a renewal is tried again that another process's lock has kept from being written.
const RETRY: Duration = Duration::from_secs(1);

/// What the thread works with.
pub(super) struct Thread {
    pub connection: Connection,
    /// After the connection, which is closed first.
    pub file: OpenFile,
    pub owner: Owner,
    pub store: StoreId,
    /// How long it waits while another process holds the lock.
    pub patience: Duration,
    pub _recording: Recording,
    /// Since when that process holds it, as far as is known.
    pub locked: Option<Instant>,
    /// Who was let go while it held it: nobody else can take those runs as long as this process lives.
    pub unreleased: Vec<Write>,
}

impl Thread {
    pub(super) fn serve(mut self, commands: &Receiver<Command>) {
        let mut renewal = Instant::now() + RENEWAL;
        loop {
            let mut end = None;
            let mut group = Vec::new();
            match commands.recv_timeout(renewal.saturating_duration_since(Instant::now())) {
                Ok(Command::Write(it)) => group.push(it),
                Ok(Command::End(then)) => end = Some(then),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while group.len() < GROUP
                && end.is_none()
                && let Ok(command) = commands.try_recv()
            {
                match command {
                    Command::Write(it) => group.push(it),
                    Command::End(then) => end = Some(then),
                }
            }
            if renewal <= Instant::now() {
                let renewed = self.owner.renew(&self.connection);
                renewal = Instant::now() + until_next(&renewed);
                if renewed.is_ok() {
                    self.locked = None;
                }
            }
            if self.locked.is_none() {
                group.append(&mut self.unreleased);
            }
            if !group.is_empty() {
                self.commit(group);
            }
            if let Some(then) = end {
                // The lock is released and the log written into the file before the callback runs.
                drop(self);
                return then(Ok(()));
            }
        }
    }

    /// Writes a group and reports to each what happened to it. A group that cannot be written is written again run by run: what
    /// is wrong with one takes no other along. Of a lock that another process holds all of them know when one has waited.
    fn commit(&mut self, group: Vec<Write>) {
        if !self.file.is_there() {
            return refuse(group, &Failure::Removed);
        }
        match self.write_with_patience(&group) {
            // What was written to a log that another process has removed meanwhile is lost.
            Ok(_) if !self.file.is_there() => refuse(group, &Failure::Removed),
            Ok(lost) => {
                for write in group {
                    if lost.contains(&write.run) {
                        write.refuse(&Failure::TakenOver);
                    } else {
                        write.accept();
                    }
                }
            }
            Err(Error::Locked(_)) => {
                let why = "another process has kept the store locked for too long";
                let failure = Failure::Database(why.into());
                let is_release = |it: &Write| matches!(it.what, What::Release(_));
                let (releases, others): (Vec<_>, Vec<_>) = group.into_iter().partition(is_release);
                refuse(others, &failure);
                let again = releases.into_iter().map(|it| it.refuse_for_now(&failure));
                self.unreleased.extend(again);
            }
            Err(error) => {
                let mut runs = by_run(group);
                match runs.len() {
                    1 => {
                        let failure = Failure::Database(error.to_string());
                        runs.drain().for_each(|it| refuse(it.1, &failure));
                    }
                    _ => runs.into_values().for_each(|it| self.commit(it)),
                }
            }
        }
    }

    /// Waits while another process holds the lock: waiting is better than ending the runs. The time counts from when the lock
    /// was first found taken, for all queued writes.
    fn write_with_patience(&mut self, group: &[Write]) -> Result<HashSet<Place>, Error> {
        loop {
            let begun = Instant::now();
            let written = write(&mut self.connection, &self.store, group);
            if !matches!(written, Err(Error::Locked(_))) {
                self.locked = None;
                return written;
            }
            if self.locked.get_or_insert(begun).elapsed() >= self.patience {
                return written;
            }
            std::thread::sleep(AGAIN);
        }
    }
}

/// The time until an owner is renewed again. A process that takes a run of an owner that could not be renewed raises its epoch,
/// which the next write detects.
const fn until_next(renewed: &rusqlite::Result<()>) -> Duration {
    match renewed {
        Ok(()) => RENEWAL,
        Err(_) => RETRY,
    }
}

fn refuse(group: Vec<Write>, failure: &Failure) {
    group.into_iter().for_each(|it| it.refuse(failure));
}

/// Those of each run, in their order.
fn by_run(group: Vec<Write>) -> HashMap<Place, Vec<Write>> {
    let mut runs: HashMap<Place, Vec<Write>> = HashMap::new();
    for write in group {
        runs.entry(write.run.clone()).or_default().push(write);
    }
    runs
}

/// The runs of a group as they will be; `None` for one that belongs to another process by now.
struct Group<'a> {
    transaction: &'a Transaction<'a>,
    store: &'a StoreId,
    rows: HashMap<Place, Option<RunRow>>,
}

impl Group<'_> {
    fn row(&mut self, run: &Place) -> Result<Option<&mut RunRow>, Error> {
        match self.rows.entry(run.clone()) {
            Entry::Occupied(known) => Ok(known.into_mut().as_mut()),
            Entry::Vacant(place) => {
                let row = RunRow::of_number(self.transaction, self.store, run.number)?;
                let is_ours = |it: &RunRow| *it.id == *run.id && it.epoch == run.epoch;
                Ok(place.insert(row.filter(is_ours)).as_mut())
            }
        }
    }

    fn write(&mut self, write: &Write) -> Result<(), Error> {
        let (transaction, store, run) = (self.transaction, self.store, &write.run);
        // After a failure there is a gap: no record may follow it, and the run is not as far as it says.
        let is_whole = write.failure.get().is_none();
        if matches!(write.what, What::Flush) {
            return Ok(());
        }
        let Some(row) = self.row(run)? else {
            return Ok(());
        };
        match &write.what {
            What::Append {
                number,
                body,
                digest,
                blob,
            } => {
                if is_whole {
                    let blob = blob.as_ref();
                    chain::insert(transaction, run.number, *number, body, digest, blob)?;
                    row.advance(&Chain {
                        next: number + 1,
                        last: *digest,
                    });
                }
            }
            What::Status { status, waiting } => {
                if is_whole {
                    row.status = status.number();
                    row.waiting.clone_from(waiting);
                }
            }
            What::Build { image, program } => {
                row.image = *image;
                row.program.clone_from(program);
            }
            What::Wake(at) => row.wake = *at,
            What::Ask(question) => Table::new(transaction, store).ask(row, question)?,
            What::EndQuestion { operation, why } => {
                Table::new(transaction, store).end(run.number, *operation, why.as_deref())?;
            }
            What::Release(ResultDelivery::Settled) => row.owner.clear(),
            // An ended run that still has an owner is one with an undelivered result.
            What::Release(ResultDelivery::Outstanding) | What::Flush => {}
        }
        Ok(())
    }
}

/// Returns the runs that belong to another process by now.
fn write(
    connection: &mut Connection,
    store: &StoreId,
    writes: &[Write],
) -> Result<HashSet<Place>, Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut group = Group {
        transaction: &transaction,
        store,
        rows: HashMap::new(),
    };
    for write in writes {
        group.write(write)?;
    }
    let mut lost = HashSet::new();
    for (run, row) in std::mem::take(&mut group.rows) {
        if let Some(mut row) = row {
            row.changed = now();
            row.update(&transaction, store)?;
        } else {
            lost.insert(run);
        }
    }
    transaction.commit()?;
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::{RETRY, until_next};
    use crate::writer::RENEWAL;

    #[test]
    fn a_renewal_that_was_not_written_is_tried_again_soon() {
        assert_eq!(until_next(&Ok(())), RENEWAL);
        assert_eq!(until_next(&Err(rusqlite::Error::InvalidQuery)), RETRY);
    }
}
