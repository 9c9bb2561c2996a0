//! What the records of a run tell without its program: short descriptions of its operations, their outcomes, and where two runs
//! diverge.
//!
//! Only the program knows the place of an operation in it ([`crate::engine::Engine::places`]); what is here needs none, so it
//! works for any store.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gsw_engine::operation::{Outcome, bare_summary};
use gsw_journal::diff::{Step, diff};
use gsw_journal::list::Info;
use gsw_journal::record::{Hash, Payload, Record};
use gsw_journal::store::Store;
use gsw_notation::json::written;
use serde_json::{Map, Value};

use crate::durable::asked::words_of;
use crate::durable::beginning::{self, Beginning};
use crate::durable::noted::Noted;
use crate::engine::resuming::NotResumed;

/// Replaces what may be a secret.
const HIDDEN: &str = "***";

/// A run as its records show it.
#[derive(Debug)]
pub struct History {
    pub info: Info,
    pub input: Map<String, Value>,
    /// The model that replaced every agent's.
    pub model: Option<String>,
    pub operations: BTreeMap<u64, Told>,
    /// Why it was cancelled, each time that it was.
    pub cancelled: Vec<String>,
    /// How it ended, as JSON.
    pub end: Option<String>,
    records: Vec<Record>,
}

/// What is written of one operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// In a few words; not known of one that was only about to begin.
    pub what: Option<String>,
    pub became: Became,
    fingerprint: Hash,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Became {
    /// It was about to begin, and it may have been done.
    Intended,
    /// It is a question, to which there is no answer yet.
    Asked,
    /// It was settled as not done.
    NotDone,
    Completed {
        /// In nanoseconds since 1970.
        now: i64,
        /// As JSON.
        outcome: Value,
    },
}

/// Where two runs part first.
#[derive(Clone, PartialEq, Debug)]
pub enum Parting {
    /// They are runs of different workflows.
    Workflow,
    /// A parameter; `None` where a run has none of that name.
    Input {
        name: String,
        first: Option<Value>,
        second: Option<Value>,
    },
    Model,
    /// An operation that one of them asks for, or both with another request or outcome.
    Operation(u64),
    /// The outcomes are the same and came in another order.
    Order {
        first: u64,
        second: u64,
    },
    Cancelled,
    End,
}

/// In what two runs differ.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Difference {
    pub parting: Option<Parting>,
    /// How many operations are equal, differ, or are in one of them alone.
    pub same: usize,
    pub changed: usize,
    pub only_first: usize,
    pub only_second: usize,
}

impl History {
    /// Reads a run of a store.
    ///
    /// # Errors
    /// When there is no such run, it is damaged, or this version does not read it.
    pub fn of(store: &Store, id: &str) -> Result<Self, NotResumed> {
        let info = store.find(id)?;
        let records = store.records(&info.id)?;
        let unreadable = |why: String| NotResumed::Unreadable {
            id: info.id.clone(),
            why,
        };
        let beginning = beginning_of(store, &info.id, &records)?;
        let mut history = Self {
            input: beginning.entered.input().clone(),
            model: beginning.start.settings.model_override,
            operations: BTreeMap::new(),
            cancelled: Vec::new(),
            end: None,
            records: Vec::new(),
            info: info.clone(),
        };
        for record in &records {
            match record {
                Record::Begin { .. }
                | Record::Build { .. }
                | Record::Resumed { .. }
                | Record::Undo { .. } => {}
                Record::Intent { of } => history.tell(of.operation, of.fingerprint, None),
                Record::NotDone { of } => {
                    history.tell(of.operation, of.fingerprint, Some(Became::NotDone));
                }
                Record::Outcome { of, now, outcome } => {
                    let noted = Noted::decode(&store.bytes(&info.id, outcome.clone())?);
                    let noted = noted.ok_or_else(|| {
                        unreadable("an outcome has a form of another version".into())
                    })?;
                    let what = noted.what.clone();
                    let outcome = noted.outcome().map_or(Value::Null, |it| plain(&it));
                    let became = Became::Completed { now: *now, outcome };
                    history.tell(of.operation, of.fingerprint, Some(became));
                    if let Some(told) = history.operations.get_mut(&of.operation) {
                        told.what = Some(what);
                    }
                }
                Record::Cancel { reason, .. } | Record::Interrupt { reason, .. } => {
                    history.cancelled.push(reason.clone());
                }
                Record::End { result } => {
                    let bytes = store.bytes(&info.id, result.clone())?;
                    history.end = Some(String::from_utf8_lossy(&bytes).into_owned());
                }
            }
        }
        history.tell_questions(store)?;
        if store.is_sealed(&records)? {
            history.hide();
        }
        history.records = records;
        Ok(history)
    }

