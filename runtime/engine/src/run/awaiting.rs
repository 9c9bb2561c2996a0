//! `await`, `await` of several, and `race`.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::TypeId;

use crate::run::{Run, deadlock, handles, parallel, prompt, raise, reflect};
use crate::step::Step;
use crate::task::{Ending, State, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// Something that a task may wait for has happened.
pub(crate) fn look_again(run: &mut Run, id: TaskId) {
    let Some(task) = run.scheduler.get(id) else {
        return;
    };
    // Woken meanwhile by something else, such as a cancellation: what has happened is then its business no more.
    if task.state != State::Waiting {
        return;
    }
    match &task.wait {
        Wait::Ending => {
            if run.scheduler.live_tasks(task.base) == 0 {
                run.settle(id);
            }
        }
        Wait::Parallel(parallel) => {
            if parallel.is_over() {
                parallel::iterations_are_over(run, id);
            }
        }
        Wait::Prompt(prompt) => {
            if !prompt.has_running_tools() {
                prompt::tools_are_over(run, id);
            }
        }
        Wait::Reflect(reflecting) => {
            if reflecting.is_over() {
                reflect::reflected(run, id);
            }
        }
        Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race { .. } | Wait::Join | Wait::Abort => {
            if let Some(result) = advance(run, id) {
                run.scheduler.wake(id, result);
            }
        }
        Wait::Nothing
        | Wait::Operation { .. }
        | Wait::Stopping { .. }
        | Wait::Keyed { .. }
        | Wait::Push { .. }
        | Wait::Pop { .. }
        | Wait::Received { .. } => {}
    }
}

pub(crate) fn await_task(run: &mut Run, handle: u64) -> Step {
    let id = handles::task_of(handle);
    if run.scheduler.task(id).state == State::Ended {
        let result = take_ending(run, id);
        run.heap.release(handle);
        return result.into();
    }
    if let Some(error) = run
        .interruption()
        // Before the wait begins: the task that closes the cycle raises, at the place in source that closes it.
        .or_else(|| deadlock::cycle_error(run, id))
    {
        run.heap.release(handle);
        return Step::Raised(error);
    }
    run.scheduler.add_waiter(id, run.scheduler.current());
    run.scheduler.wait_for(Wait::Await(handle))
}

/// `await` of a list or tuple of tasks, in its order.
pub(crate) fn await_all(run: &mut Run, result: TypeId, handles: u64) -> Step {
    let wait = Wait::AwaitAll {
        handles,
        result,
        next: 0,
    };
    begin_wait_of_many(run, handles, wait)
}

pub(crate) fn race(run: &mut Run, handles: u64) -> Step {
    let tasks = handles::tasks_in(&run.heap, handles);
    if tasks.is_empty() {
        run.heap.release(handles);
        return Step::Raised(raise::failed(
            &mut run.heap,
            "a race of no tasks has no winner",
        ));
    }
    if tasks
        .iter()
        .all(|&id| run.scheduler.task(id).state != State::Ended)
    {
        for id in tasks {
            run.scheduler.add_waiter(id, run.scheduler.current());
        }
    }
    begin_wait_of_many(
        run,
        handles,
        Wait::Race {
            handles,
            winner: None,
            next: 0,
        },
    )
}

fn begin_wait_of_many(run: &mut Run, handles: u64, wait: Wait) -> Step {
    let current = run.scheduler.current();
    run.scheduler.set_wait(current, wait);
    // First what has ended: a wait that is over gives its value even to a task that is to unwind, at its next wait.
    if let Some(result) = advance(run, current) {
        return result.into();
    }
    if let Some(error) = run.interruption() {
        run.scheduler.set_wait(current, Wait::Nothing);
        run.heap.release(handles);
        return Step::Raised(error);
    }
    Step::Waiting
}

/// Gives what a task's wait for other tasks ended with, if it has; the wait is over then.
fn advance(run: &mut Run, id: TaskId) -> Option<Result<u64, u64>> {
    let task = run.scheduler.task(id);
    let node = task.node;
    match task.wait {
        Wait::Await(handle) => {
            let awaited = handles::task_of(handle);
            if run.scheduler.task(awaited).state != State::Ended {
                return None;
            }
            run.scheduler.set_wait(id, Wait::Nothing);
            let result = take_ending(run, awaited);
            run.heap.release(handle);
            Some(result)
        }
        Wait::AwaitAll {
            handles,
            result,
            next,
        } => advance_all(run, id, handles, result, next),
        Wait::Race {
            handles,
            winner,
            next,
        } => advance_race(run, id, handles, winner, next),
        Wait::Join => {
            if run.scheduler.live_tasks(node) > 0 {
                return None;
            }
            run.scheduler.set_wait(id, Wait::Nothing);
            Some(run.joined(node))
        }
        Wait::Abort => {
            if run.scheduler.live_tasks(node) > 0 {
                return None;
            }
            run.scheduler.set_wait(id, Wait::Nothing);
            run.forget_tasks_of(node);
            Some(Ok(0))
        }
        Wait::Nothing
        | Wait::Operation { .. }
        | Wait::Stopping { .. }
        | Wait::Parallel(_)
        | Wait::Reflect(_)
        | Wait::Keyed { .. }
        | Wait::Prompt(_)
        | Wait::Push { .. }
        | Wait::Pop { .. }
        | Wait::Received { .. }
        | Wait::Ending => None,
    }
}

fn advance_all(
    run: &mut Run,
    id: TaskId,
    handles: u64,
    result: TypeId,
    mut next: usize,
) -> Option<Result<u64, u64>> {
    // Called for each task that ends, so nothing here may look at all of them but at the end.
    while let Some(awaited) = handles::task_in(&run.heap, handles, next) {
        let task = run.scheduler.task_mut(awaited);
        if task.state != State::Ended {
            if !task.waiters.contains(&id) {
                task.waiters.push(id);
            }
            run.scheduler.set_wait(
                id,
                Wait::AwaitAll {
                    handles,
                    result,
                    next,
                },
            );
            return None;
        }
        // The first failure in the order of the list ends the wait, whichever failed first in time: that makes the error the same
        // in every replay of the same outcomes, and independent of how far later tasks are.
        if !matches!(task.ending, Some(Ending::Value(_))) {
            break;
        }
        next += 1;
    }
    run.scheduler.set_wait(id, Wait::Nothing);
    let outcome = match handles::task_in(&run.heap, handles, next) {
        Some(failed) => take_ending(run, failed),
        None => {
            let tasks = handles::tasks_in(&run.heap, handles).into_iter();
            let values: Result<Vec<u64>, u64> = tasks.map(|task| take_ending(run, task)).collect();
            values.map(|values| handles::list_or_tuple(&mut run.heap, result, &values))
        }
    };
    run.heap.release(handles);
    Some(outcome)
}

fn advance_race(
    run: &mut Run,
    id: TaskId,
    handles: u64,
    winner: Option<usize>,
    mut next: usize,
) -> Option<Result<u64, u64>> {
    let has_ended = |run: &Run, task: TaskId| run.scheduler.task(task).state == State::Ended;
    let winner = match winner {
        Some(winner) => winner,
        None => {
            let tasks = handles::tasks_in(&run.heap, handles);
            let ended = tasks
                .iter()
                .enumerate()
                .filter(|(_, task)| has_ended(run, **task));
            // By the order of endings in this run, which is the order of its outcomes, not by the position in the list.
            let (winner, _) = ended.min_by_key(|(_, task)| run.scheduler.task(**task).ended_at)?;
            for &task in &tasks {
                if task != tasks[winner] && !has_ended(run, task) {
                    run.scheduler.task_mut(task).waiters.push(id);
                    // The race returns after the losers have ended, so that nothing of them overlaps with what follows.
                    run.cancel_task(task, "another task has won the race");
                }
            }
            winner
        }
    };
    while let Some(task) = handles::task_in(&run.heap, handles, next) {
        if !has_ended(run, task) {
            run.scheduler.set_wait(
                id,
                Wait::Race {
                    handles,
                    winner: Some(winner),
                    next,
                },
            );
            return None;
        }
        next += 1;
    }
    run.scheduler.set_wait(id, Wait::Nothing);
    let tasks = handles::tasks_in(&run.heap, handles);
    for &task in &tasks {
        // Losers too: an error of theirs is not raised at the end of the node.
        run.scheduler.task_mut(task).is_observed = true;
    }
    let result = take_ending(run, tasks[winner]);
    run.heap.release(handles);
    Some(result)
}

/// A share in what a task ended with.
fn take_ending(run: &mut Run, id: TaskId) -> Result<u64, u64> {
    let task = run.scheduler.task_mut(id);
    task.is_observed = true;
    let (ending, result) = (task.ending, task.result);
    if task.is_listed {
        run.scheduler.unlist(id);
    }
    match ending {
        Some(Ending::Value(value)) => {
            // A share, because a task may be awaited several times.
            run.heap.retain_typed(result, value);
            Ok(value)
        }
        Some(Ending::Error(error)) => {
            run.heap.retain(error);
            Err(error)
        }
        Some(Ending::Cancelled) | None => {
            Err(error::new(&mut run.heap, BuiltinError::Cancelled, &[0]))
        }
    }
}
