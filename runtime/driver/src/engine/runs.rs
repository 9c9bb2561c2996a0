//! The runs of an engine, by their ids: started once each, listed, answered, cancelled, waited for.

mod asked;
mod cycles;
pub mod delivery;
mod elsewhere;
pub(super) mod ending;
pub(crate) mod identity;
mod starting;
mod written;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use gsw_abi::run_status::RunStatus;
use gsw_abi::site::Site;
use gsw_engine::human::Reply;
use gsw_engine::load::Loaded;
use gsw_engine::load::plans::Plans;
use gsw_engine::model::Prompts;
use gsw_engine::operation::{DetachedStart, Failure, OperationId, Outcome};
use gsw_engine::port::Port;
use gsw_engine::run::{Finished, Run, RunResult, RunSettings, Start};
use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::carrier::{Carrier, OnEnd};
use crate::clock;
use crate::driver::Driver;
use crate::durable::remembered::Remembered;
use crate::durable::store::RunStore;
use crate::engine::resuming::Found;
use crate::engine::runs::asked::{Ended, deliver_all};
use crate::engine::runs::ending::Shutdown;
use crate::engine::runs::identity::{Given, given, unfit};
use crate::external::Externals;
use crate::receivers::{Listener, Receivers};
use crate::scripted::Entry as TestEntry;
use crate::work::Completion;

/// How many runs that have ended are remembered: the latest.
const KEPT: usize = 1_000;
/// How many ends of detached runs are kept for [`Runs::wait_for_detached`].
const KEPT_ENDS: usize = 100;

/// The runs of an engine.
pub struct Runs {
    pub(super) loaded: Arc<Loaded>,
    prompts: Option<Arc<dyn Prompts>>,
    settings: RunSettings,
    receivers: Receivers,
    /// Where they are recorded; nowhere in a process that wants none of them back.
    store: Option<Arc<RunStore>>,
    driver: OnceLock<Weak<Driver>>,
    state: Mutex<State>,
    /// Notified when a detached run has ended.
    ended: Condvar,
    /// What runs wait for from outside.
    externals: Arc<Externals>,
    /// Held while cycles are looked for.
    cycles: Mutex<()>,
}

#[derive(Default)]
struct State {
    runs: IndexMap<Arc<str>, Entry>,
    /// Those that have ended, oldest first. None of them has a carrier.
    ended_order: IndexSet<Arc<str>>,
    /// Detached runs that have not ended.
    detached: usize,
    /// Ends of detached runs that have not been asked for yet.
    ends: VecDeque<DetachedEnd>,
    /// The shutdown that also applies to runs that begin or are replayed from now on.
    shutdown: Option<Shutdown>,
}

struct Entry {
    info: RunInfo,
    given: Given,
    /// None once it has ended.
    carrier: Option<Arc<Carrier>>,
    /// The waiters for its value.
    waiting: Vec<Completion>,
    ended: Option<Ended>,
}

/// What is known of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunInfo {
    pub id: Arc<str>,
    /// The name of its workflow.
    pub workflow: String,
    /// The run that has detached it, and where.
    pub parent: Option<(Arc<str>, Site)>,
    /// When it began, in nanoseconds since 1970.
    pub began: i64,
    pub stage: RunStage,
}

/// How far a process has brought a run that it runs or has run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunStage {
    Running,
    /// It has not ended, and this process does not run it any more.
    Left,
    Completed,
    Failed,
    Cancelled,
}

impl RunStage {
    /// As people and programs see it; of one that runs, whether it waits is not looked at.
    #[must_use]
    pub const fn shown(self) -> RunStatus {
        match self {
            Self::Running => RunStatus::Running,
            Self::Left => RunStatus::Interrupted,
            Self::Completed => RunStatus::Completed,
            Self::Failed => RunStatus::Failed,
            Self::Cancelled => RunStatus::Cancelled,
        }
    }
}

