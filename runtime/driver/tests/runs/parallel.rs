//! `parallel for` and `parallel (…)`.

use gsw_abi::builtin::LIST_INT;
use gsw_abi::call::ErrorPolicy;
use gsw_abi::layout::{Context, Frame, Outcome};
use gsw_abi::types::TypeId;
use gsw_driver::scripted::Script;

use crate::program::{
    CLOSURE_SLEEP, Code, closure, done, failed, get, go_with, got, list_of, raise, raised, release,
    set_state, state, table, text, types, value,
};

const UNLIMITED: u64 = gsw_abi::call::NO_LIMIT.cast_unsigned();

fn for_each(
    context: *mut Context,
    frame: *mut Frame,
    items: &[u64],
    limit: u64,
    policy: ErrorPolicy,
    result: TypeId,
) -> u64 {
    match state(frame) {
        0 => {
            let items = list_of(context, LIST_INT, items);
            let body = closure(context, 1);
            set_state(frame, 1);
            let status = unsafe {
                (table(context).parallel_for)(
                    context,
                    frame,
                    u64::from(result.0),
                    body,
                    items,
                    limit,
                    policy as u64,
                )
            };
            if status == gsw_abi::layout::status::WAITING {
                return status;
            }
            ended(frame)
        }
        _ => ended(frame),
    }
}

fn ended(frame: *mut Frame) -> u64 {
    match got(frame) {
        Ok(value) => done(frame, value),
        Err(error) => raise(frame, error),
    }
}

macro_rules! body {
    ($name:ident, $items:expr, $limit:expr, $policy:expr, $result:expr) => {
        unsafe extern "C" fn $name(context: *mut Context, frame: *mut Frame) -> u64 {
            for_each(context, frame, &$items, $limit, $policy, $result)
        }
    };
}

body!(
    all_at_once,
    [30, 10, 20],
    UNLIMITED,
    ErrorPolicy::First,
    LIST_INT
);
body!(
    two_at_once,
    [30, 10, 20, 10],
    2,
    ErrorPolicy::First,
    LIST_INT
);
body!(
    first_error,
    [30, 11, 5, 40],
    UNLIMITED,
    ErrorPolicy::First,
    LIST_INT
);
body!(
    settles,
    [30, 11, 4],
    UNLIMITED,
    ErrorPolicy::Settle,
    types::results()
);
body!(merges, [30, 11, 5], UNLIMITED, ErrorPolicy::Merge, LIST_INT);
body!(of_nothing, [], UNLIMITED, ErrorPolicy::First, LIST_INT);

#[test]
fn results_come_in_order_of_input() {
    let (report, _) = go_with(
        &[Code::Resume(all_at_once, 0, 0), CLOSURE_SLEEP],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(
        (value(&report), report.finished.duration),
        ("[30,10,20]", 30_000_000)
    );
    let (report, _) = go_with(
        &[Code::Resume(of_nothing, 0, 0), CLOSURE_SLEEP],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(value(&report), "[]");
}

#[test]
fn a_limit_holds() {
    let (report, _) = go_with(
        &[Code::Resume(two_at_once, 0, 0), CLOSURE_SLEEP],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(
        (value(&report), report.finished.duration),
        ("[30,10,20,10]", 40_000_000)
    );
}

#[test]
fn the_first_error_ends_the_others() {
    let (report, _) = go_with(
        &[Code::Resume(first_error, 0, 0), CLOSURE_SLEEP],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(raised(&report).1, "5 is odd");
    assert_eq!(report.finished.duration, 5_000_000);
}

#[test]
fn errors_can_be_settled_or_merged() {
    let (report, _) = go_with(
        &[Code::Resume(settles, 0, 0), CLOSURE_SLEEP],
        types::results(),
        Script::default(),
    );
    let text = value(&report);
    assert!(
        text.starts_with(r#"[{"kind":"Ok","value":30},{"kind":"Err","error":"#),
        "{text}"
    );
    let (report, _) = go_with(
        &[Code::Resume(merges, 0, 0), CLOSURE_SLEEP],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(raised(&report).0, "Many");
    assert_eq!(report.finished.duration, 30_000_000);
}

/// Doubles, or raises for 7.
unsafe extern "C" fn doubles(context: *mut Context, closure: u64, word: u64) -> Outcome {
    release(context, closure);
    if word == 7 {
        return Outcome {
            value: 0,
            error: failed(context, "seven"),
        };
    }
    Outcome {
        value: 2 * word,
        error: 0,
    }
}

body!(
    plain_even,
    [1, 2, 3],
    UNLIMITED,
    ErrorPolicy::First,
    LIST_INT
);
body!(
    plain_seven,
    [1, 7, 3],
    UNLIMITED,
    ErrorPolicy::First,
    LIST_INT
);

#[test]
fn a_body_that_cannot_wait_is_called_at_once() {
    let (report, _) = go_with(
        &[Code::Resume(plain_even, 0, 0), Code::Plain(doubles)],
        LIST_INT,
        Script::default(),
    );
    assert_eq!((value(&report), report.suspensions), ("[2,4,6]", 0));
    let (report, _) = go_with(
        &[Code::Resume(plain_seven, 0, 0), Code::Plain(doubles)],
        LIST_INT,
        Script::default(),
    );
    assert_eq!(raised(&report).1, "seven");
}

unsafe extern "C" fn gives_a_number(context: *mut Context, frame: *mut Frame) -> u64 {
    release(context, get(frame, 0));
    done(frame, 7)
}

unsafe extern "C" fn gives_a_text(context: *mut Context, frame: *mut Frame) -> u64 {
    release(context, get(frame, 0));
    done(frame, text("x"))
}

unsafe extern "C" fn makes_a_pair(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => {
            let bodies = [closure(context, 1), closure(context, 2)];
            let bodies = list_of(context, types::closures(), &bodies);
            set_state(frame, 1);
            unsafe {
                (table(context).parallel_tuple)(context, frame, u64::from(types::pair().0), bodies)
            }
        }
        _ => ended(frame),
    }
}

#[test]
fn a_tuple_of_calls_gives_a_tuple() {
    let functions = [
        Code::Resume(makes_a_pair, 0, 0),
        Code::Resume(gives_a_number, 1, 1),
        Code::Resume(gives_a_text, 1, 1),
    ];
    let (report, _) = go_with(&functions, types::pair(), Script::default());
    assert_eq!(value(&report), r#"[7,"x"]"#);
}
