//! Checks a store for damage.

use std::collections::BTreeSet;

use rusqlite::{Connection, Transaction};

use crate::chain;
use crate::error::Error;
use crate::questions::Table;
use crate::record::Payload;
use crate::row::{Facts, RunRow};
use crate::store::Store;

/// What was checked, and the damage that was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verified {
    pub runs: u64,
    pub records: u64,
    pub blobs: u64,
    pub problems: Vec<Problem>,
}

/// Damaged data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The run that it belongs to, if it is one's.
    pub run: Option<String>,
    /// The number of the first record that is not what was written, if it is one.
    pub record: Option<u64>,
    pub what: String,
}

impl Verified {
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, run: Option<&str>, what: &impl std::fmt::Display) {
        self.problems.push(Problem {
            run: run.map(str::to_owned),
            record: None,
            what: what.to_string(),
        });
    }

    /// A damaged record is named by its number, too.
    fn add_error(&mut self, run: &str, error: &Error) {
        self.add(Some(run), error);
        if let (Some(last), Error::Damaged { record, .. }) = (self.problems.last_mut(), error) {
            last.record = Some(*record);
        }
    }
}

impl Store {
    /// Reads everything of a run, or of the whole store, and checks its digests and checksums.
    ///
    /// # Errors
    /// When there is no such run. What is wrong with the store is in the result.
    pub fn verify(&self, run: Option<&str>) -> Result<Verified, Error> {
        self.glance(|transaction| {
            let mut verified = Verified::default();
            if let Some(id) = run {
                let info = self.look(transaction).find(id)?;
                let row = self.row(transaction, &info.id)?;
                self.verify_run(transaction, &row, &mut verified);
                return Ok(verified);
            }
            self.verify_file(transaction, &mut verified);
            match RunRow::all(transaction, self.id(), "ORDER BY number", []) {
                Err(error) => verified.add(None, &error),
                // Those that are damaged are named already.
                Ok(rows) => {
                    for row in rows.iter().flatten() {
                        self.verify_run(transaction, row, &mut verified);
                    }
                }
            }
            Ok(verified)
        })
    }

    /// What belongs to no run alone.
    fn verify_file(&self, transaction: &Transaction<'_>, verified: &mut Verified) {
        match texts(transaction, "PRAGMA integrity_check") {
            Ok(found) if found == ["ok"] => {}
            Ok(found) => found.iter().for_each(|it| verified.add(None, it)),
            Err(error) => verified.add(None, &Error::from(error)),
        }
        match texts(transaction, "PRAGMA foreign_key_check") {
            Ok(found) => {
                for table in found {
                    verified.add(None, &format!("a row of `{table}` belongs to no run"));
                }
            }
            Err(error) => verified.add(None, &Error::from(error)),
        }
        match self.look(transaction).all() {
            Ok(listed) => {
                let damaged = listed.damaged.iter();
                damaged.for_each(|it| verified.add(None, &it.error));
            }
            Err(error) => verified.add(None, &error),
        }
        let table = Table::new(transaction, self.id());
        let cancelled = crate::cancellation::all(transaction, self.id()).map(drop);
        for checked in [table.all().map(drop), table.check_early(), cancelled] {
            if let Err(error) = checked {
                verified.add(None, &error);
            }
        }
        match Facts::read(transaction) {
            Ok(facts) if facts.store == *self.id() => {}
            Ok(_) => verified.add(None, &"another store was put in the place of this one"),
            Err(error) => verified.add(None, &error),
        }
        match unused(transaction) {
            Ok(0) => {}
            Ok(_) => verified.add(None, &"there are values that no run uses"),
            Err(error) => verified.add(None, &Error::from(error)),
        }
    }

    fn verify_run(&self, transaction: &Transaction<'_>, row: &RunRow, verified: &mut Verified) {
        let id = Some(&*row.id);
        verified.runs += 1;
        let mut named = BTreeSet::new();
        let mut records = 0;
        let walked = chain::walk(transaction, row, |record, _| {
            records += 1;
            if let Some(Payload::Blob(hash)) = record.payload() {
                named.insert(*hash);
            }
        });
        verified.records += records;
        if let Err(error) = walked {
            verified.add_error(&row.id, &error);
        }
        if let Err(error) = row.status() {
            verified.add(id, &error);
        }
        if let Err(error) = Table::new(transaction, self.id()).of_run(&row.id) {
            verified.add(id, &error);
        }
        // A run may use values that none of its records names by a payload: its bytes do.
        let used = match chain::uses(transaction, row.number) {
            Ok(used) => used,
            Err(error) => return verified.add(id, &error),
        };
        if named.iter().any(|it| !used.contains(it)) {
            verified.add(id, &"a value is kept for other runs only");
        }
        named.extend(used);
        for hash in &named {
            verified.blobs += 1;
            match chain::blob(transaction, hash) {
                Ok(Some(_)) => {}
                Ok(None) => verified.add(id, &"a value is lost or damaged"),
                Err(error) => verified.add(id, &error),
            }
        }
    }
}

fn texts(connection: &Connection, pragma: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(pragma)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

fn unused(connection: &Connection) -> rusqlite::Result<i64> {
    let text = "SELECT count(*) FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)";
    connection.query_row(text, [], |row| row.get(0))
}
