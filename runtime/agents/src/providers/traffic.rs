//! What all requests of a process to one model share: its provider's limits, and whether it is down.

mod circuit;
mod limits;
mod pace;
mod quota;
mod shared;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gsw_engine::model::{FailureKind, Fallback, ModelFailure, Rate};
use gsw_tree::event::CircuitChange;
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::connections::address::Address;
use circuit::{Circuit, Trial};
pub(crate) use limits::Quota;
use limits::{Admission, Limits, Outcome};
use pace::Pace;
pub(crate) use quota::quota;
pub(crate) use shared::Shared;
use shared::Sign;

/// From this many models on those are forgotten of which nothing is known, or nothing new.
const MANY: usize = 1_000;
/// When what is known of a model's limits is old: providers count by minutes.
const OLD: Duration = Duration::from_secs(600);

/// The lines of a process, by address and model.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    lines: Mutex<HashMap<String, Arc<Line>>>,
    /// By what `rate` counts together.
    paces: Mutex<HashMap<String, Arc<Pace>>>,
    /// Where it meets other processes.
    shared: Option<Shared>,
}

/// The requests to one model at one address.
#[derive(Debug)]
pub(crate) struct Line {
    pub address: Address,
    /// Held by the request that is next: the others wait for it, in their order.
    queue: tokio::sync::Mutex<()>,
    has_changed: Notify,
    state: Mutex<State>,
    /// What other processes have announced about this provider.
    sign: Option<Sign>,
}

#[derive(Debug, Default)]
struct State {
    limits: Limits,
    circuit: Circuit,
    /// When the last request ended.
    used: Option<Instant>,
}

/// How a request ended, as far as others are concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending<'a> {
    Answered,
    /// The provider wants fewer requests, and the next one after this long.
    Limited(Duration),
    /// It is out, for this reason; with a wait where it has too much to do.
    Out {
        why: &'a str,
        wait: Option<Duration>,
    },
    /// It answered that this request is wrong.
    Refused,
}

impl Traffic {
    pub fn shared(shared: Shared) -> Self {
        Self {
            shared: Some(shared),
            ..Self::default()
        }
    }

    /// The line to a model at an address; other processes share it for the same `account`.
    pub fn line(&self, url: &str, model: &str, account: &str) -> Arc<Line> {
        // Nothing that can panic runs while the lock is held.
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MANY {
            let now = Instant::now();
            lines.retain(|_, it| Arc::strong_count(it) > 1 || !it.is_new(now));
        }
        let line = lines.entry(format!("{url} {model}")).or_insert_with(|| {
            let shared = self.shared.as_ref();
            Arc::new(Line {
                address: Address::of(url.to_owned()),
                queue: tokio::sync::Mutex::default(),
                has_changed: Notify::default(),
                state: Mutex::default(),
                sign: shared.map(|it| it.sign(&[url, model, account])),
            })
        });
        Arc::clone(line)
    }

    /// Waits until its agent may send another request.
    pub async fn keep_pace(&self, rate: Option<&Rate>) {
        let Some(Rate { of, per_minute }) = rate else {
            return;
        };
        let pace = {
            let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
            if paces.len() >= MANY {
                let now = Instant::now();
                paces.retain(|_, it| Arc::strong_count(it) > 1 || !it.is_new(now));
            }
            Arc::clone(paces.entry(of.clone()).or_default())
        };
        pace.turn(*per_minute).await;
    }
}

impl Line {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is known of it that a new one would not know, or nothing that holds any more.
    fn is_new(&self, now: Instant) -> bool {
        let state = self.state();
        let is_old = state.used.is_none_or(|it| it + OLD <= now);
        is_old || (state.limits.is_new() && state.circuit.is_new())
    }

    fn admit(&self) -> Admission {
        let now = Instant::now();
        let told = self.sign.as_ref();
        let told = told.and_then(|it| it.look(now, SystemTime::now()));
        let mut state = self.state();
        if let Some(left) = told {
            state.limits.told(now + left, now);
        }
        state.limits.admit(now)
    }

