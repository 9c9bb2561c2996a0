//! Which runs that have ended are forgotten.

use std::collections::HashSet;

use rusqlite::{Connection, Transaction};

use crate::error::Error;
use crate::questions::Table;
use crate::record::Hash;
use crate::row::{Facts, RunRow, StoreId};
use crate::status::Status;

/// How much of the past is kept; whatever is reached first counts. Runs that have not ended are always kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retention {
    /// In nanoseconds since the end.
    pub age: i64,
    pub runs: u64,
    /// Of all records and blobs.
    pub bytes: u64,
}

impl Default for Retention {
    /// Thirty days, a thousand runs, a gigabyte.
    fn default() -> Self {
        Self {
            age: 30 * 86_400 * 1_000_000_000,
            runs: 1_000,
            bytes: 1 << 30,
        }
    }
}

/// Whether something may be beyond the limits, found without looking at any record.
pub(crate) fn is_due(
    connection: &Connection,
    retention: Retention,
    now: i64,
) -> Result<bool, Error> {
    let finals = [Status::Completed, Status::Failed, Status::Cancelled].map(Status::number);
    let (count, oldest): (i64, Option<i64>) = connection.query_row(
        "SELECT count(*), min(changed) FROM runs WHERE status IN (?1, ?2, ?3)",
        finals,
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let is_old = oldest.is_some_and(|it| now.saturating_sub(it) > retention.age);
    let pragma = |name: &str| connection.pragma_query_value(None, name, |it| it.get::<_, i64>(0));
    // Live runs count here too; then the limits are checked in vain.
    let used = (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?;
    let is_large = used.unsigned_abs() > retention.bytes;
    Ok(is_old || count.unsigned_abs() > retention.runs || (is_large && count > 0))
}

/// Forgets what is beyond the limits; returns how many runs. A blob that several runs use counts for the newest of them.
pub(crate) fn prune(
    transaction: &Transaction<'_>,
    store: &StoreId,
    retention: Retention,
    now: i64,
) -> Result<u64, Error> {
    let finals = [Status::Completed, Status::Failed, Status::Cancelled].map(Status::number);
    let condition = "WHERE status IN (?1, ?2, ?3) ORDER BY changed DESC, number DESC";
    let ended = RunRow::all(transaction, store, condition, finals)?;
    let mut seen = HashSet::new();
    let (mut kept, mut bytes, mut forgotten) = (0, 0_u64, 0_i64);
    // What is damaged is not known to have ended.
    for row in ended.into_iter().flatten() {
        bytes = bytes.saturating_add(size(transaction, row.number, &mut seen)?);
        let is_old = now.saturating_sub(row.changed) > retention.age;
        if is_old || kept >= retention.runs || bytes > retention.bytes {
            transaction.execute("DELETE FROM runs WHERE number = ?1", [row.number])?;
            forgotten += 1;
        } else {
            kept += 1;
        }
    }
    if forgotten > 0 {
        Facts::change(transaction, store, |facts| facts.runs -= forgotten)?;
        transaction.execute(
            "DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)",
            [],
        )?;
    }
    Table::new(transaction, store).forget_early(now)?;
    Ok(forgotten.unsigned_abs())
}

/// The bytes of a run's records and of those blobs that no run before has counted.
fn size(transaction: &Transaction<'_>, run: i64, seen: &mut HashSet<Hash>) -> Result<u64, Error> {
    let records: i64 = transaction.query_row(
        "SELECT coalesce(sum(length(body) + 64), 0) FROM records WHERE run = ?1",
        [run],
        |row| row.get(0),
    )?;
    let mut statement = transaction.prepare_cached(
        "SELECT hash, length(bytes) FROM blob_uses JOIN blobs USING (hash) WHERE run = ?1",
    )?;
    let mut rows = statement.query([run])?;
    let mut bytes = records.unsigned_abs();
    while let Some(row) = rows.next()? {
        let (hash, length): (Hash, i64) = (row.get(0)?, row.get(1)?);
        if seen.insert(hash) {
            bytes = bytes.saturating_add(length.unsigned_abs());
        }
    }
    Ok(bytes)
}
