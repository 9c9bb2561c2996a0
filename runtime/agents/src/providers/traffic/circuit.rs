//! Circuit breakers of models, per process: a model that is down is not asked where another one follows.
//!
//! After [`FAILURES`] outages in a row the circuit opens: a request that has a fallback fails at once, without one to the provider.
//! After a while one is let through. An answer closes the circuit, another outage keeps it open for twice as long.
//!
//! A run learns all of it from outcomes: a model that is not asked is a failure of the request, and the request that opens or
//! closes the circuit says so. So a replay takes the same way, whatever the state of its process.

use std::time::{Duration, Instant};

use gsw_tree::event::CircuitChange;

/// Outages in a row after which a model counts as down; a guess.
const FAILURES: u32 = 3;
/// It is asked at least this often.
const LONGEST: Duration = Duration::from_secs(300);

#[derive(Debug, Default)]
pub(crate) struct Circuit {
    /// Consecutive failures.
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    /// How long it is open at a time.
    span: Duration,
    /// Whether a request is on its way that tries whether it is up.
    is_tried: bool,
    why: String,
}

/// Why a model is not asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Down {
    /// How long it is not.
    pub left: Duration,
    /// How the last request to it failed.
    pub why: String,
}

/// Whether a request was let through to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trial {
    No,
    Yes,
}

impl Circuit {
    /// Whether a request with a fallback may be sent.
    pub fn admit(&mut self, now: Instant) -> Result<Trial, Down> {
        let Some(open) = &mut self.open else {
            return Ok(Trial::No);
        };
        if open.until > now || open.is_tried {
            return Err(Down {
                left: open.until.saturating_duration_since(now),
                why: open.why.clone(),
            });
        }
        open.is_tried = true;
        Ok(Trial::Yes)
    }

    /// A trial ended without a word of the provider.
    pub fn untried(&mut self) {
        if let Some(open) = &mut self.open {
            open.is_tried = false;
        }
    }

    /// The model is out; `first` is how long it is not asked at first.
    pub fn failed(&mut self, why: &str, first: Duration, now: Instant) -> Option<CircuitChange> {
        self.failures = self.failures.saturating_add(1);
        let span = match &self.open {
            None if self.failures < FAILURES => return None,
            // Those that were on their way when it opened say nothing new.
            Some(open) if open.until > now => return None,
            Some(open) => (open.span * 2).min(LONGEST),
            None => first,
        };
        let is_new = self.open.is_none();
        self.open = Some(Open {
            until: now + span,
            span,
            is_tried: false,
            why: why.to_owned(),
        });
        is_new.then_some(CircuitChange::Opened)
    }

    /// The model has answered, or refused a request for the request's own fault.
    pub fn answered(&mut self) -> Option<CircuitChange> {
        self.failures = 0;
        self.open.take().map(|_| CircuitChange::Closed)
    }

    /// Whether nothing is known of it that a new one would not know.
    pub fn is_new(&self) -> bool {
        self.failures == 0 && self.open.is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use gsw_tree::event::CircuitChange;

    use super::{Circuit, Trial};

    const FIRST: Duration = Duration::from_secs(30);

    #[test]
    fn it_opens_after_failures_in_a_row_and_one_request_tries_again() {
        let (mut circuit, now) = (Circuit::default(), Instant::now());
        assert_eq!(circuit.failed("a", FIRST, now), None);
        assert_eq!(circuit.failed("b", FIRST, now), None);
        assert_eq!(circuit.answered(), None);
        for _ in 0..2 {
            assert_eq!(circuit.failed("c", FIRST, now), None);
        }
        assert_eq!(circuit.admit(now), Ok(Trial::No));
        let opened = circuit.failed("d", FIRST, now);
        assert_eq!(opened, Some(CircuitChange::Opened));
        let down = circuit.admit(now).expect_err("it is open");
        assert_eq!((down.left, down.why.as_str()), (FIRST, "d"));

        let later = now + FIRST;
        assert_eq!(circuit.admit(later), Ok(Trial::Yes));
        assert!(circuit.admit(later).is_err(), "one tries");
        assert_eq!(circuit.failed("e", FIRST, later), None);
        let down = circuit.admit(later).expect_err("it is open still");
        assert_eq!(down.left, FIRST * 2);

        let latest = later + FIRST * 2;
        assert_eq!(circuit.admit(latest), Ok(Trial::Yes));
        circuit.untried();
        assert_eq!(circuit.admit(latest), Ok(Trial::Yes));
        assert_eq!(circuit.answered(), Some(CircuitChange::Closed));
        assert_eq!(circuit.admit(latest), Ok(Trial::No));
    }
}
