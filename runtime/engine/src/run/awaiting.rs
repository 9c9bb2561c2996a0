//! `await`, `await` of several, and `race`.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::types::{Type, TypeId};

use crate::run::Run;
use crate::step::Step;
use crate::task::{Ending, State, TaskId};
use crate::value::{self, error, list};
use crate::wait::Wait;

impl Run {
    /// `await t`
    pub(crate) fn await_task(&mut self, handle: u64) -> Step {
        let id = task_of(handle);
        if self.tasks.at(id).state == State::Ended {
            let result = self.take_ending(id);
            self.heap.release(handle);
            return result.into();
        }
        if let Some(error) = self.interruption().or_else(|| self.circle(id)) {
            self.heap.release(handle);
            return Step::Raised(error);
        }
        self.tasks.at_mut(id).waiters.push(self.current);
        self.wait_for(Wait::Await(handle))
    }

    /// `await` of a list or tuple of tasks, in its order.
    pub(crate) fn await_all(&mut self, result: TypeId, handles: u64) -> Step {
        let wait = Wait::AwaitAll {
            handles,
            result,
            next: 0,
        };
        self.begin_wait_of_many(handles, wait)
    }

    /// `race`
    pub(crate) fn race(&mut self, handles: u64) -> Step {
        let tasks = self.tasks_in(handles);
        if tasks.is_empty() {
            self.heap.release(handles);
            return Step::Raised(self.failed("a race of no tasks has no winner"));
        }
        if tasks
            .iter()
            .all(|&id| self.tasks.at(id).state != State::Ended)
        {
            for id in tasks {
                self.tasks.at_mut(id).waiters.push(self.current);
            }
        }
        self.begin_wait_of_many(
            handles,
            Wait::Race {
                handles,
                winner: None,
                next: 0,
            },
        )
    }

    fn begin_wait_of_many(&mut self, handles: u64, wait: Wait) -> Step {
        let current = self.current;
        self.tasks.at_mut(current).wait = wait;
        if let Some(result) = self.advance(current) {
            return result.into();
        }
        if let Some(error) = self.interruption() {
            self.tasks.at_mut(current).wait = Wait::Nothing;
            self.heap.release(handles);
            return Step::Raised(error);
        }
        Step::Waiting
    }

    /// Something that a task may wait for has happened.
    pub(crate) fn look_again(&mut self, id: TaskId) {
        if self
            .tasks
            .get(id)
            .is_none_or(|task| task.state != State::Waiting)
        {
            return;
        }
        let base = self.tasks.at(id).base;
        match &self.tasks.at(id).wait {
            Wait::Ending if self.tree.node(base).live_tasks == 0 => self.settle(id),
            Wait::Parallel(parallel) if parallel.is_over() => self.parallel_is_over(id),
            Wait::Prompt(prompt) if !prompt.has_running_tools() => self.tools_are_over(id),
            Wait::Reflect(reflecting) if reflecting.is_over() => self.reflected(id),
            _ => {
                if let Some(result) = self.advance(id) {
                    self.wake(id, result);
                }
            }
        }
    }

    /// Gives what a task's wait ended with, if it has; the wait is over then.
    fn advance(&mut self, id: TaskId) -> Option<Result<u64, u64>> {
        let task = self.tasks.at(id);
        let node = task.node;
        match task.wait {
            Wait::Await(handle) => {
                let awaited = task_of(handle);
                if self.tasks.at(awaited).state != State::Ended {
                    return None;
                }
                self.tasks.at_mut(id).wait = Wait::Nothing;
                let result = self.take_ending(awaited);
                self.heap.release(handle);
                Some(result)
            }
            Wait::AwaitAll {
                handles,
                result,
                next,
            } => self.advance_all(id, handles, result, next),
            Wait::Race {
                handles,
                winner,
                next,
            } => self.advance_race(id, handles, winner, next),
            Wait::Join | Wait::Abort if self.tree.node(node).live_tasks > 0 => None,
            Wait::Join => {
                self.tasks.at_mut(id).wait = Wait::Nothing;
                Some(self.joined(node))
            }
            Wait::Abort => {
                self.tasks.at_mut(id).wait = Wait::Nothing;
                self.forget_tasks_of(node);
                Some(Ok(0))
            }
            _ => None,
        }
    }

