//! What carries a run that outlives its process: noting what is brought to it, beginning what must not happen twice, leaving it
//! where it can be gone on with, and bringing it back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gsw_engine::operation::{Failure, GivenUp, Operation, OperationId, Outcome, Request};
use gsw_engine::panic;
use gsw_engine::run::{Abandoned, Finished, Left, Run, RunResult};
use gsw_journal::writer;
use gsw_notation::calendar::rfc3339;
use gsw_tree::event::State;
use gsw_tree::node::Tree;

use crate::alarms::Alarm;
use crate::carrier::{Carrier, LAST_RESORT, Message};
use crate::durable::care::Care;
use crate::durable::remembered::Noting;
use crate::durable::resume::{self, Brought, Past, Pending, PendingState};
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
}

/// What a run is brought back with.
pub(crate) struct Resumption {
    pub(crate) entry: Entry,
    pub(crate) past: Vec<Past>,
    /// The digest of this build, if another one has written.
    pub(crate) build: Option<[u8; 32]>,
    /// Up while what the run says has been said before.
    pub(crate) curtain: Arc<AtomicBool>,
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

impl Carrier {
    /// Brings a run back and goes on with it.
    pub(crate) fn resume(self: &Arc<Self>, resumption: Resumption) {
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
            let at = self.driver.clock.steady() + LAST_RESORT;
            outside.alarms.add(at, Alarm::Kill);
        }
        drop(outside);
        if self.set_timer().is_err() {
            self.outside().leaving = Leaving::Now;
        }
        self.post(Message::Turn);
        true
    }

    pub(super) fn is_leaving(&self) -> bool {
        let leaving = self.outside().leaving;
        leaving != Leaving::No && self.is_open()
    }

    pub(super) fn is_remembered(&self) -> bool {
        self.remembered().is_some()
    }

    /// Whether somebody can go on with the run when this process has left it.
    fn is_open(&self) -> bool {
        self.remembered().as_ref().is_some_and(|it| it.is_open())
    }

