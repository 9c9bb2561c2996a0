//! Runtime calls of modifiers: `timeout`, `retry`, `budget`, `reflect`, and the shield around `defer` bodies.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::{NO_DOLLARS, NO_LIMIT};
use gsw_abi::types::TypeId;

use crate::budget::Limits;
use crate::export::guard::calls;
use crate::run::reflect::{Failure, Judge};
use crate::run::retry::Failed;
use crate::run::{budget, raise, reflect, retry, undo};
use crate::scope::{ScopeId, ScopeKind};
use crate::value::error;

calls! {
    /// `timeout d`: returns the scope's number.
    plain timeout_enter(run, after) {
        let after = after as i64;
        if after == NO_LIMIT {
            return 0;
        }
        let id = run.open_scope(ScopeKind::Timeout { after });
        run.start_clock(id, after);
        id.0
    }

    /// The body ended in time.
    plain timeout_leave(run, scope) {
        run.close_scope(ScopeId(scope));
        0
    }

    /// The body raised: returns the error to raise from here on.
    error timeout_fail(run, scope, raised) {
        let id = ScopeId(scope);
        let unknown = run.unknown_after(id, raised);
        let in_node = run.scopes.get(id).map(|it| it.node);
        let closed = run.close_scope(id);
        if let Some(ScopeKind::Timeout { after }) = closed.map(|it| it.kind)
            && raise::is_unwind_of(raised, id)
        {
            run.heap.release(raised);
            let unknown = unknown.or_else(|| run.unknown_tool(in_node?, after));
            return unknown.unwrap_or_else(|| error::new(&mut run.heap, BuiltinError::Timeout, &[after as u64]));
        }
        raised
    }

    /// `budget(…)`: returns the scope's number.
    raising budget_enter(run, usd, tokens, calls, time) {
        let given = |word: u64| (word as i64 != NO_LIMIT).then_some(word as i64);
        // What is below nothing is nothing.
        let count = |word: u64| given(word).map(|it| it.max(0).unsigned_abs());
        let limits = Limits {
            usd: (usd != NO_DOLLARS).then(|| f64::from_bits(usd).max(0.0)),
            tokens: count(tokens),
            calls: count(calls),
            time: given(time).map(|it| it.max(0)),
        };
        let current = run.scheduler.current();
        Ok(run.open_budget(current, limits).0)
    }

    plain budget_leave(run, scope) {
        run.close_budget(ScopeId(scope));
        0
    }

    /// The body raised: returns the error to raise from here on.
    error budget_fail(run, scope, raised) {
        let id = ScopeId(scope);
        let unknown = run.unknown_after(id, raised);
        let budget = run.close_budget(id);
        if let Some(unknown) = unknown {
            run.heap.release(raised);
            return unknown;
        }
        budget::error_after(&mut run.heap, id, budget.as_ref(), raised)
    }

    /// `retry`: error, attempts made so far, further attempts, backoff, max.
    waiting retry_wait(run, raised, made, further, backoff, max) {
        retry::retry(run, Failed {
            error: raised,
            made,
            further: further as i64,
            backoff: backoff as i64,
            longest: max as i64,
        })
    }

    /// Step reflection: error, rounds used, rounds, closure, whether it is the built-in prompt's, types of result and parameters.
    waiting reflect_wait(run, raised, used, rounds, closure, is_built_in, result, parameters) {
        let failure = Failure { error: raised, used, rounds: rounds as i64 };
        reflect::reflect(run, failure, Judge {
            closure,
            is_built_in: is_built_in == 1,
            result: TypeId(result as u32),
            parameters: TypeId(parameters as u32),
        })
    }

    /// What runs until the matching `leave` is not cancelled.
    plain defer_enter(run) {
        let current = run.scheduler.current();
        run.scheduler.task_mut(current).shield += 1;
        run.update_shield();
        0
    }

    /// What is to be called when the workflow around fails.
    plain undo_register(run, closure) {
        undo::register(run, closure);
        0
    }

    /// The workflow of the current node fails.
    waiting undo_all(run) {
        undo::undo_all(run)
    }

    /// A cancellation reaches the task again.
    plain defer_leave(run) {
        let current = run.scheduler.current();
        let task = run.scheduler.task_mut(current);
        task.shield = task.shield.saturating_sub(1);
        run.update_shield();
        0
    }
}
