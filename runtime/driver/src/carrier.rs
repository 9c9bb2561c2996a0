//! Carries one run: turns on the engine's threads, one message each, in the order in which they came.
//!
//! What ends a run is not in that order. A cancellation is taken before anything else that waits, and code that is
//! too busy to hear of it is interrupted after a moment; what is to end at once ends at once, also between two turns.
//! Every operation begins inside of one guard: whatever panics, its outcome reaches the run.
//!
//! What a run that outlives its process needs besides is in [`lasting`].

pub(crate) mod arriving;
mod asking;
pub(crate) mod awaiting;
mod begun;
pub(crate) mod lasting;
pub(crate) mod message;
mod unbegun;
mod waking;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gsw_abi::layout::stop;
use gsw_engine::front::{Cancellation, Front};
use gsw_engine::human::Reply;
use gsw_engine::operation::{
    DetachedStart, Failure, GivenUp, Operation, OperationId, Outcome, Request,
};
use gsw_engine::panic;
use gsw_engine::run::{Abandoned, Finished, Left, Run, Turn};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value};

use crate::alarms::{Alarm, Alarms};
use crate::allowance::Allowance;
use crate::carrier::arriving::{Arriving, comes_in_pieces};
use crate::carrier::begun::Begun;
use crate::carrier::lasting::{Leaving, Unnoted};
use crate::carrier::message::{Look, Message};
use crate::carrier::unbegun::Unbegun;
use crate::driver::Driver;
use crate::durable::care::Care;
use crate::durable::remembered::Remembered;
use crate::overrun;
use crate::perform::{FromOutside, Handle, Outlet};
use crate::scripted::Entry;
use crate::work::Completion;

/// Code that waits for nothing is interrupted when it has not heard of a cancellation for so long, in nanoseconds.
const PATIENCE: u64 = 100_000_000;
/// A cancelled run that has not ended after so long is ended, whatever it is doing, in nanoseconds: a little more than its
/// `defer`s have.
const LAST_RESORT: u64 = 11_000_000_000;
/// So many messages are served before other runs have the thread.
const SERVED_AT_ONCE: usize = 256;

/// A carrier of this process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct CarrierId(u64);

/// Hears of the end of a run, on a thread of the engine.
pub type OnEnd = Box<dyn FnOnce(Box<Finished>) + Send>;

#[derive(Debug)]
pub(crate) struct Carrier {
    id: CarrierId,
    run: Arc<str>,
    driver: Arc<Driver>,
    front: Arc<Front>,
    allowance: Allowance,
    state: Mutex<State>,
    outside: Mutex<Outside>,
    /// What is written down of the run; none of one that nobody wants to go on with.
    remembered: Mutex<Option<Remembered>>,
    /// Held by who brings answers of the store.
    answering: Mutex<()>,
}

struct State {
    /// Away while a turn has it, and when it has ended.
    run: Option<Box<Run>>,
    inbox: VecDeque<Message>,
    /// Whether the run knows what to run, which comes before everything else.
    has_begun: bool,
    is_scheduled: bool,
    /// Gone once the run has ended.
    on_end: Option<OnEnd>,
}

/// What the run has outside of itself.
#[derive(Debug, Default)]
struct Outside {
    alarms: Alarms,
    begun: FxHashMap<OperationId, Begun>,
    /// What a run that was brought back waits for, until it has heard that it is to end.
    held: Vec<Operation>,
    /// The answers that the run uses while they arrive.
    arriving: FxHashMap<OperationId, Arc<Arriving>>,
    leaving: Leaving,
    /// Why it is to be left, if not because the process is to end.
    why: Option<Left>,
    /// The run is given what was written down, and nothing may come between.
    is_brought_back: bool,
    /// What others leave in the store is brought to it.
    is_watched: bool,
    /// It is not counted among the runs that do more than wait.
    is_resting: bool,
    /// Since when it waits for nothing but somebody, or much time, by the steady clock.
    resting_since: Option<u64>,
    /// Somebody has left in the store that it is to end.
    is_told_to_end: bool,
    unbegun: Unbegun,
    /// What was put back once, since answers that came in time go before it: it may be the end of that time.
    put_back: FxHashSet<OperationId>,
    /// When the sleeps end that the run has not heard of, in nanoseconds since 1970.
    ends: FxHashMap<OperationId, i64>,
    /// The answers of the store that are on their way to the run, each with its time.
    taken: VecDeque<(OperationId, i64)>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("run", &self.run)
            .field("inbox", &self.inbox)
            .field("is_scheduled", &self.is_scheduled)
            .finish_non_exhaustive()
    }
}

