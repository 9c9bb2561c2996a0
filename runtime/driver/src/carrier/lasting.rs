//! What carries a run that outlives its process: noting what is brought to it, leaving it where it can be gone on with, and
//! bringing it back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_engine::operation::{Failure, GivenUp, Operation, OperationId, Outcome, Request};
use gsw_engine::panic;
use gsw_engine::run::{Abandoned, Finished, Interruption, Left, Run, RunResult};
use gsw_notation::calendar::rfc3339;

use crate::alarms::Alarm;
use crate::carrier::{Carrier, LAST_RESORT, Message, Outside, PATIENCE};
use crate::durable::became::Noting;
use crate::durable::care::Care;
use crate::durable::remembered::Remembered;
use crate::durable::resume::{self, Brought, Past, Pending, PendingState, pass_time, stand_still};
use crate::perform::Handle;
use crate::scripted::Entry;

/// Whether the run is to be left where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Leaving {
    #[default]
    No,
    /// When what must not happen twice has ended.
    Soon,
    /// At once.
    Now,
}

/// Why a completion is not brought to the run.
pub(super) enum Unnoted {
    /// The run has given its operation up.
    Unwanted,
    /// It cannot be written down.
    Unwritten(String),
    /// It is in the inbox again, behind what has come before it.
    PutBack,
}

/// Until when an earlier life has carried a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CarriedUntil {
    /// Its last record says when: whatever was done after that, nothing came of it.
    ItsLastRecord,
    /// It has ended only now.
    Now,
}

/// What a run is brought back with.
pub(crate) struct Resumption {
    pub(crate) entry: Entry,
    pub(crate) past: Vec<Past>,
    pub(crate) carried: CarriedUntil,
    /// The digest of this build, if another one has written.
    pub(crate) build: Option<[u8; 32]>,
    /// Up while what the run says has been said before.
    pub(crate) replaying: Arc<AtomicBool>,
    /// Hears which runs it had started.
    pub(crate) children: Box<dyn FnOnce(Vec<String>) + Send>,
}

impl std::fmt::Debug for Resumption {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resumption")
            .field("past", &self.past.len())
            .finish_non_exhaustive()
    }
}

impl Outside {
    /// Whether something is under way that must not happen twice: its outcome is waited for.
    pub(super) fn has_intent_on_the_way(&self) -> bool {
        let mut begun = self.begun.values();
        begun.any(|it| it.is_begun && it.care == Care::Intent && it.question.is_none())
    }
}

impl Carrier {
    /// Brings a run back and goes on with it.
    pub(crate) fn resume(self: &Arc<Self>, resumption: Resumption) {
        // From now on and not from when it has a thread: it may be told to end before.
        self.outside().is_brought_back = true;
        self.post(Message::Resume(Box::new(resumption)));
    }

    /// Leaves the run where it can be gone on with. Says whether it can: a run of which nothing is written down goes on.
    pub(crate) fn leave(self: &Arc<Self>) -> bool {
        if !self.is_open() {
            return false;
        }
        let mut outside = self.outside();
        if outside.leaving == Leaving::No {
            outside.leaving = Leaving::Soon;
            let now = self.driver.clock.steady();
            outside.alarms.add(now + PATIENCE, Alarm::Leave);
            outside.alarms.add(now + LAST_RESORT, Alarm::Kill);
        }
        drop(outside);
        if self.set_timer().is_err() {
            self.outside().leaving = Leaving::Now;
        }
        self.post(Message::Turn);
        true
    }

    /// The run is gone, by a bug of ours. What is written down of it can be resumed by whoever takes it.
    pub(super) fn lose(self: &Arc<Self>) {
        self.state().inbox.clear();
        drop(self.remembered().take());
        self.close(|tell| tell(Finished::lost()));
    }

    /// How many records of the run are written, or on their way to the disk; none once it has ended.
    pub(crate) fn records(&self) -> u64 {
        self.remembered().as_ref().map_or(0, Remembered::records)
    }

    /// How many of them were written at once when the run got a file.
    pub(crate) fn opened_with(&self) -> u64 {
        self.remembered()
            .as_ref()
            .map_or(0, Remembered::opened_with)
    }

    /// Whether something is being taken back.
    pub(crate) fn is_undoing(&self) -> bool {
        self.front.is_undoing()
    }

    /// Whether something waits for its intent to be on the disk.
    pub(crate) fn has_unbegun(&self) -> bool {
        self.outside().begun.values().any(|it| !it.is_begun)
    }

