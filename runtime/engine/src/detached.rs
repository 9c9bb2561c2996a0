//! Runs that other runs have started and do not wait for.

use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::driver::carrier::Carrier;
use crate::driver::clock;
use crate::driver::outside::Outside;
use crate::load::Loaded;
use crate::operation::DetachedStart;
use crate::run::{Finished, Run, RunResult, Start};
use crate::services::Services;
use crate::turn_threads::TurnThreads;

/// Ends that nobody has asked for are kept so far, those of runs that went wrong.
const KEPT: usize = 100;

/// The detached runs of an engine.
pub(crate) struct Detached {
    loaded: Arc<Loaded>,
    services: Arc<Services>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Vec<Running>,
    ended: Vec<DetachedEnd>,
    /// Why all are to end, those that begin from now on too.
    cancelled: Option<String>,
}

struct Running {
    run: Arc<str>,
    workflow: String,
    carrier: Weak<Carrier>,
    end: End,
}

/// Locked as long as somebody waits for it.
type End = Arc<Mutex<Receiver<Box<Finished>>>>;

/// A detached run that has ended.
#[derive(Debug)]
pub struct DetachedEnd {
    /// Its id.
    pub run: Arc<str>,
    /// The name of its workflow.
    pub workflow: String,
    /// How it ended.
    pub finished: Box<Finished>,
}

impl std::fmt::Debug for Detached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Detached")
    }
}

impl Detached {
    pub(crate) fn new(loaded: Arc<Loaded>, services: Arc<Services>) -> Self {
        Self {
            loaded,
            services,
            state: Mutex::default(),
        }
    }

    /// Starts a run and gives its id.
    pub(crate) fn start(&self, outside: &Arc<Outside>, start: DetachedStart) -> String {
        let (run, id) = new_run(&self.loaded, &self.services);
        let (sender, finished) = std::sync::mpsc::channel();
        let threads = TurnThreads::shared().clone();
        // Nobody may be waiting for it.
        let on_end = Box::new(move |it| drop(sender.send(it)));
        let carrier = Carrier::new(run, Arc::clone(outside), threads, on_end);
        let mut state = self.lock();
        state.collect();
        state.running.push(Running {
            run: Arc::clone(&id),
            workflow: start.workflow.clone(),
            carrier: Arc::downgrade(&carrier),
            end: Arc::new(Mutex::new(finished)),
        });
        let cancelled = state.cancelled.clone();
        drop(state);
        carrier.begin_detached(start);
        if let Some(reason) = cancelled {
            carrier.cancel(&reason);
        }
        id.to_string()
    }

    /// Waits until all have ended, also those that they start in turn, and gives the ends that are known.
    pub(crate) fn wait(&self) -> Vec<DetachedEnd> {
        while let Some(end) = self.first() {
            // Whoever carries a run tells of its end; a driver that failed tells nothing.
            let finished = end.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let mut state = self.lock();
            let is_it = |it: &Running| Arc::ptr_eq(&it.end, &end);
            let Some(place) = state.running.iter().position(is_it) else {
                continue;
            };
            let Running { run, workflow, .. } = state.running.remove(place);
            if let Ok(finished) = finished {
                state.ended.push(DetachedEnd {
                    run,
                    workflow,
                    finished,
                });
            }
        }
        std::mem::take(&mut self.lock().ended)
    }

    /// Tells all to end, also those that are started by what still runs.
    pub(crate) fn cancel(&self, reason: &str) {
        self.lock().cancelled = Some(reason.to_owned());
        for carrier in self.carriers() {
            carrier.cancel(reason);
        }
    }

    /// Stops all that run now at once.
    pub(crate) fn stop(&self) {
        for carrier in self.carriers() {
            carrier.stop();
        }
    }

    fn carriers(&self) -> Vec<Arc<Carrier>> {
        let state = self.lock();
        let running = state.running.iter();
        running.filter_map(|it| it.carrier.upgrade()).collect()
    }

    /// Where the end of the first that runs will be known.
    fn first(&self) -> Option<End> {
        self.lock().running.first().map(|it| Arc::clone(&it.end))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Forgets the runs that have ended; ends that went wrong are kept for who asks.
    fn collect(&mut self) {
        let (mut running, mut ended) = (Vec::new(), Vec::new());
        for it in self.running.drain(..) {
            let end = match it.end.try_lock() {
                Ok(end) => end.try_recv(),
                // Somebody waits for it.
                Err(_) => Err(TryRecvError::Empty),
            };
            match end {
                Ok(finished) if !matches!(finished.result, RunResult::Value(_)) => {
                    ended.push(DetachedEnd {
                        run: it.run,
                        workflow: it.workflow,
                        finished,
                    });
                }
                Ok(_) | Err(TryRecvError::Disconnected) => {}
                Err(TryRecvError::Empty) => running.push(it),
            }
        }
        self.running = running;
        self.ended.extend(ended);
        let beyond = self.ended.len().saturating_sub(KEPT);
        self.ended.drain(..beyond);
    }
}

/// A run that has not begun, and its id.
pub(crate) fn new_run(loaded: &Arc<Loaded>, services: &Arc<Services>) -> (Box<Run>, Arc<str>) {
    // As wide as the ids of traces, so that none is given twice anywhere.
    let id: Arc<str> = format!("{:016x}{:016x}", clock::random_word(), clock::random_word()).into();
    let start = Start {
        id: Arc::clone(&id),
        now: clock::now(),
        seed: clock::random_word(),
    };
    (
        Run::new(Arc::clone(loaded), Arc::clone(services), start),
        id,
    )
}
