//! A run as a file that shows whether it was changed.
//!
//! JSON lines: one about the run, one for each record and each value above 4 KiB, one at the end. Records have the digests of
//! their chain, values are named by theirs, and the last line has the digest of all lines before it. A reader that notes that
//! one digest can prove later that the file is what it was. `body` is what counts; the other fields of a record describe what
//! is in it.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::chain;
use crate::error::Error;
use crate::record::{Blob, Chain, Hash, Identity, Payload, Record};
use crate::row::RunRow;
use crate::store::Store;

/// The form of an exported file.
const FORM: u32 = 1;

#[derive(PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Run {
        form: u32,
        id: String,
        workflow: String,
        status: String,
        begun: i64,
        changed: i64,
        program: String,
        image: String,
        input: String,
        epoch: i64,
        records: u64,
    },
    Record {
        number: u64,
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        operation: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        now: Option<i64>,
        body: String,
        digest: String,
    },
    Value {
        hash: String,
        bytes: String,
    },
    End {
        digest: String,
    },
}

/// What a file was found to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The id of its run.
    pub run: String,
    pub workflow: String,
    pub records: Vec<Record>,
    /// The values that the run uses, by their digest.
    pub values: BTreeMap<Hash, Vec<u8>>,
    /// The digest of the whole file.
    pub digest: Hash,
}

/// Why a file was not written, or is not what was written.
#[derive(Debug)]
pub enum ExportError {
    Store(Error),
    Io(std::io::Error),
    /// It is not what was written.
    Changed {
        /// From 1.
        line: u64,
        why: String,
    },
}

impl std::error::Error for ExportError {}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
            Self::Changed { line, why } => {
                write!(
                    f,
                    "line {line}: {why}, so the file is not what was exported"
                )
            }
        }
    }
}

impl From<Error> for ExportError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<std::io::Error> for ExportError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl Store {
    /// Writes a run; returns the digest of what was written.
    ///
    /// # Errors
    /// When there is no such run, it is damaged, or it cannot be written.
    pub fn export(&self, id: &str, to: &mut dyn Write) -> Result<Hash, ExportError> {
        let (id, head, bodies, blobs) = self.glance(|transaction| {
            let id = self.look(transaction).find(id)?.id;
            let row = self.row(transaction, &id)?;
            let head = head(&row)?;
            let mut bodies = Vec::new();
            chain::walk(transaction, &row, |record, body| {
                bodies.push((record, body.to_vec()));
            })?;
            let mut blobs = Vec::new();
            for hash in chain::uses(transaction, row.number)? {
                let bytes = chain::blob(transaction, &hash)?;
                let bytes =
                    bytes.ok_or_else(|| Error::DamagedEntry(format!("a value of run `{id}`")))?;
                blobs.push(Blob { hash, bytes });
            }
            Ok((id, head, bodies, blobs))
        })?;
        let mut chain = Chain::of(&id);
        let mut digest = Sha256::new();
        let mut put = |line: &Line| -> std::io::Result<()> {
            let mut text = serde_json::to_vec(line).map_err(std::io::Error::other)?;
            text.push(b'\n');
            digest.update(&text);
            to.write_all(&text)
        };
        put(&head)?;
        for (record, body) in bodies {
            let (number, digest) = chain.add(&body);
            put(&line_of(&record, number, &body, &digest))?;
        }
        for Blob { hash, bytes } in blobs {
            put(&Line::Value {
                hash: hex(&hash),
                bytes: BASE64_STANDARD.encode(bytes),
            })?;
        }
        let digest: Hash = digest.finalize().into();
        let end = Line::End {
            digest: hex(&digest),
        };
        writeln!(
            to,
            "{}",
            serde_json::to_string(&end).map_err(std::io::Error::other)?
        )?;
        to.flush()?;
        Ok(digest)
    }
}

/// Reads an exported file and checks every digest in it.
///
/// # Errors
/// When it cannot be read, or a line is not what was written.
pub fn check(mut from: impl BufRead) -> Result<Checked, ExportError> {
    let mut reader = Reader::default();
    let mut text = Vec::new();
    let mut number = 0;
    loop {
        text.clear();
        if from.read_until(b'\n', &mut text)? == 0 {
            return Err(changed(number + 1, "its end is missing"));
        }
        number += 1;
        let line = std::str::from_utf8(&text)
            .ok()
            .filter(|it| it.ends_with('\n'))
            .and_then(|it| serde_json::from_str(it).ok());
        let line: Line = line.ok_or_else(|| changed(number, "this is not a line of an export"))?;
        let ended = reader.line(line).map_err(|why| changed(number, &why))?;
        match ended {
            None => reader.digest.update(&text),
            Some(checked) => {
                return if from.fill_buf()?.is_empty() {
                    Ok(checked)
                } else {
                    Err(changed(number + 1, "there is something after the end"))
                };
            }
        }
    }
}

