//! The records of a run, their form in bytes, and the chain of their digests.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// Payloads of more bytes are kept by their digest, once for all runs.
pub const INLINE: usize = 4 << 10;

/// An operation of a run: its number, which is the same in every replay, and a digest that shows that it is the same operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// In the order of requests.
    pub operation: u64,
    /// A digest of its place in the program and of all that it asks for.
    pub fingerprint: Hash,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Record {
    /// The first: what the run was begun with.
    Begin { start: Payload },
    /// An operation that must not happen twice is about to begin.
    Intent { of: Identity },
    /// What was brought to the run, at which time.
    Outcome {
        of: Identity,
        now: i64,
        outcome: Payload,
    },
    /// The run was asked to end.
    Cancel { now: i64, reason: String },
    /// Another build of the program writes what follows.
    Build { image: Hash },
    /// The last: how the run ended.
    End { result: Payload },
    /// An operation with an intent was settled as not done: it may begin again.
    NotDone { of: Identity },
    /// A request to try again what could not be taken back, or a report of what happened to it; the run had ended.
    Undo { now: i64, wish: UndoWish },
    /// The run was asked to end while it computed, and took that in the middle of a turn: before it asked for the operation of this
    /// number, if it did so in that turn.
    Interrupt {
        now: i64,
        reason: String,
        before: u64,
    },
    /// Another process took the run up, and clocks that stand still while nobody carries it went on from here.
    Resumed { now: i64 },
}

/// A request about the undos of a run that failed, which are numbered from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum UndoWish {
    /// All are tried again of which nothing is in doubt.
    Failed,
    /// This one is tried again.
    Again(u64),
    /// What this one was to take back has been taken back.
    Done(u64),
}

/// Bytes that mean something to their writer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Payload {
    Inline(Vec<u8>),
    /// They are in the table of blobs.
    Blob(Hash),
}

/// The SHA-256 of bytes.
#[must_use]
pub fn digest(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

impl Payload {
    /// Of these bytes, and what must be in the table of blobs for it.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> (Self, Option<Blob>) {
        if bytes.len() <= INLINE {
            return (Self::Inline(bytes), None);
        }
        let blob = Blob::of(bytes);
        (Self::Blob(blob.hash), Some(blob))
    }
}

/// Bytes by their digest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blob {
    pub hash: Hash,
    pub bytes: Vec<u8>,
}

impl Blob {
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        Self {
            hash: Sha256::digest(&bytes).into(),
            bytes,
        }
    }
}

impl Record {
    /// Its bytes, the same in every build.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a record holds nothing that has no bytes")
    }

    /// Reads what [`Self::encode`] wrote; `None` for anything else.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        match postcard::take_from_bytes(bytes) {
            Ok((record, [])) => Some(record),
            Ok(_) | Err(_) => None,
        }
    }

    #[must_use]
    pub const fn payload(&self) -> Option<&Payload> {
        match self {
            Self::Begin { start: it }
            | Self::Outcome { outcome: it, .. }
            | Self::End { result: it } => Some(it),
            Self::Intent { .. }
            | Self::Cancel { .. }
            | Self::Interrupt { .. }
            | Self::Resumed { .. }
            | Self::Build { .. }
            | Self::NotDone { .. }
            | Self::Undo { .. } => None,
        }
    }
}

/// The end of a chain: how many records there are, and the digest of the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chain {
    pub next: u64,
    pub last: Hash,
}

impl Chain {
    /// The empty chain of a run, which starts with its id, so that records of one run fit no other.
    #[must_use]
    pub fn of(run: &str) -> Self {
        Self {
            next: 0,
            last: Sha256::digest(run).into(),
        }
    }

    /// Adds a record's bytes; returns its number and its digest.
    pub fn add(&mut self, body: &[u8]) -> (u64, Hash) {
        let mut digest = Sha256::new();
        digest.update(self.last);
        digest.update(self.next.to_le_bytes());
        digest.update(body);
        let number = self.next;
        self.last = digest.finalize().into();
        self.next += 1;
        (number, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, INLINE, Identity, Payload, Record, UndoWish};

    #[test]
    fn records_read_back_and_nothing_else_does() {
        let of = Identity {
            operation: 7,
            fingerprint: [3; 32],
        };
        let (small, none) = Payload::of(vec![1; INLINE]);
        assert!(none.is_none());
        let (large, blob) = Payload::of(vec![1; INLINE + 1]);
        assert_eq!(blob.map(|it| it.bytes.len()), Some(INLINE + 1));
        for record in [
            Record::Begin { start: small },
            Record::Intent { of },
            Record::Outcome {
                of,
                now: -1,
                outcome: large,
            },
            Record::Cancel {
                now: 1,
                reason: "enough".into(),
            },
            Record::Build { image: [9; 32] },
            Record::Interrupt {
                now: 1,
                reason: "enough".into(),
                before: 7,
            },
            Record::Resumed { now: 3 },
            Record::Undo {
                now: 2,
                wish: UndoWish::Again(3),
            },
        ] {
            let bytes = record.encode();
            assert_eq!(Record::decode(&bytes).as_ref(), Some(&record));
            assert_eq!(Record::decode(&bytes[..bytes.len() - 1]), None);
            let longer = [&*bytes, &[0]].concat();
            assert_eq!(Record::decode(&longer), None);
        }
    }

    #[test]
    fn a_chain_is_of_one_run_and_of_one_order() {
        let ends = |run: &str, bodies: &[&[u8]]| {
            let mut chain = Chain::of(run);
            for body in bodies {
                chain.add(body);
            }
            chain
        };
        let whole = ends("r", &[b"a", b"b"]);
        assert_eq!(whole, ends("r", &[b"a", b"b"]));
        assert_ne!(whole, ends("s", &[b"a", b"b"]));
        assert_ne!(whole, ends("r", &[b"b", b"a"]));
        assert_ne!(whole.last, ends("r", &[b"ab", b""]).last);
    }
}
