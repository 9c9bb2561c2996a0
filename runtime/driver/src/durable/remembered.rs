//! What one run has written down: kept in memory until the run does something that must not be lost, then in a journal.

use std::collections::BTreeMap;
use std::sync::Arc;

use gsw_engine::operation::{GivenUp, Operation, OperationId, Outcome};
use gsw_engine::run::{Abandoned, Finished, Left, RunResult, Start};
use gsw_journal::list::Status;
use gsw_journal::record::{Blob, Payload, Record};
use gsw_journal::store::NewRun;
use gsw_journal::writer::{Failure, Journal, Then};

use crate::durable::asked::{Asked, Known, Needs};
use crate::durable::beginning::{self, Entered};
use crate::durable::care::Care;
use crate::durable::noted::Noted;
use crate::durable::store::{Need, RunStore};

/// So many bytes of a run that needs no file are kept in memory; then it gets one. A guess.
const BACKLOG: usize = 16 << 20;
/// So many things that a run waits for are shown.
const SHOWN: usize = 5;
/// What a record in memory costs besides its bytes.
const RECORD: usize = 256;

/// What is written down of one run.
pub(crate) struct Remembered {
    store: Arc<RunStore>,
    state: State,
    /// The operations without an outcome.
    outstanding: BTreeMap<OperationId, Known>,
    /// How many of them need a process.
    busy: usize,
    /// How many of them are questions.
    questions: usize,
    /// What those who list runs see.
    shown: Status,
    is_cancelled: bool,
}

enum State {
    /// Nothing was worth a file so far.
    NotYet(Box<Backlog>),
    Open(Journal),
    /// Its store cannot be used and nobody has asked for it: nothing is written down.
    Without,
}

/// A run that no file knows of yet.
struct Backlog {
    start: Start,
    entered: Entered,
    image: [u8; 32],
    kept: Vec<Kept>,
    bytes: usize,
}

/// What was brought to a run that no file knows of yet.
enum Kept {
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
    fn record(self) -> (Record, Option<Blob>) {
        match self {
            Self::Outcome { of, now, outcome } => outcome_record(of.asked(), &outcome, now),
            Self::Cancel { now, reason } => (Record::Cancel { now, reason }, None),
        }
    }

    /// About how many bytes it takes.
    fn weight(&self) -> usize {
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

fn outcome_record(asked: Asked, outcome: &Outcome, now: i64) -> (Record, Option<Blob>) {
    let of = asked.of;
    let (outcome, blob) = Payload::of(Noted::encode(asked.what, outcome));
    (Record::Outcome { of, now, outcome }, blob)
}

impl std::fmt::Debug for Remembered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remembered")
            .field("store", &self.store)
            .field("is_open", &self.is_open())
            .field("outstanding", &self.outstanding.len())
            .finish_non_exhaustive()
    }
}

/// What becomes of a completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Noting {
    /// It is written down, or will be; the run gets it.
    Noted,
    /// The run has given its operation up: it does not get it.
    Unwanted,
}

impl Remembered {
    /// Of a run that begins.
    pub(crate) fn new(
        store: Arc<RunStore>,
        start: Start,
        entered: Entered,
        image: [u8; 32],
    ) -> Self {
        let backlog = Backlog {
            start,
            entered,
            image,
            kept: Vec::new(),
            bytes: 0,
        };
        Self {
            store,
            state: State::NotYet(Box::new(backlog)),
            outstanding: BTreeMap::new(),
            busy: 0,
            questions: 0,
            shown: Status::Running,
            is_cancelled: false,
        }
    }

    /// Of a run that is brought back.
    pub(crate) fn taken(store: Arc<RunStore>, journal: Journal) -> Self {
        Self {
            store,
            state: State::Open(journal),
            outstanding: BTreeMap::new(),
            busy: 0,
            questions: 0,
            shown: Status::Running,
            is_cancelled: false,
        }
    }

    /// Whether somebody can go on with the run when this process has left it.
    pub(crate) fn is_open(&self) -> bool {
        match &self.state {
            State::Open(_) => true,
            State::NotYet(_) | State::Without => false,
        }
    }

    /// The run has asked for something before it was brought back.
    pub(crate) fn ask(&mut self, id: OperationId, asked: Asked) {
        self.know(id, Known::Asked(asked));
    }

    fn know(&mut self, id: OperationId, known: Known) {
        match known.needs() {
            Needs::Process => self.busy += 1,
            Needs::Somebody => self.questions += 1,
            Needs::Time => {}
        }
        self.outstanding.insert(id, known);
    }

    fn forget(&mut self, id: OperationId) -> Option<Known> {
        let known = self.outstanding.remove(&id)?;
        match known.needs() {
            Needs::Process => self.busy -= 1,
            Needs::Somebody => self.questions -= 1,
            Needs::Time => {}
        }
        Some(known)
    }

