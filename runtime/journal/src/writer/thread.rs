//! What the thread that writes to a store does.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::chain;
use crate::clock::now;
use crate::error::Error;
use crate::list::Delivered;
use crate::owner::Owner;
use crate::questions::Table;
use crate::record::Chain;
use crate::row::{RunRow, StoreId};
use crate::writer::{Append, Command, Failure, Place, refuse};

/// So many records are committed at once.
const GROUP: usize = 512;
/// How often an owner is renewed: several times within its expiry.
const RENEWAL: Duration = Duration::from_secs(15);
/// Between two attempts at a store that another process has locked.
const AGAIN: Duration = Duration::from_millis(50);

/// What the thread works with.
pub(super) struct Thread {
    pub connection: Connection,
    pub owner: Owner,
    pub store: StoreId,
    /// How long it waits while another process holds the lock.
    pub patience: Duration,
}

impl Thread {
    pub(super) fn serve(mut self, commands: &Receiver<Command>) {
        let mut renewed = Instant::now();
        loop {
            let mut end = None;
            let mut group = Vec::new();
            match commands.recv_timeout(RENEWAL.saturating_sub(renewed.elapsed())) {
                Ok(Command::End(then)) => end = Some(then),
                Ok(command) => group.push(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while group.len() < GROUP
                && end.is_none()
                && let Ok(command) = commands.try_recv()
            {
                if let Command::End(then) = command {
                    end = Some(then);
                } else {
                    group.push(command);
                }
            }
            if renewed.elapsed() >= RENEWAL {
                renewed = Instant::now();
                // Whoever takes a run of an owner that could not be renewed raises its epoch, which the next write sees.
                let _ = self.owner.renew(&self.connection);
            }
            if !group.is_empty() {
                self.commit(group);
            }
            if let Some(then) = end {
                // The lock is let go and the log put into the file before anybody hears of it.
                drop(self);
                return then(Ok(()));
            }
        }
    }

    /// Writes a group and reports to each what became of it.
    fn commit(&mut self, group: Vec<Command>) {
        let written = self.write_with_patience(&group);
        for command in group {
            let run = command.run();
            match &written {
                Ok(lost) if run.is_some_and(|it| lost.contains(&it)) => {
                    refuse(command, &Failure::TakenOver);
                }
                Ok(_) => accept(command),
                Err(failure) => refuse(command, failure),
            }
        }
    }

    /// A lock that another process holds is waited for: a run that is made to end is worse than one that stands still.
    fn write_with_patience(&mut self, group: &[Command]) -> Result<HashSet<Place>, Failure> {
        let begun = Instant::now();
        loop {
            match write(&mut self.connection, &self.store, group) {
                Ok(lost) => return Ok(lost),
                Err(Trouble::Locked) if begun.elapsed() < self.patience => {
                    std::thread::sleep(AGAIN);
                }
                Err(trouble) => return Err(Failure::Database(trouble.text())),
            }
        }
    }
}

impl Command {
    fn run(&self) -> Option<Place> {
        match self {
            Self::Append(it) => Some(it.run),
            Self::Status { run, .. }
            | Self::Build { run, .. }
            | Self::Wake { run, .. }
            | Self::Ask { run, .. }
            | Self::EndQuestion { run, .. }
            | Self::Release { run, .. } => Some(*run),
            Self::Flush(_) | Self::End(_) => None,
        }
    }
}

/// Reports that a command is on the disk.
fn accept(command: Command) {
    match command {
        Command::Append(it) => {
            if let Some(then) = it.then {
                // What failed before a record is missing, so the record is of no use.
                then(it.failure.get().map_or(Ok(()), Err));
            }
        }
        Command::Flush(then) | Command::End(then) => then(Ok(())),
        Command::Ask { then, .. } => {
            if let Some(then) = then {
                then(Ok(()));
            }
        }
        Command::Release { then, failure, .. } => {
            if let Some(then) = then {
                then(failure.get().map_or(Ok(()), Err));
            }
        }
        Command::Status { .. }
        | Command::Build { .. }
        | Command::Wake { .. }
        | Command::EndQuestion { .. } => {}
    }
}

/// Why a group was not written.
enum Trouble {
    /// Another process holds the lock.
    Locked,
    Other(Error),
}

impl Trouble {
    fn text(self) -> String {
        match self {
            Self::Locked => "another process has kept the store locked for too long".into(),
            Self::Other(error) => error.to_string(),
        }
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            _ => Self::Other(error.into()),
        }
    }
}

/// The runs of a group as they will be; `None` for one that belongs to another process by now.
struct Group<'a> {
    transaction: &'a Transaction<'a>,
    store: &'a StoreId,
    rows: HashMap<Place, Option<RunRow>>,
}

impl Group<'_> {
    fn row(&mut self, run: Place) -> Result<Option<&mut RunRow>, Error> {
        match self.rows.entry(run) {
            Entry::Occupied(known) => Ok(known.into_mut().as_mut()),
            Entry::Vacant(place) => {
                let row = RunRow::of_number(self.transaction, self.store, run.number)?;
                Ok(place
                    .insert(row.filter(|it| it.epoch == run.epoch))
                    .as_mut())
            }
        }
    }

    fn append(&mut self, append: &Append) -> Result<(), Error> {
        let Append {
            run,
            number,
            body,
            digest,
            blob,
            failure,
            then: _,
        } = append;
        let transaction = self.transaction;
        let Some(row) = self.row(*run)? else {
            return Ok(());
        };
        // After a failure there is a gap, and nothing may follow it.
        if failure.get().is_some() {
            return Ok(());
        }
        chain::insert(
            transaction,
            run.number,
            *number,
            body,
            digest,
            blob.as_ref(),
        )?;
        row.advance(&Chain {
            next: number + 1,
            last: *digest,
        });
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), Error> {
        match command {
            Command::Append(it) => return self.append(it),
            Command::Flush(_) | Command::End(_) => {}
            Command::Status {
                run,
                status,
                waiting,
                failure,
            } => {
                // A run whose records end too early is not as far as it says.
                if failure.get().is_none()
                    && let Some(row) = self.row(*run)?
                {
                    row.status = status.number();
                    row.waiting.clone_from(waiting);
                }
            }
            Command::Build {
                run,
                image,
                program,
            } => {
                if let Some(row) = self.row(*run)? {
                    row.image = *image;
                    row.program.clone_from(program);
                }
            }
            Command::Wake { run, at } => {
                if let Some(row) = self.row(*run)? {
                    row.wake = *at;
                }
            }
            Command::Ask { run, question, .. } => {
                let table = Table::new(self.transaction, self.store);
                if let Some(row) = self.row(*run)? {
                    table.ask(row, question)?;
                }
            }
            Command::EndQuestion {
                run,
                operation,
                why,
            } => {
                if self.row(*run)?.is_some() {
                    let table = Table::new(self.transaction, self.store);
                    table.end(run.number, *operation, why.as_deref())?;
                }
            }
            Command::Release { run, delivered, .. } => {
                if let Some(row) = self.row(*run)? {
                    match delivered {
                        Delivered::Yes => row.owner.clear(),
                        // An ended run that still has an owner is one whose result nobody has.
                        Delivered::No => {}
                    }
                }
            }
        }
        Ok(())
    }
}

/// Gives the runs that belong to another process by now.
fn write(
    connection: &mut Connection,
    store: &StoreId,
    commands: &[Command],
) -> Result<HashSet<Place>, Trouble> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut group = Group {
        transaction: &transaction,
        store,
        rows: HashMap::new(),
    };
    for command in commands {
        group.command(command)?;
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
