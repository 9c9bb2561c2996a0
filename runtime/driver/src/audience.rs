//! Who hears what a run says: observers, its own listener, those who ask people, those who keep answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_engine::port::{Notice, Port};
use gsw_tree::event::Event;
use gsw_tree::observe::Observers;

use crate::answers::Answers;
use crate::human::Humans;

/// Hears of every event at once, on the thread of the turn, which it must not hold up.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// Who hears the runs of an engine.
#[derive(Clone, Default)]
pub struct Audience {
    /// Who is told what happens.
    pub observers: Arc<Observers>,
    /// Hears of events before the observers do.
    pub listener: Option<Listener>,
    /// Hears which answers of people count.
    pub humans: Option<Arc<dyn Humans>>,
    /// Hears which keys are free.
    pub answers: Option<Arc<dyn Answers>>,
}

impl Audience {
    /// The port of one run.
    #[must_use]
    pub fn port(self, run: Arc<str>) -> Box<dyn Port> {
        self.port_behind(Arc::default(), run)
    }

    /// The same of a run that is brought back: while the curtain is up, what it says has been said before.
    pub(crate) fn port_behind(self, curtain: Arc<AtomicBool>, run: Arc<str>) -> Box<dyn Port> {
        Box::new(Hearing {
            audience: self,
            curtain,
            run,
        })
    }
}

struct Hearing {
    audience: Audience,
    /// Up while what the run says has been said before.
    curtain: Arc<AtomicBool>,
    run: Arc<str>,
}

impl Port for Hearing {
    fn wants_events(&self) -> bool {
        self.audience.observers.is_heard() || self.audience.listener.is_some()
    }

    fn take(&mut self, notice: Notice) {
        let Audience {
            observers,
            listener,
            humans,
            answers,
        } = &self.audience;
        match notice {
            Notice::Event(event) => {
                if let Some(listener) = listener {
                    listener(&event);
                }
                if observers.is_heard() {
                    match self.curtain.load(Ordering::Acquire) {
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
        }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        if let Some(answers) = &self.audience.answers {
            answers.run_ended(&self.run);
        }
    }
}