    /// Notes what the run asks for and gives up; a file is made when one of the operations needs it.
    ///
    /// # Errors
    /// When it is to be written down and cannot be.
    pub(crate) fn remember(
        &mut self,
        operations: &[Operation],
        abandoned: &[Abandoned],
    ) -> Result<(), String> {
        for Abandoned { id, how } in abandoned {
            match how {
                GivenUp::Dropped => drop(self.forget(*id)),
                // Its outcome is still to come.
                GivenUp::AwaitedFirst => {}
            }
        }
        match operations.iter().map(Care::of).max() {
            Some(Care::Written | Care::Intent) => self.open()?,
            Some(Care::None) | None => {}
        }
        for operation in operations {
            match self.state {
                State::NotYet(_) => {
                    self.know(operation.id, Known::Whole(Box::new(operation.clone())));
                }
                State::Open(_) => self.know(operation.id, Known::Asked(Asked::of(operation))),
                State::Without => {}
            }
        }
        Ok(())
    }

    /// From now on the run is written down.
    ///
    /// # Errors
    /// When it cannot be, and somebody has asked that it is.
    pub(crate) fn open(&mut self) -> Result<(), String> {
        let State::NotYet(backlog) = &mut self.state else {
            return Ok(());
        };
        let begun = self
            .store
            .open()
            .and_then(|store| backlog.begin(&store, &self.store));
        match (begun, self.store.need()) {
            (Ok(journal), _) => {
                self.state = State::Open(journal);
                let outstanding = std::mem::take(&mut self.outstanding);
                let asked = outstanding.into_iter();
                self.outstanding = asked
                    .map(|(id, known)| (id, Known::Asked(known.asked())))
                    .collect();
            }
            (Err(error), Need::Asked) => return Err(error.to_string()),
            (Err(error), Need::Offered(warn)) => {
                warn(&error.to_string());
                self.state = State::Without;
                self.outstanding.clear();
            }
        }
        Ok(())
    }

    /// Writes that an operation is about to begin, and calls `then` when that is on the disk; at once where nothing is written
    /// down.
    pub(crate) fn intend(&mut self, id: OperationId, then: Then) {
        let asked = self.outstanding.get_mut(&id);
        match (&mut self.state, asked) {
            // A question is asked again in each life.
            (State::Open(_), Some(Known::Asked(asked))) if asked.is_intended => then(Ok(())),
            (State::Open(journal), Some(Known::Asked(asked))) => {
                asked.is_intended = true;
                journal.write_first(&Record::Intent { of: asked.of }, None, then);
            }
            (State::Open(_) | State::NotYet(_) | State::Without, _) => then(Ok(())),
        }
    }

    /// An outcome is about to be brought to the run.
    ///
    /// # Errors
    /// When nothing can be written any more: the run must not go on.
    pub(crate) fn note(
        &mut self,
        id: OperationId,
        outcome: &Outcome,
        now: i64,
    ) -> Result<Noting, String> {
        if let State::Without = self.state {
            return Ok(Noting::Noted);
        }
        let Some(known) = self.forget(id) else {
            return Ok(Noting::Unwanted);
        };
        if let State::NotYet(_) = self.state {
            self.keep(Kept::Outcome {
                of: known,
                now,
                outcome: outcome.clone(),
            })?;
            return Ok(Noting::Noted);
        }
        let (record, blob) = outcome_record(known.asked(), outcome, now);
        self.write(&record, blob)?;
        Ok(Noting::Noted)
    }

    /// Keeps what was brought to a run that no file knows of yet.
    fn keep(&mut self, kept: Kept) -> Result<(), String> {
        if let State::NotYet(backlog) = &mut self.state {
            backlog.bytes += kept.weight();
            backlog.kept.push(kept);
            if backlog.bytes > BACKLOG {
                return self.open();
            }
        }
        Ok(())
    }

    /// The run is told to end.
    ///
    /// # Errors
    /// As for [`Self::note`].
    pub(crate) fn note_cancel(&mut self, reason: &str, now: i64) -> Result<(), String> {
        let reason = reason.to_owned();
        self.is_cancelled = true;
        match self.state {
            State::NotYet(_) => self.keep(Kept::Cancel { now, reason }),
            State::Open(_) | State::Without => self.write(&Record::Cancel { now, reason }, None),
        }
    }

    fn write(&mut self, record: &Record, blob: Option<Blob>) -> Result<(), String> {
        match &mut self.state {
            State::Open(journal) => {
                journal.write(record, blob);
                match journal.failure() {
                    Some(failure) => Err(failure.to_string()),
                    None => Ok(()),
                }
            }
            // Of a run that no file knows of yet everything is kept, see `keep`.
            State::NotYet(_) | State::Without => Ok(()),
        }
    }

    /// Whether it was told to end.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Another build of the program writes what follows.
    pub(crate) fn note_build(&mut self, image: [u8; 32]) {
        // A failure is found with the next record.
        let _ = self.write(&Record::Build { image }, None);
    }

