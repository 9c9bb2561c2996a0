//! `await`, `await` of several, and `race`.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RacePolicy;
use gsw_abi::types::TypeId;

use crate::heap::Heap;
use crate::run::scheduler::Scheduler;
use crate::run::{Run, deadlock, handles, parallel, prompt, raise, reflect};
use crate::step::Step;
use crate::task::{Ending, State, TaskId};
use crate::value::error;
use crate::wait::{Awaited, Race, Wait};

/// A task has ended, which another one may wait for.
pub(crate) fn look_again(run: &mut Run, id: TaskId, ended: TaskId) {
    let Some(task) = run.scheduler.get(id) else {
        return;
    };
    // It was woken by something else meanwhile, such as a cancellation, and ignores this.
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
        Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race(_) | Wait::Join | Wait::Abort => {
            match advance(run, id, Some(ended)) {
                Some(result) => run.scheduler.wake(id, result),
                // It waits for others than before.
                None => run.suspects.add(id),
            }
        }
        Wait::Nothing
        | Wait::Undo
        | Wait::Plan { .. }
        | Wait::Operation { .. }
        | Wait::Stopping { .. }
        | Wait::Session { .. }
        | Wait::Keyed { .. }
        | Wait::Push { .. }
        | Wait::Pop { .. }
        | Wait::Received { .. }
        | Wait::Part { .. } => {}
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
    begin_wait_of_many(run, wait)
}

pub(crate) fn race(run: &mut Run, handles: u64, policy: RacePolicy) -> Step {
    let tasks = handles::tasks_in(&run.heap, handles);
    if tasks.is_empty() {
        run.heap.release(handles);
        return Step::Raised(raise::failed(
            &mut run.heap,
            "a race of no tasks has no winner",
        ));
    }
    if !tasks.iter().any(|&id| decides(run, id, policy)) {
        for id in tasks {
            run.scheduler.add_waiter(id, run.scheduler.current());
        }
    }
    let race = Race {
        handles,
        policy,
        winner: None,
        next: 0,
    };
    begin_wait_of_many(run, Wait::Race(race))
}

fn begin_wait_of_many(run: &mut Run, wait: Wait) -> Step {
    let current = run.scheduler.current();
    run.scheduler.set_wait(current, wait);
    // Ended tasks first: a wait that has ended delivers its value even to a task that is to unwind, at its next wait.
    if let Some(result) = advance(run, current, None) {
        return result.into();
    }
    if let Some(error) = run.interruption() {
        let wait = run.scheduler.take_wait(current);
        leave(&mut run.scheduler, &mut run.heap, current, &wait);
        return Step::Raised(error);
    }
    Step::Waiting
}

/// A task waits for others no longer, which have not all ended: what they keep of it goes, or a wait with a time limit in a loop
/// would leave something behind each time.
pub(crate) fn leave(scheduler: &mut Scheduler, heap: &mut Heap, id: TaskId, wait: &Wait) {
    match wait.awaited() {
        Awaited::Task(handle) => {
            scheduler.remove_waiter(handles::task_of(handle), id);
            heap.release(handle);
        }
        Awaited::InTurn { handles, .. } | Awaited::OneOf(handles) => {
            for task in handles::tasks_in(heap, handles) {
                scheduler.remove_waiter(task, id);
            }
            heap.release(handles);
        }
        Awaited::Key(_)
        | Awaited::Session(_)
        | Awaited::AllOfNode
        | Awaited::SomeOfNode
        | Awaited::Own
        | Awaited::Any => {}
    }
}

/// Delivers the result of a task's wait for other tasks, if it has ended. `ended` is the task that has just ended, when the
/// wait is not new.
fn advance(run: &mut Run, id: TaskId, ended: Option<TaskId>) -> Option<Result<u64, u64>> {
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
        } => {
            let listed_at = ended.map(|_| next);
            advance_all(run, id, handles, result, next, listed_at)
        }
        Wait::Race(race) => advance_race(run, id, race, ended),
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
        | Wait::Undo
        | Wait::Reflect(_)
        | Wait::Plan { .. }
        | Wait::Keyed { .. }
        | Wait::Prompt(_)
        | Wait::Session { .. }
        | Wait::Push { .. }
        | Wait::Pop { .. }
        | Wait::Received { .. }
        | Wait::Part { .. }
        | Wait::Ending => None,
    }
}

