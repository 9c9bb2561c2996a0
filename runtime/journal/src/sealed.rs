//! Payloads that are encrypted before they are written: those of runs whose program has secrets.
//!
//! What is sealed begins with a mark, so that a reader of a payload's bytes gets what was meant, with the key, or an error that
//! says why not. Records keep their form, so chains and exports can be checked without the key.

use std::path::Path;

use crate::error::Error;
use crate::record::{Blob, Payload, Record};
use crate::row::StoreId;
use crate::schema::Missing;
use crate::seal::Key;
use crate::store::Store;

/// No payload that is written plainly begins so.
const MARK: &[u8; 9] = b"\xFF\xFFgswseal";
/// The variable that holds the key where there is no key file: 64 hexadecimal digits.
const VARIABLE: &str = "GSW_STORE_KEY";

/// How the key of an `external` begins that is sealed.
const SEALED_KEY: &str = "sealed:";

fn key(store: &Path, missing: Missing) -> Result<Key, Error> {
    let key = match (std::env::var(VARIABLE), missing) {
        (Ok(text), _) => Key::of_text(&text, VARIABLE),
        (Err(_), Missing::Made) => Key::beside_or_new(store),
        (Err(_), Missing::Refused) => Key::beside(store),
    };
    key.map_err(Error::Sealed)
}

/// What was meant by the bytes of a payload.
pub(crate) fn opened(store: &Path, id: &StoreId, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    match bytes.strip_prefix(MARK) {
        None => Ok(bytes),
        Some(sealed) => key(store, Missing::Refused)?
            .open(id, sealed)
            .map_err(Error::Sealed),
    }
}

impl Store {
    /// Encrypts the payload of a record; `blob` is the payload's bytes where they are not in the record itself. An empty
    /// payload stays as it is.
    ///
    /// # Errors
    /// When there is no key and none can be made.
    pub fn sealed(
        &self,
        record: Record,
        blob: Option<Blob>,
    ) -> Result<(Record, Option<Blob>), Error> {
        let seal = |payload: Payload, blob: Option<Blob>| -> Result<_, Error> {
            let bytes = match (payload, blob) {
                (Payload::Inline(bytes), _) | (Payload::Blob(_), Some(Blob { bytes, .. })) => bytes,
                // A blob of the store is encrypted already.
                (payload @ Payload::Blob(_), None) => return Ok((payload, None)),
            };
            if bytes.starts_with(MARK) {
                return Ok(Payload::of(bytes));
            }
            let sealed = key(self.path(), Missing::Made)?.seal(self.id(), &bytes);
            let sealed = sealed.map_err(Error::Sealed)?;
            Ok(Payload::of([&MARK[..], &sealed].concat()))
        };
        Ok(match record {
            Record::Begin { start } => {
                let (start, blob) = seal(start, blob)?;
                (Record::Begin { start }, blob)
            }
            Record::Outcome { of, now, outcome } => {
                let (outcome, blob) = seal(outcome, blob)?;
                (Record::Outcome { of, now, outcome }, blob)
            }
            Record::End { result } => {
                let (result, blob) = seal(result, blob)?;
                (Record::End { result }, blob)
            }
            record @ (Record::Intent { .. }
            | Record::Cancel { .. }
            | Record::Interrupt { .. }
            | Record::Resumed { .. }
            | Record::Build { .. }
            | Record::NotDone { .. }
            | Record::Undo { .. }) => (record, blob),
        })
    }

    /// Encrypts an answer; [`Store::bytes`] decrypts it like any other payload.
    ///
    /// # Errors
    /// When there is no key, and none is or can be made.
    pub fn sealed_answer(&self, answer: &[u8], missing: Missing) -> Result<Vec<u8>, Error> {
        let sealed = key(self.path(), missing)?.seal(self.id(), answer);
        Ok([&MARK[..], &sealed.map_err(Error::Sealed)?].concat())
    }

    /// Encrypts an answer to a question of a run. One that was begun before its program had secrets has no key yet, which is made;
    /// one that is sealed has had a key, which no other replaces.
    ///
    /// # Errors
    /// When there is no key, or it cannot be made, and those of the database.
    pub fn sealed_answer_of(&self, run: &str, answer: &[u8]) -> Result<Vec<u8>, Error> {
        let missing = match self.is_sealed(&self.records(run)?)? {
            true => Missing::Refused,
            false => Missing::Made,
        };
        self.sealed_answer(answer, missing)
    }

    /// The digest under which the key of an `external` is stored where it may hold a secret: it can be found with the key of
    /// the store, and not be guessed without it.
    ///
    /// # Errors
    /// When there is no key of the store, and none is or can be made.
    pub fn sealed_key(&self, external: &str, missing: Missing) -> Result<String, Error> {
        let digest = key(self.path(), missing)?.digest(self.id(), external.as_bytes());
        Ok(format!("{SEALED_KEY}{}", gsw_notation::hex::text(digest)))
    }

    /// Under which an answer to this key is kept that comes before its question.
    pub(crate) fn key_of_early(&self, external: &str, answer: &[u8]) -> Result<String, Error> {
        match answer.starts_with(MARK) {
            true => self.sealed_key(external, Missing::Refused),
            false => Ok(external.to_owned()),
        }
    }

    /// The names under which the questions of a key are found. Without a key of the store none of them is sealed, or it could
    /// not be answered here.
    pub(crate) fn names_of_key(&self, external: &str) -> [String; 2] {
        let sealed = self.sealed_key(external, Missing::Refused);
        [
            external.to_owned(),
            sealed.unwrap_or_else(|_| external.to_owned()),
        ]
    }

    /// Whether what these records hold is sealed.
    ///
    /// # Errors
    /// Those of the database.
    pub fn is_sealed(&self, records: &[Record]) -> Result<bool, Error> {
        match records.first().and_then(Record::payload) {
            Some(Payload::Inline(bytes)) => Ok(bytes.starts_with(MARK)),
            Some(Payload::Blob(hash)) => {
                let bytes = self.value(hash)?;
                Ok(bytes.is_some_and(|it| it.starts_with(MARK)))
            }
            None => Ok(false),
        }
    }
}
