//! The embedded driver: real time, real files, real processes, and runs that are cancelled.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gsw_abi::builtin::{INT, STRING};
use gsw_abi::layout::{Context, Frame, status};
use gsw_abi::program::{Acts, FunctionIndex, Workflow};
use gsw_abi::types::{Field, Secrecy, Trust, TypeId};
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::run::RunResult;
use serde_json::{Map, Value, json};

use crate::program::{
    Code, MS, SLEEP_THEN_GIVE, done, get, got, load_with, raise, set_state, state, table, text,
};

/// An engine for a program with one workflow, function 0, with these parameters.
fn engine(functions: &[Code], parameters: &[(&str, TypeId)], result: TypeId) -> Engine {
    let parameters = parameters.iter().map(|(name, ty)| Field {
        name: (*name).into(),
        wire: (*name).into(),
        docs: None,
        ty: *ty,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    });
    let workflow = Workflow {
        name: "main".into(),
        docs: None,
        parameters: parameters.collect(),
        result,
        errors: vec![],
        effects: vec![],
        acts: Acts::Reads,
        guarded: vec![],
        function: FunctionIndex(0),
        resource: None,
    };
    let loaded = load_with(functions, |program| program.workflows.push(workflow));
    Engine::new(loaded, EngineOptions::default())
}

fn input(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

#[test]
fn a_workflow_gets_its_input_and_sleeps_for_real() {
    let engine = engine(&[SLEEP_THEN_GIVE], &[("length", INT)], INT);
    let began = Instant::now();
    let finished = engine.run(0, input(json!({ "length": 20 })));
    assert_eq!(finished.result, RunResult::Value("20".into()));
    assert!(began.elapsed() >= Duration::from_millis(20));
    assert_eq!(finished.live_objects, 0);
    for wrong in [
        json!({}),
        json!({ "length": "x" }),
        json!({ "length": 2, "other": 1 }),
    ] {
        let finished = engine.run(0, input(wrong));
        assert!(
            matches!(finished.result, RunResult::InvalidInput(ref issues) if issues.len() == 1)
        );
        assert_eq!(finished.live_objects, 0);
    }
}

#[test]
fn many_runs_share_an_engine() {
    let engine = engine(&[SLEEP_THEN_GIVE], &[("length", INT)], INT);
    let runs: Vec<_> = (0..200)
        .map(|n| engine.start(0, input(json!({ "length": 2 * (n % 5) }))))
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        assert_eq!(
            run.wait().result,
            RunResult::Value((2 * (n % 5)).to_string())
        );
    }
}

/// Runs for ever without waiting, as a loop of compiled code does.
unsafe extern "C" fn spins(context: *mut Context, frame: *mut Frame) -> u64 {
    loop {
        if unsafe { (*context).stop.load(Ordering::Relaxed) } != 0 {
            let error = unsafe { (table(context).interrupted)(context) };
            if error != 0 {
                return raise(frame, error);
            }
        }
        std::hint::spin_loop();
    }
}

#[test]
fn a_run_ends_when_it_is_told_to() {
    let sleeping = engine(&[SLEEP_THEN_GIVE], &[("length", INT)], INT);
    let run = sleeping.start(0, input(json!({ "length": 60_000 })));
    run.canceller().cancel("enough");
    let finished = run.wait();
    assert_eq!(
        (finished.result, finished.live_objects),
        (RunResult::Cancelled, 0)
    );
    let spinning = engine(&[Code::Resume(spins, 0, 0)], &[], INT);
    let run = spinning.start(0, Map::new());
    std::thread::sleep(Duration::from_millis(5));
    run.canceller().stop();
    assert_eq!(run.wait().result, RunResult::Cancelled);
    let run = spinning.start(0, Map::new());
    run.canceller().cancel("enough");
    assert_eq!(run.wait().result, RunResult::Cancelled);
}

#[test]
fn a_run_that_waits_ends_at_once_when_it_is_stopped() {
    let sleeping = engine(&[SLEEP_THEN_GIVE], &[("length", INT)], INT);
    let run = sleeping.start(0, input(json!({ "length": 3_600_000 })));
    run.canceller().stop();
    let finished = run.wait();
    assert_eq!(
        (finished.result, finished.live_objects),
        (RunResult::Cancelled, 0)
    );
}

/// Gives the text of the file whose path is its parameter.
unsafe extern "C" fn reads(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            set_state(frame, 1);
            (table(context).fs_read)(context, frame, get(frame, 0))
        },
        _ => match got(frame) {
            Ok(value) => done(frame, value),
            Err(error) => raise(frame, error),
        },
    }
}

#[test]
fn files_are_read_and_missing_ones_say_so() {
    let engine = engine(&[Code::Resume(reads, 1, 1)], &[("path", STRING)], STRING);
    let finished = engine.run(0, input(json!({ "path": "Cargo.toml" })));
    assert!(matches!(&finished.result, RunResult::Value(text) if text.contains("gsw-engine")));
    assert_eq!(finished.live_objects, 0);
    let finished = engine.run(0, input(json!({ "path": "no/such/file" })));
    let RunResult::Raised(error) = &finished.result else {
        panic!("{:?}", finished.result)
    };
    assert_eq!(error.error, "IoError");
    assert_eq!(error.fields["path"], "no/such/file");
    assert_eq!(finished.live_objects, 0);
}

/// Sleeps, then gives a text.
unsafe extern "C" fn gives_text(context: *mut Context, frame: *mut Frame) -> u64 {
    match state(frame) {
        0 => unsafe {
            set_state(frame, 1);
            let status = (table(context).sleep)(context, frame, MS);
            assert_eq!(status, status::WAITING);
            status
        },
        _ => done(frame, text("ä \"quoted\"")),
    }
}

#[test]
fn a_text_comes_out_as_json() {
    let engine = engine(&[Code::Resume(gives_text, 0, 0)], &[], STRING);
    assert_eq!(
        engine.run(0, Map::new()).result,
        RunResult::Value(r#""ä \"quoted\"""#.into())
    );
}

#[test]
fn a_run_that_begins_after_all_were_told_to_end_ends_too() {
    let engine = engine(&[SLEEP_THEN_GIVE], &[("length", INT)], INT);
    engine.leave_all("the service ends");
    // Nothing of it is written down, so it cannot be left.
    let finished = engine.run(0, input(json!({ "length": 3_600_000 })));
    assert_eq!(finished.result, RunResult::Cancelled);
}
