//! Runs that wait for the ends of each other, so that none of them would ever end.
//!
//! A run is stuck while all that it waits for is the end of other runs. When one becomes stuck, what it waits for is followed,
//! directly and by way of others: if all of these are stuck, no outcome will come to any of them, and the wait of the last one
//! is refused. One that has a timer, asks a person or computes may still continue, and when it is stuck itself, it is looked at
//! again.
//!
//! Of a run that another process carries the store knows whether it is stuck, and on what.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError};

use gsw_journal::list::Carried;
use gsw_journal::status::Status;

use super::Runs;
use crate::carrier::awaiting::Awaited;
use crate::durable::awaited;

/// The most runs of a cycle that are named.
const NAMED: usize = 8;
/// The most runs that are followed. A guess: more than any program chains.
const MOST: usize = 10_000;

impl Runs {
    /// Whether a run of this process only waits for the ends of other runs.
    pub(crate) fn stands_by(&self, run: &str) -> bool {
        self.carrier(run).is_some_and(|it| it.stands_by())
    }

    /// Another process has written to the store: what its runs wait for may close a cycle.
    pub(super) fn break_cycles(&self) {
        for carrier in self.carriers() {
            if !carrier.awaits().is_empty() {
                self.break_cycle(carrier.run());
            }
        }
    }

    /// A run has become stuck. Refuses one of its waits, if nothing else will ever end it.
    pub(crate) fn break_cycle(&self, run: &Arc<str>) {
        // Of two runs that become stuck at once, the check of the second one sees the result of the first.
        let _alone = self.cycles.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(carrier) = self.carrier(run) else {
            return;
        };
        let Some((awaited, cycle)) = self.cycle_from(run, carrier.awaits()) else {
            return;
        };
        // Where other processes see the cycle as well, one of them breaks it: the one whose run has the smallest id. A run that
        // no process runs would only wait for the same again, if it is ever resumed.
        let is_seen_by_others = cycle.iter().any(|it| self.carrier(it).is_none());
        let carried = cycle.iter().filter(|it| self.is_carried(it));
        if !is_seen_by_others || carried.min() == Some(run) {
            carrier.refuse_to_wait(awaited.operation, message(&cycle));
        }
    }

    /// Whether any process runs it, this one or another.
    fn is_carried(&self, run: &Arc<str>) -> bool {
        let elsewhere = || {
            let store = self.store()?.existing().ok()?;
            let info = store.find(run).ok()?;
            Some(info.carried == Carried::Yes)
        };
        self.carrier(run).is_some() || elsewhere() == Some(true)
    }

    /// The first of the waits that leads back to the run, with the runs on the way, if all that can be reached are stuck.
    fn cycle_from(&self, run: &Arc<str>, waits: Vec<Awaited>) -> Option<(Awaited, Vec<Arc<str>>)> {
        // Each run with the one that waits for it.
        let mut reached: HashMap<Arc<str>, Arc<str>> = HashMap::new();
        let mut queue: VecDeque<Arc<str>> = VecDeque::new();
        let mut reach = |queue: &mut VecDeque<Arc<str>>, by: &Arc<str>, it: Arc<str>| {
            if !reached.contains_key(&it) {
                reached.insert(Arc::clone(&it), Arc::clone(by));
                queue.push_back(it);
            }
        };
        for it in &waits {
            reach(&mut queue, run, Arc::clone(&it.run));
        }
        let mut looked_at = 0;
        while let Some(next) = queue.pop_front() {
            looked_at += 1;
            if next == *run {
                continue;
            }
            let on = self.stuck_on(&next).filter(|_| looked_at < MOST)?;
            for it in on {
                reach(&mut queue, &next, it);
            }
        }
        let mut cycle = vec![Arc::clone(run)];
        while let Some(by) = reached.get(cycle.last()?) {
            cycle.push(Arc::clone(by));
            if by == run {
                break;
            }
        }
        cycle.reverse();
        let first = waits.into_iter().find(|it| cycle.get(1) == Some(&it.run))?;
        Some((first, cycle))
    }

    /// The runs whose ends are all that a run waits for; `None` where it may continue without them, or has ended.
    fn stuck_on(&self, run: &Arc<str>) -> Option<Vec<Arc<str>>> {
        if let Some(carrier) = self.carrier(run) {
            let waits = carrier.awaits();
            let stuck_on = waits.into_iter().map(|it| it.run);
            return Some(stuck_on.collect()).filter(|it: &Vec<_>| !it.is_empty());
        }
        let store = self.store()?.existing().ok()?;
        let info = store.find(run).ok()?;
        match info.status {
            Status::Running => awaited::read(info.waiting.as_deref()?),
            Status::Waiting
            | Status::Completed
            | Status::Failed
            | Status::Cancelled
            | Status::Diverged => None,
        }
    }
}

/// The error of a wait that would close this cycle, of which the first run is the last one as well.
fn message(cycle: &[Arc<str>]) -> String {
    let mut message = "deadlock: ".to_owned();
    for (number, pair) in cycle.windows(2).enumerate() {
        let [waits, awaited] = pair else { continue };
        message.push_str(&match number {
            0 => format!("the run `{waits}` waits for the result of `{awaited}`"),
            NAMED => return format!("{message}, and so on until `{}`", cycle[0]),
            _ => format!(", which waits for that of `{awaited}`"),
        });
    }
    message
}
