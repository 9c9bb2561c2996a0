//! Lists of runs, from the rows of a store, without reading their records.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_abi::run_status::RunStatus;
use rusqlite::{Connection, Params};

use crate::cancellation;
use crate::error::Error;
use crate::owner::Owners;
use crate::questions::Table;
use crate::record::Hash;
use crate::row::{Facts, RunRow, StoreId};

pub use crate::row::DamagedRow;

pub use crate::status::Status;

/// Whether a process runs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Carried {
    Yes,
    No,
}

/// Whether the result of a run has reached who wanted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultDelivery {
    /// There is none yet, or no one waits for it any more.
    Settled,
    /// The process that was to hand it on died before it had.
    Outstanding,
}

/// A run of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    pub id: String,
    pub workflow: String,
    /// What its starter called it: one run of a workflow has it.
    pub name: Option<String>,
    pub status: Status,
    pub carried: Carried,
    pub delivered: ResultDelivery,
    /// When it began, in nanoseconds since 1970.
    pub begun: i64,
    /// When it last wrote something.
    pub changed: i64,
    /// The digest of the program's image.
    pub image: Hash,
    /// The path of the program.
    pub program: String,
    /// What it waits for, as text.
    pub waiting: Option<String>,
    /// When it is to be resumed if nothing happens before, in nanoseconds since 1970.
    pub wake: Option<i64>,
    /// The run that its first records were copied from.
    pub source: Option<String>,
    /// How many records it has.
    pub records: u64,
}

impl Info {
    /// Its status as people see it: a run that no process runs and that has not ended was interrupted.
    #[must_use]
    pub const fn shown_status(&self) -> RunStatus {
        match (self.status, self.carried) {
            (Status::Running, Carried::No) => RunStatus::Interrupted,
            (Status::Waiting, Carried::No) => RunStatus::Parked,
            (status, Carried::Yes | Carried::No) => status.shown(),
        }
    }
}

/// Runs of a store, and the rows that are damaged: damage to some does not hide the others.
#[derive(Debug, Default)]
pub struct Listed {
    pub runs: Vec<Info>,
    pub damaged: Vec<DamagedRow>,
}

impl Listed {
    /// For callers that need all of them.
    ///
    /// # Errors
    /// What is damaged first.
    pub fn whole(self) -> Result<Vec<Info>, Error> {
        match self.damaged.into_iter().next() {
            Some(damaged) => Err(damaged.error),
            None => Ok(self.runs),
        }
    }

    fn add(&mut self, more: Self) {
        self.runs.extend(more.runs);
        self.damaged.extend(more.damaged);
    }
}

/// The store that is listed.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub connection: &'a Connection,
    pub store: &'a StoreId,
    pub path: &'a Path,
    /// Whether all rows were read since it was opened, and none was damaged.
    pub is_whole: &'a AtomicBool,
}

