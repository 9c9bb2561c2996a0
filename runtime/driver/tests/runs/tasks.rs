//! Spawning, awaiting, racing and joining.

use gsw_abi::builtin::{INT, LIST_INT};
use gsw_abi::call::RacePolicy;
use gsw_abi::layout::{Context, Frame, status};
use gsw_driver::scripted::Script;

use crate::program::{
    Code, SLEEP_THEN_GIVE, done, get, go, go_with, got, list_of, log, raise, raised, release,
    retain, set, set_state, sleep_then_give, spawn, state, table, take_error, types, value,
};

unsafe extern "C" fn returns_at_once(_: *mut Context, frame: *mut Frame) -> u64 {
    done(frame, 42)
}

#[test]
fn a_value_comes_out() {
    assert_eq!(value(&go(&[Code::Resume(returns_at_once, 0, 0)])), "42");
}

/// Calls function 1 natively, with 10.
unsafe extern "C" fn calls(context: *mut Context, frame: *mut Frame) -> u64 {
    if state(frame) == 1 {
        return match got(frame) {
            Ok(value) => done(frame, value + 1),
            Err(error) => raise(frame, error),
        };
    }
    unsafe {
        let child = (table(context).frame_new)(context, 1) as *mut Frame;
        (*child).parent = frame;
        set(child, 0, get(frame, 0));
        set_state(frame, 1);
        let status = sleep_then_give(context, child);
        assert_eq!(status, status::WAITING);
        status
    }
}

unsafe extern "C" fn calls_with_10(context: *mut Context, frame: *mut Frame) -> u64 {
    set(frame, 0, 10);
    unsafe { calls(context, frame) }
}

unsafe extern "C" fn calls_with_11(context: *mut Context, frame: *mut Frame) -> u64 {
    set(frame, 0, 11);
    unsafe { calls(context, frame) }
}

#[test]
fn a_frame_gets_what_its_child_gives_or_raises() {
    assert_eq!(
        value(&go(&[Code::Resume(calls_with_10, 1, 0), SLEEP_THEN_GIVE])),
        "11"
    );
    let report = go(&[Code::Resume(calls_with_11, 1, 0), SLEEP_THEN_GIVE]);
    assert_eq!(raised(&report), ("Failed".into(), "11 is odd".into()));
}

/// Spawns 20, 10 and 30, awaits 20 twice and leaves the others to the end.
unsafe extern "C" fn spawns(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => {
            let first = spawn(context, 1, 20);
            set(frame, 0, first);
            for argument in [10, 30] {
                let handle = spawn(context, 1, argument);
                release(context, handle);
            }
            set_state(frame, 1);
            unsafe { (table(context).task_await)(context, frame, retain(first)) }
        }
        1 => {
            let first = got(frame).expect("20 is even");
            set_state(frame, 2);
            // It has ended, so this gives its value at once.
            let status = unsafe { (table(context).task_await)(context, frame, get(frame, 0)) };
            assert_eq!((status, got(frame)), (status::DONE, Ok(20)));
            done(frame, first + got(frame).expect("20 is even"))
        }
        other => unreachable!("state {other}"),
    }
}

#[test]
fn a_task_is_awaited_and_its_node_waits_for_the_others() {
    let report = go(&[Code::Resume(spawns, 1, 0), SLEEP_THEN_GIVE]);
    assert_eq!(value(&report), "40");
    assert_eq!(report.finished.duration, 30_000_000);
}

/// Spawns 20 and 11, which raises, and awaits neither.
unsafe extern "C" fn forgets(context: *mut Context, frame: *mut Frame) -> u64 {
    for argument in [20, 11, 5] {
        let handle = spawn(context, 1, argument);
        release(context, handle);
    }
    done(frame, 0)
}

#[test]
fn the_first_error_that_nobody_awaited_is_raised_at_the_end() {
    let report = go(&[Code::Resume(forgets, 0, 0), SLEEP_THEN_GIVE]);
    assert_eq!(raised(&report).1, "5 is odd");
    assert_eq!(report.finished.duration, 20_000_000);
}

fn await_all(context: *mut Context, frame: *mut Frame, arguments: [u64; 3]) -> u64 {
    match state(frame) {
        0 => {
            let handles = arguments.map(|argument| spawn(context, 1, argument));
            let handles = list_of(context, types::tasks(), &handles);
            set_state(frame, 1);
            unsafe {
                (table(context).task_await_all)(context, frame, u64::from(LIST_INT.0), handles)
            }
        }
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => raise(frame, error),
        },
    }
}

