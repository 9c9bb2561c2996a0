//! The records of a run in their table, and the blobs that they name.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::error::Error;
use crate::record::{Blob, Chain, Hash, Payload, Record};
use crate::row::RunRow;

/// Reads the records of a run; returns the end of their chain.
pub(crate) fn read(connection: &Connection, row: &RunRow) -> Result<(Chain, Vec<Record>), Error> {
    let mut records = Vec::with_capacity(usize::try_from(row.next).unwrap_or(0).min(1 << 16));
    let chain = walk(connection, row, |record, _| records.push(record))?;
    Ok((chain, records))
}

/// Visits the records of a run, each with its bytes, as far as they are what was written.
pub(crate) fn walk(
    connection: &Connection,
    row: &RunRow,
    mut visit: impl FnMut(Record, &[u8]),
) -> Result<Chain, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT number, body, digest FROM records WHERE run = ?1 ORDER BY number",
    )?;
    let mut rows = statement.query([row.number])?;
    let mut chain = Chain::of(&row.id);
    let damaged = |record| Error::Damaged {
        id: row.id.clone(),
        record,
    };
    while let Some(found) = rows.next()? {
        let at = chain.next;
        let read = || -> rusqlite::Result<(i64, Vec<u8>, Hash)> {
            Ok((found.get(0)?, found.get(1)?, found.get(2)?))
        };
        let (number, body, digest) = read().map_err(|_| damaged(at))?;
        let record = Record::decode(&body).ok_or_else(|| damaged(at))?;
        if number.unsigned_abs() != at || chain.add(&body).1 != digest {
            return Err(damaged(at));
        }
        visit(record, &body);
    }
    if chain.next == row.next.unsigned_abs() && chain.last == row.last {
        Ok(chain)
    } else {
        Err(damaged(chain.next))
    }
}

/// The bytes with this digest, if they are there and undamaged.
pub(crate) fn blob(connection: &Connection, hash: &Hash) -> Result<Option<Vec<u8>>, Error> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?;
    let bytes: Option<Vec<u8>> = statement.query_row([hash], |row| row.get(0)).optional()?;
    Ok(bytes
        .map(Blob::of)
        .filter(|it| it.hash == *hash)
        .map(|it| it.bytes))
}

/// The values that a run uses.
pub(crate) fn uses(connection: &Connection, run: i64) -> Result<BTreeSet<Hash>, Error> {
    let mut statement = connection.prepare_cached("SELECT hash FROM blob_uses WHERE run = ?1")?;
    let rows = statement.query_map([run], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Lets a run refer to the values of another one.
pub(crate) fn share(transaction: &Transaction<'_>, from: i64, to: i64) -> Result<(), Error> {
    for hash in uses(transaction, from)? {
        use_blob(transaction, to, &hash)?;
    }
    Ok(())
}

/// Adds a record to a run's chain and to the table.
pub(crate) fn append(
    transaction: &Transaction<'_>,
    run: i64,
    chain: &mut Chain,
    record: &Record,
    blob: Option<&Blob>,
) -> Result<(), Error> {
    let body = record.encode();
    let (number, digest) = chain.add(&body);
    let uses = match record.payload() {
        Some(Payload::Blob(hash)) => Some(hash),
        Some(Payload::Inline(_)) | None => None,
    };
    insert(transaction, run, number, &body, &digest, blob)?;
    if let (Some(hash), None) = (uses, blob) {
        if self::blob(transaction, hash)?.is_none() {
            return Err(Error::DamagedEntry("a value that a record names".into()));
        }
        use_blob(transaction, run, hash)?;
    }
    Ok(())
}

/// Adds a record that is in its chain, and its blob unless another one has brought it.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    run: i64,
    number: u64,
    body: &[u8],
    digest: &Hash,
    blob: Option<&Blob>,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO records (run, number, body, digest) VALUES (?1, ?2, ?3, ?4)",
    )?;
    statement.execute((run, number.cast_signed(), body, digest))?;
    if let Some(Blob { hash, bytes }) = blob {
        let mut statement = transaction
            .prepare_cached("INSERT OR IGNORE INTO blobs (hash, bytes) VALUES (?1, ?2)")?;
        statement.execute((hash, bytes))?;
        use_blob(transaction, run, hash)?;
    }
    Ok(())
}

fn use_blob(transaction: &Transaction<'_>, run: i64, hash: &Hash) -> rusqlite::Result<()> {
    let mut statement = transaction
        .prepare_cached("INSERT OR IGNORE INTO blob_uses (run, hash) VALUES (?1, ?2)")?;
    statement.execute((run, hash))?;
    Ok(())
}
