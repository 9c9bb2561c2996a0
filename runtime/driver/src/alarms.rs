//! The alarms of one carrier: sleeps of its run, and when a run that was cancelled has had its time.

use gsw_engine::operation::OperationId;

use crate::deadline::Deadlines;

/// What is to happen at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Alarm {
    Sleep(OperationId),
    /// The run has waited for long.
    Idle,
    /// Code that has not heard of the cancellation yet is interrupted.
    Interrupt,
    /// What the `defer`s of a cancelled run have not done by now is given up.
    Kill,
}

/// The alarms, by the steady clock.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    deadlines: Deadlines<u64, Alarm>,
    /// What the timer is set to.
    set: Option<u64>,
}

impl Alarms {
    pub(crate) fn add(&mut self, at: u64, alarm: Alarm) {
        self.deadlines.set(at, alarm);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.deadlines.first().is_none()
    }

    /// Takes an alarm away. The timer may then wake the carrier for nothing.
    pub(crate) fn remove(&mut self, alarm: Alarm) -> bool {
        self.deadlines.clear(&alarm)
    }

    /// The next that is due.
    pub(crate) fn pop_due(&mut self, now: u64) -> Option<Alarm> {
        self.deadlines.pop_due(now)
    }

    /// All sleeps, which nothing will end.
    pub(crate) fn take_sleeps(&mut self) -> Vec<OperationId> {
        let mut sleeps = Vec::new();
        while let Some(alarm) = self.deadlines.pop_due(u64::MAX) {
            if let Alarm::Sleep(id) = alarm {
                sleeps.push(id);
            }
        }
        sleeps
    }

    /// The timer has woken the carrier.
    pub(crate) fn woken(&mut self) {
        self.set = None;
    }

    /// When the timer must wake the carrier earlier than it is set to.
    pub(crate) fn take_new_first(&mut self) -> Option<u64> {
        let first = self.deadlines.first()?;
        if self.set.is_some_and(|set| set <= first) {
            return None;
        }
        self.set = Some(first);
        Some(first)
    }
}
