//! Tries a test with crashes: its run is killed right before and right after each record that it writes, replayed from what is
//! on the disk then, and compared with the same run undisturbed.
//!
//! **Idea.** Each life is carried by the real carrier with a real store, on one thread and in virtual time (`life`). Between
//! two records the world changes by what is performed there and by nothing else. So a process that is killed right after a
//! record is one for which nothing is performed from that record on, and whose store ends with it; killed right before the next
//! record, all that is between has been performed and nobody knows. The world continues through both lives (`outside`).
//!
//! **What must hold.** The resumed run says, gives and has done what the undisturbed one has; nothing that has an outcome on the
//! disk is done again; what is `once` is never done again; where it may have been done, the run is given `OutcomeUnknown`, and
//! may then go another way.

mod checks;
mod life;
mod outside;
mod seeded;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gsw_engine::load::Loaded;
use gsw_engine::model::Prompts;
use gsw_engine::run::{Finished, MocksInTests, RunResult};
use gsw_journal::list::Listed;
use gsw_journal::record::{Blob, Identity, Payload, Record};
use gsw_journal::store::{Error, NewRun, Store};
use gsw_tree::event::Event;

use crate::crash::checks::{doubtful, once, only_what_is_open, unknown, warns};
use crate::crash::life::{Lived, Order, Subject};
use crate::crash::outside::{Outside, Performed};
use crate::durable::beginning;
use crate::durable::noted::Noted;
use crate::durable::store::RunStore;
use crate::engine::resuming::image_digest;
use crate::scripted::{Entry, World};
use crate::tape::Tape;
use crate::testing;
use crate::turn_threads::TurnThreads;

pub use seeded::{Lives, live_through};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Crashes {
    All,
    /// Those immediately before and after the record of this number, from 1.
    Around(u64),
}

/// The outcome of a test that was tried with crashes.
#[derive(Debug)]
pub struct Tried {
    /// In how many places the run was killed.
    pub places: usize,
    /// In how many of them something `once` may have been done.
    pub in_doubt: usize,
    /// How many records the run writes.
    pub records: u64,
    pub wrong: Vec<Wrong>,
    /// The run without a crash.
    pub finished: Box<Finished>,
}

/// A place in which a resumed run is not what it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    pub place: Place,
    /// What the record says, in a few words.
    pub of: String,
    pub why: String,
}

/// Where a run is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of a record, from 1.
    pub record: u64,
    pub moment: Moment,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    Before,
    After,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let moment = match self.moment {
            Moment::Before => "before",
            Moment::After => "after",
        };
        write!(f, "right {moment} record {}", self.record)
    }
}

impl Place {
    /// How many records are on the disk then.
    const fn kept(self) -> u64 {
        match self.moment {
            Moment::Before => self.record - 1,
            Moment::After => self.record,
        }
    }
}

/// What answers in place of models: created for each run of the test, and shared by all lives of one run.
pub type Tapes = Box<dyn Fn() -> Tape + Send>;

/// Tries the run of a test with crashes, in a folder of its own.
///
/// # Errors
/// When it cannot be tried at all: the folder cannot be written, or the run does not end.
pub fn try_with_crashes(
    loaded: &Arc<Loaded>,
    prompts: &Arc<dyn Prompts>,
    entry: Entry,
    tapes: Tapes,
    folder: &Path,
    crashes: Crashes,
) -> Result<Tried, String> {
    let trial = Trial {
        subject: Subject {
            loaded: Arc::clone(loaded),
            around: testing::around(loaded, prompts, MocksInTests::Performed, tapes()),
            entry,
        },
        tapes,
        folder: folder.to_owned(),
    };
    // On a thread whose stack is as deep as turns need.
    let tried = TurnThreads::shared().wait_for(move || trial.all(crashes));
    tried.unwrap_or_else(|| Err("trying it failed".into()))
}

struct Trial {
    subject: Subject,
    tapes: Tapes,
    folder: PathBuf,
}

/// The run without a crash.
struct Whole {
    finished: Box<Finished>,
    events: Vec<Event>,
    /// This many records are written at once: no process is killed between them.
    opened_with: u64,
    records: Vec<Record>,
    performed: Vec<Performed>,
}

/// The records that a process which was killed leaves.
type Kept = Vec<(Record, Option<Blob>)>;