/// A detached run that has ended.
#[derive(Debug)]
pub struct DetachedEnd {
    pub run: Arc<str>,
    /// The name of its workflow.
    pub workflow: String,
    pub finished: Box<Finished>,
}

/// Why an answer was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAnswered {
    /// There is no such run, or it has ended.
    NoRun,
    /// The run asks nothing with this operation and digest, or has its answer.
    NoQuestion,
}

/// What is to be run.
pub(super) enum Entering {
    Workflow {
        index: usize,
        input: Map<String, Value>,
    },
    /// Unless a run of this workflow and input was interrupted.
    Alone {
        index: usize,
        input: Map<String, Value>,
    },
    Detached(DetachedStart, (Arc<str>, Site)),
    Test(TestEntry),
}

/// A run to be started.
pub(super) struct NewRun {
    pub(super) start: Start,
    pub(super) given: Given,
    /// The run that has detached it, where this process waits for detached runs.
    pub(super) parent: Option<(Arc<str>, Site)>,
    pub(super) remembered: Option<Remembered>,
    /// See [`Receivers::replaying_port`].
    pub(super) replaying: Arc<AtomicBool>,
    pub(super) driver: Arc<Driver>,
    pub(super) listener: Option<Listener>,
    pub(super) on_end: OnEnd,
}

/// A run that was asked for by an id.
pub(super) enum Started {
    New(Arc<Carrier>),
    /// There has been one of this id already.
    Exists(RunInfo),
    /// Another process has begun it: why it is not begun here.
    Elsewhere(String),
    /// It cannot be recorded, and nothing has begun.
    Unwritten(String),
}

impl std::fmt::Debug for Runs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Runs")
    }
}

