//! The outside world of a run that is tried with crashes: it survives the run's lives, and notes what was performed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_engine::operation::{OperationId, Outcome, Request};
use gsw_tree::class::Class;

use crate::call::Call;
use crate::scripted::World;
use crate::tape::Played;

/// Shared by the lives of one run.
pub(super) struct Outside {
    /// Nanoseconds since 1970.
    pub(super) now: Arc<AtomicI64>,
    state: Mutex<State>,
}

struct State {
    world: World,
    /// The outcome of each operation, which is asked for again where it was not received; `None` where nothing ever comes.
    known: BTreeMap<String, Option<Outcome>>,
    performed: Vec<Performed>,
}

/// Something that was done for the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Performed {
    /// Equal in every life, in whatever order its run asks.
    pub(super) key: String,
    pub(super) id: OperationId,
    pub(super) class: Class,
    /// A short description.
    pub(super) what: String,
}

impl Outside {
    pub(super) fn new(world: World) -> Arc<Self> {
        Arc::new(Self {
            now: Arc::default(),
            state: Mutex::new(State {
                world,
                known: BTreeMap::new(),
                performed: Vec::new(),
            }),
        })
    }

    /// Performs a request. What an earlier process has done has the same outcome; work on files and programs is done again,
    /// because whether that is safe is what is tested. `None` where no outcome ever arrives.
    pub(super) fn perform(&self, request: &Request, call: &Call) -> Option<Outcome> {
        let now = self.now.load(Ordering::SeqCst);
        let mut state = self.state();
        let State {
            world,
            known,
            performed,
        } = &mut *state;
        let key = call.idempotency_key();
        // That time passes is nothing that is done.
        if !matches!(request, Request::Sleep { .. }) {
            performed.push(Performed {
                key: key.clone(),
                id: call.operation,
                class: call.class,
                what: request.summary(),
            });
        }
        let is_real = request.is_on_files() || matches!(request, Request::Exec { .. });
        match known.get(&key) {
            Some(_) if is_real => Some(world.outcome_again(request, now)),
            Some(outcome) => outcome.clone(),
            None => {
                let outcome = match world.played(request) {
                    Some(Played::Outcome(outcome)) => Some(Outcome::Model(outcome)),
                    Some(Played::Never) => None,
                    None => Some(world.outcome(request, now)),
                };
                known.insert(key, outcome.clone());
                outcome
            }
        }
    }

    /// What was performed in all lives, in order.
    pub(super) fn performed(&self) -> Vec<Performed> {
        self.state().performed.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic leaves an effect unnoted, and its life does not end well.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
