//! What one run has recorded: kept in memory until the run does something that must not be lost, then in a journal.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gsw_engine::operation::{GivenUp, Operation, OperationId, Outcome};
use gsw_engine::run::{Abandoned, Finished, Interruption, Left, RunResult, Start};
use gsw_journal::list::Status;
use gsw_journal::record::{Blob, Payload, Record};
use gsw_journal::store::Error;
use gsw_journal::writer::{Failure, Journal, Then};
use gsw_notation::calendar::to_the_second;

use crate::durable::asked::{self, Asked, Asks, Needs};
use crate::durable::backlog::Backlog;
use crate::durable::became::{Beginning, Noting, Only, Shown};
use crate::durable::beginning::Entered;
use crate::durable::care::Care;
use crate::durable::ended;
use crate::durable::results::StartedBy;
use crate::durable::secrecy::Secrecy;
use crate::durable::store::{Need, RunStore};
use crate::durable::trail::{interrupt_record, outcome_record};

/// The most things that a run waits for that are shown.
const SHOWN: usize = 5;

/// What is recorded of one run.
pub(crate) struct Remembered {
    store: Arc<RunStore>,
    state: State,
    /// The operations without an outcome, once the run is recorded.
    outstanding: BTreeMap<OperationId, Asked>,
    /// The deadlines of the operations that need no process, the earliest first.
    dues: BTreeSet<(i64, OperationId)>,
    /// How many of them need a process.
    busy: usize,
    /// How many of them are questions.
    questions: usize,
    /// What lists of runs show.
    shown: Shown,
    is_cancelled: bool,
    secrecy: Secrecy,
    started_by: StartedBy,
    /// How many records were written at once when the run got a file.
    opened_with: u64,
}

enum State {
    /// No record has needed a file so far.
    NotYet(Box<Backlog>),
    Open(Journal),
    /// Its store cannot be used and was not asked for: nothing is recorded.
    Without,
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

impl Remembered {
    /// Of a run that begins.
    pub(crate) fn new(
        store: Arc<RunStore>,
        start: Start,
        entered: Entered,
        image: [u8; 32],
        secrecy: Secrecy,
    ) -> Self {
        let started_by = StartedBy::of(&start);
        let state = State::NotYet(Box::new(Backlog::new(start, entered, image)));
        Self::with(store, state, (secrecy, started_by))
    }

    /// Of a run that is replayed.
    pub(crate) fn taken(store: Arc<RunStore>, journal: Journal, of: (Secrecy, StartedBy)) -> Self {
        Self::with(store, State::Open(journal), of)
    }

    fn with(
        store: Arc<RunStore>,
        state: State,
        (secrecy, started_by): (Secrecy, StartedBy),
    ) -> Self {
        Self {
            store,
            state,
            outstanding: BTreeMap::new(),
            dues: BTreeSet::new(),
            busy: 0,
            questions: 0,
            shown: Shown::GoesOn,
            is_cancelled: false,
            secrecy,
            started_by,
            opened_with: 0,
        }
    }

    /// Whether the run can be resumed when this process has left it.
    pub(crate) fn is_open(&self) -> bool {
        match &self.state {
            State::Open(_) => true,
            State::NotYet(_) | State::Without => false,
        }
    }

    /// How many records are on the disk; all, where nothing is written down.
    pub(crate) fn written(&self) -> u64 {
        match &self.state {
            State::Open(journal) => journal.written(),
            State::NotYet(_) | State::Without => u64::MAX,
        }
    }

    /// How many records are written, or on their way to the disk.
    pub(crate) fn records(&self) -> u64 {
        match &self.state {
            State::Open(journal) => journal.records(),
            State::NotYet(_) | State::Without => 0,
        }
    }

    /// How many of them were written at once when the run got a file.
    pub(crate) fn opened_with(&self) -> u64 {
        self.opened_with
    }

    /// Waits until all that was written is on the disk, and those that waited for that were notified.
    pub(crate) fn flush(&self) {
        let (sender, flushed) = std::sync::mpsc::channel();
        self.flush_then(Box::new(move |it| drop(sender.send(it))));
        // A failure is found with the next record.
        let _ = flushed.recv();
    }

    /// Calls `then` when all that was written is on the disk; at once where nothing is recorded.
    pub(crate) fn flush_then(&self, then: Then) {
        match &self.state {
            State::Open(journal) => journal.flush(then),
            State::NotYet(_) | State::Without => then(Ok(())),
        }
    }

    /// The run has asked for something before it was replayed.
    pub(crate) fn ask(&mut self, id: OperationId, asked: Asked) {
        match asked.needs {
            Needs::Process => self.busy += 1,
            Needs::Somebody => self.questions += 1,
            Needs::Time => {}
        }
        self.dues.extend(due_of(id, &asked));
        self.outstanding.insert(id, asked);
    }

