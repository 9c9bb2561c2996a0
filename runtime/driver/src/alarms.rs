//! The alarms of one carrier: sleeps of its run, and the end of a cancelled run's grace period.

use gsw_engine::operation::OperationId;

use crate::clock::Moment;
use crate::deadline::Deadlines;

/// A sleep of this long, in nanoseconds, ends by the date, which the steady clock loses while the machine is suspended; whether
/// it has come is looked at as often.
pub(crate) const LONG: u64 = 60_000_000_000;

/// What is to happen at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Alarm {
    Sleep(OperationId),
    /// When the date is checked, for the long sleeps.
    Date,
    /// The run has waited for long.
    Idle,
    /// Code that has not heard of the cancellation yet is interrupted.
    Interrupt,
    /// A run that is to be left and still computes is stopped in the middle of that: what it computes is computed again.
    Leave,
    /// What the `defer`s of a cancelled run have not done by now is given up.
    Kill,
}

/// The alarms, by the steady clock.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    deadlines: Deadlines<u64, Alarm>,
    /// When the long sleeps end by the clock on the wall.
    dates: Deadlines<i64, OperationId>,
    /// What the timer is set to.
    set: Option<u64>,
}

impl Alarms {
    pub(crate) fn add(&mut self, at: u64, alarm: Alarm) {
        self.deadlines.set(at, alarm);
    }

    /// A sleep ends this many nanoseconds after it was requested, by whichever clock reaches that first.
    pub(crate) fn add_sleep(&mut self, id: OperationId, nanoseconds: u64, asked: Moment) {
        self.add(asked.steady.saturating_add(nanoseconds), Alarm::Sleep(id));
        if let Some(date) = asked.date
            && nanoseconds > LONG
        {
            // There is an alarm for all of them, which none may put off.
            if self.dates.first().is_none() {
                self.add(asked.steady.saturating_add(LONG), Alarm::Date);
            }
            self.dates
                .set(date.saturating_add_unsigned(nanoseconds), id);
        }
    }

    /// Takes the sleeps whose date has come, and looks again later for the others.
    pub(crate) fn take_past(&mut self, now: Moment) -> Vec<OperationId> {
        let mut past = Vec::new();
        if let Some(date) = now.date {
            while let Some(id) = self.dates.pop_due(date) {
                self.deadlines.clear(&Alarm::Sleep(id));
                past.push(id);
            }
        }
        if self.dates.first().is_some() {
            self.add(now.steady.saturating_add(LONG), Alarm::Date);
        }
        past
    }

    /// Takes the sleeps that are over by either clock, and leaves what else is due.
    pub(crate) fn take_due_sleeps(&mut self, now: Moment) -> Vec<OperationId> {
        let mut sleeps = Vec::new();
        let mut others = Vec::new();
        while let Some(alarm) = self.deadlines.pop_due(now.steady) {
            match alarm {
                Alarm::Sleep(id) => {
                    self.forget_date(alarm);
                    sleeps.push(id);
                }
                Alarm::Date | Alarm::Idle | Alarm::Interrupt | Alarm::Leave | Alarm::Kill => {
                    others.push(alarm);
                }
            }
        }
        while let Some(id) = now.date.and_then(|date| self.dates.pop_due(date)) {
            self.deadlines.clear(&Alarm::Sleep(id));
            sleeps.push(id);
        }
        for alarm in others {
            self.add(now.steady, alarm);
        }
        sleeps
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.deadlines.first().is_none()
    }

    /// Takes an alarm away. The timer may then wake the carrier for nothing.
    pub(crate) fn remove(&mut self, alarm: Alarm) -> bool {
        self.forget_date(alarm);
        self.deadlines.clear(&alarm)
    }

    /// The next that is due.
    pub(crate) fn pop_due(&mut self, now: u64) -> Option<Alarm> {
        let due = self.deadlines.pop_due(now);
        if let Some(alarm) = due {
            self.forget_date(alarm);
        }
        due
    }

    fn forget_date(&mut self, alarm: Alarm) {
        if let Alarm::Sleep(id) = alarm
            && self.dates.clear(&id)
            && self.dates.first().is_none()
        {
            self.deadlines.clear(&Alarm::Date);
        }
    }

    /// All sleeps, which nothing will end.
    pub(crate) fn take_sleeps(&mut self) -> Vec<OperationId> {
        let mut sleeps = Vec::new();
        while let Some(alarm) = self.pop_due(u64::MAX) {
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

#[cfg(test)]
mod tests {
    use gsw_engine::operation::OperationId;

    use super::{Alarm, Alarms, LONG};
    use crate::clock::Moment;

    const HOUR: u64 = 60 * LONG;

    fn moment(steady: u64, date: u64) -> Moment {
        Moment {
            steady,
            date: Some(date.cast_signed()),
        }
    }

    #[test]
    fn a_machine_that_was_suspended_has_lost_no_time_of_a_long_sleep() {
        let mut alarms = Alarms::default();
        let (long, longer, short) = (OperationId(1), OperationId(2), OperationId(3));
        alarms.add_sleep(long, HOUR, moment(0, 0));
        alarms.add_sleep(longer, 3 * HOUR, moment(0, 0));
        alarms.add_sleep(short, LONG / 2, moment(0, 0));
        assert_eq!(alarms.pop_due(LONG), Some(Alarm::Sleep(short)));
        assert_eq!(alarms.pop_due(LONG), Some(Alarm::Date));
        assert_eq!(alarms.take_past(moment(LONG, LONG)), []);
        // Two hours have passed in which the steady clock stood still.
        assert_eq!(alarms.pop_due(2 * LONG), Some(Alarm::Date));
        let now = moment(2 * LONG, 2 * HOUR);
        assert_eq!(alarms.take_past(now), [long]);
        // What a set clock does not reach ends by its length.
        assert_eq!(alarms.pop_due(3 * LONG), Some(Alarm::Date));
        assert_eq!(alarms.take_past(moment(3 * LONG, 0)), []);
        assert_eq!(alarms.take_sleeps(), [longer]);
        assert!(alarms.is_empty());
    }

    #[test]
    fn sleeps_that_are_over_by_either_clock_are_taken_and_nothing_else() {
        let mut alarms = Alarms::default();
        let (long, short, later) = (OperationId(1), OperationId(2), OperationId(3));
        alarms.add_sleep(long, HOUR, moment(0, 0));
        alarms.add_sleep(short, LONG, moment(0, 0));
        alarms.add_sleep(later, 3 * HOUR, moment(0, 0));
        alarms.add(LONG, Alarm::Idle);
        // The machine was suspended for two hours.
        let now = moment(LONG, 2 * HOUR);
        assert_eq!(alarms.take_due_sleeps(now), [short, long]);
        assert_eq!(alarms.take_due_sleeps(now), []);
        assert_eq!(alarms.pop_due(LONG), Some(Alarm::Date));
        assert_eq!(alarms.pop_due(LONG), Some(Alarm::Idle));
        assert_eq!(alarms.take_sleeps(), [later]);
    }

    #[test]
    fn nobody_looks_at_the_date_for_a_sleep_that_is_over_or_given_up() {
        let mut alarms = Alarms::default();
        alarms.add_sleep(OperationId(1), HOUR, moment(0, 0));
        assert!(alarms.remove(Alarm::Sleep(OperationId(1))));
        assert!(alarms.is_empty());
    }
}
