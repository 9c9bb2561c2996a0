//! One life of a run that is tried with crashes: the real carrier and the real store, on one thread and under a clock that moves
//! when nothing else can happen. So each life does the same as the one before, up to where it is killed.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use gsw_engine::load::Loaded;
use gsw_engine::operation::{OperationId, Outcome, Request};
use gsw_engine::run::{Finished, Run};
use gsw_journal::store::Store;
use gsw_tree::class::Class;
use gsw_tree::event::Event;
use serde_json::Map;

use crate::call::Call;
use crate::carrier::Carrier;
use crate::carrier::lasting::{CarriedUntil, Resumption};
use crate::clock::Clock;
use crate::crash::outside::Outside;
use crate::driver::Driver;
use crate::durable::beginning::Entered;
use crate::durable::remembered::Remembered;
use crate::durable::results::StartedBy;
use crate::durable::secrecy::Secrecy;
use crate::durable::store::RunStore;
use crate::engine::resuming::{Read, image_digest};
use crate::perform::{Handle, Outlet, Perform};
use crate::scripted::{Around, Entry, drawn};
use crate::threads::{Jobs, Threads};
use crate::timer::{Timer, Waker};
use crate::work::Completion;

/// A life that needs more steps than this hangs.
const MOST_STEPS: u64 = 10_000_000;
/// The id of the run, the same each time, as it is part of what it does.
pub(super) const ID: &str = "scripted";

/// What all lives of a run have in common.
pub(super) struct Subject {
    pub(super) loaded: Arc<Loaded>,
    pub(super) around: Around,
    pub(super) entry: Entry,
}

/// The outcome of a life.
pub(super) struct Lived {
    /// None where it was killed.
    pub(super) finished: Option<Box<Finished>>,
    /// All events of the run, those of earlier lives included.
    pub(super) events: Vec<Event>,
    /// How many records were written at once when the run got a file.
    pub(super) opened_with: u64,
    /// After each step: how many records there were, and how many events.
    pub(super) steps: Vec<(u64, usize)>,
}

/// In which order a life does what may be done next.
pub(super) enum Order {
    /// As it would come: operations end in the order of their requests and before time passes.
    InTurn,
    /// Anything may come next, also twice, and the run is cancelled after `to_cancel` steps.
    Drawn { random: u64, to_cancel: Option<u64> },
}

struct Life {
    carrier: Arc<Carrier>,
    store: Arc<RunStore>,
    timer: Arc<Timer>,
    jobs: Jobs,
    stage: Arc<Stage>,
    ends: Receiver<Box<Finished>>,
    events: Arc<Mutex<Vec<Event>>>,
}

impl Subject {
    /// What the beginning of the run says that it is.
    pub(super) fn entered() -> Entered {
        Entered::Workflow {
            workflow: "test".into(),
            input: Map::new(),
        }
    }

    /// A first life, which is killed when this many records are written.
    pub(super) fn begin(
        &self,
        outside: &Arc<Outside>,
        store: Arc<RunStore>,
        limit: Option<u64>,
        order: &mut Order,
    ) -> Result<Lived, String> {
        let start = self.around.start(ID);
        let remembered = Remembered::new(
            Arc::clone(&store),
            start.clone(),
            Self::entered(),
            // It is a file of the trial alone, and what it holds the test says.
            image_digest(&self.loaded),
            Secrecy::Plain,
        );
        let heard = Heard::default();
        let run = self.around_with(&heard).run_from(start, &self.loaded);
        let life = Life::new(run, remembered, outside, store, limit, heard);
        life.carrier.enter(self.entry.clone());
        life.carry(order)
    }

    /// A life that resumes from what is recorded.
    pub(super) fn resume(
        &self,
        outside: &Arc<Outside>,
        store: Arc<RunStore>,
        limit: Option<u64>,
        order: &mut Order,
    ) -> Result<Lived, String> {
        let opened = store.existing().map_err(|it| it.to_string())?;
        let (journal, records) = opened.take(ID).map_err(|it| it.to_string())?;
        let read = Read::of(&opened, ID, records).map_err(|it| it.to_string())?;
        let heard = Heard::default();
        let run = self
            .around_with(&heard)
            .run_from(read.beginning.start, &self.loaded);
        let of = (Secrecy::Plain, StartedBy::Caller);
        let remembered = Remembered::taken(Arc::clone(&store), journal, of);
        let life = Life::new(run, remembered, outside, store, limit, heard);
        life.carrier.resume(Resumption {
            entry: self.entry.clone(),
            past: read.past,
            carried: CarriedUntil::Now,
            build: None,
            replaying: Arc::default(),
            // A test runs what it detaches to its end at once.
            children: Box::new(drop),
        });
        life.carry(order)
    }