impl Carrier {
    pub(crate) fn new(
        run: Box<Run>,
        driver: Arc<Driver>,
        remembered: Option<Remembered>,
        on_end: OnEnd,
    ) -> Arc<Self> {
        static CARRIERS: AtomicU64 = AtomicU64::new(0);
        driver.active.fetch_add(1, Ordering::AcqRel);
        Arc::new(Self {
            id: CarrierId(CARRIERS.fetch_add(1, Ordering::Relaxed)),
            run: Arc::clone(run.id()),
            driver,
            front: Arc::clone(run.front()),
            allowance: Allowance::default(),
            state: Mutex::new(State {
                run: Some(run),
                inbox: VecDeque::new(),
                has_begun: false,
                is_scheduled: false,
                on_end: Some(on_end),
            }),
            outside: Mutex::default(),
            remembered: Mutex::new(remembered),
            answering: Mutex::default(),
        })
    }

    pub(crate) fn id(&self) -> CarrierId {
        self.id
    }

    /// The id of the run.
    pub(crate) fn run(&self) -> &Arc<str> {
        &self.run
    }

    pub(crate) fn begin(self: &Arc<Self>, workflow: usize, input: Map<String, Value>) {
        self.post(Message::Begin { workflow, input });
    }

    pub(crate) fn begin_detached(self: &Arc<Self>, start: DetachedStart) {
        self.post(Message::BeginDetached(Box::new(start)));
    }

    /// Begins with what a test enters.
    pub(crate) fn enter(self: &Arc<Self>, entry: Entry) {
        self.post(Message::Enter(Box::new(entry)));
    }

    /// An operation has an outcome. Only the first counts.
    pub(crate) fn complete(self: &Arc<Self>, id: OperationId, outcome: Outcome) {
        if let Outcome::Failed(Failure::Unreachable { .. }) = &outcome
            && self.keep_question(id)
        {
            return;
        }
        // The entry is the right to answer: performer, person and abandonment race for it, and whoever removes it wins.
        let mut outside = self.outside();
        outside.arriving.remove(&id);
        if outside.begun.remove(&id).is_none() {
            return;
        }
        drop(outside);
        let now = self.driver.clock.now();
        self.post(Message::Completed { id, outcome, now });
    }

    /// Somebody answers a question of the run; says whether that was still open. Whoever was asked besides is not any more.
    pub(crate) fn answer(self: &Arc<Self>, id: OperationId, reply: Reply) -> bool {
        let begun = {
            let mut outside = self.outside();
            let asked = outside.begun.get(&id).and_then(|it| it.question.as_ref());
            match asked {
                Some(digest) if *digest == reply.digest => outside.begun.remove(&id),
                Some(_) | None => None,
            }
        };
        let Some(begun) = begun else { return false };
        begun.handle.end();
        let now = self.driver.clock.now();
        let outcome = Outcome::Human(Box::new(reply));
        self.post(Message::Completed { id, outcome, now });
        true
    }

    /// The run is to end, with its `defer`s.
    pub(crate) fn cancel(self: &Arc<Self>, reason: &str) {
        // Asked first and alarmed after, so an alarm that fires at once finds something to interrupt.
        self.front.ask_to_cancel(Cancellation {
            reason: reason.to_owned(),
            now: self.driver.clock.now(),
        });
        let now = self.driver.clock.steady();
        let mut outside = self.outside();
        outside.alarms.add(now + PATIENCE, Alarm::Interrupt);
        // By the steady clock and outside of the run: a run that never ends its turn cannot hold it up.
        outside.alarms.add(now + LAST_RESORT, Alarm::Kill);
        let is_brought_back = outside.is_brought_back;
        drop(outside);
        if self.set_timer().is_err() && !is_brought_back {
            // Nobody will come back to it.
            self.front.interrupt(stop::CANCEL);
        }
        self.post(Message::Turn);
    }

