//! Carries one run: turns on the engine's threads, one message each, in the order in which they came.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gsw_abi::layout::stop;
use serde_json::{Map, Value};

use crate::driver::clock;
use crate::driver::outside::Outside;
use crate::driver::room::Room;
use crate::export::panic_text;
use crate::operation::{DetachedStart, Operation, OperationId, Outcome};
use crate::run::{Finished, Run, Turn};
use crate::turn_threads::TurnThreads;

/// Code that waits for nothing has so long to notice that its run is to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// A carrier of this process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CarrierId(u64);

/// Hears of the end of a run, on a thread of the engine.
pub type OnEnd = Box<dyn FnOnce(Box<Finished>) + Send>;

/// Carries one run.
#[derive(Debug)]
pub(crate) struct Carrier {
    id: CarrierId,
    outside: Arc<Outside>,
    threads: TurnThreads,
    room: Room,
    state: Mutex<State>,
}

struct State {
    /// Away while a turn has it, and when it has ended.
    run: Option<Box<Run>>,
    /// The stop flag inside the run, as long as there is a run.
    stop: Option<StopFlag>,
    inbox: VecDeque<Message>,
    is_scheduled: bool,
    /// Gone once the run has ended.
    on_end: Option<OnEnd>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("run", &self.run)
            .field("inbox", &self.inbox)
            .field("is_scheduled", &self.is_scheduled)
            .finish_non_exhaustive()
    }
}

/// What compiled code looks at in loops, and what it looks at in calls.
#[derive(Debug)]
struct StopFlag {
    flag: *mut u32,
    limit: *mut u64,
}

// SAFETY: both are only touched atomically, under the lock that keeps the run alive.
unsafe impl Send for StopFlag {}

#[derive(Debug)]
enum Message {
    Begin {
        workflow: usize,
        input: Map<String, Value>,
    },
    BeginDetached(Box<DetachedStart>),
    Completed {
        id: OperationId,
        outcome: Outcome,
        now: i64,
    },
    Cancel {
        reason: String,
    },
    Look(Look),
}

impl Message {
    fn tell(self, run: &mut Run) {
        match self {
            Self::Begin { workflow, input } => run.start(workflow, &input),
            Self::BeginDetached(start) => run.start_detached(&start),
            Self::Completed { id, outcome, now } => run.complete(id, outcome, now),
            Self::Cancel { reason } => run.cancel(&reason),
            Self::Look(Look(look)) => look(run),
        }
    }
}

/// A look at a run between two turns.
struct Look(Box<dyn FnOnce(&Run) + Send>);

impl std::fmt::Debug for Look {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Look")
    }
}

impl Carrier {
    pub(crate) fn new(
        mut run: Box<Run>,
        outside: Arc<Outside>,
        threads: TurnThreads,
        on_end: OnEnd,
    ) -> Arc<Self> {
        static CARRIERS: AtomicU64 = AtomicU64::new(0);
        let context = &mut run.context;
        let stop = StopFlag {
            flag: &raw mut context.stop,
            limit: &raw mut context.stack_limit,
        };
        Arc::new(Self {
            id: CarrierId(CARRIERS.fetch_add(1, Ordering::Relaxed)),
            outside,
            threads,
            room: Room::default(),
            state: Mutex::new(State {
                run: Some(run),
                stop: Some(stop),
                inbox: VecDeque::new(),
                is_scheduled: false,
                on_end: Some(on_end),
            }),
        })
    }

    pub(crate) fn id(&self) -> CarrierId {
        self.id
    }

    /// What the run's memory leaves.
    pub(crate) fn room(&self) -> &Room {
        &self.room
    }

    pub(crate) fn begin(self: &Arc<Self>, workflow: usize, input: Map<String, Value>) {
        self.post(Message::Begin { workflow, input });
    }

    pub(crate) fn begin_detached(self: &Arc<Self>, start: DetachedStart) {
        self.post(Message::BeginDetached(Box::new(start)));
    }

    /// An operation has an outcome.
    pub(crate) fn complete(self: &Arc<Self>, id: OperationId, outcome: Outcome) {
        self.post(Message::Completed {
            id,
            outcome,
            now: clock::now(),
        });
    }

