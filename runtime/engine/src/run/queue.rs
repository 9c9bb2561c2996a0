//! Waiting for room in a queue and for its items, first come first served.
//!
//! **Invariants.**
//! - A task that waits to pop has found the queue empty, and one that waits to push has found it full: whatever changes that
//!   serves them first, in the order in which they came.
//! - An item is always in one place: in the queue, with a task that waits to push it, or with one that has been woken with it.
//!   That one gives it back when it unwinds before it resumes, so that cancelling a waiting task loses nothing.

use std::collections::BTreeMap;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::QueuePurpose;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;

use crate::run::{Run, raise};
use crate::step::Step;
use crate::task::TaskId;
use crate::value::{error, optional, queue};
use crate::wait::Wait;

/// When a task began to wait at a queue: those that came earlier have smaller ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrival(u64);

/// Which tasks wait at which queue.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    issued: u64,
    /// By the address of the queue, which lives while a task waits at it.
    lines: FxHashMap<u64, Line>,
}

#[derive(Debug, Default)]
struct Line {
    pushing: BTreeMap<Arrival, TaskId>,
    popping: BTreeMap<Arrival, TaskId>,
}

/// At which end of a queue a task waits.
#[derive(Clone, Copy, Debug)]
enum End {
    Push,
    Pop,
}

impl Line {
    fn at(&mut self, end: End) -> &mut BTreeMap<Arrival, TaskId> {
        match end {
            End::Push => &mut self.pushing,
            End::Pop => &mut self.popping,
        }
    }
}

impl Lines {
    fn join(&mut self, queue: u64, end: End, task: TaskId) -> Arrival {
        self.issued += 1;
        let arrival = Arrival(self.issued);
        let line = self.lines.entry(queue).or_default();
        line.at(end).insert(arrival, task);
        arrival
    }

    /// Takes out the task that has waited longest.
    fn next(&mut self, queue: u64, end: End) -> Option<TaskId> {
        let (_, task) = self.lines.get_mut(&queue)?.at(end).pop_first()?;
        self.forget_if_empty(queue);
        Some(task)
    }

    fn leave(&mut self, queue: u64, end: End, arrival: Arrival) {
        if let Some(line) = self.lines.get_mut(&queue) {
            line.at(end).remove(&arrival);
            self.forget_if_empty(queue);
        }
    }

    fn forget_if_empty(&mut self, queue: u64) {
        let is_empty = |it: &Line| it.pushing.is_empty() && it.popping.is_empty();
        if self.lines.get(&queue).is_some_and(is_empty) {
            self.lines.remove(&queue);
        }
    }
}

/// An empty queue of this type.
pub(crate) fn make(
    run: &mut Run,
    ty: TypeId,
    limit: i64,
    purpose: QueuePurpose,
) -> Result<u64, u64> {
    match u64::try_from(limit) {
        Ok(limit) if limit > 0 => Ok(queue::new(&mut run.heap, ty, limit, purpose)),
        Ok(_) | Err(_) => {
            let message = match purpose {
                QueuePurpose::Items => {
                    format!("the `limit` of a queue must be at least 1, not {limit}")
                }
                QueuePurpose::Semaphore => {
                    format!("a semaphore must have at least 1 place, not {limit}")
                }
                QueuePurpose::Limiter => format!("a limiter must allow at least 1, not {limit}"),
            };
            Err(failed_assertion(run, &message))
        }
    }
}

/// `q.push(item)`; takes over both.
pub(crate) fn push(run: &mut Run, queue: u64, item: u64) -> Step {
    if queue::is_closed(queue) {
        let message = "an item is pushed to a closed queue";
        return refused(run, queue, item, |run| failed_assertion(run, message));
    }
    if let Some(task) = run.lines.next(queue, End::Pop) {
        hand_over(run, task, item);
    } else if queue::is_full(queue) {
        if let Some(interruption) = run.interruption() {
            return refused(run, queue, item, |_| interruption);
        }
        let current = run.scheduler.current();
        let arrival = run.lines.join(queue, End::Push, current);
        return run.scheduler.wait_for(Wait::Push {
            queue,
            item,
            arrival,
        });
    } else {
        queue::push(&mut run.heap, queue, item);
    }
    run.heap.release(queue);
    Step::Done(0)
}

fn refused(run: &mut Run, queue: u64, item: u64, error: impl FnOnce(&mut Run) -> u64) -> Step {
    let ty = queue::item_type(&run.heap, queue);
    run.heap.release_typed(ty, item);
    run.heap.release(queue);
    Step::Raised(error(run))
}

/// `q.pop()` as a value of the optional type `result`; takes over the queue.
pub(crate) fn pop(run: &mut Run, result: TypeId, queue: u64) -> Step {
    let popped = match queue::pop(queue) {
        Some(item) => {
            admit_next(run, queue);
            optional::some(&mut run.heap, result, item)
        }
        None if queue::is_closed(queue) => 0,
        None => {
            if let Some(interruption) = run.interruption() {
                run.heap.release(queue);
                return Step::Raised(interruption);
            }
            let current = run.scheduler.current();
            let arrival = run.lines.join(queue, End::Pop, current);
            return run.scheduler.wait_for(Wait::Pop {
                queue,
                result,
                arrival,
            });
        }
    };
    run.heap.release(queue);
    Step::Done(popped)
}

