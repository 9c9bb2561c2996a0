//! Compiled modules on the real engine, loaded from memory and from a bundle.

use gsw_abi::builtin::{ERROR, INT, STRING};
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::{Acts, FunctionIndex, Workflow};
use gsw_abi::types::{Field, Secrecy, Trust, Type, TypeId};
use gsw_codegen::{Options, bundle, compile};
use gsw_driver::engine::{Engine, EngineOptions};
use gsw_engine::load::Loaded;
use gsw_engine::run::{Finished, RunResult};
use gsw_flow::ir::{Checked, Constant, Instruction, Terminator};
use serde_json::{Map, Value, json};

use crate::module::{
    Build, at, block, branch, call, checked, end, give, handler, local, raise, to, word,
};

/// Makes the function a workflow with the parameter `n`.
fn workflow(build: &mut Build, function: FunctionIndex, result: TypeId) {
    build.module.program.workflows.push(Workflow {
        name: "main".into(),
        docs: None,
        parameters: vec![Field {
            name: "n".into(),
            wire: "n".into(),
            docs: None,
            ty: INT,
            default: None,
            check: None,
            secrecy: Secrecy::Shown,
            trust: Trust::Any,
        }],
        result,
        errors: Vec::new(),
        effects: Vec::new(),
        acts: Acts::Reads,
        guarded: Vec::new(),
        function,
        resource: None,
    });
}

fn run(loaded: Loaded, n: i64) -> Box<Finished> {
    let engine = Engine::new(loaded, EngineOptions::default());
    engine.run(0, input(n))
}

fn input(n: i64) -> Map<String, Value> {
    Map::from_iter([("n".to_owned(), json!(n))])
}

fn load(build: &Build) -> Loaded {
    assert_eq!(
        gsw_flow::verify::verify(&build.module),
        Vec::<String>::new()
    );
    let image = compile(&build.module, &Options::default()).expect("it compiles");
    Loaded::from_bytes(&image).expect("it loads")
}

fn value(finished: &Finished) -> &str {
    assert_eq!(finished.live_objects, 0);
    match &finished.result {
        RunResult::Value(text) => text,
        other => panic!("{other:?}"),
    }
}

fn error(finished: &Finished) -> &str {
    assert_eq!(finished.live_objects, 0);
    match &finished.result {
        RunResult::Raised(error) => &error.error,
        other => panic!("{other:?}"),
    }
}

/// `main(n)` sleeps a millisecond in a function of its own, then gives `n + 1`.
fn sleeper() -> Build {
    let mut build = Build::new();
    let inner = build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(Terminator::Suspend {
                to: local(1),
                call: RuntimeCall::sleep,
                arguments: vec![word(1_000_000)],
                next: to(1),
                handler: handler(2, 3),
            }),
            end(checked(0, Checked::Add, at(0), word(1), 2, handler(2, 3))),
            end(give(at(0))),
            end(raise(2)),
        ],
    );
    let main = build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(call(1, inner, &[at(0)], 1, handler(2, 2))),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    workflow(&mut build, main, INT);
    build
}

#[test]
fn a_workflow_sleeps_in_a_function_and_goes_on() {
    let build = sleeper();
    assert_eq!(value(&run(load(&build), 41)), "42");
    assert_eq!(error(&run(load(&build), i64::MAX)), "Overflow");
}

