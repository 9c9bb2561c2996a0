//! Resuming runs from the store of their program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gsw_abi::builtin;
use gsw_abi::call::NodeKind;
use gsw_abi::program::FormerName;
use gsw_abi::types::TypeId;
use gsw_engine::arguments::Arguments;
use gsw_engine::front::Cancellation;
use gsw_engine::load::Loaded;
use gsw_engine::operation::OperationId;
use gsw_engine::run::{BEHAVIOUR, Interruption, Start};
use gsw_journal::list::Info;
use gsw_journal::record::{Hash, Record};
use gsw_journal::store::{Error, Store};
use rustc_hash::FxHashMap;

use crate::carrier::lasting::{CarriedUntil, Resumption};
use crate::carrier::{Carrier, OnEnd};
use crate::durable::asked::{unhex, words_of};
use crate::durable::beginning::{self, Beginning, Entered};
use crate::durable::noted::Noted;
use crate::durable::remembered::Remembered;
use crate::durable::results::StartedBy;
use crate::durable::resume::Past;
use crate::durable::secrecy::Secrecy;
use crate::engine::runs::identity::Given;
use crate::engine::runs::{NewRun, Runs};
use crate::receivers::Listener;
use crate::scripted::Entry;

/// Why a run is not replayed.
#[derive(Debug)]
pub enum NotResumed {
    /// This process has no store.
    NoStore,
    Store(Error),
    /// Its records are whole, but not of a form that this version reads.
    Unreadable {
        id: String,
        why: String,
    },
    /// What the runtime does has changed since.
    Behaviour {
        id: String,
        was: u32,
    },
    /// The program has no such workflow.
    NoWorkflow {
        id: String,
        workflow: String,
    },
    /// A detached run continues under the build that has started it.
    OtherBuild {
        id: String,
        program: String,
    },
}

impl std::error::Error for NotResumed {}

impl std::fmt::Display for NotResumed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoStore => f.write_str("no runs are stored: there is no store"),
            Self::Store(error) => error.fmt(f),
            Self::Unreadable { id, why } => write!(f, "run `{id}` cannot be read: {why}"),
            Self::Behaviour { id, was } => write!(
                f,
                "run `{id}` was begun under behaviour {was} of Groundswell, and this program has {BEHAVIOUR}: resume it with the program that began it"
            ),
            Self::NoWorkflow { id, workflow } => write!(
                f,
                "run `{id}` is of the workflow `{workflow}`, which this program does not have"
            ),
            Self::OtherBuild { id, program } => write!(
                f,
                "run `{id}` was started by another build of the program, `{program}`: resume it with that one"
            ),
        }
    }
}

impl From<Error> for NotResumed {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

/// A run that this process has taken over.
pub(super) struct Taken {
    pub(super) carrier: Arc<Carrier>,
    /// The type of its value.
    pub(super) result: TypeId,
    /// How many outcomes it had.
    pub(super) outcomes: usize,
}

/// Where the run is that another one has started.
pub(super) enum Found {
    /// It continues, here or in another process, or has ended.
    Here,
    Nowhere,
}

/// A run of the store that can be gone on with.
struct Ready {
    secrecy: Secrecy,
    arguments: Arguments,
    entry: Entry,
    start: Start,
    past: Vec<Past>,
    outcomes: usize,
    /// The digest of this build, if another one has written.
    build: Option<Hash>,
}

/// What waits for a replayed run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// The caller.
    Own,
    /// The process as a whole, as for every detached run.
    Child,
}

/// The digest of a program's image.
#[must_use]
pub fn image_digest(loaded: &Loaded) -> Hash {
    // A program that was not loaded from an image has another name.
    unhex(&loaded.image)
}

impl Runs {
    /// Brings a run back that was interrupted, and continues with it.
    pub(super) fn resume(
        self: &Arc<Self>,
        id: &str,
        listener: Option<Listener>,
        on_end: OnEnd,
    ) -> Result<Taken, NotResumed> {
        self.resume_as(Family::Own, id, listener, on_end)
    }

