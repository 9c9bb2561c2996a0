//! The front of a run: what compiled code polls, and what other threads may ask of a run while a turn has it.
//!
//! It is in an allocation of its own that the run, its heap and its carrier share. So stopping a run does not need the
//! run itself, and a flag can outlive the run that it belonged to.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gsw_abi::call::Table;
use gsw_abi::layout::{Context, stop};

use crate::load::Loaded;

/// A request from outside that a run end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cancellation {
    pub reason: String,
    /// When it was asked for, in nanoseconds since 1970.
    pub now: i64,
}

/// How an interruption of an earlier life comes again: when the code has come to where that was, and has computed for long enough.
#[derive(Debug, Default)]
struct Again {
    /// Where code has come to it, what is to be taken.
    due: Option<Cancellation>,
    /// It has computed for long enough.
    is_time: bool,
}

/// The front of one run.
#[derive(Debug)]
pub struct Front {
    context: Context,
    /// Whether a `defer` runs, or what one has started, which a cancellation does not interrupt.
    is_shielded: AtomicBool,
    /// Whether something is being taken back, which nothing but a stop ends.
    is_undoing: AtomicBool,
    /// Asked for and not yet taken.
    cancellation: Mutex<Option<Cancellation>>,
    /// The interruption of an earlier life.
    again: Mutex<Again>,
    /// Those of the programs that models of the run have written, which end with it.
    led: Mutex<Vec<Weak<Self>>>,
    /// Whether there may be such programs.
    may_lead: AtomicBool,
    /// Whether such a program has the thread.
    is_working: AtomicBool,
    /// Whether it was ended because it had the thread for too long.
    has_overrun: AtomicBool,
}

// SAFETY: the words that change are atomic; the pointers are into the loaded program, which outlives its runs and is never
// written, but for the address of the run, which only the thread that has the run follows.
unsafe impl Send for Front {}
// SAFETY: as above.
unsafe impl Sync for Front {}

impl Front {
    /// That of a run of `loaded`, whose code finds the runtime calls in `table`.
    pub(crate) fn new(loaded: &Loaded, table: &'static Table) -> Arc<Self> {
        Arc::new(Self {
            context: Context {
                table,
                stack_limit: AtomicU64::new(0),
                stop: AtomicU32::new(0),
                reserved: 0,
                functions: loaded.functions.as_ptr(),
                constants: loaded.constants(),
                run: AtomicPtr::new(std::ptr::null_mut()),
            },
            is_shielded: AtomicBool::new(false),
            is_undoing: AtomicBool::new(false),
            cancellation: Mutex::default(),
            again: Mutex::default(),
            led: Mutex::default(),
            may_lead: AtomicBool::new(false),
            is_working: AtomicBool::new(false),
            has_overrun: AtomicBool::new(false),
        })
    }

    /// What compiled code gets while the run at this address has the thread.
    pub(crate) fn enter(&self, run: *mut u8) -> *mut Context {
        self.context.run.store(run, Ordering::Relaxed);
        (&raw const self.context).cast_mut()
    }

    /// Sets bits of the flag.
    pub(crate) fn set(&self, bits: u32) {
        self.context.stop.fetch_or(bits, Ordering::SeqCst);
    }

    /// Takes bits of the flag back.
    pub(crate) fn clear(&self, bits: u32) {
        self.context.stop.fetch_and(!bits, Ordering::SeqCst);
    }

    /// Whether any of the bits is set.
    pub(crate) fn has(&self, bits: u32) -> bool {
        self.context.stop.load(Ordering::SeqCst) & bits != 0
    }

    /// Whether what computes is to look for what it must raise.
    pub(crate) fn is_stopping(&self) -> bool {
        self.has(stop::CANCEL | stop::KILL | stop::UNWIND | stop::MEMORY)
    }

    /// Says whether the task that has the thread is one that a cancellation does not interrupt.
    pub(crate) fn shield(&self, is_shielded: bool) {
        self.is_shielded.store(is_shielded, Ordering::Relaxed);
    }

    pub(crate) fn set_undoing(&self, is_undoing: bool) {
        self.is_undoing.store(is_undoing, Ordering::SeqCst);
    }

    /// Whether an `undo` is running: a cancelled run is not stopped meanwhile.
    #[must_use]
    pub fn is_undoing(&self) -> bool {
        self.is_undoing.load(Ordering::SeqCst)
    }

    /// Whether long work of the runtime is to end early.
    pub(crate) fn interrupts_work(&self) -> bool {
        self.has(stop::KILL)
            || (self.has(stop::CANCEL | stop::UNWIND) && !self.is_shielded.load(Ordering::Relaxed))
    }

