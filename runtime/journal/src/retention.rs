//! Which runs that have ended are forgotten.

use rusqlite::Connection;

use crate::list::Status;
use crate::store::Error;

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
    // Runs that go on count here too; then the limits are looked at in vain.
    let used = (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?;
    let is_large = used.unsigned_abs() > retention.bytes;
    Ok(is_old || count.unsigned_abs() > retention.runs || (is_large && count > 0))
}

/// Forgets what is beyond the limits; gives how many runs.
pub(crate) fn prune(
    connection: &mut Connection,
    retention: Retention,
    now: i64,
) -> Result<u64, Error> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let ended: Vec<(i64, i64, i64)> = {
        let mut statement = transaction.prepare(
            "SELECT number, changed,
                (SELECT coalesce(sum(length(body) + 64), 0) FROM records WHERE run = runs.number)
              + (SELECT coalesce(sum(length(bytes)), 0) FROM blob_uses JOIN blobs USING (hash) WHERE run = runs.number)
             FROM runs WHERE status IN (?1, ?2, ?3) ORDER BY changed DESC",
        )?;
        let finals = [Status::Completed, Status::Failed, Status::Cancelled].map(Status::number);
        let rows =
            statement.query_map(finals, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let (mut kept, mut bytes, mut forgotten) = (0, 0_u64, 0);
    for (number, changed, size) in ended {
        bytes = bytes.saturating_add(size.unsigned_abs());
        let is_old = now.saturating_sub(changed) > retention.age;
        if is_old || kept >= retention.runs || bytes > retention.bytes {
            transaction.execute("DELETE FROM runs WHERE number = ?1", [number])?;
            forgotten += 1;
        } else {
            kept += 1;
        }
    }
    if forgotten > 0 {
        transaction.execute(
            "DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)",
            [],
        )?;
    }
    transaction.commit()?;
    Ok(forgotten)
}
