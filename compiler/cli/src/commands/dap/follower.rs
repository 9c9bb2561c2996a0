//! Follows the runs of a program, decides where one stops, and lets it be looked at while it is paused.
//!
//! It is called on the thread that has the run. All runs of a program are one world: while one is paused, the others pause at their
//! next point.

use std::collections::{BTreeSet, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gsw_driver::pauses::Pauses;
use gsw_engine::debug::{Debugger, Point, Recording, What};
use gsw_engine::run::Run;

use super::Heard;
use super::breakpoints::{Breakpoints, HitCounts, Met, Why};

/// What runs do until the next stop.
#[derive(Clone, Debug)]
pub enum Mode {
    /// They continue, to a breakpoint or to this point of the main run.
    Go { until: u64 },
    /// They continue to a breakpoint that the main run meets after this point; those before it are passed.
    Resume { from: u64 },
    /// One task is followed, as far as a breakpoint or this point of the main run at most.
    Step { step: Step, until: u64 },
    /// The first statement of the main run is where they stop.
    Entry,
    /// Nothing but this point of the main run is of interest.
    To { point: u64, because: Because },
    /// They stop nowhere; what is the last that would be of interest before a point of the main run is noted.
    Scan { until: u64, wanted: Wanted },
    /// The debugger has gone: they end.
    GiveUp,
}

/// One step of a task.
#[derive(Clone, Debug)]
pub struct Step {
    pub how: How,
    pub run: Arc<str>,
    pub task: u32,
    pub depth: usize,
    /// The tasks that were there when it began.
    pub known: BTreeSet<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// To the next statement of the same function, or of one around it.
    Over,
    /// To the next statement, also of a function that is called or of a task that is started.
    In,
    /// To the next statement of a function around it.
    Out,
}

/// What a scan looks for.
#[derive(Clone, Debug)]
pub enum Wanted {
    Nothing,
    Breakpoint,
    /// A statement of this task that is no deeper; else any.
    Statement {
        task: u32,
        depth: usize,
    },
    /// The raising of this error.
    Error {
        name: String,
        message: String,
    },
}

/// Why a run has stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Because {
    Entry,
    Step,
    Pause,
    Breakpoint(Why),
    /// This error was not caught.
    Uncaught(String),
    /// A replay has come to where the run is.
    Present,
}

/// Where a run has stopped.
#[derive(Clone, Debug)]
pub struct Stopped {
    pub because: Because,
    pub run: Arc<str>,
    pub task: u32,
    pub depth: usize,
    /// The number of the point; of a run that waits, of the last one.
    pub point: u64,
    /// The follower that reports it.
    pub by: u64,
}

/// Inspects a paused run.
type Look = Box<dyn FnOnce(&Run) + Send>;

struct State {
    mode: Mode,
    /// Whether all are to stop at the next statement.
    is_to_pause: bool,
    /// The run that was begun first.
    main: Option<Arc<str>>,
    recording: Option<Recording>,
    /// The last point of the main run.
    last: u64,
    /// What a scan has found.
    found: Option<u64>,
    /// The last statement of any task, for a scan that finds no better one.
    any: Option<u64>,
    hits: HitCounts,
    /// Whether a run is paused and nobody has said that it resumes.
    is_standing: bool,
    looks: VecDeque<Look>,
}

/// Follows the runs of a program.
pub struct Follower {
    id: u64,
    /// Held by the run that is shown.
    world: Mutex<()>,
    state: Mutex<State>,
    commanded: Condvar,
    breakpoints: Arc<Mutex<Breakpoints>>,
    listener: Sender<Heard>,
    pauses: Option<Arc<Pauses>>,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind it is whole between any two statements of ours.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Follower {
    pub fn new(
        id: u64,
        mode: Mode,
        breakpoints: Arc<Mutex<Breakpoints>>,
        listener: Sender<Heard>,
        pauses: Option<Arc<Pauses>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            world: Mutex::default(),
            state: Mutex::new(State {
                mode,
                is_to_pause: false,
                main: None,
                recording: None,
                last: 0,
                found: None,
                any: None,
                hits: HitCounts::default(),
                is_standing: false,
                looks: VecDeque::new(),
            }),
            commanded: Condvar::new(),
            breakpoints,
            listener,
            pauses,
        })
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Whether a run of this id is the main one.
    pub fn is_main(&self, run: &str) -> bool {
        lock(&self.state).main.as_deref() == Some(run)
    }

