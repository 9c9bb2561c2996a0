//! The alarms of a carrier: sleeps that end, and the time limit of a run that was cancelled.

use std::sync::Arc;

use gsw_abi::layout::stop;
use gsw_engine::operation::{Failure, OperationId, Outcome};

use crate::alarms::Alarm;
use crate::carrier::message::Message;
use crate::carrier::{Carrier, LAST_RESORT, Leaving, PATIENCE};

impl Carrier {
    /// The timer says that something is due.
    pub(crate) fn wake(self: &Arc<Self>, now: u64) {
        self.outside().alarms.woken();
        loop {
            let due = self.outside().alarms.pop_due(now);
            match due {
                Some(Alarm::Sleep(id)) => self.end_sleep(id),
                Some(Alarm::Date) => {
                    let now = self.driver.clock.moment();
                    let past = self.outside().alarms.take_past(now);
                    past.into_iter().for_each(|id| self.end_sleep(id));
                }
                // Whether it is to be left is looked at after each turn.
                Some(Alarm::Idle) => self.post(Message::Turn),
                // What was written down comes first: a run that is stopped on its way there would end with less than it has done.
                Some(Alarm::Interrupt) if self.outside().is_brought_back => {
                    self.outside().alarms.add(now + PATIENCE, Alarm::Interrupt);
                }
                Some(Alarm::Kill) if self.is_cancelled_too_early() => {
                    let at = now.saturating_add(LAST_RESORT);
                    self.outside().alarms.add(at, Alarm::Kill);
                }
                Some(Alarm::Interrupt) if self.front.is_asked_to_cancel() => {
                    self.front.interrupt(stop::CANCEL);
                }
                Some(Alarm::Interrupt) => {}
                // It has its own time limits; what follows has as long as before.
                Some(Alarm::Kill) if self.front.is_undoing() => {
                    let at = now.saturating_add(LAST_RESORT);
                    self.outside().alarms.add(at, Alarm::Kill);
                }
                Some(Alarm::Leave) => self.leave_what_computes(now),
                Some(Alarm::Kill) => self.kill(),
                None => break,
            }
        }
        if let Err(error) = self.set_timer() {
            // The timer's thread, which is here, exists.
            debug_assert!(false, "{error}");
        }
    }

    /// A run that is to be left is stopped, unless something is on its way whose outcome must be written down, or it takes back.
    fn leave_what_computes(self: &Arc<Self>, now: u64) {
        if !self.is_leaving() {
            return;
        }
        let mut outside = self.outside();
        if outside.has_intent_on_the_way() || self.front.is_undoing() {
            outside.alarms.add(now + PATIENCE, Alarm::Leave);
            return;
        }
        drop(outside);
        self.kill();
    }

    /// The sleeps that are over and have ended by this time, in nanoseconds since 1970, end now and not when the timer comes to
    /// them.
    pub(super) fn end_sleeps_until(self: &Arc<Self>, at: i64) {
        let now = self.driver.clock.moment();
        let mut outside = self.outside();
        let due = outside.alarms.take_due_sleeps(now);
        let mut ended = Vec::new();
        for id in due {
            match outside.ends.get(&id).copied() {
                Some(end) if end > at => outside.alarms.add(now.steady, Alarm::Sleep(id)),
                end @ (Some(_) | None) => ended.push((end, id)),
            }
        }
        drop(outside);
        ended.sort_unstable();
        ended.into_iter().for_each(|(_, id)| self.end_sleep(id));
    }

    pub(super) fn end_sleep(self: &Arc<Self>, id: OperationId) {
        self.post(Message::Completed {
            id,
            outcome: Outcome::Done,
            now: self.driver.clock.now(),
        });
    }

    /// Whether it is still brought back; one that is left meanwhile, not cancelled, loses nothing.
    fn is_cancelled_too_early(&self) -> bool {
        let outside = self.outside();
        outside.is_brought_back && outside.leaving == Leaving::No
    }

    pub(super) fn set_timer(self: &Arc<Self>) -> std::io::Result<()> {
        let at = self.outside().alarms.take_new_first();
        match at {
            Some(at) => self.driver.timer.set(self, at),
            None => Ok(()),
        }
    }

    /// Without a timer nothing that sleeps would ever wake.
    pub(super) fn cannot_sleep(self: &Arc<Self>, error: &std::io::Error) {
        let sleeps = self.outside().alarms.take_sleeps();
        for id in sleeps {
            let failure = Failure::Other {
                message: format!("no thread can be started to wait in: {error}"),
            };
            self.post(Message::Completed {
                id,
                outcome: Outcome::Failed(failure),
                now: self.driver.clock.now(),
            });
        }
    }
}
