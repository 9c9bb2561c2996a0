//! The row of a run, and the checksums that rows carry.
//!
//! What a run was given is in a chain of digests; what the store itself notes of it (its status, its owner, its life) is not.
//! A flipped bit there could begin a run again that has ended. So each row that decides something ends with a sum of all its
//! fields, of its table's name, and of the number of its store: a page of another store fits none.
//!
//! Rows are read whole, changed here and written whole; no statement changes a column by itself.

use rusqlite::{Connection, OptionalExtension, Params, Row as Found, Transaction};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::record::{Chain, Hash};
use crate::status::Status;

/// The number of a store, drawn when it is made.
pub(crate) type StoreId = [u8; 16];

/// What a store notes of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct RunRow {
    /// 0 until it is in the table.
    pub number: i64,
    pub id: String,
    pub workflow: String,
    /// What its starter called it: one run of a workflow has it.
    pub name: Option<String>,
    /// As in [`Status::number`].
    pub status: i64,
    pub begun: i64,
    pub changed: i64,
    pub image: Hash,
    pub program: String,
    pub input: Hash,
    /// What it waits for, as text.
    pub waiting: Option<String>,
    /// When it is to be resumed if nothing happens before.
    pub wake: Option<i64>,
    /// The run that its first records were copied from.
    pub source: Option<String>,
    pub epoch: i64,
    /// Empty when no process runs it.
    pub owner: String,
    pub next: i64,
    pub last: Hash,
    /// How many questions it has in their table.
    pub asked: i64,
}

/// A row that is not what was written.
#[derive(Debug)]
pub struct DamagedRow {
    pub error: Error,
    /// What the row says now of the run's input; `None` where that cannot be read.
    pub(crate) input: Option<Hash>,
}

impl DamagedRow {
    /// Whether it may be that of a run of this input. One that is damaged elsewhere has it still, and a few flipped bits leave most
    /// of its bytes. Digests of two inputs have hardly ever four bytes in common, and then a run is refused that could begin.
    pub(crate) fn may_be_of(&self, input: &Hash) -> bool {
        let is_like = |own: &Hash, other: &Hash| {
            let same = own.iter().zip(other).filter(|(own, other)| own == other);
            same.count() >= 4
        };
        let Some(own) = &self.input else { return true };
        // A disk returns zeros for sectors that it has lost.
        is_like(own, input) || is_like(own, &[0; 32])
    }
}

impl From<DamagedRow> for Error {
    fn from(damaged: DamagedRow) -> Self {
        damaged.error
    }
}

const COLUMNS: &str = "number, id, workflow, name, status, begun, changed, image, program, input, waiting, wake, source, \
                       epoch, owner, next, last, asked, sum";

impl RunRow {
    /// The status; an unknown number means that the row is damaged.
    pub(crate) fn status(&self) -> Result<Status, Error> {
        Status::of(self.status).ok_or_else(|| self.damaged())
    }

    /// Notes where its chain ends.
    pub(crate) fn advance(&mut self, chain: &Chain) {
        self.next = chain.next.cast_signed();
        self.last = chain.last;
    }

    fn damaged(&self) -> Error {
        Error::DamagedEntry(format!("the entry of run `{}`", self.id))
    }

    fn read(store: &StoreId, found: &Found<'_>) -> Result<Self, DamagedRow> {
        let damaged = |error| DamagedRow {
            error,
            input: found.get(9).ok(),
        };
        // What is not even of the right type has no id to be named by.
        let nameless = |_| damaged(Error::DamagedEntry("the entry of a run".into()));
        let read = || -> rusqlite::Result<(Self, i64)> {
            let row = Self {
                number: found.get(0)?,
                id: found.get(1)?,
                workflow: found.get(2)?,
                name: found.get(3)?,
                status: found.get(4)?,
                begun: found.get(5)?,
                changed: found.get(6)?,
                image: found.get(7)?,
                program: found.get(8)?,
                input: found.get(9)?,
                waiting: found.get(10)?,
                wake: found.get(11)?,
                source: found.get(12)?,
                epoch: found.get(13)?,
                owner: found.get(14)?,
                next: found.get(15)?,
                last: found.get(16)?,
                asked: found.get(17)?,
            };
            Ok((row, found.get(18)?))
        };
        let (row, sum) = read().map_err(nameless)?;
        if sum_of(store, "runs", &row) == sum {
            Ok(row)
        } else {
            Err(damaged(row.damaged()))
        }
    }

