//! The keys that are being asked for, so that equal calls wait for the first one and none waits for itself.
//!
//! A call that waits for a key keeps the calls around it from ending, and so keeps those waiting that wait for their keys.
//! Before a call begins to wait, these waits are followed: where they lead back to a key that is around the call, it would wait
//! for itself, and asks instead.

use std::collections::{HashMap, HashSet};

use tokio::sync::oneshot::{self, Receiver, Sender};

/// The keys in flight, and the waits for them.
#[derive(Debug, Default)]
pub(crate) struct Flights {
    held: HashMap<String, Held>,
    /// Waits of calls that are in others, by their number: the keys around them, and the key that they wait for.
    waits: HashMap<u64, (Vec<String>, String)>,
    next: u64,
}

#[derive(Debug)]
struct Held {
    /// The run whose call asks.
    run: String,
    waiting: Vec<Sender<()>>,
}

/// What happens to a call that wants to ask for a key.
#[derive(Debug)]
pub(crate) enum Place {
    /// It asks, and others wait.
    Taken,
    /// Another call has the place.
    Busy,
    /// Another one has it, which waits for this one to end: this one asks by itself.
    Alone,
}

/// Whether a run had a place to give up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Landed {
    Yes,
    No,
}

/// A wait for a key.
#[derive(Debug)]
pub(crate) struct Wait {
    /// Under which [`Flights::end_wait`] ends it.
    pub number: u64,
    /// Ends when the key is free.
    pub landed: Receiver<()>,
}

impl Flights {
    /// Claims a key for a call of this run that is nested in calls with these keys.
    pub fn take(&mut self, key: &str, around: &[String], run: &str) -> Place {
        if !self.held.contains_key(key) {
            let held = Held {
                run: run.to_owned(),
                waiting: Vec::new(),
            };
            self.held.insert(key.to_owned(), held);
            return Place::Taken;
        }
        if self.leads_to(key, around) {
            Place::Alone
        } else {
            Place::Busy
        }
    }

    /// Waits for a key that is busy; `None` when it is free.
    pub fn wait(&mut self, key: &str, around: &[String]) -> Option<Wait> {
        let held = self.held.get_mut(key)?;
        let (sender, landed) = oneshot::channel();
        held.waiting.push(sender);
        self.next += 1;
        if !around.is_empty() {
            self.waits
                .insert(self.next, (around.to_vec(), key.to_owned()));
        }
        Some(Wait {
            number: self.next,
            landed,
        })
    }

    /// Ends a wait, whether it succeeded or was given up.
    pub fn end_wait(&mut self, number: u64) {
        self.waits.remove(&number);
    }

    /// The call of this run that had the key has an answer, or none. Another run's place is not touched.
    pub fn land(&mut self, key: &str, run: &str) -> Landed {
        if self.held.get(key).is_none_or(|it| it.run != run) {
            return Landed::No;
        }
        for sender in self.held.remove(key).into_iter().flat_map(|it| it.waiting) {
            // A caller that has stopped waiting needs no message.
            let _ = sender.send(());
        }
        Landed::Yes
    }

    /// Gives up all claims of a run that has ended, and returns their keys.
    pub fn land_all(&mut self, run: &str) -> Vec<String> {
        let of_run = self.held.iter().filter(|(_, it)| it.run == run);
        let keys: Vec<String> = of_run.map(|(key, _)| key.clone()).collect();
        for key in &keys {
            self.land(key, run);
        }
        keys
    }

    /// Whether the calls that ask for `key` wait, by whatever way, for one of the keys around.
    fn leads_to(&self, key: &str, around: &[String]) -> bool {
        let mut seen = HashSet::new();
        let mut next = vec![key];
        while let Some(key) = next.pop() {
            if around.iter().any(|it| it == key) {
                return true;
            }
            if seen.insert(key) {
                let inside = self
                    .waits
                    .values()
                    .filter(|it| it.0.iter().any(|it| it == key));
                next.extend(inside.map(|it| it.1.as_str()));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::{Flights, Place};

    fn keys(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|&it| it.to_owned()).collect()
    }

    #[test]
    fn a_call_never_waits_for_one_that_it_lies_in() {
        let mut flights = Flights::default();
        assert!(matches!(flights.take("a", &[], "r"), Place::Taken));
        assert!(matches!(flights.take("a", &[], "r"), Place::Busy));
        assert!(matches!(
            flights.take("a", &keys(&["a"]), "r"),
            Place::Alone
        ));
    }

    #[test]
    fn calls_in_calls_never_wait_for_each_other() {
        let mut flights = Flights::default();
        for (key, run) in [("a", "r"), ("b", "s"), ("c", "t")] {
            assert!(matches!(flights.take(key, &[], run), Place::Taken));
        }
        let in_a = flights.wait("b", &keys(&["a"])).expect("b is busy");
        let _in_b = flights.wait("c", &keys(&["b"])).expect("c is busy");
        assert!(matches!(
            flights.take("a", &keys(&["c"]), "t"),
            Place::Alone
        ));
        flights.end_wait(in_a.number);
        assert!(matches!(flights.take("a", &keys(&["c"]), "t"), Place::Busy));
    }

    #[test]
    fn only_who_has_a_key_lets_go_of_it() {
        let mut flights = Flights::default();
        assert!(matches!(flights.take("a", &[], "r"), Place::Taken));
        flights.land("a", "s");
        let mut wait = flights.wait("a", &[]).expect("a is busy");
        flights.land_all("r");
        assert!(wait.landed.try_recv().is_ok());
        assert!(flights.wait("a", &[]).is_none());
    }
}
