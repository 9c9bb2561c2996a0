//! `retry` of steps, workflows and blocks: whether a failed body is tried again, and when.

use gsw_abi::builtin::{BuiltinError, DURATION};
use gsw_abi::call::NO_LIMIT;
use gsw_abi::types::ErrorClass;

use crate::event::EventKind;
use crate::heap::Heap;
use crate::operation::Request;
use crate::run::{Run, raise};
use crate::step::Step;
use crate::value::{error, optional};

/// The longest wait between attempts in nanoseconds when `max` is not written.
const LONGEST: i64 = 60_000_000_000;

/// A body that has failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed {
    pub error: u64,
    pub made: u64,
    /// Attempts that may follow the first.
    pub further: i64,
    /// The first delay, in nanoseconds.
    pub backoff: i64,
    /// The longest delay, in nanoseconds; [`NO_LIMIT`] where none is written.
    pub longest: i64,
}

/// Waits before another attempt, or raises the error again. Takes the error over.
pub(crate) fn retry(run: &mut Run, failed: Failed) -> Step {
    let Failed {
        error: raised,
        made,
        further,
        backoff,
        longest,
    } = failed;
    // Fewer than none are none.
    if made > further.max(0).unsigned_abs() || !may_try_again(run, raised) {
        return Step::Raised(raised);
    }
    if let Some(error) = run.interruption() {
        run.heap.release(raised);
        return Step::Raised(error);
    }
    let longest = match longest {
        // A first delay that is written is not cut by a bound that is not.
        NO_LIMIT => backoff.max(LONGEST),
        longest => longest.max(0),
    };
    let doublings = made.saturating_sub(1).min(62) as u32;
    let ceiling = backoff
        .max(0)
        .saturating_mul(1_i64 << doublings)
        .min(longest);
    // Full jitter: anything up to the ceiling.
    let jitter = (run.jitter.next() * ceiling as f64) as i64;
    let asked = retry_after(&run.heap, raised);
    // Never before the provider asked for; the jitter spreads those that got the same delay.
    let nanoseconds = asked.map_or(jitter, |asked| asked.max(jitter));
    let said = raise::said_by(&run.heap, raised);
    let name = error::name(&run.heap, raised);
    let analysis = match asked {
        Some(_) => "the provider said when to retry".to_owned(),
        None => format!("`{name}` may be temporary; attempt {made} of {further} more"),
    };
    let node = run.scheduler.current_node();
    run.reflection_log.refuse(node, error::kind(raised));
    let step = std::sync::Arc::clone(run.progress.tree().name(node));
    let attempt = u32::try_from(made).unwrap_or(u32::MAX);
    run.progress.emit(
        node,
        EventKind::StepRetry {
            step,
            attempt,
            error: said,
            analysis,
            delay: nanoseconds,
        },
    );
    run.heap.release(raised);
    run.perform(Request::Sleep { nanoseconds })
}

/// Whether the body of the current node, which raised this, may be tried again.
pub(crate) fn may_try_again(run: &Run, raised: u64) -> bool {
    let node = run.progress.tree().node(run.scheduler.current_node());
    !node.has_begun_once && may_be_repeated(&run.heap, raised)
}

/// Whether an error is one after which a body may be tried again.
pub(crate) fn may_be_repeated(heap: &Heap, raised: u64) -> bool {
    !matches!(
        error::class(heap, raised),
        // A fault is a bug in the program, which another attempt makes again.
        ErrorClass::Fault | ErrorClass::Unwind
    ) && !matches!(
        error::kind(raised),
        // Waiting does not change these within a run.
        Some(BuiltinError::Unauthorized | BuiltinError::QuotaExceeded)
    )
}

/// How long the provider asks to wait, in nanoseconds.
fn retry_after(heap: &Heap, raised: u64) -> Option<i64> {
    if error::kind(raised) != Some(BuiltinError::RateLimited) {
        return None;
    }
    match error::field(raised, 0) {
        0 => None,
        wait => Some(optional::inside(heap, DURATION, wait) as i64),
    }
}