impl Trial {
    fn all(&self, crashes: Crashes) -> Result<Tried, String> {
        let whole = self.whole()?;
        let again = self.whole()?;
        let mut records = whole.records.iter().zip(&again.records);
        if let Some(number) = records.position(|(was, is)| was != is) {
            let of = said(&again.records, number as u64 + 1);
            return Err(format!(
                "the test does not do the same each time that it is run, so it cannot be tried with crashes: record {} is {of}, with other contents than before; mock what differs",
                number + 1
            ));
        }
        let (mut in_doubt, mut wrong) = (0, Vec::new());
        let places = places(&whole, crashes);
        for place in &places {
            let found = self.killed(*place, &whole);
            match found {
                Ok(Held::AsUndisturbed) => {}
                Ok(Held::InDoubt) => in_doubt += 1,
                Err(why) => wrong.push(Wrong {
                    place: *place,
                    of: said(&whole.records, place.record),
                    why,
                }),
            }
        }
        Ok(Tried {
            places: places.len(),
            in_doubt,
            records: whole.records.len() as u64,
            wrong,
            finished: whole.finished,
        })
    }

    fn outside(&self) -> Arc<Outside> {
        let Subject { loaded, around, .. } = &self.subject;
        let answers = testing::answers(loaded);
        let mut around = around.clone();
        around.receivers.tape = (self.tapes)();
        Outside::new(World::new(loaded, around, Some(answers), None))
    }

    /// An empty store.
    fn store(&self, name: &str) -> Arc<RunStore> {
        let path = self.folder.join(name);
        for ending in ["", "-wal", "-shm"] {
            let mut file = path.clone().into_os_string();
            file.push(ending);
            // Of the place before.
            let _ = std::fs::remove_file(file);
        }
        RunStore::of_trial(path)
    }

    fn whole(&self) -> Result<Whole, String> {
        let (outside, store) = (self.outside(), self.store("whole.db"));
        let path = store.path().to_owned();
        let Lived {
            finished,
            events,
            opened_with,
            steps: _,
        } = self
            .subject
            .begin(&outside, store, None, &mut Order::InTurn)?;
        let kept = self.kept(&path)?;
        Ok(Whole {
            finished: finished.ok_or("it was killed")?,
            events,
            opened_with,
            records: kept.into_iter().map(|(record, _)| record).collect(),
            performed: outside.performed(),
        })
    }

    /// All that a store holds of the run; empty where there is no store.
    fn kept(&self, path: &Path) -> Result<Kept, String> {
        let store = match Store::existing(path) {
            Err(Error::Missing(_)) => return Ok(Vec::new()),
            store => store.map_err(|it| it.to_string())?,
        };
        let listed = store.list().and_then(Listed::whole);
        let listed = listed.map_err(|it| it.to_string())?;
        let Some(info) = listed.first() else {
            return Ok(Vec::new());
        };
        let records = store.records(&info.id).map_err(|it| it.to_string())?;
        let start = self.subject.around.start(&info.id);
        let image = image_digest(&self.subject.loaded);
        // The first of them name what no payload does.
        let mut kept = beginning::records(&start, &Subject::entered(), image, 0);
        for record in records.into_iter().skip(kept.len()) {
            let blob = match record.payload() {
                Some(payload @ Payload::Blob(_)) => {
                    let bytes = store.bytes(&info.id, payload.clone());
                    Some(Blob::of(bytes.map_err(|it| it.to_string())?))
                }
                Some(Payload::Inline(_)) | None => None,
            };
            kept.push((record, blob));
        }
        Ok(kept)
    }