    fn advance_all(
        &mut self,
        id: TaskId,
        handles: u64,
        result: TypeId,
        mut next: usize,
    ) -> Option<Result<u64, u64>> {
        // Called for each task that ends, so nothing here may look at all of them but at the end.
        while let Some(awaited) = self.task_in(handles, next) {
            let task = self.tasks.at_mut(awaited);
            if task.state != State::Ended {
                if !task.waiters.contains(&id) {
                    task.waiters.push(id);
                }
                self.tasks.at_mut(id).wait = Wait::AwaitAll {
                    handles,
                    result,
                    next,
                };
                return None;
            }
            if !matches!(task.ending, Some(Ending::Value(_))) {
                break;
            }
            next += 1;
        }
        self.tasks.at_mut(id).wait = Wait::Nothing;
        let outcome = match self.task_in(handles, next) {
            Some(failed) => self.take_ending(failed),
            None => {
                let tasks = self.tasks_in(handles).into_iter();
                let values: Result<Vec<u64>, u64> =
                    tasks.map(|task| self.take_ending(task)).collect();
                values.map(|values| self.list_or_tuple(result, &values))
            }
        };
        self.heap.release(handles);
        Some(outcome)
    }

    fn advance_race(
        &mut self,
        id: TaskId,
        handles: u64,
        winner: Option<usize>,
        mut next: usize,
    ) -> Option<Result<u64, u64>> {
        let has_ended = |run: &Self, task: TaskId| run.tasks.at(task).state == State::Ended;
        let winner = match winner {
            Some(winner) => winner,
            None => {
                let tasks = self.tasks_in(handles);
                let ended = tasks
                    .iter()
                    .enumerate()
                    .filter(|(_, task)| has_ended(self, **task));
                let (winner, _) = ended.min_by_key(|(_, task)| self.tasks.at(**task).ended_at)?;
                for &task in &tasks {
                    if task != tasks[winner] && !has_ended(self, task) {
                        self.tasks.at_mut(task).waiters.push(id);
                        self.cancel_task(task, "another task has won the race");
                    }
                }
                winner
            }
        };
        while let Some(task) = self.task_in(handles, next) {
            if !has_ended(self, task) {
                self.tasks.at_mut(id).wait = Wait::Race {
                    handles,
                    winner: Some(winner),
                    next,
                };
                return None;
            }
            next += 1;
        }
        self.tasks.at_mut(id).wait = Wait::Nothing;
        let tasks = self.tasks_in(handles);
        for &task in &tasks {
            self.tasks.at_mut(task).is_observed = true;
        }
        let result = self.take_ending(tasks[winner]);
        self.heap.release(handles);
        Some(result)
    }

    /// A share in what a task ended with.
    fn take_ending(&mut self, id: TaskId) -> Result<u64, u64> {
        let task = self.tasks.at_mut(id);
        task.is_observed = true;
        let (ending, result) = (task.ending, task.result);
        if task.is_listed {
            self.unlist(id);
        }
        match ending {
            Some(Ending::Value(value)) => {
                self.heap.retain_typed(result, value);
                Ok(value)
            }
            Some(Ending::Error(error)) => {
                self.heap.retain(error);
                Err(error)
            }
            Some(Ending::Cancelled) | None => {
                Err(error::new(&mut self.heap, BuiltinError::Cancelled, &[0]))
            }
        }
    }

    /// The task that handle number `index` of a list or tuple names.
    fn task_in(&self, handles: u64, index: usize) -> Option<TaskId> {
        match self.loaded.types.get(value::type_of(handles)) {
            Type::Tuple(parts) => {
                (index < parts.len()).then(|| task_of(value::field(handles, index)))
            }
            _ => list::words(handles).get(index).map(|it| task_of(*it)),
        }
    }

    /// The tasks that a list or tuple of handles names.
    pub(crate) fn tasks_in(&self, handles: u64) -> Vec<TaskId> {
        let of = |handle: &u64| task_of(*handle);
        match self.loaded.types.get(value::type_of(handles)) {
            Type::Tuple(parts) => (0..parts.len())
                .map(|index| task_of(value::field(handles, index)))
                .collect(),
            _ => list::words(handles).iter().map(of).collect(),
        }
    }

    /// A list or tuple of these values, which it takes over.
    pub(crate) fn list_or_tuple(&mut self, ty: TypeId, values: &[u64]) -> u64 {
        if let Type::Tuple(parts) = self.loaded.types.get(self.loaded.types.base(ty)) {
            let tuple = self.heap.object(ty, 0, parts.len());
            for (index, &word) in values.iter().enumerate() {
                value::set_field(tuple, index, word);
            }
            return tuple;
        }
        list::new(&mut self.heap, ty, values)
    }

    /// The current task is to wait for this.
    pub(crate) fn wait_for(&mut self, wait: Wait) -> Step {
        self.tasks.at_mut(self.current).wait = wait;
        Step::Waiting
    }
}

/// The task that a handle names.
pub(crate) fn task_of(handle: u64) -> TaskId {
    TaskId(value::field(handle, 0) as u32)
}