    /// Whether the run waits for people and long times alone. Not what is under way decides, but what the run has been told: an
    /// outcome may have come that it has not got yet.
    pub(crate) fn rests(&self) -> bool {
        self.busy == 0
    }

    /// How many questions are open.
    pub(crate) fn questions(&self) -> usize {
        self.questions
    }

    /// The run waits for people and time alone, and for long: it is written down, and those who list runs learn what for.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(crate) fn rest(&mut self) -> Result<(), String> {
        self.open()?;
        if let State::Open(journal) = &self.state {
            journal.status(Status::Waiting, Some(self.waiting()));
            self.shown = Status::Waiting;
        }
        Ok(())
    }

    /// The run does something again.
    pub(crate) fn go_on(&mut self) {
        if self.shown == Status::Running {
            return;
        }
        if let State::Open(journal) = &self.state {
            journal.status(Status::Running, None);
        }
        self.shown = Status::Running;
    }

    /// What the run waits for, of one that is written down.
    fn asked(&self) -> impl Iterator<Item = &Asked> {
        self.outstanding.values().filter_map(|it| match it {
            Known::Asked(asked) => Some(asked),
            Known::Whole(_) => None,
        })
    }

    /// What a run waits for that needs no process.
    pub(crate) fn parked(&self) -> Left {
        let questions = self.asked();
        Left::Parked {
            waiting: self.waiting(),
            questions: questions.filter_map(|it| it.asks.clone()).collect(),
        }
    }

    /// What the run waits for, in words.
    pub(crate) fn waiting(&self) -> String {
        // Beside a question, time is only how long there is for it.
        let is_shown = |it: &&Asked| self.questions == 0 || it.asks.is_some();
        let shown = self.asked().filter(is_shown);
        let mut words: Vec<&str> = shown.take(SHOWN + 1).map(|it| &*it.what).collect();
        if words.len() > SHOWN {
            words[SHOWN] = "and more";
        }
        words.join(", ")
    }

    /// Writes how the run ended, and calls `tell` when all is on the disk.
    pub(crate) fn end(
        self,
        finished: Box<Finished>,
        tell: impl FnOnce(Box<Finished>) + Send + 'static,
    ) {
        let State::Open(mut journal) = self.state else {
            return tell(finished);
        };
        let result = &finished.result;
        let status = match result {
            RunResult::Value(_) => Status::Completed,
            RunResult::Raised(_) | RunResult::InvalidInput(_) | RunResult::Internal(_) => {
                Status::Failed
            }
            RunResult::Cancelled => Status::Cancelled,
            RunResult::Left(left) => {
                match left {
                    Left::Interrupted | Left::Parked { .. } | Left::Unwritten { .. } => {}
                    Left::Diverged { why } => journal.status(Status::Diverged, Some(why.clone())),
                }
                return leave(journal, finished, tell);
            }
        };
        let (result, blob) = Payload::of(ending(result));
        journal.write(&Record::End { result }, blob);
        journal.status(status, None);
        leave(journal, finished, tell);
    }
}

/// Gives a run up, for whoever wants to go on with it, and says that it has ended when all is on the disk.
fn leave(
    journal: Journal,
    finished: Box<Finished>,
    tell: impl FnOnce(Box<Finished>) + Send + 'static,
) {
    // Should its end not reach the disk, it is computed again from the rest.
    let then = |_: Result<(), Failure>| tell(finished);
    journal.release(Box::new(then));
}

/// The end of a run in bytes, for those who look at it.
fn ending(result: &RunResult) -> Vec<u8> {
    let text = match result {
        RunResult::Value(json) => format!("{{\"value\":{json}}}"),
        RunResult::Raised(error) => match serde_json::to_string(error) {
            Ok(json) => format!("{{\"raised\":{json}}}"),
            Err(error) => serde_json::json!({ "internal": error.to_string() }).to_string(),
        },
        RunResult::Internal(message) => serde_json::json!({ "internal": message }).to_string(),
        RunResult::InvalidInput(issues) => {
            serde_json::json!({ "invalid_input": issues }).to_string()
        }
        RunResult::Cancelled | RunResult::Left(_) => "{}".to_owned(),
    };
    text.into_bytes()
}

impl Backlog {
    fn begin(
        &mut self,
        store: &gsw_journal::store::Store,
        at: &RunStore,
    ) -> Result<Journal, gsw_journal::store::Error> {
        let Self {
            start,
            entered,
            image,
            kept,
            bytes: _,
        } = self;
        let new = NewRun {
            id: &start.id,
            workflow: entered.workflow(),
            image: *image,
            program: at.program(),
            input: beginning::input_digest(entered.input()),
            begun: start.now,
        };
        let mut all = beginning::records(start, entered, *image);
        all.extend(kept.drain(..).map(Kept::record));
        store.begin(&new, all)
    }
}