    /// Waits until a request may leave. One with a fallback fails at once where the model is down.
    pub async fn enter(
        self: &Arc<Self>,
        model: &str,
        fallback: Fallback,
    ) -> Result<Pass, ModelFailure> {
        let trial = match fallback {
            Fallback::Absent => Trial::No,
            Fallback::Present => self
                .state()
                .circuit
                .admit(Instant::now())
                .map_err(|down| is_down(model, down.left, &down.why))?,
        };
        // Made before the wait, so that a trial that is given up while it waits is none.
        let mut pass = Pass {
            line: Arc::clone(self),
            number: None,
            trial,
        };
        let _turn = self.queue.lock().await;
        loop {
            let has_changed = self.has_changed.notified();
            match self.admit() {
                Admission::Now(number) => {
                    pass.number = Some(number);
                    return Ok(pass);
                }
                Admission::At(time) => {
                    // Either way it is asked again.
                    let _ = timeout_at(time.into(), has_changed).await;
                }
                Admission::WhenOneEnds => has_changed.await,
            }
        }
    }
}

/// The right to send a request; what happened to it is reported with [`Self::ended`].
#[derive(Debug)]
pub(crate) struct Pass {
    line: Arc<Line>,
    /// `None` until it may leave, and after its end.
    number: Option<u64>,
    trial: Trial,
}

impl Pass {
    /// The request has ended; `first` is how long a model that is down is not asked at first.
    pub fn ended(
        mut self,
        ending: Ending<'_>,
        said: Option<Quota>,
        first: Duration,
    ) -> Option<CircuitChange> {
        let now = Instant::now();
        let outcome = match ending {
            Ending::Answered => Outcome::Answered,
            Ending::Limited(wait)
            | Ending::Out {
                wait: Some(wait), ..
            } => Outcome::Limited(wait),
            Ending::Out { wait: None, .. } | Ending::Refused => Outcome::Failed,
        };
        let mut state = self.line.state();
        let change = match ending {
            Ending::Answered | Ending::Refused => {
                self.trial = Trial::No;
                state.circuit.answered()
            }
            Ending::Out { why, .. } => {
                self.trial = Trial::No;
                state.circuit.failed(why, first, now)
            }
            // A provider that limits is up, but does not answer.
            Ending::Limited(_) => None,
        };
        if let Some(number) = self.number.take() {
            state.limits.ended(number, outcome, said, now);
        }
        state.used = Some(now);
        drop(state);
        self.line.has_changed.notify_one();
        if let (Outcome::Limited(wait), Some(sign)) = (outcome, &self.line.sign) {
            sign.tell(wait, SystemTime::now());
        }
        change
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let number = self.number.take();
        if number.is_none() && self.trial == Trial::No {
            return;
        }
        let mut state = self.line.state();
        if self.trial == Trial::Yes {
            state.circuit.untried();
        }
        if let Some(number) = number {
            state
                .limits
                .ended(number, Outcome::Failed, None, Instant::now());
        }
        drop(state);
        self.line.has_changed.notify_one();
    }
}

fn is_down(model: &str, left: Duration, why: &str) -> ModelFailure {
    let seconds = left.as_secs_f64().ceil();
    ModelFailure {
        retry_after: Some(left),
        ..ModelFailure::new(
            FailureKind::Overloaded,
            format!(
                "`{model}` is down and not asked for another {seconds} s; the last time: {why}"
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use gsw_engine::model::{Fallback, Rate};

    use super::{Ending, MANY, OLD, Traffic};

    #[tokio::test]
    async fn models_and_rates_that_are_not_used_any_more_are_forgotten() {
        let traffic = Traffic::default();
        for number in 0..2 * MANY {
            let line = traffic.line("http://a", &number.to_string(), "");
            let pass = line.enter("m", Fallback::Absent).await.expect("it is up");
            let limited = Ending::Limited(Duration::from_millis(1));
            pass.ended(limited, None, Duration::ZERO);
            line.state().used = Instant::now().checked_sub(OLD);
            let of = number.to_string();
            traffic.keep_pace(Some(&Rate { of, per_minute: 9 })).await;
        }
        assert!(traffic.lines.lock().expect("no panic").len() <= MANY);
        // Those of the last minute count.
        assert_eq!(traffic.paces.lock().expect("no panic").len(), 2 * MANY);
    }
}