    fn forget(&mut self, id: OperationId) -> Option<Asked> {
        let asked = self.outstanding.remove(&id)?;
        match asked.needs {
            Needs::Process => self.busy -= 1,
            Needs::Somebody => self.questions -= 1,
            Needs::Time => {}
        }
        if let Some(due) = due_of(id, &asked) {
            self.dues.remove(&due);
        }
        Some(asked)
    }

    /// Notes the operations that the run requests and gives up; the file is created when one of them needs it.
    ///
    /// # Errors
    /// When it is to be recorded and cannot be.
    pub(crate) fn remember(
        &mut self,
        operations: &[Operation],
        abandoned: &[Abandoned],
    ) -> Result<(), String> {
        for Abandoned { id, how } in abandoned {
            match how {
                GivenUp::Dropped => self.give_up(*id),
                // Its outcome is still to come.
                GivenUp::AwaitedFirst => {}
            }
        }
        if let State::NotYet(backlog) = &self.state {
            let needs_file = match operations.iter().map(Care::of).max() {
                Some(Care::Written | Care::Intent) => true,
                Some(Care::None) | None => backlog.is_full(),
            };
            if needs_file {
                self.open()?;
            }
        }
        match &mut self.state {
            State::NotYet(backlog) => operations.iter().for_each(|it| backlog.ask(it)),
            State::Open(_) => {
                for operation in operations {
                    self.ask(operation.id, Asked::of(operation));
                }
            }
            State::Without => {}
        }
        Ok(())
    }

    /// From now on the run is recorded.
    ///
    /// # Errors
    /// When it cannot be, and it was asked for.
    pub(crate) fn open(&mut self) -> Result<(), String> {
        match self.begin(Only::OfItsId) {
            Beginning::Begun => Ok(()),
            Beginning::Exists(why) | Beginning::Failed(why) => Err(why),
        }
    }

    /// Like [`Self::open`], for a run that others may begin as well.
    pub(crate) fn begin(&mut self, only: Only) -> Beginning {
        let State::NotYet(backlog) = &mut self.state else {
            return Beginning::Begun;
        };
        let begun = self
            .store
            .open()
            .and_then(|store| backlog.begin(&store, &self.store, self.secrecy, only));
        match (begun, self.store.need()) {
            (Ok(journal), _) => {
                self.opened_with = journal.records();
                let asked = backlog.asked();
                self.state = State::Open(journal);
                for (id, asked) in asked {
                    self.ask(id, asked);
                }
            }
            (Err(error @ (Error::Exists(_) | Error::Carried(_))), _) => {
                return Beginning::Exists(error.to_string());
            }
            (Err(error), Need::Asked) => return Beginning::Failed(error.to_string()),
            (Err(error), Need::Offered(warn)) => {
                warn(&error.to_string());
                self.state = State::Without;
            }
        }
        Beginning::Begun
    }

    /// The run does not want an outcome any more.
    fn give_up(&mut self, id: OperationId) {
        if let State::NotYet(backlog) = &mut self.state {
            backlog.forget(id);
            return;
        }
        let asked = self.forget(id);
        if let (State::Open(journal), Some(_)) = (&self.state, asked.and_then(|it| it.asks)) {
            journal.close(id.0, "its run does not wait for it any more".into());
        }
    }

    /// Writes that an operation is about to begin, and calls `then` when that is on the disk; at once where nothing is
    /// recorded. A question is a row of its own besides, from the first life on that asks it.
    pub(crate) fn intend(&mut self, operation: &Operation, now: i64, then: Then) {
        let asked = self.outstanding.get_mut(&operation.id);
        let (State::Open(journal), Some(asked)) = (&mut self.state, asked) else {
            return then(Ok(()));
        };
        let intent = Record::Intent { of: asked.of };
        let is_new = !std::mem::replace(&mut asked.is_intended, true);
        let question = match asked::question(operation, now) {
            Some(question) => match self.secrecy.of_question(question, &self.store) {
                Ok(question) => Some(question),
                Err(error) => return then(Err(Failure::Database(error.to_string()))),
            },
            None => None,
        };
        match question {
            Some(question) => {
                if is_new {
                    journal.write(&intent, None);
                }
                journal.ask(question, then);
            }
            None if is_new => journal.write_first(&intent, None, then),
            None => then(Ok(())),
        }
    }

    /// What an operation without an outcome asks of a person, in a recorded run.
    pub(crate) fn asks(&self, id: OperationId) -> Option<&Asks> {
        match (&self.state, self.outstanding.get(&id)?) {
            (State::Open(_), asked) => asked.asks.as_ref(),
            (State::NotYet(_) | State::Without, _) => None,
        }
    }

