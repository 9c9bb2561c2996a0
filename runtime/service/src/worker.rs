//! `worker`: resumes the runs that are due, until it is asked to end.
//!
//! What is due is asked of the store, which many workers may share: each run is taken by one. A run that waits is left after
//! some time, so that a worker holds runs that make progress and not those that wait.

use std::collections::{BTreeSet, HashSet};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gsw_driver::durable::store::RunStore;
use gsw_driver::engine::resuming::NotResumed;
use gsw_driver::engine::{Engine, EngineOptions, RunOptions};
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, Left, RunResult};
use gsw_journal::clock::now;
use gsw_journal::list::{self, Info, Status};
use gsw_journal::store::{Error, Store};
use gsw_tree::event::Header;

use crate::arguments::{BuiltinOptions, Verbosity};
use crate::builds::{self, Build};
use crate::exit::Exit;
use crate::interrupt::{Interrupted, Listener, Whom};
use crate::report::{Next, report_detached, say_moved, short};
use crate::say::{self, say};
use crate::setup::{base_options, observers, settle};
use crate::store::{self, Origin};
use crate::watchers::Watchers;
use crate::{failure, open_files, terminal};

/// A run that waits is left after this long, unless a setting says otherwise.
const IDLE: Duration = Duration::from_mins(1);
/// The most runs at once. A guess: each takes memory and most wait for the network.
const MOST: usize = 256;
/// This many of them are processes of other builds. A guess: each takes much more memory than a run.
const MOST_OTHERS: usize = 16;
/// How often it looks whether the store has changed.
const PERIOD: Duration = Duration::from_millis(200);
/// How often it looks for what changes no store: a process that was killed.
const LOOK: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// When it is asked to.
    Told,
    /// When no run of the store is open any more.
    AllEnded,
}

enum Ended {
    /// It was asked to stop.
    Told,
    /// No run is open any more.
    All,
}

/// The runs in progress.
#[derive(Default)]
struct Carried {
    runs: Mutex<BTreeSet<String>>,
    /// One has ended, or was left.
    changed: Condvar,
}

impl Carried {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        // Nothing that can panic runs while the lock is held.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run that the build which began it has resumed.
struct Other {
    run: String,
    /// How many it had when it was handed over.
    records: u64,
    process: Child,
}

struct Worker<'a> {
    engine: Engine,
    store: Arc<Store>,
    carried: Arc<Carried>,
    /// What this program cannot resume, which is said once.
    refused: HashSet<String>,
    /// What could not be resumed for a reason that may pass, which is said once too; it is tried again.
    delayed: HashSet<String>,
    /// What is said of damaged runs, once.
    damaged: HashSet<String>,
    /// Runs that other builds of the program have resumed.
    others: Vec<Other>,
    interrupted: Interrupted,
    options: &'a BuiltinOptions,
    origin: &'a Origin,
    until: Until,
}

