//! Who has called: where what happens in a run goes, and who is asked what its `human`s ask.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gsw_driver::call::Call;
use gsw_driver::human::{Humans, NoReply, Replying};
use gsw_engine::human::{Question, Reply};
use gsw_engine::run::Finished;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// So many lines of progress wait for a client that reads slowly; the others are left out.
const MOST_LINES: usize = 64;

/// What happens in a run that somebody waits for.
pub(super) enum Happening {
    Progress(String),
    Asked(Box<Asked>),
    Ended(Box<Finished>),
}

/// A question and where the reply goes. Nobody listens there any more when the question was taken back.
pub(super) struct Asked {
    pub question: Question,
    pub reply: oneshot::Sender<Result<Reply, NoReply>>,
}

/// What happens in one run, in order.
pub(super) struct Happenings {
    receiver: UnboundedReceiver<Happening>,
    lines: Arc<AtomicUsize>,
}

/// Tells of one run.
#[derive(Clone)]
pub(super) struct Teller {
    sender: UnboundedSender<Happening>,
    lines: Arc<AtomicUsize>,
}

/// The runs that were called for and have not ended, by their ids.
#[derive(Default)]
pub(super) struct Callers {
    runs: Mutex<BTreeMap<Arc<str>, Teller>>,
    ended: Condvar,
}

impl Callers {
    /// A run of this id is about to begin.
    pub fn add(&self, run: &Arc<str>) -> (Teller, Happenings) {
        let (sender, receiver) = unbounded_channel();
        let lines = Arc::<AtomicUsize>::default();
        let teller = Teller {
            sender,
            lines: Arc::clone(&lines),
        };
        self.lock().insert(Arc::clone(run), teller.clone());
        (teller, Happenings { receiver, lines })
    }

    /// It has ended.
    pub fn remove(&self, run: &str, finished: Box<Finished>) {
        if let Some(teller) = self.lock().remove(run) {
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
    /// More of the run; left out where the client is far behind.
    pub fn progress(&self, line: impl FnOnce() -> Option<String>) {
        if self.lines.load(Ordering::Relaxed) < MOST_LINES
            && let Some(line) = line()
        {
            self.lines.fetch_add(1, Ordering::Relaxed);
            self.tell(Happening::Progress(line));
        }
    }

    fn tell(&self, happening: Happening) {
        // The caller may have gone.
        let _ = self.sender.send(happening);
    }
}

impl Happenings {
    /// What happens next; none after the end.
    pub async fn next(&mut self) -> Option<Happening> {
        let next = self.receiver.recv().await;
        if matches!(next, Some(Happening::Progress(_))) {
            self.lines.fetch_sub(1, Ordering::Relaxed);
        }
        next
    }
}

impl Humans for Callers {
    fn ask(&self, question: Question, call: &Call) -> Replying {
        let human = question.human.clone();
        let Some(teller) = self.lock().get(&call.run).cloned() else {
            return Box::pin(std::future::ready(Err(nobody(&human))));
        };
        let (reply, coming) = oneshot::channel();
        teller.tell(Happening::Asked(Box::new(Asked { question, reply })));
        Box::pin(async move { coming.await.unwrap_or_else(|_| Err(nobody(&human))) })
    }
}

/// A detached run, or one whose client has gone.
pub(super) fn nobody(human: &str) -> NoReply {
    NoReply::Unreachable(format!(
        "`{human}` asks a person, and no client of the server waits for this run"
    ))
}