    /// The run is to end at once, whatever it does or waits for.
    pub(crate) fn stop(self: &Arc<Self>) {
        self.outside().leaving = Leaving::Now;
        self.kill();
    }

    fn kill(self: &Arc<Self>) {
        {
            let mut outside = self.outside();
            if outside.leaving == Leaving::Soon {
                outside.leaving = Leaving::Now;
            }
        }
        self.front.interrupt(stop::KILL);
        self.post(Message::Turn);
    }

    /// The process is about to leave: what the run has begun is ended, and nothing of it is waited for.
    pub(crate) fn abandon(&self) {
        let begun = std::mem::take(&mut self.outside().begun);
        for begun in begun.into_values() {
            begun.handle.end();
        }
    }

    /// Shows the run to `look` between two turns, and gives what that gives; `None` when the run has ended.
    pub(crate) fn look<T: Send + 'static>(
        self: &Arc<Self>,
        look: impl FnOnce(&Run) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, seen) = std::sync::mpsc::channel();
        self.post(Message::Look(Look(Box::new(move |run| {
            // Who asked waits for it.
            let _ = sender.send(look(run));
        }))));
        seen.recv().ok()
    }

    /// The same without waiting: `look` is called between two turns, and not at all when the run has ended.
    pub(crate) fn look_then(self: &Arc<Self>, look: impl FnOnce(&Run) + Send + 'static) {
        self.post(Message::Look(Look(Box::new(look))));
    }

    fn post(self: &Arc<Self>, message: Message) {
        let mut state = self.state();
        if state.on_end.is_none() {
            return;
        }
        state.inbox.push_back(message);
        // At most one thread serves a carrier, which is what makes a run single-threaded.
        if std::mem::replace(&mut state.is_scheduled, true) {
            return;
        }
        drop(state);
        self.schedule();
    }

    fn schedule(self: &Arc<Self>) {
        let carrier = Arc::clone(self);
        if let Err(error) = self.driver.threads.run(move || carrier.serve()) {
            self.end_uncarried(format!("no thread can be started for it: {error}"));
        }
    }

    fn end_uncarried(self: &Arc<Self>, why: String) {
        let run = self.state().run.take();
        if let Some(run) = run {
            self.end(run, lasting::left(Left::Uncarried { why }));
        }
    }

    /// Takes the messages, a turn for each, until there is none or others wait for the thread.
    fn serve(self: &Arc<Self>) {
        for _ in 0..SERVED_AT_ONCE {
            let mut state = self.state();
            // A cancellation overtakes what waits in the inbox; before the beginning there would be nothing to cancel.
            let is_leaving = self.is_leaving();
            let message = if state.has_begun && !is_leaving && self.front.is_asked_to_cancel() {
                Message::Turn
            } else if let Some(message) = state.inbox.pop_front() {
                message
            } else {
                state.is_scheduled = false;
                drop(state);
                return self.is_idle();
            };
            state.has_begun |= message.begins();
            // Taken out while the turn runs, so messages are posted without waiting for it.
            let Some(run) = state.run.take() else { return };
            drop(state);
            let served = catch_unwind(AssertUnwindSafe(|| match (is_leaving, message) {
                (true, message) => self.leave_with(run, message),
                (false, Message::Resume(resumption)) => self.bring_back(run, *resumption),
                (false, Message::Unwritten(why)) => self.end_unwritten(run, why),
                (false, message) => self.turn(run, message),
            }));
            match served {
                Ok(true) => {}
                Ok(false) => return,
                // A bug of ours, which has taken the run along.
                Err(_) => return self.lose(),
            }
        }
        self.schedule();
    }

    /// One turn. Says whether the run goes on.
    fn turn(self: &Arc<Self>, mut run: Box<Run>, message: Message) -> bool {
        if let Message::Look(Look(look)) = message {
            // A panic in there concerns only who asked, who gets no answer.
            let _ = catch_unwind(AssertUnwindSafe(|| look(&run)));
            self.state().run = Some(run);
            return true;
        }
        let mut message = message;
        if let Err(why) = self.note(&mut message) {
            return match why {
                Unnoted::Unwanted => {
                    self.state().run = Some(run);
                    true
                }
                Unnoted::PutBack => {
                    self.state().run = Some(run);
                    true
                }
                Unnoted::Unwritten(why) => self.end_unwritten(run, why),
            };
        }
        let mut message = Some(message);
        loop {
            match self.advance(&mut run, message.take()) {
                Ok(Turn::Busy {
                    operations,
                    abandoned,
                }) => {
                    if let Err(why) = self.remember(&operations, &abandoned) {
                        return self.end_unwritten(run, why);
                    }
                    self.perform(operations, &abandoned);
                }
                Ok(Turn::Blocked {
                    operations,
                    abandoned,
                }) => {
                    if let Err(why) = self.remember(&operations, &abandoned) {
                        return self.end_unwritten(run, why);
                    }
                    // Put back before operations begin: some of them complete at once and schedule the next turn.
                    self.state().run = Some(run);
                    self.perform(operations, &abandoned);
                    self.begin_held();
                    self.ask();
                    self.rest();
                    return true;
                }
                Ok(Turn::Done(finished)) => {
                    let finished = self.or_left(finished);
                    self.end(run, finished);
                    return false;
                }
                Err(payload) => {
                    run.fail_internally(panic::message(payload.as_ref()));
                    let finished = run.take_finished();
                    self.end(run, finished);
                    return false;
                }
            }
        }
    }

    /// Brings a message to the run and lets it go on.
    fn advance(
        self: &Arc<Self>,
        run: &mut Run,
        message: Option<Message>,
    ) -> std::thread::Result<Turn> {
        let watched = overrun::watch(&self.front);
        let turn = catch_unwind(AssertUnwindSafe(|| {
            match message {
                Some(Message::Turn) => {
                    if let Some(Cancellation { reason, now }) = self.front.take_cancellation() {
                        self.note_cancel(&reason, now);
                        run.cancel(&reason, now);
                    }
                }
                Some(message) => message.bring_to(run),
                None => {}
            }
            run.turn()
        }));
        drop(watched);
        self.allowance.set(run.memory_left());
        if let Some(interruption) = run.take_interruption() {
            self.note_interruption(&interruption);
        }
        turn
    }

    fn perform(self: &Arc<Self>, operations: Vec<Operation>, abandoned: &[Abandoned]) {
        for Abandoned { id, how } in abandoned {
            self.give_up(*id, *how);
        }
        if self.is_leaving() {
            // What is begun now would be given up at once.
            return;
        }
        let is_remembered = self.is_remembered();
        // One time for all, so that sleeps of one turn end by their lengths however long it takes to start them.
        let (asked, now) = (self.driver.clock.moment(), self.driver.clock.now());
        let mut outside = self.outside();
        let (mut over, mut others) = (Vec::new(), Vec::new());
        for operation in operations {
            if let Request::Sleep { nanoseconds } = operation.request
                && nanoseconds != 0
            {
                let end = now.saturating_add(nanoseconds);
                outside.ends.insert(operation.id, end);
                match u64::try_from(nanoseconds) {
                    Ok(left) => outside.alarms.add_sleep(operation.id, left, asked),
                    // One that has ended while nobody carried the run has less than nothing left.
                    Err(_) => over.push(operation.id),
                }
                continue;
            }
            let care = match is_remembered {
                true => Care::of(&operation),
                false => Care::None,
            };
            let begun = Begun::of(&operation, care);
            // Before it begins: an outcome that comes while it is begun must find the entry.
            outside.begun.insert(operation.id, begun);
            if comes_in_pieces(&operation) {
                // Before it begins as well: what waits for its first piece may begin earlier.
                outside.arriving.insert(operation.id, Arc::default());
            }
            others.push((operation, care));
        }
        drop(outside);
        over.into_iter().for_each(|it| self.end_sleep(it));
        if let Err(error) = self.set_timer() {
            self.cannot_sleep(&error);
        }
        let (mut acting, mut questions) = (Vec::new(), Vec::new());
        for (operation, care) in others {
            match care {
                Care::None => self.begin_operation(operation),
                Care::Written => acting.push(operation),
                Care::Intent if operation.request.question().is_some() => questions.push(operation),
                Care::Intent => self.begin_when_intended(operation),
            }
        }
        self.begin_when_written(acting);
        self.outside().unbegun.unasked.extend(questions);
    }

    /// Begins what is not a sleep; a panic completes it.
    pub(super) fn begin_operation(self: &Arc<Self>, operation: Operation) {
        let id = operation.id;
        match self.outside().begun.get_mut(&id) {
            Some(begun) => begun.is_begun = true,
            // It was given up while its intent was written.
            None => return,
        }
        let performers = &self.driver.performers;
        let is_external = matches!(operation.request, Request::External { .. });
        if is_external && self.is_open() {
            // The store brings its answer.
            if performers.outside() == FromOutside::NeverComes {
                self.keep_question(id);
            }
            return;
        }
        let call = self.call_of(&operation);
        let carrier = Arc::clone(self);
        let outlet = Outlet {
            completion: Completion::new(move |outcome| carrier.complete(id, outcome)),
            allowance: self.allowance.clone(),
        };
        let begun = catch_unwind(AssertUnwindSafe(|| {
            if let Request::Piece { of, taken } = operation.request {
                return self.wait_for_piece(of, taken, outlet.completion);
            }
            performers.perform(operation.request, call, outlet)
        }));
        // After a panic the completion was dropped, which has brought a failure.
        if let Ok(handle) = begun {
            self.keep_handle(id, handle);
        }
    }

    fn give_up(self: &Arc<Self>, id: OperationId, how: GivenUp) {
        if self.give_up_held(id, how) {
            return;
        }
        let mut outside = self.outside();
        outside.alarms.remove(Alarm::Sleep(id));
        outside.ends.remove(&id);
        outside.arriving.remove(&id);
        let waits = outside.begun.get(&id).is_some_and(|it| !it.is_begun);
        let handle = match how {
            // Its intent is being written, and it will never begin.
            GivenUp::AwaitedFirst if waits => {
                drop(outside);
                self.complete(id, Outcome::Failed(Failure::Stopped));
                return;
            }
            GivenUp::Dropped => outside.begun.remove(&id).map(|it| it.handle),
            // Its outcome is still to come.
            GivenUp::AwaitedFirst => outside.begun.get_mut(&id).map(|it| {
                it.is_given_up = true;
                it.handle.clone()
            }),
        };
        drop(outside);
        if let Some(handle) = handle {
            self.end_given_up(id, handle, how);
        }
    }

    fn end(&self, run: Box<Run>, finished: Box<Finished>) {
        self.state().inbox.clear();
        drop(run);
        let remembered = self.remembered().take();
        self.close(|tell| match remembered {
            Some(remembered) => remembered.end(finished, tell),
            None => tell(finished),
        });
    }

    /// Ends what the run has begun, and lets `report` tell its owner. Does nothing a second time.
    fn close(&self, report: impl FnOnce(Box<dyn FnOnce(Box<Finished>) + Send>)) {
        let on_end = self.state().on_end.take();
        self.rests_from_now();
        // The order: nothing wakes the carrier any more, then what it began is ended, and only then does its owner hear of the end.
        self.driver.timer.forget(self.id);
        let outside = std::mem::take(&mut *self.outside());
        let handles = outside.begun.into_values().map(|it| it.handle);
        Handle::end_all(handles.collect());
        let Some(on_end) = on_end else { return };
        // A panic in there is its owner's; the thread goes on with other runs.
        let tell = |finished| drop(catch_unwind(AssertUnwindSafe(|| on_end(finished))));
        report(Box::new(tell));
    }

    fn remembered(&self) -> MutexGuard<'_, Option<Remembered>> {
        // What a panic leaves undone is a record less, after which the run is not carried on.
        self.remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Turns run without the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outside(&self) -> MutexGuard<'_, Outside> {
        // Nothing that can panic runs while the lock is held.
        self.outside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