    /// Waits until all that was written is on the disk.
    pub(crate) fn flush(&self) {
        if let Some(remembered) = &*self.remembered() {
            remembered.flush();
        }
    }

    pub(super) fn is_leaving(&self) -> bool {
        let leaving = self.outside().leaving;
        leaving != Leaving::No && self.is_open()
    }

    /// Whether the run waits for somebody, or for a long time, as others see it.
    pub(crate) fn waits(&self) -> bool {
        self.remembered().as_ref().is_some_and(|it| it.waits())
    }

    pub(super) fn is_remembered(&self) -> bool {
        self.remembered().is_some()
    }

    /// Whether somebody can go on with the run when this process has left it.
    pub(super) fn is_open(&self) -> bool {
        self.remembered().as_ref().is_some_and(|it| it.is_open())
    }

    /// Notes what is about to be brought to the run.
    pub(super) fn note(self: &Arc<Self>, message: &mut Message) -> Result<(), Unnoted> {
        if self.is_open() {
            self.let_earlier_first(message)?;
            self.settle_with_store(message)?;
        }
        let Message::Completed { id, outcome, now } = message else {
            return Ok(());
        };
        match &mut *self.remembered() {
            None => Ok(()),
            Some(remembered) => match remembered.note(*id, outcome, *now) {
                Ok(Noting::Noted) => Ok(()),
                Ok(Noting::Unwanted) => Err(Unnoted::Unwanted),
                Err(why) => Err(Unnoted::Unwritten(why)),
            },
        }
    }

    /// Notes that the run was told to end. A failure is found with the next record.
    pub(super) fn note_cancel(&self, reason: &str, now: i64) {
        if let Some(remembered) = &mut *self.remembered() {
            let _ = remembered.note_cancel(reason, now);
        }
    }

    /// Notes that the run was told to end, and has taken that in the middle of a turn. A failure is found with the next record.
    pub(super) fn note_interruption(&self, it: &Interruption) {
        if let Some(remembered) = &mut *self.remembered() {
            let _ = remembered.note_interruption(it);
        }
    }

    /// Notes what the run asks for and gives up, before any of it begins.
    pub(super) fn remember(
        self: &Arc<Self>,
        operations: &[Operation],
        abandoned: &[Abandoned],
    ) -> Result<(), String> {
        let mut remembered = self.remembered();
        let Some(it) = &mut *remembered else {
            return Ok(());
        };
        it.remember(operations, abandoned)?;
        let is_open = it.is_open();
        drop(remembered);
        if is_open {
            self.watch();
        }
        Ok(())
    }

    /// The run is blocked: whoever lists runs learns whether it waits for somebody, and one that waits for long is written down,
    /// and left where it may be.
    pub(super) fn rest(self: &Arc<Self>) {
        let mut remembered = self.remembered();
        let Some(it) = &mut *remembered else { return };
        let rested = match it.rests() {
            true => it.rest(),
            false => {
                it.go_on();
                // One that is not written down has never rested.
                let has_rested = it.is_open();
                drop(remembered);
                if has_rested {
                    self.is_active_again();
                }
                return;
            }
        };
        if let Err(why) = rested {
            drop(remembered);
            return self.post(Message::Unwritten(why));
        }
        if !it.is_open() {
            return;
        }
        let (questions, wake) = (it.questions(), it.wake());
        drop(remembered);
        self.rests_from_now();
        if self.may_leave(questions, wake) {
            let parked = self.remembered().as_ref().map(Remembered::parked);
            if let Some(why) = parked {
                self.park(why);
            }
        }
        self.watch();
        if self.set_timer().is_err() {
            // Then the run is left when its process ends.
            self.outside().resting_since = None;
        }
    }