    fn around_with(&self, heard: &Heard) -> Around {
        let events = Arc::clone(heard);
        let mut around = self.around.clone();
        around.receivers.listener = Some(Arc::new(move |event: &Event| {
            locked(&events).push(event.clone());
        }));
        around
    }
}

type Heard = Arc<Mutex<Vec<Event>>>;

impl Life {
    fn new(
        run: Box<Run>,
        remembered: Remembered,
        outside: &Arc<Outside>,
        store: Arc<RunStore>,
        limit: Option<u64>,
        events: Heard,
    ) -> Self {
        let clock = Clock::Virtual(Arc::clone(&outside.now));
        let timer = Timer::new(clock.clone(), Waker::Caller);
        let jobs = Jobs::default();
        let stage = Arc::new(Stage {
            carrier: OnceLock::new(),
            limit,
            path: store.path().to_owned(),
            outside: Arc::clone(outside),
            done: Mutex::default(),
            early: OnceLock::new(),
            never: Mutex::default(),
        });
        let driver = Driver {
            clock,
            timer: Arc::clone(&timer),
            threads: Threads::Taken(jobs.clone()),
            performers: Box::new(Shared(Arc::clone(&stage))),
            active: std::sync::atomic::AtomicUsize::new(0),
            idle: None,
        };
        let (sender, ends) = channel();
        // The end of a life that was killed is not reported.
        let on_end = Box::new(move |finished| drop(sender.send(finished)));
        let carrier = Carrier::new(run, Arc::new(driver), Some(remembered), on_end);
        // It is set once, here.
        let _ = stage.carrier.set(Arc::downgrade(&carrier));
        Self {
            carrier,
            store,
            timer,
            jobs,
            stage,
            ends,
            events,
        }
    }

    fn carry(self, order: &mut Order) -> Result<Lived, String> {
        let (mut opened_with, mut steps) = (0, Vec::new());
        for _ in 0..MOST_STEPS {
            // Asked for at each step, as a run that has ended has released its file.
            opened_with = self.carrier.opened_with().max(opened_with);
            // In any other order records of other tasks may have followed.
            if let (Order::InTurn, Some(what)) = (&*order, self.stage.early.get()) {
                return Err(format!(
                    "{what} takes something back before the disk has what led to that"
                ));
            }
            if self.stage.is_dead() {
                return Ok(self.end(None, opened_with, steps));
            }
            steps.push((self.carrier.records(), locked(&self.events).len()));
            let went = match order {
                Order::InTurn => self.step(),
                Order::Drawn { random, to_cancel } => self.drawn_step(random, to_cancel),
            };
            if went == Went::Nowhere {
                // The end is heard of when it is on the disk.
                self.store.close();
                return match self.ends.try_recv() {
                    Ok(finished) => Ok(self.end(Some(finished), opened_with, steps)),
                    Err(_) => Err("the run waits for something that never comes".into()),
                };
            }
        }
        Err("the run does not end".into())
    }

    fn step(&self) -> Went {
        if let Some(job) = self.jobs.take(0) {
            job();
        } else if self.carrier.has_unbegun() {
            // What must not happen twice begins when its intent is on the disk, which another thread says.
            self.carrier.flush();
        } else if let Some(done) = self.stage.take_first() {
            done.completion.deliver(done.outcome);
        } else if let Some(due) = self.timer.first() {
            self.pass_time(due);
        } else {
            return Went::Nowhere;
        }
        Went::On
    }