impl Runs {
    pub(super) fn new(
        loaded: Arc<Loaded>,
        prompts: Option<Arc<dyn Prompts>>,
        settings: RunSettings,
        receivers: Receivers,
        store: Option<Arc<RunStore>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            loaded,
            prompts,
            settings,
            receivers,
            store,
            driver: OnceLock::new(),
            state: Mutex::default(),
            ended: Condvar::new(),
            externals: Arc::default(),
            cycles: Mutex::default(),
        })
    }

    /// Sets the driver of the runs.
    pub(super) fn set_driver(&self, driver: &Arc<Driver>) {
        // It is set once, by the creator of both.
        let _ = self.driver.set(Arc::downgrade(driver));
    }

    /// All runs that are known, in order of their beginning.
    #[must_use]
    pub fn list(&self) -> Vec<RunInfo> {
        let state = self.lock();
        state.runs.values().map(|it| it.info.clone()).collect()
    }

    /// What is known of a run.
    #[must_use]
    pub fn get(&self, run: &str) -> Option<RunInfo> {
        self.lock().runs.get(run).map(|it| it.info.clone())
    }

    /// All runs wait: each looks whether it is to be left.
    pub(crate) fn look_again(&self) {
        for carrier in self.carriers() {
            carrier.look_again();
        }
    }

    /// Cancels a run, whose `defer`s still run; returns whether it was still running.
    pub fn cancel(&self, run: &str, reason: &str) -> bool {
        let carrier = self.carrier(run);
        if let Some(carrier) = &carrier {
            carrier.cancel(reason);
        }
        carrier.is_some()
    }

    /// Answers what an operation of a run asks a person. The first answer counts; the run checks it, and asks again when it
    /// does not fit.
    ///
    /// # Errors
    /// When nothing is asked there any more.
    pub fn answer(
        &self,
        run: &str,
        operation: OperationId,
        reply: Reply,
    ) -> Result<(), NotAnswered> {
        let carrier = self.carrier(run).ok_or(NotAnswered::NoRun)?;
        if carrier.answer(operation, reply) {
            Ok(())
        } else {
            Err(NotAnswered::NoQuestion)
        }
    }

    /// Makes a run and its carrier, unless there is one of this id. Returns also the shutdown that is for it, if there is one:
    /// the caller begins the run first, and ends it then.
    pub(super) fn carry(
        self: &Arc<Self>,
        new: NewRun,
    ) -> Result<(Arc<Carrier>, Option<Shutdown>), RunInfo> {
        let NewRun {
            start,
            given,
            parent,
            remembered,
            replaying,
            driver,
            listener,
            on_end,
        } = new;
        let receivers = Receivers {
            listener,
            ..self.receivers.clone()
        };
        let (id, began) = (Arc::clone(&start.id), start.now);
        let mut state = self.lock();
        // Under the same lock as the insertion below: of two requests with one id the second finds the first.
        if let Some(entry) = state.runs.get(&id)
            && entry.info.stage != RunStage::Left
        {
            return Err(entry.info.clone());
        }
        let port = receivers.replaying_port(replaying, Arc::clone(&id));
        let run = self.bare_run(start, port);
        let runs = Arc::clone(self);
        let of_run = Arc::clone(&id);
        let on_end: OnEnd = Box::new(move |finished| runs.note_end(&of_run, finished, on_end));
        let carrier = Carrier::new(run, driver, remembered, on_end);
        let is_detached = parent.is_some();
        let info = RunInfo {
            id: Arc::clone(&id),
            workflow: given.workflow.clone(),
            parent,
            began,
            stage: RunStage::Running,
        };
        let entry = Entry {
            info,
            given,
            carrier: Some(Arc::clone(&carrier)),
            waiting: Vec::new(),
            ended: None,
        };
        // Read under the lock in which `shut_down` writes it, so that no run slips between the two.
        let shutdown = state.shutdown.as_ref().filter(|it| it.is_for(&entry.info));
        let shutdown = shutdown.cloned();
        // A run that was left and is replayed has not ended any more.
        state.ended_order.shift_remove(&id);
        state.runs.insert(id, entry);
        if is_detached {
            state.detached += 1;
        }
        Ok((carrier, shutdown))
    }

    /// Starts a run that another one detaches. Its id is the one that it was given, or follows from that one's and from where it
    /// is detached, so that it is started once however often that is asked for.
    pub(crate) fn start_detached(self: &Arc<Self>, start: DetachedStart, call: &Call) -> Outcome {
        let id: Arc<str> = match &start.id {
            None => call.site.child_run(&call.run).into(),
            Some(id) => match unfit(id) {
                None => id.as_str().into(),
                Some(refused) => return refused,
            },
        };
        let wanted = Given::to(&start);
        let parent = (Arc::clone(&call.run), call.site);
        if self.driver.get().and_then(Weak::upgrade).is_none() {
            return Outcome::Failed(Failure::Other {
                message: "the engine is gone".into(),
            });
        }
        match self.resume_child(&id) {
            Ok(Found::Here) => {
                return given(&id, &wanted, self.given_to(&id).as_ref());
            }
            Ok(Found::Nowhere) => {}
            Err(error) => {
                return Outcome::Failed(Failure::Other {
                    message: error.to_string(),
                });
            }
        }
        let entering = Entering::Detached(start, parent);
        // How it ends is noted below.
        let on_end: OnEnd = Box::new(drop);
        match self.start(Arc::clone(&id), entering, None, on_end) {
            Started::Exists(_) | Started::Elsewhere(_) => {
                given(&id, &wanted, self.given_to(&id).as_ref())
            }
            Started::Unwritten(message) => Outcome::Failed(Failure::Other { message }),
            Started::New(_) => Outcome::Text(id.to_string()),
        }
    }

    /// Who compiles what models write.
    pub(crate) fn plans(&self) -> Option<Arc<Plans>> {
        self.loaded.plans.clone()
    }

    /// A run that no process runs.
    pub(super) fn bare_run(&self, start: Start, port: Box<dyn Port>) -> Box<Run> {
        let begun = self
            .receivers
            .debugger
            .as_ref()
            .map(|it| (it, start.clone()));
        let mut run = Run::new(Arc::clone(&self.loaded), self.prompts.clone(), start, port);
        if let Some((debugger, start)) = begun {
            run.follow(Arc::clone(debugger), start);
        }
        run
    }

    pub(super) fn store(&self) -> Option<Arc<RunStore>> {
        self.store.clone()
    }

    pub(super) fn upgraded_driver(&self) -> Arc<Driver> {
        match self.driver.get().and_then(Weak::upgrade) {
            Some(driver) => driver,
            None => unreachable!("who starts a run holds the engine, which holds its driver"),
        }
    }

    fn note_end(self: &Arc<Self>, id: &Arc<str>, finished: Box<Finished>, on_end: OnEnd) {
        let mut state = self.lock();
        let stage = match finished.result {
            RunResult::Value(_) => RunStage::Completed,
            RunResult::Cancelled => RunStage::Cancelled,
            RunResult::Raised(_) | RunResult::InvalidInput(_) | RunResult::Internal(_) => {
                RunStage::Failed
            }
            RunResult::Left(_) => RunStage::Left,
        };
        let mut detached = None;
        let (mut waiting, mut left, mut outcome) = (Vec::new(), Vec::new(), None);
        if let Some(entry) = state.runs.get_mut(id) {
            entry.info.stage = stage;
            entry.carrier = None;
            // The end of a run that was not detached is only for the caller that started it, unless another run waits for it.
            if entry.info.parent.is_some() || !entry.waiting.is_empty() {
                entry.ended = Some(Ended::of(&finished));
            }
            waiting = std::mem::take(&mut entry.waiting);
            if stage == RunStage::Left && self.store.is_some() {
                left = std::mem::take(&mut waiting);
                entry.ended = None;
            }
            let ended = entry.ended.as_ref();
            outcome = ended.map(|it| it.outcome(id));
            detached = entry
                .info
                .parent
                .is_some()
                .then(|| entry.info.workflow.clone());
        }
        state.note_ended(id);
        let Some(workflow) = detached else {
            drop(state);
            deliver_all(waiting, outcome);
            self.wait_elsewhere(id, left);
            on_end(finished);
            return;
        };
        state.detached -= 1;
        if state.ends.len() == KEPT_ENDS {
            state.drop_an_end();
        }
        state.ends.push_back(DetachedEnd {
            run: Arc::clone(id),
            workflow,
            finished,
        });
        self.ended.notify_all();
        drop(state);
        deliver_all(waiting, outcome);
        self.wait_elsewhere(id, left);
    }

    /// Ends all that runs have begun outside of themselves, without waiting for any of it.
    pub(super) fn abandon(&self) {
        for carrier in self.carriers() {
            carrier.abandon();
        }
    }

    fn carriers(&self) -> Vec<Arc<Carrier>> {
        let state = self.lock();
        let runs = state.runs.values();
        runs.filter_map(|it| it.carrier.clone()).collect()
    }

    fn carrier(&self, run: &str) -> Option<Arc<Carrier>> {
        self.lock().runs.get(run)?.carrier.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note_ended(&mut self, id: &Arc<str>) {
        self.ended_order.insert(Arc::clone(id));
        if self.ended_order.len() > KEPT
            && let Some(oldest) = self.ended_order.shift_remove_index(0)
        {
            // `shift`, not `swap`: the list is in order of beginning.
            self.runs.shift_remove(&oldest);
        }
    }

    /// Of the ends that are kept, the oldest successful one is forgotten first.
    fn drop_an_end(&mut self) {
        let went_well = |it: &DetachedEnd| matches!(it.finished.result, RunResult::Value(_));
        let place = self.ends.iter().position(went_well).unwrap_or_default();
        self.ends.remove(place);
    }
}

/// A new random id, as wide as the ids of traces.
#[must_use]
pub fn new_id() -> Arc<str> {
    format!("{:016x}{:016x}", clock::random_word(), clock::random_word()).into()
}