unsafe extern "C" fn awaits_even(context: *mut Context, frame: *mut Frame) -> u64 {
    await_all(context, frame, [30, 10, 20])
}

unsafe extern "C" fn awaits_odd(context: *mut Context, frame: *mut Frame) -> u64 {
    await_all(context, frame, [30, 11, 5])
}

#[test]
fn several_tasks_are_awaited_in_order() {
    let (report, _) = go_with(
        &[Code::Resume(awaits_even, 0, 0), SLEEP_THEN_GIVE],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(value(&report), "[30,10,20]");
    let (report, _) = go_with(
        &[Code::Resume(awaits_odd, 0, 0), SLEEP_THEN_GIVE],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(raised(&report).1, "11 is odd");
}

fn races(context: *mut Context, frame: *mut Frame, policy: RacePolicy, arguments: [u64; 3]) -> u64 {
    match state(frame) {
        0 => {
            let handles = arguments.map(|argument| spawn(context, 1, argument));
            let handles = list_of(context, types::tasks(), &handles);
            set_state(frame, 1);
            unsafe { (table(context).task_race)(context, frame, handles, policy as u64) }
        }
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => raise(frame, error),
        },
    }
}

unsafe extern "C" fn races_even(context: *mut Context, frame: *mut Frame) -> u64 {
    races(context, frame, RacePolicy::First, [30, 10, 21])
}

unsafe extern "C" fn races_odd(context: *mut Context, frame: *mut Frame) -> u64 {
    races(context, frame, RacePolicy::First, [30, 10, 5])
}

#[test]
fn a_race_takes_the_first_and_ends_the_others() {
    let report = go(&[Code::Resume(races_even, 0, 0), SLEEP_THEN_GIVE]);
    assert_eq!(value(&report), "10");
    assert_eq!(report.finished.duration, 10_000_000);
    assert_eq!(
        raised(&go(&[Code::Resume(races_odd, 0, 0), SLEEP_THEN_GIVE])).1,
        "5 is odd"
    );
}

unsafe extern "C" fn races_to_a_value(context: *mut Context, frame: *mut Frame) -> u64 {
    races(context, frame, RacePolicy::Merge, [30, 10, 5])
}

unsafe extern "C" fn races_in_vain(context: *mut Context, frame: *mut Frame) -> u64 {
    races(context, frame, RacePolicy::Merge, [31, 11, 5])
}

#[test]
fn a_race_that_merges_errors_takes_the_first_value() {
    let report = go(&[Code::Resume(races_to_a_value, 0, 0), SLEEP_THEN_GIVE]);
    assert_eq!(value(&report), "10");
    assert_eq!(report.finished.duration, 10_000_000);
    let report = go(&[Code::Resume(races_in_vain, 0, 0), SLEEP_THEN_GIVE]);
    assert_eq!(raised(&report).0, "Many");
    assert_eq!(report.finished.duration, 31_000_000);
}

/// Awaits the task whose handle is its parameter.
unsafe extern "C" fn awaits_parameter(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => {
            set_state(frame, 1);
            let handle = get(frame, 0);
            let status = unsafe { (table(context).task_await)(context, frame, handle) };
            if status == status::WAITING {
                return status;
            }
            match got(frame) {
                Ok(value) => done(frame, value),
                Err(error) => raise(frame, error),
            }
        }
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

/// Makes two tasks that await each other.
unsafe extern "C" fn makes_a_cycle(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            let first = (table(context).frame_new)(context, 1) as *mut Frame;
            let second = (table(context).frame_new)(context, 1) as *mut Frame;
            let ty = u64::from(types::task().0);
            let a = (table(context).task_spawn)(context, ty, first as u64).value;
            let b = (table(context).task_spawn)(context, ty, second as u64).value;
            set(first, 0, b);
            set(second, 0, retain(a));
            set_state(frame, 1);
            (table(context).task_await)(context, frame, a)
        },
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => raise(frame, error),
        },
    }
}

#[test]
fn awaiting_in_a_cycle_is_an_error() {
    let functions = [
        Code::Resume(makes_a_cycle, 0, 0),
        Code::Resume(awaits_parameter, 1, 1),
    ];
    let (report, log) = go_with(&functions, INT, Script::default());
    // The second task closes the cycle and raises; the first one, which awaited it, logs that.
    assert_eq!(log.len(), 1, "{log:?}");
    assert!(log[0].starts_with("Failed: deadlock: "), "{log:?}");
    assert_eq!(value(&report), "1");
}
