//! Runtime calls on tasks.

use gsw_abi::bounds::Bounds;
use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{ErrorPolicy, NO_LIMIT, NodeKind, RacePolicy};
use gsw_abi::layout::Frame;
use gsw_abi::types::{Type, TypeId};

use crate::export::guard::calls;
use crate::run::parallel::{self, Manner, Work};
use crate::run::{awaiting, handles};
use crate::step::Step;
use crate::task::{NewTask, Role};
use crate::value::error;

calls! {
    /// Starts a task of the current node: task type, frame. Returns its handle.
    raising task_spawn(run, task_type, frame) {
        // The frame was counted as one that the current task calls.
        run.stack.forget_frame();
        let ty = TypeId(task_type as u32);
        let Type::Task(result) = *run.loaded.types.get(ty) else {
            unreachable!("a task is of a task type");
        };
        let owner = run.scheduler.current_node();
        let id = run.start_task(NewTask {
            frame: frame as *mut Frame,
            owner,
            kind: NodeKind::Task,
            name: "task",
            index: None,
            input: None,
            role: Role::Spawned,
            result,
        });
        run.scheduler.task_mut(id).has_handle = true;
        Ok(handles::handle_of(&mut run.heap, ty, id))
    }

    waiting task_await(run, task) {
        awaiting::await_task(run, task)
    }

    /// `await [t, …]`: result list or tuple type, tasks.
    waiting task_await_all(run, result, tasks) {
        awaiting::await_all(run, TypeId(result as u32), tasks)
    }

    /// `race [t, …]`: tasks, policy.
    waiting task_race(run, tasks, policy) {
        awaiting::race(run, tasks, RacePolicy::numbered(policy))
    }

    plain task_cancel(run, task) {
        run.cancel_task(handles::task_of(task), "the program says so");
        0
    }

    /// `parallel for`: result list type, closure, items, limit, policy.
    waiting parallel_for(run, result, closure, items, limit, policy) {
        let policy = ErrorPolicy::numbered(policy);
        let limit = Some(limit as i64).filter(|it| *it != NO_LIMIT);
        if let Some(limit) = limit.filter(|it| !Bounds::COUNT_FROM_ONE.admit(*it as f64)) {
            run.heap.release(closure);
            run.heap.release(items);
            let message = format!("`limit` must be at least 1, not {limit}");
            return Step::Raised(error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &message));
        }
        let limit = limit.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        parallel::start(run, Work::Items { closure, items }, Manner { result: TypeId(result as u32), limit, policy })
    }

    /// `parallel (…)`: result tuple type, closures, policy.
    waiting parallel_tuple(run, result, closures, policy) {
        let manner = Manner { result: TypeId(result as u32), limit: None, policy: ErrorPolicy::numbered(policy) };
        parallel::start(run, Work::Closures(closures), manner)
    }
}
