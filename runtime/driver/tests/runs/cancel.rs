//! Cancelling a run at every suspension, and taking completions in every order.

use gsw_abi::builtin::{INT, LIST_INT};
use gsw_abi::call::ErrorPolicy;
use gsw_abi::layout::{Context, Frame, status};
use gsw_driver::scripted::Script;
use gsw_engine::run::RunResult;

use crate::program::{
    CLOSURE_SLEEP, Code, MS, closure, done, get, go_with, got, list_of, log, raise, set, set_state,
    state, table, text, value,
};

/// In a node: a `parallel for`, then a sleep in a `defer`. Slot 0 keeps the error, slot 1 the list.
unsafe extern "C" fn works(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            let name = text("work");
            (table(context).node_enter)(context, 1, name, 0);
            let items = list_of(context, LIST_INT, &[30, 10, 20, 40]);
            let body = closure(context, 1);
            set_state(frame, 1);
            let (result, policy) = (u64::from(LIST_INT.0), ErrorPolicy::First as u64);
            (table(context).parallel_for)(context, frame, result, body, items, 2, policy)
        },
        1 => unsafe {
            match got(frame) {
                Ok(list) => set(frame, 1, list),
                Err(error) => set(frame, 0, error),
            }
            (table(context).defer_enter)(context);
            set_state(frame, 2);
            (table(context).sleep)(context, frame, MS)
        },
        2 => unsafe {
            assert!(got(frame).is_ok());
            log(context, "deferred");
            (table(context).defer_leave)(context);
            set_state(frame, 3);
            let status = if get(frame, 0) == 0 {
                (table(context).node_join)(context, frame)
            } else {
                (table(context).node_abort)(context, frame)
            };
            assert_ne!(status, status::WAITING);
            let error = get(frame, 0);
            if error == 0 {
                (table(context).node_complete)(context, 0);
                return done(frame, get(frame, 1));
            }
            (table(context).node_fail)(context, error);
            raise(frame, error)
        },
        other => unreachable!("state {other}"),
    }
}

const PROGRAM: [Code; 2] = [Code::Resume(works, 2, 0), CLOSURE_SLEEP];

#[test]
fn cancelled_anywhere_a_run_leaves_nothing_and_runs_every_defer_once() {
    let (whole, _) = go_with(&PROGRAM, LIST_INT, Script::default());
    assert_eq!(value(&whole), "[30,10,20,40]");
    for at in 1..=whole.suspensions {
        let script = Script {
            cancel_at: Some(at),
            ..Script::default()
        };
        let (report, log) = go_with(&PROGRAM, LIST_INT, script);
        assert_eq!(report.finished.live_objects, 0, "cancelled at {at}");
        assert_eq!(log, ["deferred"], "cancelled at {at}");
        let is_last = at == whole.suspensions;
        assert_eq!(
            report.finished.result == RunResult::Cancelled,
            !is_last,
            "cancelled at {at}"
        );
    }
}

#[test]
fn the_order_of_completions_does_not_change_the_result() {
    for seed in 0..50 {
        let (report, _) = go_with(
            &PROGRAM,
            LIST_INT,
            Script {
                seed,
                ..Script::default()
            },
        );
        assert_eq!(value(&report), "[30,10,20,40]", "seed {seed}");
    }
}

/// Sleeps for a minute in a `defer`.
unsafe extern "C" fn defers_for_long(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            (table(context).defer_enter)(context);
            set_state(frame, 1);
            (table(context).sleep)(context, frame, 60_000 * MS)
        },
        _ => done(frame, 1),
    }
}

#[test]
fn a_cancelled_run_ends_after_ten_seconds() {
    let script = Script {
        cancel_at: Some(1),
        ..Script::default()
    };
    let (report, _) = go_with(&[Code::Resume(defers_for_long, 0, 0)], INT, script);
    assert_eq!(report.finished.result, RunResult::Cancelled);
    assert_eq!(
        (report.finished.duration, report.finished.live_objects),
        (10_000_000_000, 0)
    );
}