/// The first item of a full queue as a value of the optional type `result`; it stays there. Borrows the queue.
pub(crate) fn first_when_full(run: &mut Run, result: TypeId, queue: u64) -> u64 {
    let Some(item) = queue::first(queue).filter(|_| queue::is_full(queue)) else {
        return 0;
    };
    let ty = queue::item_type(&run.heap, queue);
    run.heap.retain_typed(ty, item);
    optional::some(&mut run.heap, result, item)
}

/// `q.close()`: a task that waits for an item gets none; one that waits to push came in time. Borrows the queue.
pub(crate) fn close(run: &mut Run, queue: u64) {
    queue::close(queue);
    while let Some(task) = run.lines.next(queue, End::Pop) {
        run.scheduler.take_wait(task);
        run.scheduler.wake(task, Ok(0));
        // A count for its wait; the caller has one of its own.
        run.heap.release(queue);
    }
}

/// An item was removed: the first waiting push moves up.
fn admit_next(run: &mut Run, queue: u64) {
    while !queue::is_full(queue)
        && let Some(task) = run.lines.next(queue, End::Push)
    {
        if let Wait::Push { item, .. } = run.scheduler.take_wait(task) {
            queue::push(&mut run.heap, queue, item);
            run.heap.release(queue);
        }
        run.scheduler.wake(task, Ok(0));
    }
}

/// A task that waits to pop is woken with an item, which it is given when it resumes.
fn hand_over(run: &mut Run, task: TaskId, item: u64) {
    if let Wait::Pop { queue, result, .. } = run.scheduler.take_wait(task) {
        run.scheduler.wake(task, Ok(0));
        run.scheduler.set_wait(
            task,
            Wait::Received {
                queue,
                item,
                result,
            },
        );
    }
}

impl Run {
    /// A task resumes: if it was woken with an item, that is the value of its `pop` now.
    pub(super) fn take_received(&mut self, id: TaskId) {
        if let Wait::Received {
            queue,
            item,
            result,
        } = *self.scheduler.wait(id)
        {
            self.scheduler.set_wait(id, Wait::Nothing);
            let value = optional::some(&mut self.heap, result, item);
            self.scheduler.give_ready(id, Ok(value));
            self.heap.release(queue);
        }
    }
}

/// A task that was woken with an item and has not resumed must unwind instead: the item is given to the next in line, or is
/// first in the queue again.
pub(super) fn give_back_received(run: &mut Run, id: TaskId) {
    let task = run.scheduler.task_mut(id);
    if task.shield > 0 || !matches!(task.wait, Wait::Received { .. }) {
        return;
    }
    let Some(scope) = task.pending.take() else {
        return;
    };
    if let Wait::Received { queue, item, .. } = run.scheduler.take_wait(id) {
        let error = raise::unwind_error(&mut run.heap, scope);
        run.scheduler.give_ready(id, Err(error));
        match run.lines.next(queue, End::Pop) {
            Some(next) => hand_over(run, next, item),
            None => queue::put_back(&mut run.heap, queue, item),
        }
        run.heap.release(queue);
    }
}

/// A task waits at a queue no more; `wait`, which was taken from it, is given up.
pub(super) fn leave_line(run: &mut Run, wait: &Wait) {
    match *wait {
        Wait::Push {
            queue,
            item,
            arrival,
        } => {
            run.lines.leave(queue, End::Push, arrival);
            let ty = queue::item_type(&run.heap, queue);
            run.heap.release_typed(ty, item);
            run.heap.release(queue);
        }
        Wait::Pop { queue, arrival, .. } => {
            run.lines.leave(queue, End::Pop, arrival);
            run.heap.release(queue);
        }
        Wait::Received { queue, item, .. } => {
            let ty = queue::item_type(&run.heap, queue);
            run.heap.release_typed(ty, item);
            run.heap.release(queue);
        }
        Wait::Nothing
        | Wait::Operation { .. }
        | Wait::Stopping { .. }
        | Wait::Await(_)
        | Wait::AwaitAll { .. }
        | Wait::Race { .. }
        | Wait::Join
        | Wait::Abort
        | Wait::Parallel(_)
        | Wait::Undo
        | Wait::Reflect(_)
        | Wait::Plan { .. }
        | Wait::Keyed { .. }
        | Wait::Prompt(_)
        | Wait::Part { .. }
        | Wait::Session { .. }
        | Wait::Ending => {}
    }
}

fn failed_assertion(run: &mut Run, message: &str) -> u64 {
    error::with_text(&mut run.heap, BuiltinError::AssertionFailed, message)
}
