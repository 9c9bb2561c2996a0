//! When the next request to a model may leave: what a provider says of its limits, shared by all tasks of the process.
//!
//! Without a word of the provider everything leaves at once. Three things hold requests back:
//!
//! - After a rate limit no request is sent until its wait is over. Then one request goes, and each answer admits one more
//!   than have ended, up to half of what was in flight when the limit was met; from there on the window grows by one a round
//!   (the slow start and the congestion avoidance of TCP, RFC 5681): a thousand tasks come back as a few, not as a thousand.
//! - Where headers say how many requests are left, no more leave until their time is over.
//! - Where they say that nothing is left, of requests or of tokens, none leaves until then.
//!
//! Nothing here decides what a run sees: a request is delayed and nothing else. It is a pure machine over the time that it is
//! given; [`super::Line`] waits.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct Limits {
    in_flight: u64,
    /// All requests ever sent.
    left: u64,
    window: Option<Window>,
    paused: Option<Instant>,
    quota: Option<Quota>,
}

/// How many may be on their way at once.
#[derive(Clone, Copy, Debug)]
struct Window {
    size: f64,
    /// Up to here it grows by one an answer, from here on by one a round.
    threshold: f64,
    /// The request that left last when it was made: those before say nothing new of the limit.
    made_after: u64,
}

/// What a provider says is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quota {
    pub requests: u64,
    /// When the quota is renewed.
    pub until: Instant,
}

/// Whether a request may leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// Now, under this number.
    Now(u64),
    At(Instant),
    /// When another has ended.
    WhenOneEnds,
}

/// What happened to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Answered,
    /// The provider asks to be left alone for this long.
    Limited(Duration),
    /// Anything that says nothing of limits.
    Failed,
}

impl Limits {
    pub fn admit(&mut self, now: Instant) -> Admission {
        if let Some(until) = self.paused.filter(|it| *it > now) {
            return Admission::At(until);
        }
        self.paused = None;
        if let Some(quota) = &mut self.quota {
            if quota.until <= now {
                // It is unknown what is left now: those that waited go slowly.
                if quota.requests == 0 {
                    self.start_slowly();
                }
                self.quota = None;
            } else if quota.requests == 0 {
                return Admission::At(quota.until);
            }
        }
        if self
            .window
            .is_some_and(|it| self.in_flight as f64 >= it.size)
        {
            return Admission::WhenOneEnds;
        }
        if let Some(quota) = &mut self.quota {
            quota.requests -= 1;
        }
        self.in_flight += 1;
        self.left += 1;
        Admission::Now(self.left)
    }

    /// The request of this number has ended.
    pub fn ended(&mut self, number: u64, outcome: Outcome, said: Option<Quota>, now: Instant) {
        if let Outcome::Limited(wait) = outcome {
            // All that left before the window was made met the limit that it was made for.
            if self.window.is_none_or(|it| number > it.made_after) {
                self.start_slowly();
            }
            let until = now + wait;
            self.paused = Some(self.paused.map_or(until, |it| it.max(until)));
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        if let (Outcome::Answered, Some(window)) = (outcome, &mut self.window)
            && number > window.made_after
        {
            window.size += if window.size < window.threshold {
                1.0
            } else {
                1.0 / window.size
            };
        }
        if let Some(said) = said.filter(|it| it.until > now) {
            // The provider has not seen those that left after this one.
            let since = self.left.saturating_sub(number);
            self.quota = Some(Quota {
                requests: said.requests.saturating_sub(since),
                ..said
            });
        }
    }

    /// Another process has met the limit.
    pub fn told(&mut self, until: Instant, now: Instant) {
        if self.paused.is_none_or(|it| it < until) {
            // All processes resume at once, so each of them resumes slowly.
            if self.paused.is_none_or(|it| it <= now) {
                self.start_slowly();
            }
            self.paused = Some(until);
        }
    }

    fn start_slowly(&mut self) {
        let half = self.in_flight as f64 / 2.0;
        self.window = Some(Window {
            size: 1.0,
            threshold: half.max(2.0),
            made_after: self.left,
        });
    }

    /// Whether nothing is known of it that a new one would not know.
    pub fn is_new(&self) -> bool {
        self.in_flight == 0
            && self.window.is_none()
            && self.paused.is_none()
            && self.quota.is_none()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Admission, Limits, Outcome, Quota};

    fn number(admission: Admission) -> u64 {
        let Admission::Now(number) = admission else {
            panic!("{admission:?}")
        };
        number
    }

    #[test]
    fn after_a_limit_a_thousand_come_back_slowly() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let first: Vec<u64> = (0..1000).map(|_| number(limits.admit(now))).collect();
        let wait = Duration::from_secs(3);
        for number in first {
            limits.ended(number, Outcome::Limited(wait), None, now);
        }
        assert_eq!(limits.admit(now), Admission::At(now + wait));
        let mut rounds = Vec::new();
        let later = now + wait;
        for _ in 0..12 {
            let mut round = Vec::new();
            while let Admission::Now(number) = limits.admit(later) {
                round.push(number);
            }
            rounds.push(round.len());
            for number in round {
                limits.ended(number, Outcome::Answered, None, later);
            }
        }
        assert_eq!(rounds[..10], [1, 2, 4, 8, 16, 32, 64, 128, 256, 501]);
        assert!(rounds[11] <= 504, "{rounds:?}");
        // Another limit begins again with one, and a stray answer from before it opens nothing.
        let old = number(limits.admit(later));
        let new = number(limits.admit(later));
        limits.ended(new, Outcome::Limited(Duration::ZERO), None, later);
        limits.ended(old, Outcome::Answered, None, later);
        number(limits.admit(later));
        assert_eq!(limits.admit(later), Admission::WhenOneEnds);
    }

    #[test]
    fn what_another_process_met_holds_here() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let until = now + Duration::from_secs(3);
        limits.told(until, now);
        // Reporting a wait twice, or a shorter one, changes nothing.
        limits.told(now, now);
        limits.told(until, now);
        assert_eq!(limits.admit(now), Admission::At(until));
        let first = number(limits.admit(until));
        assert_eq!(limits.admit(until), Admission::WhenOneEnds);
        limits.ended(first, Outcome::Answered, None, until);
        number(limits.admit(until));
        number(limits.admit(until));
        assert_eq!(limits.admit(until), Admission::WhenOneEnds);
        let later = until + Duration::from_secs(60);
        limits.told(later + Duration::from_secs(1), later);
        assert_eq!(
            limits.admit(later),
            Admission::At(later + Duration::from_secs(1))
        );
    }

    #[test]
    fn no_more_leave_than_the_provider_says_are_left() {
        let (mut limits, now) = (Limits::default(), Instant::now());
        let until = now + Duration::from_secs(60);
        let first = number(limits.admit(now));
        let second = number(limits.admit(now));
        let said = Some(Quota { requests: 3, until });
        // Of the three that it says are left, the second request takes one.
        limits.ended(first, Outcome::Answered, said, now);
        let both = [number(limits.admit(now)), number(limits.admit(now))];
        assert_eq!(limits.admit(now), Admission::At(until));
        // A limit that has expired does not count, and a later report does.
        let over = Some(Quota {
            requests: 100,
            until: now,
        });
        limits.ended(second, Outcome::Failed, over, now);
        assert_eq!(limits.admit(now), Admission::At(until));
        for number in both {
            limits.ended(number, Outcome::Answered, None, now);
        }
        // It is unknown what is left now.
        number(limits.admit(until));
        assert_eq!(limits.admit(until), Admission::WhenOneEnds);
    }
}