    /// It waits for nothing but somebody, or for long, or has ended.
    pub(super) fn rests_from_now(&self) {
        if std::mem::replace(&mut self.outside().is_resting, true) {
            return;
        }
        if self.driver.active.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.driver.performers.all_rest();
        }
    }

    fn is_active_again(&self) {
        let mut outside = self.outside();
        if std::mem::replace(&mut outside.is_resting, false) {
            self.driver.active.fetch_add(1, Ordering::AcqRel);
        }
        if outside.resting_since.take().is_some() {
            outside.alarms.remove(Alarm::Idle);
        }
    }

    /// Looks again whether the run is to be left, if it waits.
    pub(crate) fn look_again(self: &Arc<Self>) {
        if self.outside().is_resting {
            self.post(Message::Turn);
        }
    }

    /// Whether a run that rests, with so many questions and until this time at most, need not be carried any longer.
    fn may_leave(&self, questions: usize, wake: Option<i64>) -> bool {
        let mut outside = self.outside();
        let unanswered = outside.begun.values().filter(|it| it.is_unanswered).count();
        let Some(idle) = self.driver.idle else {
            // Another run of this process may bring the answer.
            let are_all_resting = self.driver.active.load(Ordering::Acquire) == 0;
            return unanswered > 0 && unanswered == questions && are_all_resting;
        };
        let now = self.driver.clock.steady();
        let since = *outside.resting_since.get_or_insert(now);
        let idle = u64::try_from(idle.as_nanos()).unwrap_or(u64::MAX);
        let at = since.saturating_add(idle);
        if now < at {
            outside.alarms.add(at, Alarm::Idle);
            return false;
        }
        // What is due soon is waited for.
        let left = wake.map(|it| it.saturating_sub(self.driver.clock.now()));
        left.is_none_or(|it| it > 0 && it.unsigned_abs() > idle)
    }

    /// The question of a run that is written down stays open when nobody is here to answer it. Says whether it does.
    pub(super) fn keep_question(self: &Arc<Self>, id: OperationId) -> bool {
        if !self.is_open() {
            return false;
        }
        match self.outside().begun.get_mut(&id) {
            Some(begun) if begun.question.is_some() => begun.is_unanswered = true,
            Some(_) | None => return false,
        }
        self.post(Message::Turn);
        true
    }

    /// All that the run waits for is somebody who is not here: it need not have a process.
    fn park(self: &Arc<Self>, why: Left) {
        let mut outside = self.outside();
        if outside.leaving == Leaving::No {
            outside.leaving = Leaving::Now;
            outside.why = Some(why);
        }
        drop(outside);
        self.post(Message::Turn);
    }

    /// Nothing can be written any more, so nothing may be done any more. Says that the run does not go on.
    pub(super) fn end_unwritten(self: &Arc<Self>, run: Box<Run>, why: String) -> bool {
        self.end(run, left(Left::Unwritten { why }));
        false
    }

    /// Takes a message of a run that is to be left. Says whether it is still here.
    pub(super) fn leave_with(self: &Arc<Self>, run: Box<Run>, mut message: Message) -> bool {
        // The outcome of what must not happen twice is worth more than the time to wait for it. A failure to write is found when
        // the run is taken up.
        let _ = self.note(&mut message);
        let mut outside = self.outside();
        let waits = match outside.leaving {
            Leaving::No | Leaving::Soon => outside.has_intent_on_the_way(),
            Leaving::Now => false,
        };
        if !waits {
            let why = outside.why.take().unwrap_or(Left::Interrupted);
            drop(outside);
            self.note_inbox();
            self.end(run, left(why));
            return false;
        }
        let others = outside
            .begun
            .extract_if(|_, it| it.care != Care::Intent || it.question.is_some());
        let handles: Vec<_> = others.map(|(_, it)| it.handle).collect();
        drop(outside);
        Handle::end_all(handles);
        self.state().run = Some(run);
        true
    }

    /// Notes the outcomes that have come and that nobody will take any more.
    fn note_inbox(self: &Arc<Self>) {
        loop {
            let next = self.state().inbox.pop_front();
            let Some(mut message) = next else { return };
            let _ = self.note(&mut message);
        }
    }

    /// A run that was stopped and not cancelled has not ended when it is written down.
    pub(super) fn or_left(self: &Arc<Self>, finished: Box<Finished>) -> Box<Finished> {
        let is_stopped = self.outside().leaving != Leaving::No;
        let remembered = self.remembered();
        let stays = remembered
            .as_ref()
            .is_some_and(|it| it.is_open() && !it.is_cancelled());
        drop(remembered);
        match finished.result {
            RunResult::Cancelled if is_stopped && stays => {
                self.note_inbox();
                left(Left::Interrupted)
            }
            RunResult::Value(_)
            | RunResult::Raised(_)
            | RunResult::Cancelled
            | RunResult::InvalidInput(_)
            | RunResult::Internal(_)
            | RunResult::Left(_) => finished,
        }
    }

    /// Gives a run what was written down, and begins again what has no outcome. Says whether it goes on.
    pub(super) fn bring_back(self: &Arc<Self>, mut run: Box<Run>, resumption: Resumption) -> bool {
        let Resumption {
            entry,
            past,
            carried,
            build,
            replaying,
            children: start_children,
        } = resumption;
        self.outside().is_told_to_end = past
            .iter()
            .any(|it| matches!(it, Past::Cancel { .. } | Past::Interrupt(_)));
        let brought = catch_unwind(AssertUnwindSafe(|| {
            entry.begin(&mut run);
            resume::bring_back(&mut run, past)
        }));
        self.outside().is_brought_back = false;
        replaying.store(false, Ordering::Release);
        if self.outside().leaving == Leaving::Now {
            self.end(run, left(Left::Interrupted));
            return false;
        }
        if let (Ok(Ok(_)), Some(build), Some(it)) = (&brought, build, &mut *self.remembered()) {
            it.note_build(build);
        }
        let finished = match brought {
            Ok(Ok(Brought::Waits {
                mut pending,
                children,
                until,
            })) => {
                let now = self.driver.clock.now();
                let gone = match carried {
                    CarriedUntil::ItsLastRecord => now.saturating_sub(until),
                    CarriedUntil::Now => 0,
                };
                self.pass_gap(&mut run, &mut pending, (gone, now));
                self.allowance.set(run.memory_left());
                self.state().run = Some(run);
                start_children(children);
                self.take_up(pending);
                if let Some(it) = &*self.remembered() {
                    it.settle_others();
                }
                self.watch();
                // What is to end is not left because it waits.
                if !self.heed_wish() {
                    self.rest();
                }
                return true;
            }
            Ok(Ok(Brought::Ended(finished))) => finished,
            Ok(Err(why)) => left(Left::Diverged { why }),
            Err(payload) => {
                run.fail_internally(panic::message(payload.as_ref()));
                run.take_finished()
            }
        };
        self.end(run, finished);
        false
    }

    /// For so long nobody ran it, until now: what stood still meanwhile ends later, and the other sleeps when they are to.
    fn pass_gap(&self, run: &mut Run, pending: &mut [Pending], (gone, now): (i64, i64)) {
        let stood = stand_still(run, pending.iter_mut().collect(), gone);
        if let (true, Some(it)) = (stood, &mut *self.remembered()) {
            it.note_resumed(now);
        }
        pass_time(pending, now);
    }

    /// Goes on with what a run that was brought back waits for.
    fn take_up(self: &Arc<Self>, pending: Vec<Pending>) {
        let now = self.driver.clock.now();
        let (mut again, mut known): (_, Vec<(OperationId, Failure)>) = (Vec::new(), Vec::new());
        for it in pending {
            let Pending {
                operation,
                asked,
                state,
                since,
            } = it;
            let (id, what) = (operation.id, asked.what.clone());
            if let Some(remembered) = &mut *self.remembered() {
                remembered.ask(id, asked);
            }
            match state {
                PendingState::GivenUp => known.push((id, Failure::Stopped)),
                PendingState::Intended => {
                    let what = format!("{what}, asked for at {}", rfc3339(since));
                    known.push((id, Failure::Unknown { what }));
                }
                PendingState::MayBegin => again.push(operation),
            }
        }
        // Sleeps that have ended meanwhile are told in that order.
        again.sort_by_key(|it| {
            if let Request::Sleep { nanoseconds } = it.request {
                nanoseconds.min(0)
            } else {
                0
            }
        });
        for (id, failure) in known {
            let outcome = Outcome::Failed(failure);
            self.post(Message::Completed { id, outcome, now });
        }
        self.outside().held = again;
        self.begin_held();
        self.ask();
    }

    /// Begins what a run that was brought back waits for. One that is to end hears of that first: most of it is given up then,
    /// and only what a `defer` or an undo waits for begins.
    pub(super) fn begin_held(self: &Arc<Self>) {
        if self.front.is_asked_to_cancel() {
            return;
        }
        let held = std::mem::take(&mut self.outside().held);
        if !held.is_empty() {
            self.perform(held, &[]);
        }
    }

    /// Gives up what has not begun again yet. Says whether it was that.
    pub(super) fn give_up_held(self: &Arc<Self>, id: OperationId, how: GivenUp) -> bool {
        let mut outside = self.outside();
        let Some(place) = outside.held.iter().position(|it| it.id == id) else {
            return false;
        };
        outside.held.remove(place);
        drop(outside);
        match how {
            GivenUp::Dropped => {}
            GivenUp::AwaitedFirst => self.post(Message::Completed {
                id,
                outcome: Outcome::Failed(Failure::Stopped),
                now: self.driver.clock.now(),
            }),
        }
        true
    }
}

/// The end of the carrying of a run that has not ended.
pub(super) fn left(why: Left) -> Box<Finished> {
    Finished::without_run(RunResult::Left(why))
}