    /// That a question has begun is written down too, but asking happens as often as there is no answer.
    fn tell_questions(&mut self, store: &Store) -> Result<(), NotResumed> {
        if !self
            .operations
            .values()
            .any(|it| it.became == Became::Intended)
        {
            return Ok(());
        }
        for asked in store.questions(Some(&self.info.id))? {
            if let Some(told) = self.operations.get_mut(&asked.question.operation)
                && told.became == Became::Intended
            {
                told.became = Became::Asked;
                told.what = Some(words_of(&asked.question));
            }
        }
        Ok(())
    }

    /// Hides all values that may hold the run's secrets: it is unknown here which value is one.
    fn hide(&mut self) {
        for value in self.input.values_mut() {
            *value = Value::String(HIDDEN.into());
        }
        for told in self.operations.values_mut() {
            if let Became::Completed { outcome, .. } = &mut told.became {
                *outcome = Value::String(HIDDEN.into());
            }
            told.what = told.what.as_deref().map(bare_summary);
        }
        self.end = self.end.take().map(|_| HIDDEN.into());
    }

    fn tell(&mut self, operation: u64, fingerprint: Hash, became: Option<Became>) {
        let told = self.operations.entry(operation).or_insert(Told {
            what: None,
            became: Became::Intended,
            fingerprint,
        });
        if let Some(became) = became {
            told.became = became;
        }
    }

    /// The operations in the order in which their outcomes came.
    fn order(&self) -> Vec<u64> {
        let outcomes = self.records.iter().filter_map(|it| match it {
            Record::Outcome { of, .. } => Some(of.operation),
            Record::Begin { .. }
            | Record::Intent { .. }
            | Record::Cancel { .. }
            | Record::Interrupt { .. }
            | Record::Resumed { .. }
            | Record::Build { .. }
            | Record::End { .. }
            | Record::NotDone { .. }
            | Record::Undo { .. } => None,
        });
        outcomes.collect()
    }
}