    /// The same run, killed and replayed.
    fn killed(&self, place: Place, whole: &Whole) -> Result<Held, String> {
        let outside = self.outside();
        let store = self.store("killed.db");
        let path = store.path().to_owned();
        let limit = Some(place.record);
        self.subject
            .begin(&outside, store, limit, &mut Order::InTurn)?;
        let before = outside.performed();
        let mut kept = self.kept(&path)?;
        kept.truncate(place.kept() as usize);
        let records: Vec<Record> = kept.iter().map(|(record, _)| record.clone()).collect();
        if records != whole.records[..records.len()] {
            return Err(
                "the test does not do the same each time that it is run, so it cannot be tried with crashes: mock what differs"
                    .into(),
            );
        }
        if kept.is_empty() {
            // Nothing was stored, so the run starts over, at the time at which each of these runs starts.
            outside.now.store(0, Ordering::SeqCst);
            let lived =
                self.subject
                    .begin(&outside, self.store("again.db"), None, &mut Order::InTurn)?;
            return whole.compare(&lived, &outside.performed());
        }
        let again = self.store("again.db");
        self.write(&again, kept)?;
        let path = again.path().to_owned();
        let lived = self
            .subject
            .resume(&outside, again, None, &mut Order::InTurn)?;
        let performed = outside.performed();
        only_what_is_open(&records, &performed[before.len()..])?;
        once(&performed)?;
        let doubtful = doubtful(&records);
        if doubtful.is_empty() {
            return whole.compare(&lived, &performed);
        }
        let after = self.kept(&path)?;
        let mut warned = lived.events.iter().filter(|it| warns(it));
        for of in doubtful {
            // A run that was cancelled before the error reached it cannot catch it: it is reported as a warning there.
            match unknown(&after, of) {
                Err(_) if warned.next().is_some() => {}
                answered => answered?,
            }
        }
        match lived.finished.map(|it| it.result) {
            Some(RunResult::Internal(message)) => Err(format!("Internal: {message}")),
            Some(RunResult::Left(why)) => Err(why.to_string()),
            Some(
                RunResult::Value(_)
                | RunResult::Raised(_)
                | RunResult::Cancelled
                | RunResult::InvalidInput(_),
            ) => Ok(Held::InDoubt),
            None => Err("it was killed".into()),
        }
    }

    fn write(&self, store: &RunStore, kept: Kept) -> Result<(), String> {
        let start = self.subject.around.start("");
        let entered = Subject::entered();
        let new = NewRun {
            id: life::ID,
            workflow: entered.workflow(),
            image: image_digest(&self.subject.loaded),
            program: store.program(),
            input: store.input_digest(entered.input()),
            begun: start.now,
        };
        let opened = store.open().map_err(|it| it.to_string())?;
        let journal = opened.begin(&new, kept).map_err(|it| it.to_string())?;
        journal.released().map_err(|it| it.to_string())
    }
}

/// How a resumed run is as it should be.
enum Held {
    AsUndisturbed,
    /// Something may have been done, and it learned of that.
    InDoubt,
}

/// The places in which a run is killed.
fn places(whole: &Whole, crashes: Crashes) -> Vec<Place> {
    let (count, together) = (whole.records.len() as u64, whole.opened_with);
    let all = (1..=count).flat_map(|record| {
        let before = (record == 1 || record > together).then_some(Moment::Before);
        let after = (record >= together).then_some(Moment::After);
        let moments = before.into_iter().chain(after);
        moments.map(move |moment| Place { record, moment })
    });
    all.filter(|it| match crashes {
        Crashes::All => true,
        Crashes::Around(record) => it.record == record,
    })
    .collect()
}

/// What a record says, by its number from 1.
fn said(records: &[Record], number: u64) -> String {
    let Some(record) = usize::try_from(number)
        .ok()
        .and_then(|it| records.get(it.checked_sub(1)?))
    else {
        return "no record".into();
    };
    match record {
        Record::Begin { .. } | Record::Build { .. } => "its beginning".into(),
        Record::Intent { of } => format!("that {} begins", named(records, *of)),
        Record::Outcome { of, .. } => format!("the outcome of {}", named(records, *of)),
        Record::Cancel { .. } | Record::Interrupt { .. } => "that it is cancelled".into(),
        Record::Resumed { .. } => "that it was taken up again".into(),
        Record::End { .. } => "its end".into(),
        Record::NotDone { .. } => "that something was not done".into(),
        Record::Undo { .. } => "that something is to be taken back again".into(),
    }
}

/// A short description of an operation, which is recorded with its outcome.
fn named(records: &[Record], operation: Identity) -> String {
    let noted = records.iter().find_map(|it| match it {
        Record::Outcome {
            of,
            outcome: Payload::Inline(bytes),
            ..
        } if *of == operation => Noted::decode(bytes),
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
    noted.map_or_else(
        || format!("operation {}", operation.operation),
        |it| it.what,
    )
}
