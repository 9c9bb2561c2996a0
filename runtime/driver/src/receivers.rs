//! The receivers of a run's notices: observers, its own listener, what asks people, what keeps answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_engine::debug::Debugger;
use gsw_engine::port::{Notice, Port};
use gsw_tree::event::Event;
use gsw_tree::observe::Observers;

use crate::answers::Answers;
use crate::human::Humans;
use crate::tape::Tape;

/// Called for every event at once, on the thread of the turn, which it must not hold up.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// The receivers of the notices of an engine's runs.
#[derive(Clone, Default)]
pub struct Receivers {
    pub observers: Arc<Observers>,
    /// Called with events before the observers.
    pub listener: Option<Listener>,
    /// Told which answers of people count.
    pub humans: Option<Arc<dyn Humans>>,
    /// Told which cache keys are free.
    pub answers: Option<Arc<dyn Answers>>,
    /// Records the requests to models, or answers in their place.
    pub tape: Tape,
    /// Follows each run, where the program was compiled for that.
    pub debugger: Option<Arc<dyn Debugger>>,
}

impl Receivers {
    /// The port of one run.
    #[must_use]
    pub fn port(self, run: Arc<str>) -> Box<dyn Port> {
        self.replaying_port(Arc::default(), run)
    }

    /// Like [`Self::port`], for a run that is replayed: while `replaying` is set, its notices are not delivered again.
    pub(crate) fn replaying_port(self, replaying: Arc<AtomicBool>, run: Arc<str>) -> Box<dyn Port> {
        Box::new(RunPort {
            receivers: self,
            replaying,
            run,
        })
    }
}

struct RunPort {
    receivers: Receivers,
    /// Set while the run is replayed, whose notices were delivered before.
    replaying: Arc<AtomicBool>,
    run: Arc<str>,
}

impl Port for RunPort {
    fn wants_events(&self) -> bool {
        self.receivers.observers.is_heard() || self.receivers.listener.is_some()
    }

    fn wants_exchanges(&self) -> bool {
        self.receivers.tape.is_on()
    }

    fn take(&mut self, notice: Notice) {
        let Receivers {
            observers,
            listener,
            humans,
            answers,
            tape,
            debugger: _,
        } = &self.receivers;
        match notice {
            Notice::Event(event) => {
                if let Some(listener) = listener {
                    listener(&event);
                }
                if observers.is_heard() {
                    match self.replaying.load(Ordering::Acquire) {
                        true => observers.publish_past(event),
                        false => observers.publish(event),
                    }
                }
            }
            Notice::Answered {
                operation: _,
                digest,
                verdict,
            } => {
                if let Some(humans) = humans {
                    humans.answered(&digest, verdict);
                }
            }
            Notice::LetGo { key } => {
                if let Some(answers) = answers {
                    answers.let_go(&self.run, &key);
                }
            }
            // A run that is replayed says all of it again, so what is recorded is whole.
            Notice::Exchanged(exchange) => match tape {
                Tape::Records(recorder) => recorder.take(&self.run, *exchange),
                Tape::Off | Tape::Plays(_) => {}
            },
        }
    }
}

impl Drop for RunPort {
    fn drop(&mut self) {
        if let Some(answers) = &self.receivers.answers {
            answers.run_ended(&self.run);
        }
    }
}