/// `listed_at` is the place of the task at which the waiting one is listed already, when the wait is not new.
fn advance_all(
    run: &mut Run,
    id: TaskId,
    handles: u64,
    result: TypeId,
    mut next: usize,
    listed_at: Option<usize>,
) -> Option<Result<u64, u64>> {
    // Called for each task that ends, so nothing here may look at all of them but at the end.
    while let Some(awaited) = handles::task_in(&run.heap, handles, next) {
        let task = run.scheduler.task_mut(awaited);
        if task.state != State::Ended {
            if listed_at != Some(next) {
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
        Some(failed) => {
            let failure = take_ending(run, failed);
            // All are awaited here, so code that handles this error must not meet those of the others at the end of the
            // node.
            for task in handles::tasks_in(&run.heap, handles) {
                observe(run, task);
            }
            failure
        }
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
    mut race: Race,
    ended: Option<TaskId>,
) -> Option<Result<u64, u64>> {
    // One that has failed decides nothing, so the others are not visited: a race may have many tasks.
    let may_be_decided = ended.is_none_or(|it| decides(run, it, race.policy));
    if race.winner.is_none() && may_be_decided {
        race.winner = winner_of(run, &race);
        if let Some(winner) = race.winner {
            end_losers(run, id, &race, winner);
        }
    }
    while let Some(task) = handles::task_in(&run.heap, race.handles, race.next) {
        if !has_ended(run, task) {
            run.scheduler.set_wait(id, Wait::Race(race));
            return None;
        }
        race.next += 1;
    }
    run.scheduler.set_wait(id, Wait::Nothing);
    let tasks = handles::tasks_in(&run.heap, race.handles);
    let result = match race.winner {
        Some(winner) => take_ending(run, tasks[winner]),
        None => Err(all_errors(run, id, &tasks)),
    };
    for task in tasks {
        // Losers too.
        observe(run, task);
    }
    run.heap.release(race.handles);
    Some(result)
}

fn has_ended(run: &Run, id: TaskId) -> bool {
    run.scheduler
        .get(id)
        .is_some_and(|it| it.state == State::Ended)
}

/// Whether a task has ended in a way that decides a race.
fn decides(run: &Run, id: TaskId, policy: RacePolicy) -> bool {
    let ending = run.scheduler.get(id).and_then(|it| it.ending);
    has_ended(run, id)
        && match policy {
            RacePolicy::First => true,
            RacePolicy::Merge => matches!(ending, Some(Ending::Value(_))),
        }
}

/// The place of the task that has decided a race, the first to end of several.
fn winner_of(run: &Run, race: &Race) -> Option<usize> {
    let tasks = handles::tasks_in(&run.heap, race.handles);
    // By the order of endings in this run, which is the order of its outcomes, not by the position in the list.
    let candidates = (0..tasks.len()).filter(|it| decides(run, tasks[*it], race.policy));
    candidates.min_by_key(|it| run.scheduler.task(tasks[*it]).ended_at)
}

/// Cancels all but the winner of a race; `id` waits until they have ended.
fn end_losers(run: &mut Run, id: TaskId, race: &Race, winner: usize) {
    let tasks = handles::tasks_in(&run.heap, race.handles);
    for &task in &tasks {
        if task != tasks[winner] && !has_ended(run, task) {
            // The race returns after the losers have ended, so that nothing of them overlaps with what follows.
            run.scheduler.add_waiter(task, id);
            run.cancel_task(task, "another task has won the race");
        }
    }
}

/// The errors of tasks that have all failed, as one.
fn all_errors(run: &mut Run, id: TaskId, tasks: &[TaskId]) -> u64 {
    let mut errors = Vec::with_capacity(tasks.len());
    for &task in tasks {
        match take_ending(run, task) {
            Err(error) => errors.push(error),
            Ok(_) => unreachable!("a task that gave a value has decided the race"),
        }
    }
    let node = run.scheduler.task(id).node;
    let place = parallel::name_around(run.progress.tree(), node);
    error::many_of(&mut run.heap, &errors, errors.len(), &place)
}

/// An error of this task is not raised at the end of the node. Until it has ended, its node may still cancel it.
fn observe(run: &mut Run, id: TaskId) {
    let task = run.scheduler.task_mut(id);
    task.is_observed = true;
    if task.state == State::Ended {
        run.scheduler.unlist(id);
    }
}

/// A share in what a task ended with.
fn take_ending(run: &mut Run, id: TaskId) -> Result<u64, u64> {
    run.streams.answer_is_known(id);
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
