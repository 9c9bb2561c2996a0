//! The part of an observer that is about one run, from some event on.

use std::sync::Arc;
use std::time::Duration;

use crate::event::Event;
use crate::observe::Observer;

/// Hands on the events of one run from a number on; what of these is not there any more counts as lost.
pub(super) struct Follower {
    run: String,
    /// The number of the next event.
    next: u64,
    observer: Box<dyn Observer>,
}

impl Follower {
    pub(super) fn new(run: &str, from: u64, observer: Box<dyn Observer>) -> Self {
        Self {
            run: run.to_owned(),
            next: from,
            observer,
        }
    }

    /// Whether an event is one that is followed; says what is missing before it.
    fn takes(&mut self, event: &Event) -> bool {
        // A reader that follows from a number on has what comes before it.
        if *event.run != *self.run || event.sequence < self.next {
            return false;
        }
        // Numbers of one run follow each other.
        let missing = event.sequence - self.next;
        if missing > 0 {
            self.observer.lost(missing);
        }
        self.next = event.sequence + 1;
        true
    }
}

impl Observer for Follower {
    fn event(&mut self, event: &Arc<Event>) {
        if self.takes(event) {
            self.observer.event(event);
        }
    }

    fn past(&mut self, event: &Arc<Event>) {
        if self.takes(event) {
            self.observer.past(event);
        }
    }

    fn pause(&mut self) {
        self.observer.pause();
    }

    fn pulse(&self) -> Option<Duration> {
        self.observer.pulse()
    }

    fn end(&mut self) {
        self.observer.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::Follower;
    use crate::event::{Event, EventKind};
    use crate::node::NodeId;
    use crate::observe::Observer;

    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<String>>>);

    impl Observer for Seen {
        fn event(&mut self, event: &Arc<Event>) {
            let mut seen = self.0.lock().expect("nobody panics");
            seen.push(event.sequence.to_string());
        }

        fn lost(&mut self, count: u64) {
            self.0
                .lock()
                .expect("nobody panics")
                .push(format!("-{count}"));
        }
    }

    #[test]
    fn one_run_is_followed_from_a_number_and_gaps_are_said() {
        let seen = Seen::default();
        let mut follower = Follower::new("a", 2, Box::new(seen.clone()));
        for (run, sequence) in [("a", 1), ("b", 2), ("a", 4), ("a", 5), ("a", 5), ("a", 7)] {
            follower.event(&Arc::new(Event {
                sequence,
                time: 0,
                run: run.into(),
                node: NodeId::ROOT,
                kind: EventKind::TaskStart,
            }));
        }
        assert_eq!(
            *seen.0.lock().expect("nobody panics"),
            ["-2", "4", "5", "-1", "7"]
        );
    }
}
