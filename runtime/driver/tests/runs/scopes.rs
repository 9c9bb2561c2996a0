//! `timeout`, `retry` and `defer`.

use gsw_abi::builtin::{BuiltinError, INT};
use gsw_abi::layout::{Context, Frame, status};
use gsw_driver::scripted::Script;

use crate::program::{
    Code, MS, SLEEP_THEN_GIVE, done, failed, get, go, go_with, got, log, raise, raised, release,
    set, set_state, spawn, state, table, take_error, text, value,
};

/// Sleeps slot 1 milliseconds within a timeout of slot 0; slot 2 is the scope.
fn sleeps_within(context: *mut Context, frame: *mut Frame, limit: u64, length: u64) -> u64 {
    match state(frame) {
        0 => unsafe {
            set(
                frame,
                2,
                (table(context).timeout_enter)(context, limit * MS),
            );
            set_state(frame, 1);
            (table(context).sleep)(context, frame, length * MS)
        },
        _ => match got(frame) {
            Ok(_) => {
                unsafe { (table(context).timeout_leave)(context, get(frame, 2)) };
                done(frame, length)
            }
            Err(error) => {
                assert_eq!(
                    unsafe { (table(context).error_is_catchable)(context, error) },
                    0
                );
                raise(frame, unsafe {
                    (table(context).timeout_fail)(context, get(frame, 2), error)
                })
            }
        },
    }
}

unsafe extern "C" fn in_time(context: *mut Context, frame: *mut Frame) -> u64 {
    sleeps_within(context, frame, 20, 10)
}

unsafe extern "C" fn too_late(context: *mut Context, frame: *mut Frame) -> u64 {
    sleeps_within(context, frame, 10, 20)
}

#[test]
fn a_timeout_ends_what_takes_longer() {
    let report = go(&[Code::Resume(in_time, 3, 0)]);
    assert_eq!(
        (value(&report), report.finished.duration),
        ("10", 10_000_000)
    );
    let report = go(&[Code::Resume(too_late, 3, 0)]);
    assert_eq!(
        raised(&report),
        ("Timeout".into(), "timed out after 10ms".into())
    );
    assert_eq!(report.finished.duration, 10_000_000);
}

/// Cancels a task that is in a `defer` body, whose sleep must end before the task does.
unsafe extern "C" fn cancels_a_shielded(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => {
            set(frame, 0, spawn(context, 1, 0));
            set_state(frame, 1);
            unsafe { (table(context).sleep)(context, frame, 5 * MS) }
        }
        1 => unsafe {
            (table(context).task_cancel)(context, get(frame, 0));
            set_state(frame, 2);
            (table(context).task_await)(context, frame, get(frame, 0))
        },
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => {
                let message = take_error(context, error);
                log(context, &message);
                done(frame, 1)
            }
        },
    }
}

unsafe extern "C" fn is_shielded(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            (table(context).defer_enter)(context);
            set_state(frame, 1);
            (table(context).sleep)(context, frame, 20 * MS)
        },
        1 => unsafe {
            assert!(got(frame).is_ok());
            log(context, "deferred");
            (table(context).defer_leave)(context);
            set_state(frame, 2);
            let status = (table(context).sleep)(context, frame, 20 * MS);
            assert_eq!(status, status::RAISED);
            raise(frame, (*frame).error)
        },
        other => unreachable!("state {other}"),
    }
}

#[test]
fn a_defer_is_not_cancelled_and_what_follows_is() {
    let functions = [
        Code::Resume(cancels_a_shielded, 1, 0),
        Code::Resume(is_shielded, 1, 1),
    ];
    let (report, log) = go_with(&functions, INT, Script::default());
    assert_eq!(value(&report), "1");
    assert_eq!(log, ["deferred", "Cancelled: cancelled"]);
    assert_eq!(report.finished.duration, 20_000_000);
}

/// Fails until its third attempt; slot 0 counts.
unsafe extern "C" fn fails_twice(context: *mut Context, frame: *mut Frame) -> u64 {
    if state(frame) == 1 {
        match got(frame) {
            Ok(_) => {}
            Err(error) => return raise(frame, error),
        }
    }
    set(frame, 0, get(frame, 0) + 1);
    let made = get(frame, 0);
    if made == 3 {
        return done(frame, made);
    }
    set_state(frame, 1);
    let error = failed(context, "again");
    unsafe { (table(context).retry_wait)(context, frame, error, made, 3, 10 * MS, 100 * MS) }
}

#[test]
fn a_retry_waits_and_tries_again() {
    let report = go(&[Code::Resume(fails_twice, 1, 0)]);
    assert_eq!(value(&report), "3");
    assert!(report.finished.duration <= 30_000_000);
}

/// Asks for another attempt after an error that nothing repeats.
unsafe extern "C" fn retries_a_fault(context: *mut Context, frame: *mut Frame) -> u64 {
    unsafe {
        let fault = (table(context).fault)(context, BuiltinError::Overflow as u64);
        let status = (table(context).retry_wait)(context, frame, fault, 1, 3, MS, MS);
        assert_eq!(status, status::RAISED);
        status
    }
}

#[test]
fn a_fault_is_never_retried() {
    assert_eq!(
        raised(&go(&[Code::Resume(retries_a_fault, 0, 0)])).0,
        "Overflow"
    );
}

/// Spawns a slow task in a node inside a timeout, and waits for it there; the node is aborted when the time is over.
unsafe extern "C" fn times_out_a_node(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            set(frame, 0, (table(context).timeout_enter)(context, 10 * MS));
            let name = text("slow");
            (table(context).node_enter)(context, 1, name, 0);
            let handle = spawn(context, 1, 1000);
            release(context, handle);
            set_state(frame, 1);
            (table(context).node_join)(context, frame)
        },
        1 => unsafe {
            set(frame, 1, got(frame).expect_err("the time is over"));
            set_state(frame, 2);
            let status = (table(context).node_abort)(context, frame);
            assert_eq!(status, status::WAITING);
            status
        },
        _ => unsafe {
            (table(context).node_fail)(context, get(frame, 1));
            raise(
                frame,
                (table(context).timeout_fail)(context, get(frame, 0), get(frame, 1)),
            )
        },
    }
}

#[test]
fn a_timeout_ends_the_tasks_inside() {
    let report = go(&[Code::Resume(times_out_a_node, 2, 0), SLEEP_THEN_GIVE]);
    assert_eq!(raised(&report).0, "Timeout");
    assert_eq!(report.finished.duration, 10_000_000);
}
