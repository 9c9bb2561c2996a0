//! What differs between two runs, by their records.
//!
//! Records are compared by what they are about and what they hold, not by when they were written: two runs never have the
//! same times. An operation is found in the other run by its number, wherever it was completed there.

use std::collections::HashMap;

use crate::record::{Payload, Record, UndoWish};

/// A record of the first run, of the second one, or of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    Same(&'a Record),
    /// They are about the same thing, and differ.
    Changed {
        first: &'a Record,
        second: &'a Record,
    },
    First(&'a Record),
    Second(&'a Record),
}

/// Compares two runs: the records of the first in order, then those that only the second has.
#[must_use]
pub fn diff<'a>(first: &'a [Record], second: &'a [Record]) -> Vec<Step<'a>> {
    let mut others: HashMap<About, &Record> = HashMap::new();
    let mut order = Vec::new();
    for (about, record) in with_occurrences(second) {
        order.push(about);
        others.insert(about, record);
    }
    let mut steps: Vec<Step<'a>> = with_occurrences(first)
        .map(|(about, record)| match others.remove(&about) {
            Some(other) if contents(other) == contents(record) => Step::Same(record),
            Some(other) => Step::Changed {
                first: record,
                second: other,
            },
            None => Step::First(record),
        })
        .collect();
    let left = order.iter().filter_map(|about| others.remove(about));
    steps.extend(left.map(Step::Second));
    steps
}

/// What a record is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    Begin,
    Intent(u64),
    Outcome(u64),
    NotDone(u64),
    /// Those that come several times are counted.
    Cancel(u64),
    Build(u64),
    Undo(u64),
    End,
}

fn with_occurrences(records: &[Record]) -> impl Iterator<Item = (About, &Record)> {
    let (mut cancels, mut builds, mut undos) = (0, 0, 0);
    records.iter().filter_map(move |record| {
        let about = match record {
            // In how many lives a run came so far makes it no other one.
            Record::Resumed { .. } => return None,
            Record::Begin { .. } => About::Begin,
            Record::Intent { of } => About::Intent(of.operation),
            Record::Outcome { of, .. } => About::Outcome(of.operation),
            Record::NotDone { of } => About::NotDone(of.operation),
            Record::Cancel { .. } | Record::Interrupt { .. } => {
                cancels += 1;
                About::Cancel(cancels)
            }
            Record::Build { .. } => {
                builds += 1;
                About::Build(builds)
            }
            Record::Undo { .. } => {
                undos += 1;
                About::Undo(undos)
            }
            Record::End { .. } => About::End,
        };
        Some((about, record))
    })
}

/// All of a record but its time.
#[derive(PartialEq)]
enum Contents<'a> {
    Payload(&'a Payload),
    Of(&'a [u8], Option<&'a Payload>),
    Text(&'a str),
    Wish(UndoWish),
}

fn contents(record: &Record) -> Contents<'_> {
    match record {
        Record::Begin { start: it } | Record::End { result: it } => Contents::Payload(it),
        Record::Intent { of } | Record::NotDone { of } => Contents::Of(&of.fingerprint, None),
        Record::Outcome { of, outcome, .. } => Contents::Of(&of.fingerprint, Some(outcome)),
        Record::Cancel { reason, .. } | Record::Interrupt { reason, .. } => Contents::Text(reason),
        Record::Build { image } => Contents::Of(image, None),
        Record::Undo { wish, .. } => Contents::Wish(*wish),
        Record::Resumed { .. } => Contents::Text(""),
    }
}

#[cfg(test)]
mod tests {
    use super::{Step, diff};
    use crate::record::{Identity, Payload, Record};

    fn outcome(operation: u64, now: i64, byte: u8) -> Record {
        Record::Outcome {
            of: Identity {
                operation,
                fingerprint: [1; 32],
            },
            now,
            outcome: Payload::Inline(vec![byte]),
        }
    }

    #[test]
    fn runs_differ_in_what_they_hold_and_not_in_time_or_order() {
        let first = [outcome(0, 1, 1), outcome(1, 2, 1), outcome(2, 3, 1)];
        let second = [outcome(1, 7, 1), outcome(0, 8, 2), outcome(5, 9, 1)];
        assert_eq!(
            diff(&first, &second),
            [
                Step::Changed {
                    first: &first[0],
                    second: &second[1]
                },
                Step::Same(&first[1]),
                Step::First(&first[2]),
                Step::Second(&second[2]),
            ]
        );
        assert!(
            diff(&first, &first)
                .iter()
                .all(|it| matches!(it, Step::Same(_)))
        );
    }
}