    /// Resumes a run that another one has started, unless it has ended or another process runs it.
    pub(super) fn resume_child(self: &Arc<Self>, id: &str) -> Result<Found, NotResumed> {
        if self.get(id).is_some() {
            return Ok(Found::Here);
        }
        match self.resume_as(Family::Child, id, None, Box::new(drop)) {
            Ok(_) | Err(NotResumed::Store(Error::Ended { .. } | Error::Carried(_))) => {
                Ok(Found::Here)
            }
            Err(
                NotResumed::NoStore
                | NotResumed::Store(Error::NoSuchRun(_) | Error::Missing(_) | Error::Unusable { .. }),
            ) => Ok(Found::Nowhere),
            Err(error) => Err(error),
        }
    }

    fn resume_as(
        self: &Arc<Self>,
        family: Family,
        id: &str,
        listener: Option<Listener>,
        on_end: OnEnd,
    ) -> Result<Taken, NotResumed> {
        let at = self.store().ok_or(NotResumed::NoStore)?;
        let store = at.existing()?;
        let info = store.find(id)?;
        // No other process writes to it from here on; an error below releases it.
        let (journal, records) = store.take(&info.id)?;
        let ready = match self.ready(&store, &info, records) {
            Ok(ready) => ready,
            Err(why) => {
                // It waits for the same as before, and for a program that can continue with it. What is not written of that is
                // reported by the next who takes it.
                journal.status(info.status, info.waiting);
                let _ = journal.released();
                return Err(why);
            }
        };
        let Ready {
            secrecy,
            arguments,
            entry,
            start,
            past,
            outcomes,
            build,
        } = ready;
        let (result, replaying) = (self.result_of(&entry), Arc::new(AtomicBool::new(true)));
        let of = (secrecy, StartedBy::of(&start));
        let carried = self.carry(NewRun {
            given: Given {
                workflow: info.workflow,
                was: None,
                arguments: Some(arguments),
            },
            parent: match family {
                Family::Own => None,
                Family::Child => start.parent.clone(),
            },
            start,
            remembered: Some(Remembered::taken(at, journal, of)),
            replaying: Arc::clone(&replaying),
            driver: self.upgraded_driver(),
            listener,
            on_end,
        });
        let Ok((carrier, shutdown)) = carried else {
            return Err(Error::Carried(info.id).into());
        };
        let runs = Arc::clone(self);
        carrier.resume(Resumption {
            entry,
            past,
            carried: CarriedUntil::ItsLastRecord,
            build,
            replaying,
            children: Box::new(move |children| runs.resume_children(&children)),
        });
        if let Some(shutdown) = shutdown {
            shutdown.end(&carrier);
        }
        Ok(Taken {
            carrier,
            result,
            outcomes,
        })
    }

    /// Reads what a run continues with.
    fn ready(&self, store: &Store, info: &Info, records: Vec<Record>) -> Result<Ready, NotResumed> {
        let secrecy = match store.is_sealed(&records)? {
            true => Secrecy::Sealed,
            false => Secrecy::Plain,
        };
        let read = Read::of(store, &info.id, records)?;
        let image = image_digest(&self.loaded);
        Ok(Ready {
            secrecy,
            build: (info.image != image).then_some(image),
            outcomes: read.outcomes(),
            arguments: Arguments::of(read.beginning.entered.input()),
            entry: self.entry(info, read.beginning.entered)?,
            start: read.beginning.start,
            past: read.past,
        })
    }

    /// How a run is entered again.
    pub(super) fn entry(&self, info: &Info, entered: Entered) -> Result<Entry, NotResumed> {
        let id = || info.id.clone();
        match entered {
            Entered::Workflow { workflow, input } => match self.workflow_of(&workflow) {
                Some(index) => Ok(Entry::Workflow { index, input }),
                None => Err(NotResumed::NoWorkflow { id: id(), workflow }),
            },
            Entered::Detached(start) if info.image == image_digest(&self.loaded) => {
                Ok(Entry::Detached(start))
            }
            Entered::Detached(_) => Err(NotResumed::OtherBuild {
                id: id(),
                program: info.program.clone(),
            }),
        }
    }

