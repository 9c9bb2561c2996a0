//! The one thread of a process that writes to a store.
//!
//! Records come from many runs and are committed in groups: a commit waits for the disk, which takes as long for one record as
//! for hundreds. A run continues while its records are on their way, except before something that acts on the world: that
//! begins when they are on the disk, and what must not happen twice when its intent is ([`Journal::write_first`]).
//!
//! Who cannot write must not continue: once a write of a run has failed, or another process has taken the run over, all later
//! writes of that run fail with the same error, and [`Journal::failure`] says so.

mod thread;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SendError, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use crate::error::Error;
use crate::list::ResultDelivery;
use crate::open_file::OpenFile;
use crate::owner::Owner;
use crate::questions::Question;
use crate::record::{Blob, Chain, Hash, Record};
use crate::recording::Recording;
use crate::row::{RunRow, StoreId};
use crate::status::Status;
use crate::writer::thread::Thread;

/// The most commands that wait to be written; then runs wait.
const QUEUE: usize = 1_024;
/// How often an owner is renewed: several times within its expiry.
pub(crate) const RENEWAL: Duration = Duration::from_secs(15);
/// Between two attempts at a store that another process has locked.
pub(crate) const AGAIN: Duration = Duration::from_millis(50);

/// Called with whether something is on the disk. It runs on the writing thread, so all runs wait until it returns.
pub type Then = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// Why a run cannot be written any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Another process has taken it over.
    TakenOver,
    Database(String),
    /// Its file was removed or replaced.
    Removed,
}

impl Failure {
    fn ended() -> Self {
        Self::Database("its thread has ended".into())
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TakenOver => f.write_str("another process has taken the run over"),
            Self::Removed => f.write_str(
                "the run cannot be written down any more: the file of the store was removed or replaced meanwhile",
            ),
            Self::Database(why) => write!(f, "the run cannot be written down any more: {why}"),
        }
    }
}

/// The writing end of a store.
#[derive(Debug)]
pub(crate) struct Writer {
    owner: String,
    /// `None` only while it is dropped.
    sender: Option<SyncSender<Command>>,
    thread: Option<JoinHandle<()>>,
}

/// A run that this process may write to.
#[derive(Debug)]
pub struct Journal {
    writer: Arc<Writer>,
    run: Place,
    chain: Chain,
    written: Written,
    failure: Failed,
    /// Of its result, once it has ended.
    delivered: ResultDelivery,
}

/// A run, and in which of its lives. The number says only where to look: that of a run that is forgotten is given again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Place {
    number: i64,
    id: Arc<str>,
    epoch: i64,
}

/// How many of a run's records are on the disk.
#[derive(Clone, Debug)]
struct Written(Arc<AtomicU64>);

#[derive(Clone, Debug, Default)]
struct Failed(Arc<Mutex<Option<Failure>>>);

enum Command {
    Write(Write),
    /// Called when the thread has ended and its owner file is gone.
    End(Then),
}

/// What a run wants written.
struct Write {
    run: Place,
    written: Written,
    /// Of the run: after a failure nothing of it is written any more.
    failure: Failed,
    what: What,
    /// Called when this and everything before it is on the disk.
    then: Option<Then>,
}

enum What {
    Append {
        number: u64,
        body: Vec<u8>,
        digest: Hash,
        blob: Option<Blob>,
    },
    Status {
        status: Status,
        waiting: Option<String>,
    },
    /// Another build of the program runs it from now on.
    Build {
        image: Hash,
        program: String,
    },
    /// When it is to be resumed if nothing happens before.
    Wake(Option<i64>),
    Ask(Box<Question>),
    /// A question is not open any more: its run has the answer, or does not want one.
    EndQuestion {
        operation: u64,
        why: Option<String>,
    },
    /// This process does not run it any more.
    Release(ResultDelivery),
    /// Writes what is queued.
    Flush,
}

impl Failed {
    fn get(&self) -> Option<Failure> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, failure: &Failure) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        place.get_or_insert_with(|| failure.clone());
    }
}

impl Journal {
    pub(crate) fn new(writer: Arc<Writer>, row: &RunRow, chain: Chain) -> Self {
        Self {
            writer,
            run: Place {
                number: row.number,
                id: Arc::from(&*row.id),
                epoch: row.epoch,
            },
            written: Written(Arc::new(AtomicU64::new(chain.next))),
            chain,
            failure: Failed::default(),
            delivered: ResultDelivery::Settled,
        }
    }

    /// In which of its lives the run is, from 1.
    #[must_use]
    pub const fn epoch(&self) -> i64 {
        self.run.epoch
    }