    /// The main run as far as it has come.
    pub fn recording(&self) -> Option<Recording> {
        lock(&self.state).recording.clone()
    }

    /// The last point of the main run.
    pub fn last(&self) -> u64 {
        lock(&self.state).last
    }

    /// What a scan has found.
    pub fn found(&self) -> Option<u64> {
        let state = lock(&self.state);
        state.found.or(state.any)
    }

    /// All runs are to stop at the next statement.
    pub fn pause(&self) {
        lock(&self.state).is_to_pause = true;
    }

    /// Whether it was asked to pause and has come to no statement since.
    pub fn is_to_pause(&self) -> bool {
        lock(&self.state).is_to_pause
    }

    /// Resumes the paused run; where none is paused, says how those that run must continue.
    pub fn go(&self, mode: Mode) {
        let mut state = lock(&self.state);
        state.is_to_pause = false;
        state.mode = mode;
        // At once: nobody serves who looks from here on.
        state.is_standing = false;
        self.commanded.notify_all();
    }

    /// What `look` returns for the paused run; `None` when none is paused.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Run) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, seen) = std::sync::mpsc::channel();
        let mut state = lock(&self.state);
        if !state.is_standing {
            return None;
        }
        let look: Look = Box::new(move |run| {
            // The caller waits for it.
            let _ = sender.send(look(run));
        });
        state.looks.push_back(look);
        self.commanded.notify_all();
        drop(state);
        seen.recv().ok()
    }

    /// Stops a run that waits, between two of its turns, unless another one has stopped meanwhile.
    pub fn stop_waiting(&self, run: &Run) {
        let world = lock(&self.world);
        if !std::mem::take(&mut lock(&self.state).is_to_pause) {
            return;
        }
        let task = run.debug_threads().first().map_or(0, |it| it.task);
        let at = Stopped {
            because: Because::Pause,
            run: Arc::clone(run.id()),
            task,
            depth: run.debug_depth(task),
            point: run.debug_points(),
            by: self.id,
        };
        self.stand(run, at);
        drop(world);
    }

    /// Reports where a run is paused, and answers questions about it until it resumes.
    fn stand(&self, run: &Run, at: Stopped) {
        if let Some(pauses) = &self.pauses {
            pauses.begin();
        }
        let mut state = lock(&self.state);
        state.is_standing = true;
        // The receiver ends after all runs have.
        let _ = self.listener.send(Heard::Stopped(Box::new(at)));
        while state.is_standing {
            match state.looks.pop_front() {
                Some(look) => {
                    drop(state);
                    look(run);
                    state = lock(&self.state);
                }
                None => {
                    let woken = self.commanded.wait(state);
                    state = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        if let Mode::GiveUp = state.mode {
            run.give_up();
        }
        drop(state);
        if let Some(pauses) = &self.pauses {
            pauses.end();
        }
    }

    /// Why a run is to stop at a point, if it is.
    fn why(&self, run: &Run, point: &Point<'_>, is_main: bool) -> Option<Because> {
        let mut state = lock(&self.state);
        let is_statement = matches!(point.what, What::Statement { .. });
        if is_main {
            state.last = point.number;
        }
        let is_at = |until: u64| is_main && point.number >= until;
        if state.is_to_pause && is_statement {
            state.is_to_pause = false;
            return Some(Because::Pause);
        }
        let State {
            mode,
            found,
            any,
            hits,
            ..
        } = &mut *state;
        match mode {
            Mode::Go { until } if is_at(*until) => Some(Because::Present),
            Mode::Step { until, .. } if is_at(*until) => Some(Because::Present),
            Mode::Resume { from } if is_main && point.number <= *from => {
                // Hits count from the beginning of the run.
                self.met(run, point, hits);
                None
            }
            Mode::Go { .. } | Mode::Resume { .. } => self.breakpoint(run, point, hits),
            Mode::Step { step, .. } => {
                let stepped = is_statement && step.is_over(run, point);
                let met = self.breakpoint(run, point, hits);
                met.or(stepped.then_some(Because::Step))
            }
            Mode::Entry => (is_main && is_statement).then_some(Because::Entry),
            Mode::To { point, because } => is_at(*point).then(|| because.clone()),
            Mode::Scan { until, .. } if is_at(*until) => {
                run.give_up();
                None
            }
            Mode::Scan { wanted, .. } => {
                if is_main && is_statement && matches!(wanted, Wanted::Statement { .. }) {
                    *any = Some(point.number);
                }
                if is_main && self.is_wanted(wanted, run, point, hits) {
                    *found = Some(point.number);
                }
                None
            }
            Mode::GiveUp => {
                run.give_up();
                None
            }
        }
    }

    /// Why a breakpoint stops a run at a point, if one does; what a log point says is written.
    fn breakpoint(&self, run: &Run, point: &Point<'_>, hits: &mut HitCounts) -> Option<Because> {
        match self.met(run, point, hits) {
            Met::Nothing => None,
            Met::Log(text) => {
                // The receiver ends after all runs have.
                let _ = self.listener.send(Heard::Said(text));
                None
            }
            Met::Stop(why) => Some(Because::Breakpoint(why)),
        }
    }

    fn met(&self, run: &Run, point: &Point<'_>, hits: &mut HitCounts) -> Met {
        let names = |name: &str| {
            let mut all = run.debug_variables(point.task, 0).into_iter();
            let found = all.find(|it| it.name == name)?;
            gsw_notation::json::written(&found.json).ok()
        };
        lock(&self.breakpoints).met(point, &names, hits)
    }

    fn is_wanted(
        &self,
        wanted: &Wanted,
        run: &Run,
        point: &Point<'_>,
        hits: &mut HitCounts,
    ) -> bool {
        match (wanted, point.what) {
            (Wanted::Nothing, _) => false,
            (Wanted::Breakpoint, _) => matches!(self.met(run, point, hits), Met::Stop(_)),
            (Wanted::Statement { task, depth }, What::Statement { .. }) => {
                point.task == *task && point.depth <= *depth
            }
            (
                Wanted::Error { name, message },
                What::Raised {
                    error,
                    message: said,
                },
            ) => error == name && said == message,
            (
                Wanted::Statement { .. } | Wanted::Error { .. },
                What::Statement { .. } | What::Node { .. } | What::Raised { .. },
            ) => false,
        }
    }
}

impl Step {
    /// Whether a statement is where the step ends.
    fn is_over(&self, run: &Run, point: &Point<'_>) -> bool {
        if **run.id() != *self.run {
            return false;
        }
        // Its task has ended: only the next statement of another task can follow.
        let is_gone = point.task != self.task && run.debug_depth(self.task) == 0;
        let is_it = match self.how {
            How::Over => point.task == self.task && point.depth <= self.depth,
            How::In => point.task == self.task || !self.known.contains(&point.task),
            How::Out => point.task == self.task && point.depth < self.depth,
        };
        is_it || is_gone
    }
}

impl Debugger for Follower {
    fn at(&self, run: &Run, point: &Point<'_>) {
        let world = lock(&self.world);
        let is_main = {
            let mut state = lock(&self.state);
            if state.main.is_none() {
                state.main = Some(Arc::clone(run.id()));
                state.recording = run.recording();
            }
            state.main.as_deref() == Some(&**run.id())
        };
        if let Some(because) = self.why(run, point, is_main) {
            let at = Stopped {
                because,
                run: Arc::clone(run.id()),
                task: point.task,
                depth: point.depth,
                point: point.number,
                by: self.id,
            };
            self.stand(run, at);
        }
        drop(world);
    }
}
