//! What must hold of a run that was killed and resumed.

use std::collections::BTreeSet;

use gsw_engine::operation::{Failure, OperationId, Outcome};
use gsw_engine::run::CANCELLED;
use gsw_journal::record::{Identity, Payload, Record};
use gsw_tree::class::Class;
use gsw_tree::event::{Event, EventKind};

use crate::crash::life::Lived;
use crate::crash::outside::Performed;
use crate::crash::{Held, Kept, Whole};
use crate::durable::noted::Noted;

/// This much of an event is shown.
const SHOWN: usize = 400;

/// What has an outcome on the disk is not done again.
pub(super) fn only_what_is_open(records: &[Record], again: &[Performed]) -> Result<(), String> {
    let has_outcome = |id: OperationId| {
        let mut outcomes = records.iter();
        outcomes.any(|it| matches!(it, Record::Outcome { of, .. } if of.operation == id.0))
    };
    match again.iter().find(|it| has_outcome(it.id)) {
        Some(it) => Err(format!(
            "{} is done again, although its outcome is on the disk",
            it.what
        )),
        None => Ok(()),
    }
}

/// What must not happen twice has not.
pub(super) fn once(performed: &[Performed]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for it in performed {
        if it.class == Class::Once && !seen.insert(&it.key) {
            return Err(format!("{} is `once` and is done twice", it.what));
        }
    }
    Ok(())
}

/// What was about to begin, must not happen twice and has no outcome.
pub(super) fn doubtful(records: &[Record]) -> Vec<Identity> {
    let intents = records.iter().filter_map(|it| match it {
        Record::Intent { of } => Some(*of),
        Record::Begin { .. }
        | Record::Outcome { .. }
        | Record::Cancel { .. }
        | Record::Interrupt { .. }
        | Record::Resumed { .. }
        | Record::Build { .. }
        | Record::End { .. }
        | Record::NotDone { .. }
        | Record::Undo { .. } => None,
    });
    let has_outcome = |it: &Identity| {
        let mut outcomes = records.iter();
        outcomes.any(|record| matches!(record, Record::Outcome { of, .. } if of == it))
    };
    intents.filter(|it| !has_outcome(it)).collect()
}

/// It says that what was cancelled may have been done.
pub(super) fn warns(event: &Event) -> bool {
    matches!(&event.kind, EventKind::Log { message, .. } if message.starts_with(CANCELLED))
}

/// The run was given `OutcomeUnknown`.
pub(super) fn unknown(after: &Kept, doubtful: Identity) -> Result<(), String> {
    let found = after.iter().find_map(|(record, blob)| match record {
        Record::Outcome { of, outcome, .. } if *of == doubtful => {
            let bytes = match (outcome, blob) {
                (Payload::Inline(bytes), _) => bytes,
                (Payload::Blob(_), Some(blob)) => &blob.bytes,
                (Payload::Blob(_), None) => return None,
            };
            Noted::decode(bytes)
        }
        Record::Outcome { .. }
        | Record::Begin { .. }
        | Record::Intent { .. }
        | Record::Cancel { .. }
        | Record::Interrupt { .. }
        | Record::Resumed { .. }
        | Record::Build { .. }
        | Record::End { .. }
        | Record::NotDone { .. }
        | Record::Undo { .. } => None,
    });
    let Some(noted) = found else {
        return Err("something that may have been done is not answered for".into());
    };
    let what = noted.what.clone();
    if let Some(Outcome::Failed(Failure::Unknown { .. })) = noted.outcome() {
        return Ok(());
    }
    Err(format!(
        "{what} may have been done, and the run was not given `OutcomeUnknown`"
    ))
}

impl Whole {
    /// Whether a run that was killed is what the undisturbed one is.
    pub(super) fn compare(&self, lived: &Lived, performed: &[Performed]) -> Result<Held, String> {
        let finished = lived.finished.as_ref().ok_or("it was killed")?;
        if finished.result != self.finished.result {
            return Err(difference(
                "result",
                &self.finished.result,
                &finished.result,
            ));
        }
        if finished.fault != self.finished.fault {
            return Err(difference("fault", &self.finished.fault, &finished.fault));
        }
        if finished.snapshots != self.finished.snapshots {
            let (was, is) = (&self.finished.snapshots, &finished.snapshots);
            return Err(difference("list of snapshots", was, is));
        }
        let mut pairs = self.events.iter().zip(&lived.events);
        if let Some((was, is)) = pairs.find(|(was, is)| was != is) {
            return Err(difference("event", was, is));
        }
        let (was, is) = (self.events.len(), lived.events.len());
        if was != is {
            return Err(format!("{was} events were emitted, and now {is}"));
        }
        let missing = self.performed.iter().find(|it| !performed.contains(it));
        if let Some(it) = missing {
            return Err(format!("{} was not done", it.what));
        }
        let added = performed.iter().find(|it| !self.performed.contains(it));
        if let Some(it) = added {
            return Err(format!(
                "{} was done, which it is not without a crash",
                it.what
            ));
        }
        Ok(Held::AsUndisturbed)
    }
}

pub(super) fn difference(
    what: &str,
    was: &impl std::fmt::Debug,
    is: &impl std::fmt::Debug,
) -> String {
    let shown = |it: &dyn std::fmt::Debug| -> String {
        let text = format!("{it:?}");
        match text.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text,
        }
    };
    format!(
        "another {what}\n  undisturbed: {}\n  resumed:     {}",
        shown(was),
        shown(is)
    )
}