impl Look<'_> {
    fn info(&self, owners: &mut Owners<'_>, row: RunRow) -> Result<Info, Error> {
        let status = row.status()?;
        let is_held = owners.holds(&row.owner)?;
        let is_carried = is_held && !status.is_final();
        let is_undelivered = status.is_final() && !is_held && !row.owner.is_empty();
        Ok(Info {
            id: row.id,
            workflow: row.workflow,
            name: row.name,
            status,
            carried: if is_carried {
                Carried::Yes
            } else {
                Carried::No
            },
            delivered: if is_undelivered {
                ResultDelivery::Outstanding
            } else {
                ResultDelivery::Settled
            },
            begun: row.begun,
            changed: row.changed,
            image: row.image,
            program: row.program,
            waiting: row.waiting,
            wake: row.wake,
            source: row.source,
            records: row.next.unsigned_abs(),
        })
    }

    /// The rows that fit a condition, the newest run first.
    fn infos(&self, condition: &str, parameters: impl Params) -> Result<Listed, Error> {
        let condition = format!("{condition} ORDER BY begun DESC, number DESC");
        let rows = RunRow::all(self.connection, self.store, &condition, parameters)?;
        let mut owners = Owners::new(self.connection, self.path);
        let mut listed = Listed::default();
        for row in rows {
            match row {
                Ok(row) => listed.runs.push(self.info(&mut owners, row)?),
                Err(damaged) => listed.damaged.push(damaged),
            }
        }
        Ok(listed)
    }

    /// All runs, the newest first. That one is missing counts as damage, too.
    pub(crate) fn all(&self) -> Result<Listed, Error> {
        let mut found = self.infos("", [])?;
        let facts = Facts::read(self.connection)?;
        let count = found.runs.len() + found.damaged.len();
        if facts.runs.unsigned_abs() != count as u64 {
            let what = format!("the list of runs, which has {count} of {},", facts.runs);
            found.damaged.push(DamagedRow {
                error: Error::DamagedEntry(what),
                input: None,
            });
        }
        Ok(found)
    }

    /// The rows that are damaged, of all. They are read once in the life of an open store where none is: what the start of a run
    /// costs must not grow with the runs before it.
    fn damaged(&self) -> Result<Vec<DamagedRow>, Error> {
        if self.is_whole.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let damaged = self.all()?.damaged;
        self.is_whole.store(damaged.is_empty(), Ordering::Relaxed);
        Ok(damaged)
    }

    /// The run of this id.
    pub(crate) fn find(&self, id: &str) -> Result<Info, Error> {
        if let Some(row) = RunRow::of_id(self.connection, self.store, id)? {
            return self.info(&mut Owners::new(self.connection, self.path), row);
        }
        // Rather damaged than missing, if it is.
        match self.damaged()?.into_iter().next() {
            Some(damaged) => Err(damaged.error),
            None => Err(Error::NoSuchRun(id.to_owned())),
        }
    }

    /// The run of an id, or of its beginning where that is one run's alone.
    pub(crate) fn find_by_beginning(&self, beginning: &str) -> Result<Info, Error> {
        if beginning.is_empty() || RunRow::of_id(self.connection, self.store, beginning)?.is_some()
        {
            return self.find(beginning);
        }
        let found = self.infos("WHERE substr(id, 1, length(?1)) = ?1", [beginning])?;
        let mut found = found.whole()?;
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(_), false) => Err(Error::Ambiguous(beginning.to_owned())),
            (None, _) => self.find(beginning),
        }
    }

    /// The newest run of this workflow and input that has not ended, one without a process before one with a process; or else
    /// one that has ended with an undelivered result. Forks do not count.
    pub(crate) fn interrupted(&self, workflow: &str, input: &Hash) -> Result<Option<Info>, Error> {
        // Of all runs, since one that is lost would be done again.
        let mut damaged = self.damaged()?.into_iter();
        if let Some(damaged) = damaged.find(|it| it.may_be_of(input)) {
            return Err(damaged.error);
        }
        let found = self.infos("WHERE workflow = ?1 AND input = ?2", (workflow, input))?;
        let mut found = found.whole()?;
        found.retain(|it| it.source.is_none());
        if let Some(last) = found.first()
            && last.delivered == ResultDelivery::Outstanding
        {
            return Ok(Some(last.clone()));
        }
        found.retain(|it| !it.status.is_final());
        let left = found.iter().find(|it| it.carried == Carried::No);
        Ok(left.or(found.first()).cloned())
    }

    /// The run of a workflow that its starter called so.
    pub(crate) fn named(&self, workflow: &str, name: &str) -> Result<Option<Info>, Error> {
        let found = self.infos("WHERE workflow = ?1 AND name = ?2", (workflow, name))?;
        Ok(found.whole()?.into_iter().next())
    }

    /// The runs that are due at this time: interrupted, past their wake time, answered or to be cancelled. The query does not
    /// visit other runs, however many there are.
    pub(crate) fn due(&self, now: i64) -> Result<Listed, Error> {
        let mut found = self.infos("WHERE status = 0", [])?;
        found.add(self.infos(
            "WHERE status = 1 AND wake IS NOT NULL AND wake <= ?1",
            [now],
        )?);
        let answered = Table::new(self.connection, self.store).answered()?;
        let mut told: BTreeSet<String> = answered.into_iter().map(|(run, ..)| run).collect();
        let cancelled = cancellation::all(self.connection, self.store)?;
        told.extend(cancelled.into_iter().flatten().map(|it| it.run));
        for run in told {
            found.add(self.infos("WHERE id = ?1 AND status IN (0, 1)", [&run])?);
        }
        let runs = &mut found.runs;
        runs.retain(|it| it.carried == Carried::No);
        let mut seen = BTreeSet::new();
        runs.retain(|it| seen.insert(it.id.clone()));
        runs.sort_by_key(|it| std::cmp::Reverse(it.begun));
        Ok(found)
    }
}