    /// The questions of a recorded run that are past their deadline.
    pub(crate) fn late(&self, now: i64) -> Vec<u64> {
        let over = self.dues.range(..=(now, OperationId(u64::MAX)));
        let asked = over.filter_map(|(_, id)| self.outstanding.get(id));
        let late = asked.filter(|it| it.asks.is_some());
        late.map(|it| it.of.operation).collect()
    }

    pub(crate) const fn secrecy(&self) -> Secrecy {
        self.secrecy
    }

    pub(crate) fn store(&self) -> &Arc<RunStore> {
        &self.store
    }

    /// Settles what was answered in an earlier process and is among the records that the run was replayed with.
    pub(crate) fn settle_others(&self) {
        let (State::Open(journal), Ok(store)) = (&self.state, self.store.existing()) else {
            return;
        };
        // What cannot be read now is settled in the next life.
        for (operation, _) in store.answers(journal.run()).unwrap_or_default() {
            if !self.outstanding.contains_key(&OperationId(operation)) {
                journal.settle(operation);
            }
        }
    }

    /// An outcome is about to be brought to the run.
    ///
    /// # Errors
    /// When nothing can be written any more: the run must not continue.
    pub(crate) fn note(
        &mut self,
        id: OperationId,
        outcome: &Outcome,
        now: i64,
    ) -> Result<Noting, String> {
        match &mut self.state {
            State::NotYet(backlog) => return Ok(backlog.note(id, outcome, now)),
            State::Open(_) => {}
            State::Without => return Ok(Noting::Noted),
        }
        let Some(asked) = self.forget(id) else {
            return Ok(Noting::Unwanted);
        };
        // First: a run that is left now, or whose process dies, must be found as one that can be resumed.
        self.show(Shown::GoesOn);
        let answers = asked.asks.is_some();
        let (record, blob) = outcome_record(asked, outcome, now);
        self.write(&record, blob)?;
        if let (State::Open(journal), true) = (&self.state, answers) {
            journal.settle(id.0);
        }
        Ok(Noting::Noted)
    }

    /// Notes that the run is cancelled.
    ///
    /// # Errors
    /// As for [`Self::note`].
    pub(crate) fn note_cancel(&mut self, reason: &str, now: i64) -> Result<(), String> {
        let reason = reason.to_owned();
        self.is_cancelled = true;
        match &mut self.state {
            State::NotYet(backlog) => {
                backlog.cancel(now, reason);
                Ok(())
            }
            State::Open(_) | State::Without => self.write(&Record::Cancel { now, reason }, None),
        }
    }

    /// Notes that the run was cancelled in the middle of a turn.
    ///
    /// # Errors
    /// As for [`Self::note`].
    pub(crate) fn note_interruption(&mut self, it: &Interruption) -> Result<(), String> {
        self.is_cancelled = true;
        match &mut self.state {
            State::NotYet(backlog) => {
                backlog.interrupt(it.clone());
                Ok(())
            }
            State::Open(_) | State::Without => self.write(&interrupt_record(it.clone()), None),
        }
    }

    fn write(&mut self, record: &Record, blob: Option<Blob>) -> Result<(), String> {
        match &mut self.state {
            State::Open(journal) => {
                let (record, blob) = match self.secrecy {
                    Secrecy::Plain => (record.clone(), blob),
                    Secrecy::Sealed => {
                        let store = self.store.open().map_err(|it| it.to_string())?;
                        let sealed = store.sealed(record.clone(), blob);
                        sealed.map_err(|it| it.to_string())?
                    }
                };
                journal.write(&record, blob);
                match journal.failure() {
                    Some(failure) => Err(failure.to_string()),
                    None => Ok(()),
                }
            }
            // Of a run that is not in the store yet everything is kept, see [`Backlog`].
            State::NotYet(_) | State::Without => Ok(()),
        }
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Clocks that stood still go on from here. A failure is found with the next record.
    pub(crate) fn note_resumed(&mut self, now: i64) {
        let _ = self.write(&Record::Resumed { now }, None);
    }

    /// Another build of the program writes what follows.
    pub(crate) fn note_build(&mut self, image: [u8; 32]) {
        // A failure is found with the next record.
        if let State::Open(journal) = &mut self.state {
            journal.build(image, self.store.program().to_owned());
        }
    }

    /// Whether the run waits for people and long times alone. Not what is in flight decides, but what the run has been given:
    /// an outcome may have come that it has not taken yet.
    pub(crate) fn rests(&self) -> bool {
        match &self.state {
            State::NotYet(backlog) => backlog.rests(),
            State::Open(_) => self.busy == 0,
            State::Without => false,
        }
    }

    /// How many questions are open.
    pub(crate) fn questions(&self) -> usize {
        self.questions
    }

    /// The run waits for people and time alone, and for long: it is recorded, and lists of runs show what for.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub(crate) fn rest(&mut self) -> Result<(), String> {
        self.open()?;
        let shown = Shown::Waits {
            waiting: self.waiting(),
            wake: self.wake(),
        };
        self.show(shown);
        Ok(())
    }

