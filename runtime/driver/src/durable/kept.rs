//! What was brought to a run before it was written down.

use gsw_engine::operation::Outcome;
use gsw_journal::record::{Blob, Payload, Record};

use crate::durable::asked::{Asked, Known};
use crate::durable::noted::Noted;

/// What a record in memory costs besides its bytes.
const RECORD: usize = 256;

/// What was brought to a run that no file knows of yet.
pub(super) enum Kept {
    Outcome {
        of: Known,
        now: i64,
        outcome: Outcome,
    },
    Cancel {
        now: i64,
        reason: String,
    },
}

impl Kept {
    pub(super) fn record(self) -> (Record, Option<Blob>) {
        match self {
            Self::Outcome { of, now, outcome } => outcome_record(of.asked(), &outcome, now),
            Self::Cancel { now, reason } => (Record::Cancel { now, reason }, None),
        }
    }

    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Outcome {
                outcome: Outcome::Text(text),
                ..
            } => RECORD + text.len(),
            Self::Outcome {
                outcome: Outcome::Bytes(bytes),
                ..
            } => RECORD + bytes.len(),
            Self::Outcome {
                outcome: Outcome::Texts(texts),
                ..
            } => RECORD + texts.iter().map(String::len).sum::<usize>(),
            Self::Outcome { .. } | Self::Cancel { .. } => RECORD,
        }
    }
}

pub(super) fn outcome_record(asked: Asked, outcome: &Outcome, now: i64) -> (Record, Option<Blob>) {
    let of = asked.of;
    let (outcome, blob) = Payload::of(Noted::encode(asked.what, outcome));
    (Record::Outcome { of, now, outcome }, blob)
}