    /// The run is to end.
    pub(crate) fn cancel(self: &Arc<Self>, reason: &str) {
        self.post(Message::Cancel {
            reason: reason.to_owned(),
        });
        let carrier = Arc::clone(self);
        // A thread of its own: this happens once, and nothing else may hold it up.
        let _ = std::thread::Builder::new()
            .name("gsw-cancel".into())
            .spawn(move || {
                std::thread::sleep(PATIENCE);
                let is_unheard = |it: &Message| matches!(it, Message::Cancel { .. });
                if carrier.lock().inbox.iter().any(is_unheard) {
                    carrier.stop();
                }
            });
    }

    /// Shows the run to `look` between two turns, and gives what that gives; `None` when the run has ended.
    pub(crate) fn look<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Run) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, seen) = std::sync::mpsc::channel();
        self.post(Message::Look(Look(Box::new(move |run| {
            // Who asked waits for it.
            let _ = sender.send(look(run));
        }))));
        seen.recv().ok()
    }

    /// The run is to stop at the next loop or call.
    pub(crate) fn stop(&self) {
        if let Some(StopFlag { flag, limit }) = self.lock().stop {
            // SAFETY: the run is alive while its flag is kept, and everybody touches both atomically.
            unsafe {
                AtomicU32::from_ptr(flag).fetch_or(stop::RUN, Ordering::SeqCst);
                AtomicU64::from_ptr(limit).store(u64::MAX, Ordering::SeqCst);
            }
        }
    }

    fn post(self: &Arc<Self>, message: Message) {
        let mut state = self.lock();
        if state.on_end.is_none() {
            return;
        }
        state.inbox.push_back(message);
        if !std::mem::replace(&mut state.is_scheduled, true) {
            let carrier = Arc::clone(self);
            self.threads.run(move || carrier.serve());
        }
    }

    /// Takes the messages, a turn for each, until there is none.
    fn serve(self: &Arc<Self>) {
        loop {
            let mut state = self.lock();
            let Some(message) = state.inbox.pop_front() else {
                state.is_scheduled = false;
                return;
            };
            let Some(run) = state.run.take() else { return };
            drop(state);
            if !self.turn(run, message) {
                return;
            }
        }
    }

    /// One turn. Says whether the run goes on.
    fn turn(self: &Arc<Self>, mut run: Box<Run>, message: Message) -> bool {
        if let Message::Look(Look(look)) = message {
            // A panic in there concerns only who asked, who gets no answer.
            let _ = catch_unwind(AssertUnwindSafe(|| look(&run)));
            self.lock().run = Some(run);
            return true;
        }
        let mut message = Some(message);
        loop {
            let turn = catch_unwind(AssertUnwindSafe(|| {
                if let Some(message) = message.take() {
                    message.tell(&mut run);
                }
                run.turn()
            }));
            self.room.set(run.heap.room());
            match turn {
                Ok(Turn::Busy {
                    operations,
                    abandoned,
                }) => self.perform(operations, &abandoned),
                Ok(Turn::Blocked {
                    operations,
                    abandoned,
                }) => {
                    self.lock().run = Some(run);
                    self.perform(operations, &abandoned);
                    return true;
                }
                Ok(Turn::Done(finished)) => {
                    self.end(run, finished);
                    return false;
                }
                Err(payload) => {
                    run.fail_internally(panic_text(payload.as_ref()));
                    let finished = run.take_finished();
                    self.end(run, finished);
                    return false;
                }
            }
        }
    }

    fn perform(self: &Arc<Self>, operations: Vec<Operation>, abandoned: &[OperationId]) {
        for id in abandoned {
            self.outside.forget(self.id, *id);
        }
        // One time for all, so that sleeps of one turn end by their lengths however long it takes to start them.
        let asked = Instant::now();
        for operation in operations {
            self.outside.perform(self, operation, asked);
        }
    }

    fn end(&self, run: Box<Run>, finished: Box<Finished>) {
        let mut state = self.lock();
        state.stop = None;
        state.inbox.clear();
        let on_end = state.on_end.take();
        drop(state);
        drop(run);
        self.outside.forget_all(self.id);
        if let Some(on_end) = on_end {
            on_end(finished);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Turns run without the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