    fn drawn_step(&self, random: &mut u64, to_cancel: &mut Option<u64>) -> Went {
        if let Some(left) = to_cancel {
            *left = left.saturating_sub(1);
            if *left == 0 {
                *to_cancel = None;
                self.carrier.cancel("the trial says so");
            }
        }
        let (jobs, done) = (self.jobs.len(), locked(&self.stage.done).len());
        let due = self.timer.first();
        let choices = jobs + done + usize::from(due.is_some());
        let Some(place) = (drawn(random) as usize).checked_rem(choices) else {
            if self.carrier.has_unbegun() {
                self.carrier.flush();
                return Went::On;
            }
            return Went::Nowhere;
        };
        if place < jobs {
            if let Some(job) = self.jobs.take(place) {
                job();
            }
        } else if place < jobs + done {
            let Done {
                id,
                outcome,
                completion,
            } = locked(&self.stage.done).remove(place - jobs);
            completion.deliver(outcome.clone());
            // Some completions arrive twice.
            if drawn(random).is_multiple_of(8) {
                self.carrier.complete(id, outcome);
            }
        } else if let Some(due) = due {
            self.pass_time(due);
        }
        Went::On
    }

    fn pass_time(&self, due: u64) {
        let due = i64::try_from(due).unwrap_or(i64::MAX);
        self.stage.outside.now.fetch_max(due, Ordering::SeqCst);
        self.timer.wake_due();
    }

    fn end(
        &self,
        finished: Option<Box<Finished>>,
        opened_with: u64,
        steps: Vec<(u64, usize)>,
    ) -> Lived {
        Lived {
            opened_with,
            steps,
            finished,
            events: std::mem::take(&mut *locked(&self.events)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Went {
    On,
    /// Nothing can happen any more.
    Nowhere,
}

impl Drop for Life {
    /// What is under way holds the carrier, which holds what performs.
    fn drop(&mut self) {
        let done = std::mem::take(&mut *locked(&self.stage.done));
        drop(done);
        let never = std::mem::take(&mut *locked(&self.stage.never));
        drop(never);
        while let Some(job) = self.jobs.take(0) {
            drop(job);
        }
        self.store.close();
    }
}

/// What is performed in one life.
struct Stage {
    carrier: OnceLock<Weak<Carrier>>,
    /// With this many records its process is dead.
    limit: Option<u64>,
    /// Of its store, which says how much of the run is on the disk.
    path: PathBuf,
    outside: Arc<Outside>,
    /// What has been done and the run has not heard of, and what a dead process would have begun.
    done: Mutex<Vec<Done>>,
    /// What an undo has done before all that led to it was on the disk.
    early: OnceLock<String>,
    /// Completions that never complete; a dropped one would report that its work was lost.
    never: Mutex<Vec<Completion>>,
}

struct Done {
    id: OperationId,
    outcome: Outcome,
    completion: Completion,
}

impl Stage {
    fn is_dead(&self) -> bool {
        let carrier = self.carrier.get().and_then(Weak::upgrade);
        match (self.limit, carrier) {
            (Some(limit), Some(carrier)) => carrier.records() >= limit,
            (None, _) | (_, None) => false,
        }
    }

    /// Whether an undo does what may be repeated before all records are on the disk; what may not is recorded by itself.
    fn is_early(&self, call: &Call) -> bool {
        let Some(carrier) = self.carrier.get().and_then(Weak::upgrade) else {
            return false;
        };
        if call.class != Class::Idempotent || !carrier.is_undoing() {
            return false;
        }
        let written = Store::existing(&self.path).and_then(|it| it.records(ID));
        written.is_ok_and(|it| (it.len() as u64) < carrier.records())
    }

    /// In order of request and not of beginning: a life that resumes begins what is open in that order.
    fn take_first(&self) -> Option<Done> {
        let mut done = locked(&self.done);
        let (place, _) = done.iter().enumerate().min_by_key(|(_, it)| it.id)?;
        Some(done.remove(place))
    }
}

/// The stage, which the life inspects from outside.
struct Shared(Arc<Stage>);

impl Perform for Shared {
    fn perform(&self, request: Request, call: Call, outlet: Outlet) -> Handle {
        if self.0.is_early(&call) {
            let _ = self.0.early.set(request.summary());
        }
        let outcome = match self.0.is_dead() {
            // Nothing is done any more; the life ends with this step.
            true => Some(Outcome::Done),
            false => self.0.outside.perform(&request, &call),
        };
        match outcome {
            Some(outcome) => locked(&self.0.done).push(Done {
                id: call.operation,
                outcome,
                completion: outlet.completion,
            }),
            None => locked(&self.0.never).push(outlet.completion),
        }
        Handle::None
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that can panic runs while one of these locks is held.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