    /// Calls below this address raise. While the run is to be interrupted every call does, whatever the limit.
    pub(crate) fn limit_stack(&self, limit: u64) {
        self.context.stack_limit.store(limit, Ordering::SeqCst);
        // A thread that sets one of these sets it before the limit, so one of both sees the other.
        if self.has(stop::CANCEL | stop::KILL | stop::UNWIND) {
            self.context.stack_limit.store(u64::MAX, Ordering::SeqCst);
        }
    }

    /// Interrupts code that polls, at its next loop or call.
    pub fn interrupt(&self, bits: u32) {
        self.set(bits);
        self.context.stack_limit.store(u64::MAX, Ordering::SeqCst);
        // What else is set is about the task that has the thread.
        let of_run = bits & (stop::CANCEL | stop::KILL);
        if of_run != 0 {
            self.each_led(|it| it.interrupt(of_run));
        }
    }

    /// Asks the run to end, with its `defer`s. The first request counts.
    pub fn ask_to_cancel(&self, cancellation: Cancellation) {
        self.each_led(|it| it.ask_to_cancel(cancellation.clone()));
        self.cancellation().get_or_insert(cancellation);
    }

    /// The code of the run has come to where an earlier life was interrupted.
    pub(crate) fn has_come_to(&self, cancellation: Cancellation) {
        let mut again = self.again();
        if again.is_time {
            drop(again);
            self.cancel_again(cancellation);
        } else {
            again.due = Some(cancellation);
        }
    }

    /// It has computed for long enough to be interrupted as an earlier life was.
    pub fn interrupt_again(&self) {
        let mut again = self.again();
        again.is_time = true;
        let due = again.due.take();
        drop(again);
        if let Some(cancellation) = due {
            self.cancel_again(cancellation);
        }
    }

    /// What was to be taken while the code computed, which it does no longer.
    #[must_use]
    pub fn take_due(&self) -> Option<Cancellation> {
        self.again().due.take()
    }

    /// As the earlier life was told, whatever this one has been told since.
    fn cancel_again(&self, cancellation: Cancellation) {
        *self.cancellation() = None;
        self.ask_to_cancel(cancellation);
        self.interrupt(stop::CANCEL);
    }

    fn again(&self) -> MutexGuard<'_, Again> {
        // Nothing that can panic runs while the lock is held.
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a stop of this run from outside stop the run of `inner` as well.
    pub(crate) fn lead(&self, inner: &Arc<Self>) {
        let mut led = self.led.lock().unwrap_or_else(PoisonError::into_inner);
        led.retain(|it| it.strong_count() > 0);
        led.push(Arc::downgrade(inner));
        drop(led);
        // What came before is not sent again.
        if self.has(stop::KILL) {
            inner.interrupt(stop::KILL);
        }
    }

    /// A program that a model has written may begin in the next turn.
    pub(crate) fn expect_to_lead(&self) {
        self.may_lead.store(true, Ordering::Relaxed);
    }

    /// Whether a turn may be one of a program that a model has written.
    #[must_use]
    pub fn may_lead(&self) -> bool {
        self.may_lead.load(Ordering::Relaxed)
    }

    /// Notes whether this is the front of a written program that is in its turn.
    pub(crate) fn set_working(&self, is_working: bool) {
        self.is_working.store(is_working, Ordering::SeqCst);
    }

    /// Ends the written program that has the thread, the innermost one: it has computed for too long.
    pub fn stop_working(&self) {
        self.each_led(|it| {
            if it.is_working.load(Ordering::SeqCst) && !it.leads_working() {
                it.has_overrun.store(true, Ordering::SeqCst);
                it.interrupt(stop::KILL);
            } else {
                it.stop_working();
            }
        });
    }

    fn leads_working(&self) -> bool {
        let mut led = self.led().into_iter();
        led.any(|it| it.is_working.load(Ordering::SeqCst))
    }

    pub(crate) fn has_overrun(&self) -> bool {
        self.has_overrun.load(Ordering::SeqCst)
    }

    fn each_led(&self, tell: impl Fn(&Self)) {
        self.led().iter().for_each(|it| tell(it));
    }

    fn led(&self) -> Vec<Arc<Self>> {
        let led = self.led.lock().unwrap_or_else(PoisonError::into_inner);
        led.iter().filter_map(Weak::upgrade).collect()
    }

    #[must_use]
    pub fn is_asked_to_cancel(&self) -> bool {
        self.cancellation().is_some()
    }

    /// The cancellation that waits, which no code need be interrupted for any more.
    pub fn take_cancellation(&self) -> Option<Cancellation> {
        let taken = self.cancellation().take();
        self.clear(stop::CANCEL);
        taken
    }

    fn cancellation(&self) -> MutexGuard<'_, Option<Cancellation>> {
        // Nothing that can panic runs while the lock is held.
        self.cancellation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
