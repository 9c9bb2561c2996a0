//! The callers of runs: each receives what happens in its run, and is asked what the run's `human`s ask, and its prompts where their
//! model is that of the client.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gsw_abi::program::Program;
use gsw_driver::call::Call;
use gsw_driver::human::{FromOutside, Humans, NoReply, Replying};
use gsw_driver::models::{Models, Pending};
use gsw_engine::human::Question;
use gsw_engine::model::{ModelAnswer, ModelFailure, ModelRequest};
use gsw_engine::run::Finished;
use gsw_tree::event::Level;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::mcp::asked::{Asked, Listener};
use crate::mcp::form::{self, Choices};
use crate::mcp::sampling;

/// The most lines of progress that wait for a client that reads slowly; the others are left out.
const MOST_LINES: usize = 64;
/// The most runs for clients at once.
const MOST_RUNS: usize = 10_000;

/// What happens in a run that a caller waits for.
pub(super) enum Happening {
    Progress(Line),
    Asked(Asked),
    Ended(Box<Finished>),
}

/// A line about what happens in a run.
pub(super) struct Line {
    pub text: String,
    /// Of a line of the log.
    pub level: Option<Level>,
}

/// What happens in one run, in order.
pub(super) struct Happenings {
    receiver: UnboundedReceiver<Happening>,
    shared: Arc<Shared>,
}

#[derive(Clone)]
pub(super) struct Teller {
    sender: UnboundedSender<Happening>,
    shared: Arc<Shared>,
}

/// State shared by both ends of the channel.
#[derive(Default)]
struct Shared {
    lines: AtomicUsize,
    ended: AtomicBool,
}

/// The runs that were called for and have not ended, by their ids.
pub(super) struct Callers {
    program: Arc<Program>,
    runs: Mutex<BTreeMap<Arc<str>, Teller>>,
    ended: Condvar,
}

impl Callers {
    pub fn new(program: Arc<Program>) -> Self {
        Self {
            program,
            runs: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// A run of this id is about to begin; `None` where too many are running.
    pub fn add(&self, run: &Arc<str>) -> Option<(Teller, Happenings)> {
        let (sender, receiver) = unbounded_channel();
        let shared = Arc::<Shared>::default();
        let teller = Teller {
            sender,
            shared: Arc::clone(&shared),
        };
        let mut runs = self.lock();
        if runs.len() >= MOST_RUNS {
            return None;
        }
        runs.insert(Arc::clone(run), teller.clone());
        Some((teller, Happenings { receiver, shared }))
    }

    /// Removes a run that has ended.
    pub fn remove(&self, run: &str, finished: Box<Finished>) {
        let teller = self.lock().remove(run);
        if let Some(teller) = teller {
            teller.shared.ended.store(true, Ordering::Relaxed);
            teller.tell(Happening::Ended(finished));
        }
        self.ended.notify_all();
    }

    /// Waits until none is left.
    pub fn wait_for_all(&self) {
        let mut runs = self.lock();
        while !runs.is_empty() {
            let waited = self.ended.wait(runs);
            runs = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Teller>> {
        // Nothing that can panic runs while the lock is held.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Teller {
    /// Sends an event of the run; dropped where the client is far behind.
    pub fn progress(&self, line: impl FnOnce() -> Option<Line>) {
        if self.shared.lines.load(Ordering::Relaxed) < MOST_LINES
            && let Some(line) = line()
        {
            self.shared.lines.fetch_add(1, Ordering::Relaxed);
            self.tell(Happening::Progress(line));
        }
    }

    fn tell(&self, happening: Happening) {
        // The caller may have gone.
        let _ = self.sender.send(happening);
    }
}

impl Happenings {
    /// Whether the run has ended, although events may still be queued.
    pub fn have_ended(&self) -> bool {
        self.shared.ended.load(Ordering::Relaxed)
    }

    /// What happens next; none after the end.
    pub async fn next(&mut self) -> Option<Happening> {
        let next = self.receiver.recv().await;
        if matches!(next, Some(Happening::Progress(_))) {
            self.shared.lines.fetch_sub(1, Ordering::Relaxed);
        }
        next
    }
}

impl Humans for Callers {
    fn outside(&self) -> FromOutside {
        // A client brings no answer to an `external`, and would hold its call open without an end.
        FromOutside::NeverComes
    }

    fn ask(&self, question: Question, call: &Call) -> Replying {
        let human = question.human.clone();
        let Some(teller) = self.lock().get(&call.run).cloned() else {
            return Box::pin(std::future::ready(Err(nobody(&human))));
        };
        // The sender of the form knows which other choices the client supports.
        let choices = Choices::One;
        let form = match form::request(&self.program.types, &question, choices) {
            Ok(form) => form,
            Err(why) => return Box::pin(std::future::ready(Err(why))),
        };
        let (reply, coming) = Listener::new();
        teller.tell(Happening::Asked(Asked::Person {
            question: Box::new(question),
            form: Box::new(form),
            choices,
            reply,
        }));
        Box::pin(async move { coming.await.unwrap_or_else(|_| Err(nobody(&human))) })
    }
}

impl Models for Callers {
    fn ask(
        &self,
        request: Arc<ModelRequest>,
        call: &Call,
    ) -> Pending<'_, Result<ModelAnswer, ModelFailure>> {
        let teller = self.lock().get(&call.run).cloned();
        Box::pin(async move {
            let teller = teller.ok_or_else(no_client)?;
            let (reply, coming) = Listener::new();
            teller.tell(Happening::Asked(Asked::Model {
                request: Box::new(sampling::request(&request)?),
                reply,
            }));
            coming.await.unwrap_or_else(|_| Err(no_client()))
        })
    }
}

/// A detached run, or one whose client has gone.
pub(super) fn nobody(human: &str) -> NoReply {
    NoReply::Unreachable(format!(
        "`{human}` asks a person, and no client of the server waits for this run"
    ))
}

fn no_client() -> ModelFailure {
    let why = "the model of the client is asked, and no client of the server waits for this run";
    sampling::failure(why.into())
}