impl Told {
    /// Whether both ask for the same at the same place.
    #[must_use]
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

impl Difference {
    /// Compares two runs; times, seeds and builds do not count.
    #[must_use]
    pub fn of(first: &History, second: &History) -> Self {
        let mut difference = Self::default();
        // By number, since an operation may have an intent and an outcome.
        let mut kinds: BTreeMap<u64, Kind> = BTreeMap::new();
        let steps = diff(&first.records, &second.records);
        for step in &steps {
            let (record, kind) = match step {
                Step::Same(it) => (it, Kind::Same),
                Step::Changed { first, .. } => (first, Kind::Changed),
                Step::First(it) => (it, Kind::First),
                Step::Second(it) => (it, Kind::Second),
            };
            if let Some(operation) = operation_of(record) {
                let known = kinds.entry(operation).or_insert(kind);
                if *known != kind {
                    *known = Kind::Changed;
                }
            }
        }
        for kind in kinds.values() {
            *match kind {
                Kind::Same => &mut difference.same,
                Kind::Changed => &mut difference.changed,
                Kind::First => &mut difference.only_first,
                Kind::Second => &mut difference.only_second,
            } += 1;
        }
        let apart = kinds.iter().find(|(_, kind)| **kind != Kind::Same);
        let apart = apart.map(|(operation, _)| Parting::Operation(*operation));
        difference.parting = begun_apart(first, second)
            .or(apart)
            .or_else(|| ordered_apart(first, second))
            .or_else(|| (first.cancelled != second.cancelled).then_some(Parting::Cancelled))
            .or_else(|| (first.end != second.end).then_some(Parting::End));
        difference
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Same,
    Changed,
    First,
    Second,
}

fn begun_apart(first: &History, second: &History) -> Option<Parting> {
    if first.info.workflow != second.info.workflow {
        return Some(Parting::Workflow);
    }
    let names = first.input.keys().chain(second.input.keys());
    for name in names {
        let (one, other) = (first.input.get(name), second.input.get(name));
        if one != other {
            return Some(Parting::Input {
                name: name.clone(),
                first: one.cloned(),
                second: other.cloned(),
            });
        }
    }
    (first.model != second.model).then_some(Parting::Model)
}

fn ordered_apart(first: &History, second: &History) -> Option<Parting> {
    let (one, other) = (first.order(), second.order());
    let apart = one.iter().zip(&other).find(|(one, other)| one != other)?;
    Some(Parting::Order {
        first: *apart.0,
        second: *apart.1,
    })
}

fn operation_of(record: &Record) -> Option<u64> {
    match record {
        Record::Intent { of } | Record::NotDone { of } | Record::Outcome { of, .. } => {
            Some(of.operation)
        }
        Record::Begin { .. }
        | Record::Cancel { .. }
        | Record::Interrupt { .. }
        | Record::Resumed { .. }
        | Record::Build { .. }
        | Record::Undo { .. }
        | Record::End { .. } => None,
    }
}

pub(crate) fn beginning_of(
    store: &Store,
    id: &str,
    records: &[Record],
) -> Result<Beginning, NotResumed> {
    let unreadable = |why: String| NotResumed::Unreadable {
        id: id.to_owned(),
        why,
    };
    let Some(Record::Begin { start }) = records.first() else {
        return Err(unreadable("it has no beginning".into()));
    };
    let bytes = store.bytes(id, start.clone())?;
    let blob = |hash| {
        let bytes = store.bytes(id, Payload::Blob(hash));
        bytes.map_err(|it| it.to_string())
    };
    beginning::read(&bytes, blob).map_err(unreadable)
}

/// The folder in which a run began, where this process is in another one: the run's relative paths lead elsewhere now.
#[must_use]
pub fn begun_elsewhere(store: &Store, id: &str) -> Option<PathBuf> {
    let records = store.records(id).ok()?;
    let folder = beginning_of(store, id, &records).ok()?.folder?;
    let here = std::env::current_dir().ok()?;
    (folder != here).then_some(folder)
}

/// Whether a run was detached by another one, or by one that this has detached; not where its beginning cannot be read.
#[must_use]
pub fn is_descended(store: &Store, run: &str, ancestor: &str) -> bool {
    // A guess, more than anybody nests: the parents of a damaged store may never end.
    const MOST: usize = 1_000;
    let parents = std::iter::successors(parent_of(store, run), |it| parent_of(store, it));
    parents.take(MOST).any(|it| *it == *ancestor)
}

fn parent_of(store: &Store, id: &str) -> Option<Arc<str>> {
    let records = store.records(id).ok()?;
    let beginning = beginning_of(store, id, &records).ok()?;
    beginning.start.parent.map(|(run, _)| run)
}

/// An outcome as people read it.
fn plain(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Done => Value::Null,
        Outcome::Text(text) | Outcome::Earlier { run: text, .. } => Value::String(text.clone()),
        Outcome::Json(json) | Outcome::Host { answer: json, .. } => {
            written(json).unwrap_or_else(|_| Value::String(json.clone()))
        }
        Outcome::Server(reply) => match &reply.answer {
            Ok(json) => plain(&Outcome::Json(json.clone())),
            Err(failure) => plain(&Outcome::Failed(failure.clone())),
        },
        Outcome::Human(reply) => {
            written(&reply.answer).unwrap_or_else(|_| Value::String(reply.answer.clone()))
        }
        outcome @ (Outcome::Bytes(_)
        | Outcome::Float(_)
        | Outcome::Found(_)
        | Outcome::GaveWay(_)
        | Outcome::Time(_)
        | Outcome::Int(_)
        | Outcome::Bool(_)
        | Outcome::OptionalText(_)
        | Outcome::Texts(_)
        | Outcome::Media(_)
        | Outcome::Model(_)
        | Outcome::Piece(_)
        | Outcome::Exec(_)
        | Outcome::Http(_)
        | Outcome::Failed(_)) => serde_json::to_value(outcome).unwrap_or(Value::Null),
    }
}
