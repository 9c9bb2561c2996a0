//! How deep calls may nest.

use std::sync::atomic::Ordering;

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::{Context, Frame, status};

use crate::program::{
    Code, done, get, go, got, raise, raised, set, set_state, state, table, value,
};

/// Waits, then calls itself, without end when slot 0 is 0 and else so many times.
unsafe extern "C" fn descends(context: *mut Context, frame: *mut Frame) -> u64 {
    let mark = 0_u8;
    match state(frame) {
        0 => unsafe {
            // What compiled code does first.
            if (&raw const mark).addr() as u64 <= (*context).stack_limit.load(Ordering::Relaxed) {
                return raise(
                    frame,
                    (table(context).fault)(context, BuiltinError::StackOverflow as u64),
                );
            }
            set_state(frame, 1);
            (table(context).sleep)(context, frame, 0)
        },
        1 => unsafe {
            if get(frame, 0) == 1 {
                return done(frame, 1);
            }
            let child = (table(context).frame_new)(context, 0) as *mut Frame;
            (*child).parent = frame;
            set(child, 0, get(frame, 0).saturating_sub(1));
            set_state(frame, 2);
            let status = descends(context, child);
            if status == status::WAITING {
                return status;
            }
            assert_eq!(status, status::RAISED);
            let error = (*child).error;
            (table(context).frame_free)(context, child as u64);
            raise(frame, error)
        },
        _ => match got(frame) {
            Ok(value) => done(frame, value + 1),
            Err(error) => raise(frame, error),
        },
    }
}

unsafe extern "C" fn descends_100_000(context: *mut Context, frame: *mut Frame) -> u64 {
    if state(frame) == 0 {
        set(frame, 0, 100_000);
    }
    unsafe { descends(context, frame) }
}

#[test]
fn frames_on_the_heap_may_be_deep_but_not_endless() {
    assert_eq!(
        value(&go(&[Code::Resume(descends_100_000, 1, 0)])),
        "100000"
    );
    assert_eq!(
        raised(&go(&[Code::Resume(descends, 1, 0)])).0,
        "StackOverflow"
    );
}