#[test]
fn a_bundle_runs_as_the_image_does() {
    let image = compile(&sleeper().module, &Options::default()).expect("it compiles");
    let folder = std::env::temp_dir().join(format!("gsw-engine-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let launcher = std::env::current_exe().expect("this test is an executable");
    let target = folder.join("program");
    bundle(&launcher, &image, &target).expect("it is written");
    let file = std::fs::File::open(&target).expect("it is there");
    let length = image.len() as u64;
    let offset = file.metadata().expect("it is there").len() - length - 24;
    let loaded = Loaded::from_file(&file, offset, length).expect("it loads");
    assert_eq!(value(&run(loaded, 1)), "2");
    std::fs::remove_dir_all(&folder).expect("it is removed");
}

#[test]
fn texts_are_joined_and_freed() {
    let mut build = Build::new();
    let hello = build.constant(Constant::String {
        ty: STRING,
        text: "hello ".into(),
    });
    let main = build.resumable(
        1,
        &[INT, STRING, STRING, STRING],
        vec![block(
            vec![
                Instruction::Constant {
                    to: local(1),
                    constant: hello,
                },
                Instruction::Runtime {
                    to: Some(local(2)),
                    call: RuntimeCall::value_to_string,
                    arguments: vec![word(i64::from(INT.0)), at(0)],
                },
                Instruction::Runtime {
                    to: Some(local(3)),
                    call: RuntimeCall::string_concat,
                    arguments: vec![at(1), at(2)],
                },
                Instruction::Release(local(2)),
            ],
            give(at(3)),
        )],
    );
    workflow(&mut build, main, STRING);
    assert_eq!(value(&run(load(&build), 7)), "\"hello 7\"");
}

#[test]
fn endless_recursions_raise_stack_overflow() {
    for waits in [Waits::Never, Waits::Before] {
        let mut build = Build::new();
        let again = FunctionIndex(0);
        let first = match waits {
            Waits::Never => Terminator::Jump(to(1)),
            Waits::Before => Terminator::Suspend {
                to: local(1),
                call: RuntimeCall::time_now,
                arguments: vec![],
                next: to(1),
                handler: handler(2, 3),
            },
        };
        build.resumable(
            1,
            &[INT, INT, ERROR],
            vec![
                end(first),
                end(call(1, again, &[at(0)], 2, handler(2, 3))),
                end(give(at(1))),
                end(raise(2)),
            ],
        );
        workflow(&mut build, again, INT);
        let finished = run(load(&build), 1);
        assert_eq!(error(&finished), "StackOverflow");
    }
}

/// Where an endless recursion waits.
enum Waits {
    Never,
    Before,
}

#[test]
fn a_tuple_lives_across_a_wait() {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![INT, INT]));
    let main = build.resumable(
        1,
        &[INT, tuple, INT, ERROR],
        vec![
            block(
                vec![Instruction::Object {
                    to: local(1),
                    ty: tuple,
                    extra: 0,
                    fields: vec![at(0), word(2)],
                }],
                Terminator::Suspend {
                    to: local(2),
                    call: RuntimeCall::sleep,
                    arguments: vec![word(1)],
                    next: to(1),
                    handler: handler(3, 2),
                },
            ),
            end(give(at(1))),
            block(vec![Instruction::Release(local(1))], raise(3)),
        ],
    );
    workflow(&mut build, main, tuple);
    assert_eq!(value(&run(load(&build), 1)), "[1,2]");
}

#[test]
fn a_recursion_without_loops_can_be_stopped() {
    let mut build = Build::new();
    let fib = build.plain(
        1,
        &[INT, INT, INT, ERROR],
        vec![
            end(branch(at(0), 1, 5)),
            end(checked(
                1,
                Checked::Subtract,
                at(0),
                word(1),
                2,
                handler(3, 6),
            )),
            end(call(2, FunctionIndex(0), &[at(1)], 3, handler(3, 6))),
            end(call(2, FunctionIndex(0), &[at(1)], 4, handler(3, 6))),
            end(give(at(2))),
            end(give(word(0))),
            end(raise(3)),
        ],
    );
    let main = build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(call(1, fib, &[at(0)], 1, handler(2, 2))),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    workflow(&mut build, main, INT);
    let engine = Engine::new(load(&build), EngineOptions::default());
    let handle = engine.start(0, input(200));
    let canceller = handle.canceller();
    std::thread::sleep(std::time::Duration::from_millis(20));
    canceller.stop();
    let finished = handle.wait();
    assert_eq!(finished.result, RunResult::Cancelled);
    assert_eq!(finished.live_objects, 0);
}