    /// The run does something again.
    pub(crate) fn go_on(&mut self) {
        self.show(Shown::GoesOn);
    }

    /// The run waits for the ends of other runs alone.
    pub(crate) fn awaits(&mut self, waiting: String) {
        if self.is_open() {
            self.show(Shown::Awaits { waiting });
        }
    }

    fn show(&mut self, shown: Shown) {
        if self.shown == shown {
            return;
        }
        if let State::Open(journal) = &self.state {
            shown.write_to(journal);
        }
        self.shown = shown;
    }

    /// Whether lists of runs show that it waits.
    pub(crate) fn waits(&self) -> bool {
        match self.shown {
            Shown::Waits { .. } => true,
            Shown::GoesOn | Shown::Awaits { .. } => false,
        }
    }

    /// The earliest end of the long waits, in nanoseconds since 1970.
    pub(crate) fn wake(&self) -> Option<i64> {
        let waits_for_time = |id| {
            let asked = self.outstanding.get(id);
            asked.is_some_and(|it| it.needs == Needs::Time)
        };
        let mut dues = self.dues.iter();
        dues.find(|(_, id)| waits_for_time(id)).map(|(due, _)| *due)
    }

    /// What a run waits for that needs no process.
    pub(crate) fn parked(&self) -> Left {
        Left::Parked {
            waiting: self.waiting(),
            questions: asked::open_questions(&self.outstanding, self.secrecy),
        }
    }

    /// What the run waits for, as text.
    pub(crate) fn waiting(&self) -> String {
        // Beside a question, time is only how long there is for it.
        let is_shown = |it: &&Asked| self.questions == 0 || it.asks.is_some();
        let shown = self.outstanding.values().filter(is_shown);
        let said = |it: &Asked| match (it.needs, it.due) {
            (Needs::Time, Some(due)) => format!("{} until {}", it.what, to_the_second(due)),
            (Needs::Time | Needs::Process | Needs::Somebody, _) => it.what.clone(),
        };
        let mut words: Vec<String> = shown.take(SHOWN + 1).map(said).collect();
        if words.len() > SHOWN {
            words[SHOWN] = "and more".to_owned();
        }
        words.join(", ")
    }

    /// Writes how the run ended, and calls `tell` once everything is on the disk.
    pub(crate) fn end(
        mut self,
        finished: Box<Finished>,
        tell: impl FnOnce(Box<Finished>) + Send + 'static,
    ) {
        if let State::NotYet(_) | State::Without = self.state {
            return tell(finished);
        }
        let result = &finished.result;
        let status = match result {
            RunResult::Value(_) => Status::Completed,
            RunResult::Raised(_) | RunResult::InvalidInput(_) | RunResult::Internal(_) => {
                Status::Failed
            }
            RunResult::Cancelled => Status::Cancelled,
            RunResult::Left(left) => {
                match left {
                    Left::Interrupted
                    | Left::Parked { .. }
                    | Left::Unwritten { .. }
                    | Left::Uncarried { .. } => {}
                    // What differs may hold a secret.
                    Left::Diverged { why } => {
                        let why = match self.secrecy {
                            Secrecy::Plain => why.clone(),
                            Secrecy::Sealed => "it asks for something else".to_owned(),
                        };
                        self.shows(Status::Diverged, Some(why));
                    }
                }
                return self.leave(finished, tell);
            }
        };
        let (result, blob) = Payload::of(ended::bytes(result));
        // Should its end not reach the disk, it is computed again from the rest.
        if self.write(&Record::End { result }, blob).is_ok() {
            self.shows(status, None);
            if let State::Open(journal) = &mut self.state
                && self.store.results().is_to_be_said(self.started_by, status)
            {
                journal.keep_result();
            }
        }
        self.leave(finished, tell);
    }

    fn shows(&self, status: Status, waiting: Option<String>) {
        if let State::Open(journal) = &self.state {
            journal.status(status, waiting);
        }
    }

    /// Releases a run, so that another process can resume it, and reports that it has ended when all is on the disk.
    fn leave(self, finished: Box<Finished>, tell: impl FnOnce(Box<Finished>) + Send + 'static) {
        let State::Open(journal) = self.state else {
            return tell(finished);
        };
        let then = |written: Result<(), Failure>| tell(ended::as_written(finished, written));
        journal.release(Box::new(then));
    }
}

/// The deadline of an operation that needs no process.
fn due_of(id: OperationId, asked: &Asked) -> Option<(i64, OperationId)> {
    match asked.needs {
        Needs::Process => None,
        Needs::Time | Needs::Somebody => Some((asked.due?, id)),
    }
}
