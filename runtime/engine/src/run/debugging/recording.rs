//! All that a run was begun with and given, kept in memory for a debugger, so that it can be brought to an earlier point again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::debug::Debugger;
use crate::load::Loaded;
use crate::model::Prompts;
use crate::operation::{OperationId, Outcome};
use crate::port::Deaf;
use crate::run::{Run, Start, Turn, UndoWish};

/// A run as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Recording(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    start: Option<Start>,
    /// The workflow and its input.
    entered: Option<(usize, Map<String, Value>)>,
    given: Vec<Given>,
}

/// What a run is given between two turns.
#[derive(Clone, Debug)]
pub enum Given {
    Outcome {
        id: OperationId,
        outcome: Outcome,
        now: i64,
    },
    Cancel {
        reason: String,
        now: i64,
    },
    Undo {
        wish: UndoWish,
        now: i64,
    },
}

/// How a replay has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Replayed {
    /// The run has ended, or has got all that it was given.
    ToItsEnd,
    /// It does not begin with a workflow, or not with this program.
    NotAtAll(String),
}

impl Recording {
    pub(crate) fn of(start: Start) -> Self {
        Self(Arc::new(Mutex::new(Recorded {
            start: Some(start),
            ..Recorded::default()
        })))
    }

    pub(crate) fn enter(&self, workflow: usize, input: &Map<String, Value>) {
        self.lock().entered = Some((workflow, input.clone()));
    }

    pub(crate) fn give(&self, given: Given) {
        self.lock().given.push(given);
    }

    fn lock(&self) -> MutexGuard<'_, Recorded> {
        // Nothing that can panic runs while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the recorded run again from its beginning with the same outcomes; nothing is performed. The debugger may stop it.
    ///
    /// To be called on a thread with a deep stack.
    #[must_use]
    pub fn replay(
        &self,
        loaded: Arc<Loaded>,
        prompts: Option<Arc<dyn Prompts>>,
        by: Arc<dyn Debugger>,
    ) -> Replayed {
        let (start, entered, given) = {
            let recorded = self.lock();
            let given = recorded.given.clone();
            (recorded.start.clone(), recorded.entered.clone(), given)
        };
        let (Some(start), Some((workflow, input))) = (start, entered) else {
            return Replayed::NotAtAll("it was not begun by a workflow's name".to_owned());
        };
        let mut run = Run::new(loaded, prompts, start.clone(), Box::new(Deaf));
        run.follow(by, start);
        let wishes = given.iter().filter(|it| matches!(it, Given::Undo { .. }));
        run.expect_undo_wishes(wishes.count());
        run.start(workflow, &input);
        let mut given = given.into_iter();
        loop {
            match run.turn() {
                Turn::Busy { .. } => {}
                Turn::Done(_) => return Replayed::ToItsEnd,
                Turn::Blocked { .. } => match given.next() {
                    None => return Replayed::ToItsEnd,
                    Some(Given::Outcome { id, outcome, now }) => {
                        if let Err(wrong) = run.complete(id, outcome, now) {
                            return Replayed::NotAtAll(wrong.to_string());
                        }
                    }
                    Some(Given::Cancel { reason, now }) => run.cancel(&reason, now),
                    Some(Given::Undo { wish, now }) => run.undo_again(wish, now),
                },
            }
        }
    }
}
