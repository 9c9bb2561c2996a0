//! Requests to cancel a run, whichever process runs it: a request is a row until the run has ended.

use rusqlite::{Connection, Row};

use crate::error::Error;
use crate::list::Carried;
use crate::row::{StoreId, sum_of};
use crate::store::Store;

/// That a run is to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cancellation {
    pub run: String,
    pub reason: String,
    /// In nanoseconds since 1970.
    pub at: i64,
}

impl Store {
    /// Requests that a run ends; the first reason counts. Returns whether a process is running it, which then receives the
    /// request.
    ///
    /// # Errors
    /// When there is no such run, it has ended, or it cannot be written.
    pub fn cancel(&self, run: &str, reason: &str, at: i64) -> Result<Carried, Error> {
        self.change(|transaction| {
            let info = self.open_run(transaction, run)?;
            let number = self.row(transaction, &info.id)?.number;
            let sum = sum_of(self.id(), "cancellations", &(number, reason, at));
            transaction.execute(
                "INSERT OR IGNORE INTO cancellations (run, reason, at, sum) VALUES (?1, ?2, ?3, ?4)",
                (number, reason, at, sum),
            )?;
            Ok(info.carried)
        })
    }

    /// The runs that are to end and have not. A damaged request is left out, so that the others reach their runs.
    ///
    /// # Errors
    /// Those of the database.
    pub fn cancellations(&self) -> Result<Vec<Cancellation>, Error> {
        let all = self.glance(|transaction| all(transaction, self.id()))?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Whether this run is to end.
    ///
    /// # Errors
    /// Those of the database, and a damaged request of any run.
    pub fn cancellation(&self, run: &str) -> Result<Option<Cancellation>, Error> {
        let all = self.glance(|transaction| all(transaction, self.id()))?;
        let all: Vec<Cancellation> = all.into_iter().collect::<Result<_, _>>()?;
        Ok(all.into_iter().find(|it| it.run == run))
    }
}

/// Each request of a run that has not ended, or how it is damaged.
pub(crate) fn all(
    connection: &Connection,
    store: &StoreId,
) -> Result<Vec<Result<Cancellation, Error>>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT cancellations.run, reason, at, cancellations.sum, runs.id FROM cancellations
         JOIN runs ON runs.number = cancellations.run WHERE runs.status NOT IN (2, 3, 4)",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(store, row));
    }
    Ok(found)
}

fn read(store: &StoreId, row: &Row<'_>) -> Result<Cancellation, Error> {
    let read = || -> rusqlite::Result<(i64, i64, Cancellation)> {
        let request = Cancellation {
            run: row.get(4)?,
            reason: row.get(1)?,
            at: row.get(2)?,
        };
        Ok((row.get(0)?, row.get(3)?, request))
    };
    let (number, sum, request) =
        read().map_err(|_| Error::DamagedEntry("a cancellation request".into()))?;
    if sum_of(
        store,
        "cancellations",
        &(number, &request.reason, request.at),
    ) == sum
    {
        Ok(request)
    } else {
        Err(Error::DamagedEntry(format!(
            "the cancellation request of run `{}`",
            request.run
        )))
    }
}