    /// How many records the run has, those on their way to the disk included.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.chain.next
    }

    /// How many of them are on the disk.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written.0.load(Ordering::Acquire)
    }

    pub(crate) const fn number(&self) -> i64 {
        self.run.number
    }

    /// The id of the run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run.id
    }

    /// Writes a record soon, in order.
    pub fn write(&mut self, record: &Record, blob: Option<Blob>) {
        self.append(record, blob, None);
    }

    /// Writes a record, and calls `then` when it is on the disk, from another thread.
    pub fn write_first(&mut self, record: &Record, blob: Option<Blob>, then: Then) {
        self.append(record, blob, Some(then));
    }

    fn append(&mut self, record: &Record, blob: Option<Blob>, then: Option<Then>) {
        let body = record.encode();
        let (number, digest) = self.chain.add(&body);
        let what = What::Append {
            number,
            body,
            digest,
            blob,
        };
        self.send(what, then);
    }

    fn send(&self, what: What, then: Option<Then>) {
        self.writer.send(Command::Write(Write {
            run: self.run.clone(),
            written: self.written.clone(),
            failure: self.failure.clone(),
            what,
            then,
        }));
    }

    /// Says how far the run is, for those who list runs.
    pub fn status(&self, status: Status, waiting: Option<String>) {
        self.send(What::Status { status, waiting }, None);
    }

    /// Another build of the program writes what follows: it is the one to resume the run from now on.
    pub fn build(&mut self, image: Hash, program: String) {
        self.write(&Record::Build { image }, None);
        self.send(What::Build { image, program }, None);
    }

    /// Notes when the run is to be resumed if nothing happens before, in nanoseconds since 1970: workers look for runs that are
    /// due.
    pub fn wake(&self, at: Option<i64>) {
        self.send(What::Wake(at), None);
    }

    /// Opens a question, and calls `then` when it can be answered; a key may have been answered already. Asking again in a
    /// later life of the run finds the question as it is.
    pub fn ask(&self, question: Question, then: Then) {
        self.send(What::Ask(Box::new(question)), Some(then));
    }

    /// The answer to a question is among the run's records now.
    pub fn settle(&self, operation: u64) {
        self.end_question(operation, None);
    }

    /// The run does not wait for an answer any more.
    pub fn close(&self, operation: u64, why: String) {
        self.end_question(operation, Some(why));
    }

    fn end_question(&self, operation: u64, why: Option<String>) {
        self.send(What::EndQuestion { operation, why }, None);
    }

    /// The run ends with a result that nobody has yet: see [`Store::delivered`](crate::store::Store::delivered).
    pub fn keep_result(&mut self) {
        self.delivered = ResultDelivery::Outstanding;
    }

    /// Releases the run, and calls `then` when another process can take it: with the failure, if some of its records are not on
    /// the disk.
    pub fn release(self, then: Then) {
        self.send(What::Release(self.delivered), Some(then));
    }

    /// Releases the run, and waits until another process can take it.
    ///
    /// # Errors
    /// When some of its records are not on the disk.
    pub fn released(self) -> Result<(), Error> {
        let (sender, written) = channel();
        self.release(Box::new(move |it| drop(sender.send(it))));
        // A write that is dropped was queued when the thread ended.
        let written = written.recv().unwrap_or_else(|_| Err(Failure::ended()));
        written.map_err(|failure| Error::Database(failure.to_string()))
    }

    /// Calls `then` when all that was written before is on the disk.
    pub fn flush(&self, then: Then) {
        self.send(What::Flush, Some(then));
    }

    /// Why nothing more can be written, if so.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        self.failure.get()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // A second time does nothing: the row is asked for by its id and epoch.
        self.send(What::Release(self.delivered), None);
    }
}

impl Writer {
    pub(crate) fn start(
        owner: Owner,
        connection: Connection,
        file: OpenFile,
        store: StoreId,
        patience: Duration,
    ) -> std::io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE);
        let name = owner.name().to_owned();
        let thread = Thread {
            connection,
            file,
            owner,
            store,
            patience,
            _recording: Recording::begin(),
            locked: None,
            unreleased: Vec::new(),
        };
        let thread = std::thread::Builder::new()
            .name("gsw-journal".into())
            .spawn(move || thread.serve(&receiver))?;
        Ok(Self {
            owner: name,
            sender: Some(sender),
            thread: Some(thread),
        })
    }

    /// Ends the thread, when all that was to be written is.
    pub(crate) fn end(&self, then: Then) {
        self.send(Command::End(then));
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    fn send(&self, command: Command) {
        let Some(sender) = &self.sender else {
            return refuse(command, &Failure::ended());
        };
        if self.is_own_thread() {
            // While this thread runs the queue is not drained, so waiting for room would never end.
            match sender.try_send(command) {
                Ok(()) => {}
                Err(TrySendError::Full(it)) => {
                    refuse(
                        it,
                        &Failure::Database("too much waits to be written".into()),
                    );
                }
                Err(TrySendError::Disconnected(it)) => refuse(it, &Failure::ended()),
            }
        } else if let Err(SendError(it)) = sender.send(command) {
            refuse(it, &Failure::ended());
        }
    }

    fn is_own_thread(&self) -> bool {
        let thread = self.thread.as_ref().map(|it| it.thread().id());
        thread == Some(std::thread::current().id())
    }
}

impl Drop for Writer {
    /// What was sent is written, the lock is released and the log is put into the file before a store is closed.
    fn drop(&mut self) {
        self.sender = None;
        // The last run may be dropped by what the thread itself calls.
        if !self.is_own_thread()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn refuse(command: Command, failure: &Failure) {
    match command {
        Command::Write(it) => it.refuse(failure),
        Command::End(then) => then(Err(failure.clone())),
    }
}

impl Write {
    /// Reports that it is on the disk. After an earlier failure a record is missing before it, so it must not count.
    fn accept(self) {
        if let What::Append { number, .. } = self.what
            && self.failure.get().is_none()
        {
            self.written.0.store(number + 1, Ordering::Release);
        }
        if let Some(then) = self.then {
            then(self.failure.get().map_or(Ok(()), Err));
        }
    }

    /// Says that it is not written, and gives it back for another time.
    fn refuse_for_now(mut self, failure: &Failure) -> Self {
        if let Some(then) = self.then.take() {
            then(Err(failure.clone()));
        }
        self
    }

    /// Nothing of the run can be written from here on.
    fn refuse(self, failure: &Failure) {
        self.failure.set(failure);
        if let Some(then) = self.then {
            then(Err(failure.clone()));
        }
    }
}