    /// The workflow of this name, or that had it in an earlier version.
    fn workflow_of(&self, name: &str) -> Option<usize> {
        let program = &self.loaded.program;
        let named = |name: &str| program.workflows.iter().position(|it| it.name == name);
        let former = || {
            let mut former = program.former.iter();
            let is_it = |it: &&FormerName| it.kind == NodeKind::Workflow && it.was == name;
            named(&former.find(is_it)?.name)
        };
        named(name).or_else(former)
    }

    fn result_of(&self, entry: &Entry) -> TypeId {
        match entry {
            Entry::Workflow { index, .. } => self.loaded.program.workflows[*index].result,
            Entry::Detached(start) => start.result,
            Entry::Function { result, .. } => *result,
            Entry::With { .. } => builtin::UNIT,
        }
    }

    fn resume_children(self: &Arc<Self>, children: &[String]) {
        for child in children {
            // One that cannot be replayed stays in the store, where it is listed as interrupted.
            let _ = self.resume_child(child);
        }
    }
}

/// The texts of a run's questions, by operation.
fn asked_of(
    store: &Store,
    id: &str,
    records: &[Record],
) -> Result<FxHashMap<u64, String>, NotResumed> {
    if !records.iter().any(|it| matches!(it, Record::Intent { .. })) {
        return Ok(FxHashMap::default());
    }
    let asked = store.questions(Some(id))?.into_iter();
    let in_words = asked.map(|it| (it.question.operation, words_of(&it.question)));
    Ok(in_words.collect())
}

/// A run as it was recorded.
pub(crate) struct Read {
    pub(crate) beginning: Beginning,
    pub(crate) past: Vec<Past>,
}

impl Read {
    pub(crate) fn of(store: &Store, id: &str, records: Vec<Record>) -> Result<Self, NotResumed> {
        let unreadable = |why: String| NotResumed::Unreadable {
            id: id.to_owned(),
            why,
        };
        let blob = |hash| {
            let payload = gsw_journal::record::Payload::Blob(hash);
            store.bytes(id, payload).map_err(|it| it.to_string())
        };
        let asked = asked_of(store, id, &records)?;
        let mut beginning = None;
        let mut past = Vec::with_capacity(records.len());
        let inherited =
            |beginning: &Option<Beginning>| beginning.as_ref().map_or(0, |it| it.inherited);
        for record in records {
            if !past.is_empty() && past.len() == inherited(&beginning) {
                past.push(Past::Forked);
            }
            match record {
                Record::Begin { start } => {
                    let bytes = store.bytes(id, start)?;
                    beginning = Some(beginning::read(&bytes, blob).map_err(unreadable)?);
                }
                Record::Intent { of } => {
                    let asked = asked.get(&of.operation).cloned();
                    past.push(Past::Intent { of, asked });
                }
                Record::NotDone { of } => past.push(Past::NotDone(of)),
                Record::Outcome { of, now, outcome } => {
                    let noted = Noted::decode(&store.bytes(id, outcome)?);
                    let noted = noted.ok_or_else(|| {
                        unreadable("an outcome has a form of another version".into())
                    })?;
                    past.push(Past::Outcome { of, now, noted });
                }
                Record::Cancel { now, reason } => past.push(Past::Cancel { now, reason }),
                Record::Interrupt {
                    now,
                    reason,
                    before,
                } => past.push(Past::Interrupt(Interruption {
                    cancellation: Cancellation { reason, now },
                    before: OperationId(before),
                })),
                Record::Resumed { now } => past.push(Past::Resumed { now }),
                Record::Undo { now, wish } => past.push(Past::Undo { now, wish }),
                // Which build wrote changes nothing; that it ended is in the table of runs.
                Record::Build { .. } | Record::End { .. } => {}
            }
        }
        if !past.is_empty() && past.len() == inherited(&beginning) {
            past.push(Past::Forked);
        }
        let beginning = beginning.ok_or_else(|| unreadable("it has no beginning".into()))?;
        if beginning.start.behaviour != BEHAVIOUR {
            return Err(NotResumed::Behaviour {
                id: id.to_owned(),
                was: beginning.start.behaviour,
            });
        }
        Ok(Self { beginning, past })
    }

    fn outcomes(&self) -> usize {
        let outcomes = self.past.iter();
        outcomes
            .filter(|it| matches!(it, Past::Outcome { .. }))
            .count()
    }
}