fn changed(line: u64, why: &str) -> ExportError {
    ExportError::Changed {
        line,
        why: why.to_owned(),
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    digest: Sha256,
    head: Option<Head>,
    records: Vec<Record>,
    values: BTreeMap<Hash, Vec<u8>>,
}

/// The first line's content, and the chain up to the line that was read.
struct Head {
    id: String,
    workflow: String,
    records: u64,
    chain: Chain,
}

impl Reader {
    fn line(&mut self, line: Line) -> Result<Option<Checked>, String> {
        match (line, &mut self.head) {
            (Line::Run { form, .. }, None) if form != FORM => Err(format!(
                "it has form {form}, which this program does not read"
            )),
            (
                Line::Run {
                    id,
                    workflow,
                    records,
                    ..
                },
                None,
            ) => {
                self.head = Some(Head {
                    chain: Chain::of(&id),
                    id,
                    workflow,
                    records,
                });
                Ok(None)
            }
            (Line::Run { .. }, Some(_)) => Err("a second run begins".into()),
            (_, None) => Err("the line about the run is missing".into()),
            (line @ Line::Record { .. }, Some(head)) => {
                self.records.push(record_of(line, &mut head.chain)?);
                Ok(None)
            }
            (Line::Value { hash, bytes }, Some(_)) => {
                let blob = Blob::of(BASE64_STANDARD.decode(bytes).unwrap_or_default());
                if hex(&blob.hash) != hash {
                    return Err("the value is not that of its digest".into());
                }
                self.values.insert(blob.hash, blob.bytes);
                Ok(None)
            }
            (Line::End { digest }, Some(_)) => self.end(&digest).map(Some),
        }
    }

    fn end(&mut self, digest: &str) -> Result<Checked, String> {
        let head = self
            .head
            .take()
            .ok_or("the line about the run is missing")?;
        if head.chain.next != head.records {
            let (has, wanted) = (head.chain.next, head.records);
            return Err(format!("{has} of {wanted} records are there"));
        }
        let is_missing = |it: &Payload| match it {
            Payload::Blob(hash) => !self.values.contains_key(hash),
            Payload::Inline(_) => false,
        };
        let mut payloads = self.records.iter().filter_map(Record::payload);
        if payloads.any(is_missing) {
            return Err("a value is missing".into());
        }
        let sum: Hash = self.digest.clone().finalize().into();
        if hex(&sum) != digest {
            return Err("the digest of all lines is another one".into());
        }
        Ok(Checked {
            run: head.id,
            workflow: head.workflow,
            records: std::mem::take(&mut self.records),
            values: std::mem::take(&mut self.values),
            digest: sum,
        })
    }
}

/// The record of a line, which must be the next one of its chain.
fn record_of(line: Line, chain: &mut Chain) -> Result<Record, String> {
    let Line::Record { body, .. } = &line else {
        return Err("it is no record".into());
    };
    let bytes = BASE64_STANDARD.decode(body).unwrap_or_default();
    let record = Record::decode(&bytes).ok_or("its body is no record")?;
    let (number, digest) = chain.add(&bytes);
    if line == line_of(&record, number, &bytes, &digest) {
        Ok(record)
    } else {
        Err("it does not follow the record before, or does not say what its body says".into())
    }
}

fn head(row: &RunRow) -> Result<Line, Error> {
    Ok(Line::Run {
        form: FORM,
        id: row.id.clone(),
        workflow: row.workflow.clone(),
        status: row.status()?.shown().name().to_owned(),
        begun: row.begun,
        changed: row.changed,
        program: row.program.clone(),
        image: hex(&row.image),
        input: hex(&row.input),
        epoch: row.epoch,
        records: row.next.unsigned_abs(),
    })
}

fn line_of(record: &Record, number: u64, body: &[u8], digest: &Hash) -> Line {
    let (kind, operation, now) = facts(record);
    Line::Record {
        number,
        kind: kind.to_owned(),
        operation,
        now,
        body: BASE64_STANDARD.encode(body),
        digest: hex(digest),
    }
}

/// The kind of a record, its operation and its time.
fn facts(record: &Record) -> (&'static str, Option<u64>, Option<i64>) {
    match record {
        Record::Begin { .. } => ("begin", None, None),
        Record::Intent {
            of: Identity { operation, .. },
        } => ("intent", Some(*operation), None),
        Record::Outcome {
            of: Identity { operation, .. },
            now,
            ..
        } => ("outcome", Some(*operation), Some(*now)),
        Record::Cancel { now, .. } => ("cancel", None, Some(*now)),
        Record::Interrupt { now, .. } => ("interrupt", None, Some(*now)),
        Record::Resumed { now } => ("resumed", None, Some(*now)),
        Record::Build { .. } => ("build", None, None),
        Record::End { .. } => ("end", None, None),
        Record::NotDone {
            of: Identity { operation, .. },
        } => ("not_done", Some(*operation), None),
        Record::Undo { now, .. } => ("undo", None, Some(*now)),
    }
}

/// A digest as it is written.
#[must_use]
pub fn hex(hash: &Hash) -> String {
    gsw_notation::hex::text(hash)
}
