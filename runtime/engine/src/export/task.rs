//! Runtime calls on tasks.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{ErrorPolicy, NO_LIMIT, NodeKind};
use gsw_abi::layout::Frame;
use gsw_abi::types::{Type, TypeId};

use crate::export::guard::calls;
use crate::run::awaiting::task_of;
use crate::run::parallel::{Manner, Work};
use crate::run::spawn::NewTask;
use crate::step::Step;
use crate::task::Role;
use crate::value::{self, error};

calls! {
    /// Starts a task of the current node: task type, frame. Gives its handle.
    raising task_spawn(run, task_type, frame) {
        // The frame was counted as one that the current task calls.
        run.depth = run.depth.saturating_sub(1);
        let ty = TypeId(task_type as u32);
        let result = match run.loaded.types.get(ty) {
            Type::Task(result) => *result,
            other => unreachable!("a task is of a task type, not of {other:?}"),
        };
        let owner = run.current_node();
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
        run.tasks.at_mut(id).has_handle = true;
        let handle = run.heap.object(ty, 0, 1);
        value::set_field(handle, 0, u64::from(id.0));
        Ok(handle)
    }

    /// `await t`
    waiting task_await(run, task) {
        run.await_task(task)
    }

    /// `await [t, …]`: result list or tuple type, tasks.
    waiting task_await_all(run, result, tasks) {
        run.await_all(TypeId(result as u32), tasks)
    }

    /// `race [t, …]`
    waiting task_race(run, tasks) {
        run.race(tasks)
    }

    /// `t.cancel()`
    plain task_cancel(run, task) {
        run.cancel_task(task_of(task), "the program says so");
        0
    }

    /// `parallel for`: result list type, closure, items, limit, policy.
    waiting parallel_for(run, result, closure, items, limit, policy) {
        let policy = match policy {
            0 => ErrorPolicy::First,
            1 => ErrorPolicy::Settle,
            _ => ErrorPolicy::Merge,
        };
        let limit = Some(limit as i64).filter(|it| *it != NO_LIMIT);
        if let Some(limit) = limit.filter(|it| *it < 1) {
            run.heap.release(closure);
            run.heap.release(items);
            let message = format!("`limit` must be at least 1, not {limit}");
            return Step::Raised(error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &message));
        }
        let limit = limit.map(|it| usize::try_from(it).unwrap_or(usize::MAX));
        run.parallel(Work::Items { closure, items }, Manner { result: TypeId(result as u32), limit, policy })
    }

    /// `parallel (…)`: result tuple type, closures.
    waiting parallel_tuple(run, result, closures) {
        let manner = Manner { result: TypeId(result as u32), limit: None, policy: ErrorPolicy::First };
        run.parallel(Work::Closures(closures), manner)
    }
}