    /// Notes what is about to be brought to the run.
    pub(super) fn note(&self, message: &Message) -> Result<(), Unnoted> {
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

    /// Notes what the run asks for and gives up, before any of it begins.
    pub(super) fn remember(
        &self,
        operations: &[Operation],
        abandoned: &[Abandoned],
    ) -> Result<(), String> {
        match &mut *self.remembered() {
            None => Ok(()),
            Some(remembered) => remembered.remember(operations, abandoned),
        }
    }

    /// Begins an operation when it is on the disk that it begins.
    pub(super) fn begin_when_written(self: &Arc<Self>, operation: Operation) {
        let id = operation.id;
        let carrier = Arc::clone(self);
        let then: writer::Then = Box::new(move |written| carrier.begin_written(operation, written));
        match &mut *self.remembered() {
            Some(remembered) => remembered.intend(id, then),
            None => then(Ok(())),
        }
    }

    fn begin_written(self: Arc<Self>, operation: Operation, written: Result<(), writer::Failure>) {
        if let Err(failure) = written {
            self.post(Message::Unwritten(failure.to_string()));
            return;
        }
        let id = operation.id;
        let carrier = Arc::clone(&self);
        // Not here: the thread that writes must not wait for whoever performs.
        let begin = move || carrier.begin_operation(operation);
        if let Err(error) = self.driver.threads.run(begin) {
            let failure = Failure::Other {
                message: format!("no thread can be started to begin it: {error}"),
            };
            self.complete(id, Outcome::Failed(failure));
        }
    }

    /// The run is blocked: whoever lists runs learns whether it waits for somebody, and one that waits for long is written down.
    pub(super) fn rest(self: &Arc<Self>) {
        let mut remembered = self.remembered();
        let Some(it) = &mut *remembered else { return };
        let unanswered = {
            let begun = &self.outside().begun;
            begun.values().filter(|it| it.is_unanswered).count()
        };
        let nobody_answers = unanswered > 0 && unanswered == it.questions();
        let opened = match it.rests() {
            true if nobody_answers => {
                let opened = it.rest();
                self.park(it.parked());
                opened
            }
            true => it.rest(),
            false => {
                it.go_on();
                Ok(())
            }
        };
        drop(remembered);
        if let Err(why) = opened {
            self.post(Message::Unwritten(why));
        }
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
    pub(super) fn leave_with(self: &Arc<Self>, run: Box<Run>, message: &Message) -> bool {
        // The outcome of what must not happen twice is worth more than the time to wait for it.
        let _ = self.note(message);
        let mut outside = self.outside();
        let waits = match outside.leaving {
            Leaving::No | Leaving::Soon => outside
                .begun
                .values()
                .any(|it| it.is_begun && it.care == Care::Intent && it.question.is_none()),
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
    fn note_inbox(&self) {
        let inbox = std::mem::take(&mut self.state().inbox);
        for message in inbox {
            let _ = self.note(&message);
        }
    }

    /// A run that was stopped and not cancelled has not ended when it is written down.
    pub(super) fn or_left(&self, finished: Box<Finished>) -> Box<Finished> {
        let is_stopped = self.outside().leaving != Leaving::No;
        let remembered = self.remembered();
        let stays = remembered
            .as_ref()
            .is_some_and(|it| it.is_open() && !it.is_cancelled());
        match finished.result {
            RunResult::Cancelled if is_stopped && stays => left(Left::Interrupted),
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
            build,
            curtain,
            children: start_children,
        } = resumption;
        self.outside().is_brought_back = true;
        let brought = catch_unwind(AssertUnwindSafe(|| {
            entry.begin(&mut run);
            resume::bring_back(&mut run, past)
        }));
        self.outside().is_brought_back = false;
        curtain.store(false, Ordering::Release);
        if self.outside().leaving == Leaving::Now {
            self.end(run, left(Left::Interrupted));
            return false;
        }
        let finished = match brought {
            Ok(Ok(Brought::Waits { pending, children })) => {
                self.room.set(run.room());
                self.state().run = Some(run);
                if let (Some(build), Some(it)) = (build, &mut *self.remembered()) {
                    it.note_build(build);
                }
                start_children(children);
                self.take_up(pending);
                self.rest();
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

    /// Goes on with what a run that was brought back waits for.
    fn take_up(self: &Arc<Self>, pending: Vec<Pending>) {
        let now = self.driver.clock.now();
        // Nothing begins in a run that is to end.
        let is_ending = self.front.is_asked_to_cancel();
        let (mut again, mut known): (_, Vec<(OperationId, Failure)>) = (Vec::new(), Vec::new());
        for it in pending {
            let Pending {
                mut operation,
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
                PendingState::MayBegin if is_ending => match operation.request.given_up() {
                    GivenUp::AwaitedFirst => known.push((id, Failure::Stopped)),
                    GivenUp::Dropped => {}
                },
                PendingState::MayBegin => {
                    if let Request::Sleep { nanoseconds } = &mut operation.request {
                        // By the clock on the wall, and never longer than it was to be, however that was set meanwhile.
                        let left = since.saturating_add(*nanoseconds).saturating_sub(now);
                        *nanoseconds = left.clamp(0, (*nanoseconds).max(0));
                    }
                    again.push(operation);
                }
            }
        }
        for (id, failure) in known {
            let outcome = Outcome::Failed(failure);
            self.post(Message::Completed { id, outcome, now });
        }
        self.perform(again, &[]);
    }
}

/// The end of the carrying of a run that has not ended.
fn left(why: Left) -> Box<Finished> {
    Box::new(Finished {
        result: RunResult::Left(why),
        duration: 0,
        tree: Tree::default(),
        live_objects: 0,
        fault: None,
        snapshots: Vec::new(),
        state: State::default(),
    })
}