/// Resumes due runs.
pub(crate) fn work(
    mut loaded: Loaded,
    options: &BuiltinOptions,
    at: Arc<RunStore>,
    origin: &Origin,
    until: Until,
) -> Exit {
    let program = Arc::clone(&loaded.program);
    let settled = settle(&mut loaded, options).and_then(|limit| {
        let idle = store::idle(&program, options.idle)?;
        Ok((limit, idle))
    });
    let (memory_limit, idle) = match settled {
        Ok(settled) => settled,
        Err(why) => {
            say(&format!("{}: {why}", program.name));
            return Exit::Usage;
        }
    };
    let store = match at.open() {
        Ok(store) => store,
        Err(error) => return refuse(&error),
    };
    open_files::raise_limit();
    let observers = observers();
    let header = Header::new(&program.name, &loaded.image);
    let mut watched = options.clone();
    if std::io::stderr().is_terminal() {
        // What is drawn on a terminal is one run.
        watched.verbosity = Verbosity::Quiet;
    }
    let mut watchers = Watchers::start(&observers, &header, &watched, &terminal::stage());
    watchers.run_has_begun();
    let engine = Engine::new(
        loaded,
        EngineOptions {
            memory_limit,
            observers: Arc::clone(&observers),
            store: Some(Arc::clone(&at)),
            idle: Some(idle.unwrap_or(IDLE)),
            ..base_options(&program.name, options, &terminal::stage(), origin)
        },
    );
    let interrupted = Listener::start().end(Whom::All, engine.clone(), Arc::clone(&observers));
    let mut worker = Worker {
        engine: engine.clone(),
        store,
        carried: Arc::default(),
        refused: HashSet::new(),
        delayed: HashSet::new(),
        damaged: HashSet::new(),
        others: Vec::new(),
        interrupted,
        options,
        origin,
        until,
    };
    let worked = worker.work();
    report_detached(&engine.wait_for_detached());
    engine.close();
    at.close();
    watchers.end(&observers);
    match worked {
        Ok(()) => Exit::Done,
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &Error) -> Exit {
    say(&format!("error: {error}"));
    Exit::Refused
}

impl Worker<'_> {
    /// Resumes due runs until the worker is to end, and always leaves in order.
    fn work(&mut self) -> Result<(), Error> {
        let worked = self.carry_on();
        match &worked {
            Ok(Ended::All) => return Ok(()),
            Ok(Ended::Told) => self.say("shutting down; unfinished runs can be resumed"),
            // A signal leaves the runs itself.
            Err(_) => self.engine.leave_all("the store cannot be read"),
        }
        for other in &self.others {
            builds::tell_to_end(&other.process);
        }
        for mut other in std::mem::take(&mut self.others) {
            // Its result is in the store.
            let _ = other.process.wait();
            self.carried.lock().remove(&other.run);
        }
        let mut runs = self.carried.lock();
        while !runs.is_empty() {
            let waited = self.carried.changed.wait(runs);
            runs = waited.unwrap_or_else(PoisonError::into_inner);
        }
        worked.map(drop)
    }

    fn carry_on(&mut self) -> Result<Ended, Error> {
        let mut looked: Option<(Instant, i64)> = None;
        while !self.interrupted.has_come() {
            let version = self.store.version()?;
            let is_new = looked.is_none_or(|(at, seen)| seen != version || at.elapsed() >= LOOK);
            if is_new || self.is_time()? {
                looked = Some((Instant::now(), version));
                self.take_due()?;
                if self.until == Until::AllEnded && self.all_have_ended()? {
                    return Ok(Ended::All);
                }
            }
            let runs = self.carried.lock();
            // A signal wakes no thread, so it is polled as often.
            drop(self.carried.changed.wait_timeout(runs, PERIOD));
            self.look_at_others();
        }
        Ok(Ended::Told)
    }

    /// Whether the time of a run has come.
    fn is_time(&self) -> Result<bool, Error> {
        Ok(self.store.next_wake()?.is_some_and(|it| it <= now()))
    }

    /// Takes what is due, the oldest first, as long as there is room.
    fn take_due(&mut self) -> Result<(), Error> {
        let due = self.store.due(now())?;
        for damaged in due.damaged {
            let what = damaged.error.to_string();
            if self.damaged.insert(what.clone()) {
                say(&format!("warning: {what}; it is skipped"));
            }
        }
        for info in due.runs.into_iter().rev() {
            if self.is_full() || self.interrupted.has_come() {
                break;
            }
            if !self.refused.contains(&info.id) {
                self.take(&info);
            }
        }
        Ok(())
    }

    /// Whether the most runs are in progress. One that waits for another does not count: otherwise all places could be taken by
    /// runs whose other run never gets one.
    fn is_full(&self) -> bool {
        let carried = self.carried.lock();
        let is_busy = |it: &&String| !self.engine.stands_by(it);
        carried.len() >= MOST && carried.iter().filter(is_busy).count() >= MOST
    }

    fn take(&mut self, info: &Info) {
        // It continues under the build that began it, as long as that is there.
        if let Build::There(program) = Build::of(&self.engine, info) {
            self.hand_to(&program, info);
            return;
        }
        // Before it is taken: it may have ended when that returns.
        if !self.carried.lock().insert(info.id.clone()) {
            return;
        }
        let (carried, id, workflow) = (Arc::clone(&self.carried), info.id.clone(), &info.workflow);
        let verbosity = self.options.verbosity;
        let workflow = workflow.clone();
        let end = move |finished: Box<Finished>| {
            if let Some(text) = said_of(&finished.result, verbosity) {
                say::say_lines(&format!("run {} of `{workflow}`: {text}", short(&id)));
            }
            carried.lock().remove(&id);
            carried.changed.notify_all();
        };
        let options = RunOptions {
            listener: None,
            on_end: Box::new(end),
        };
        let why = match self.engine.resume_with(&info.id, options) {
            Ok(_) => {
                if verbosity != Verbosity::Quiet {
                    say_moved(&self.store, &info.id);
                }
                self.delayed.remove(&info.id);
                return;
            }
            Err(why) => why,
        };
        self.carried.lock().remove(&info.id);
        let next = || Next::new(self.origin, self.options, &info.id).runs("show", "");
        match why {
            // Another one was first.
            NotResumed::Store(Error::Carried(_) | Error::Ended { .. }) => {}
            NotResumed::Store(error) if error.may_pass() => {
                if self.delayed.insert(info.id.clone()) {
                    say(&format!(
                        "warning: {error}; run `{}` is tried again: {}",
                        short(&info.id),
                        next()
                    ));
                }
            }
            why @ (NotResumed::NoStore
            | NotResumed::Store(_)
            | NotResumed::Unreadable { .. }
            | NotResumed::Behaviour { .. }
            | NotResumed::NoWorkflow { .. }
            | NotResumed::OtherBuild { .. }) => {
                say(&format!("warning: {why}; it is skipped: {}", next()));
                self.refused.insert(info.id.clone());
            }
        }
    }

    /// Starts the build that began a run to resume it, in a process of its own.
    fn hand_to(&mut self, program: &Path, info: &Info) {
        let is_carried = self.others.iter().any(|it| it.run == info.id);
        if is_carried || self.others.len() >= MOST_OTHERS {
            return;
        }
        let mut options = self.options.clone();
        options.idle = options.idle.or(Some(IDLE));
        // The file is this process's.
        options.events = None;
        let words = ["resume", &info.id];
        match builds::start(program, &words, &options, self.store.path()) {
            Ok(process) => {
                self.carried.lock().insert(info.id.clone());
                self.others.push(Other {
                    run: info.id.clone(),
                    records: info.records,
                    process,
                });
            }
            Err(why) => {
                say(&format!(
                    "warning: `{}`, which began run `{}`, cannot be started: {why}; `runs migrate` gives the run to this build",
                    program.display(),
                    short(&info.id)
                ));
                self.refused.insert(info.id.clone());
            }
        }
    }

    /// Takes note of the processes that have ended.
    fn look_at_others(&mut self) {
        for mut other in std::mem::take(&mut self.others) {
            let ended = match other.process.try_wait() {
                Ok(None) => {
                    self.others.push(other);
                    continue;
                }
                Ok(Some(status)) => status.code(),
                Err(_) => None,
            };
            self.carried.lock().remove(&other.run);
            if ended == Some(Exit::Refused as i32) || ended == Some(Exit::Usage as i32) {
                self.note_refusal(other);
            } else {
                self.delayed.remove(&other.run);
            }
        }
    }

    /// The build that began a run does not resume it, and has reported why.
    fn note_refusal(&mut self, other: Other) {
        let is_carried_on = match self.store.find(&other.run) {
            Ok(info) => info.carried == list::Carried::Yes || info.records != other.records,
            Err(error) => error.may_pass(),
        };
        // Another process may have been first. One that held it only for a moment leaves no trace, so it is tried once more.
        if is_carried_on {
            self.delayed.remove(&other.run);
        } else if !self.delayed.insert(other.run.clone()) {
            self.refused.insert(other.run);
        }
    }

    /// Whether no run is left to resume, now or later. What cannot be resumed here may be resumed by another process.
    fn all_have_ended(&self) -> Result<bool, Error> {
        let is_open = |it: &Info| match it.status {
            Status::Running | Status::Waiting => {
                it.carried == list::Carried::Yes || !self.refused.contains(&it.id)
            }
            Status::Completed | Status::Failed | Status::Cancelled | Status::Diverged => false,
        };
        Ok(!self.store.list()?.runs.iter().any(is_open))
    }

    fn say(&self, what: &str) {
        if self.options.verbosity == Verbosity::Normal {
            say(what);
        }
    }
}

/// The message for a run that this worker does not run any more.
fn said_of(result: &RunResult, verbosity: Verbosity) -> Option<String> {
    let is_quiet = verbosity == Verbosity::Quiet;
    Some(match result {
        RunResult::Value(_) if is_quiet => return None,
        RunResult::Value(_) => "completed\n".to_owned(),
        RunResult::Raised(error) => failure::text(error),
        RunResult::InvalidInput(issues) => failure::issues(issues),
        RunResult::Cancelled => "cancelled\n".to_owned(),
        RunResult::Internal(message) => format!("error: Internal: {message}\n"),
        RunResult::Left(Left::Parked { .. } | Left::Interrupted) if is_quiet => return None,
        RunResult::Left(why) => format!("{why}\n"),
    })
}