    /// The rows that fit `condition`.
    pub(crate) fn all(
        connection: &Connection,
        store: &StoreId,
        condition: &str,
        parameters: impl Params,
    ) -> Result<Vec<Result<Self, DamagedRow>>, Error> {
        let text = format!("SELECT {COLUMNS} FROM runs {condition}");
        let mut statement = connection.prepare_cached(&text)?;
        let mut rows = statement.query(parameters)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Self::read(store, row));
        }
        Ok(found)
    }

    /// The row of this number.
    pub(crate) fn of_number(
        connection: &Connection,
        store: &StoreId,
        number: i64,
    ) -> Result<Option<Self>, Error> {
        let rows = Self::all(connection, store, "WHERE number = ?1", [number])?;
        Ok(rows.into_iter().next().transpose()?)
    }

    /// The row of exactly this id.
    pub(crate) fn of_id(
        connection: &Connection,
        store: &StoreId,
        id: &str,
    ) -> Result<Option<Self>, Error> {
        let rows = Self::all(connection, store, "WHERE id = ?1", [id])?;
        Ok(rows.into_iter().next().transpose()?)
    }

    /// Inserts it into the table, which assigns its number.
    pub(crate) fn insert(
        &mut self,
        transaction: &Transaction<'_>,
        store: &StoreId,
    ) -> Result<(), Error> {
        let number: Option<i64> =
            transaction.query_row("SELECT max(number) FROM runs", [], |it| it.get(0))?;
        self.number = number.unwrap_or(0) + 1;
        self.write(transaction, store)?;
        Facts::change(transaction, store, |facts| facts.runs += 1)
    }

    /// Writes it over what is in the table.
    pub(crate) fn update(
        &self,
        transaction: &Transaction<'_>,
        store: &StoreId,
    ) -> Result<(), Error> {
        let mut statement = transaction.prepare_cached(
            "UPDATE runs SET status = ?2, changed = ?3, waiting = ?4, wake = ?5, epoch = ?6, owner = ?7, next = ?8,
                 last = ?9, asked = ?10, image = ?11, program = ?12, sum = ?13 WHERE number = ?1",
        )?;
        statement.execute((
            self.number,
            self.status,
            self.changed,
            &self.waiting,
            self.wake,
            self.epoch,
            &self.owner,
            self.next,
            self.last,
            self.asked,
            self.image,
            &self.program,
            sum_of(store, "runs", self),
        ))?;
        Ok(())
    }

    fn write(&self, transaction: &Transaction<'_>, store: &StoreId) -> Result<(), Error> {
        let text = format!(
            "INSERT INTO runs ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
        );
        let mut statement = transaction.prepare_cached(&text)?;
        let sum = sum_of(store, "runs", self);
        statement.execute(rusqlite::params![
            self.number,
            self.id,
            self.workflow,
            self.name,
            self.status,
            self.begun,
            self.changed,
            self.image,
            self.program,
            self.input,
            self.waiting,
            self.wake,
            self.source,
            self.epoch,
            self.owner,
            self.next,
            self.last,
            self.asked,
            sum,
        ])?;
        Ok(())
    }
}

/// The one row that says what store this is, and how many rows of a kind it has: a page that is lost takes runs with it that
/// nothing else would miss.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Facts {
    pub store: StoreId,
    pub runs: i64,
    /// Answers that came before their questions.
    pub early: i64,
}

impl Facts {
    /// Reads and checks it; `None` when there is none.
    pub(crate) fn read(connection: &Connection) -> Result<Self, Error> {
        let damaged = || Error::DamagedEntry("the entry about the store itself".into());
        let found = connection
            .query_row("SELECT store, runs, early, sum FROM facts", [], |row| {
                let facts = Self {
                    store: row.get(0)?,
                    runs: row.get(1)?,
                    early: row.get(2)?,
                };
                Ok((facts, row.get(3)?))
            })
            .optional();
        let (facts, sum): (Self, i64) = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Err(damaged()),
            Err(error) if error.sqlite_error().is_some() => return Err(error.into()),
            Err(_) => return Err(damaged()),
        };
        if sum_of(&facts.store, "facts", &facts) == sum {
            Ok(facts)
        } else {
            Err(damaged())
        }
    }

    /// Inserts the only row, for a store without runs.
    pub(crate) fn insert(transaction: &Transaction<'_>, store: StoreId) -> rusqlite::Result<()> {
        let facts = Self {
            store,
            runs: 0,
            early: 0,
        };
        transaction.execute(
            "INSERT INTO facts (store, runs, early, sum) VALUES (?1, 0, 0, ?2)",
            (store, sum_of(&store, "facts", &facts)),
        )?;
        Ok(())
    }

    /// Counts what comes, or goes.
    pub(crate) fn change(
        connection: &Connection,
        store: &StoreId,
        change: impl FnOnce(&mut Self),
    ) -> Result<(), Error> {
        let mut facts = Self::read(connection)?;
        change(&mut facts);
        connection.execute(
            "UPDATE facts SET runs = ?1, early = ?2, sum = ?3",
            (facts.runs, facts.early, sum_of(store, "facts", &facts)),
        )?;
        Ok(())
    }
}

/// The checksum of a row of a table.
pub(crate) fn sum_of(store: &StoreId, table: &str, row: &impl Serialize) -> i64 {
    let bytes = postcard::to_stdvec(row).expect("a row holds nothing that has no bytes");
    let mut digest = Sha256::new();
    digest.update(store);
    digest.update(table);
    digest.update([0]);
    digest.update(&bytes);
    let digest: Hash = digest.finalize().into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    i64::from_le_bytes([a, b, c, d, e, f, g, h])
}
