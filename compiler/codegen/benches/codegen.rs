//! How fast compiled code runs and how long compiling takes: `cargo bench -p gsw-codegen`.

#[path = "../tests/run/machine.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod machine;
#[path = "../tests/run/module.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod module;

use std::hint::black_box;
use std::time::{Duration, Instant};

use gsw_abi::builtin::{ERROR, INT};
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::Type;
use gsw_codegen::{Options, Verification, compile};
use gsw_flow::ir::{Block, Checked, Instruction, Operation, Terminator};

use machine::Machine;
use module::{
    Build, at, block, branch, call, checked, end, give, handler, jump, local, operation, raise,
    set, to, word,
};

const ROUNDS: u64 = 1_000_000;

fn main() {
    let rust = measure(|| {
        black_box(rust_loop(black_box(ROUNDS as i64)));
    });
    println!("checked loop in Rust          {rust:>10.2?}");
    show("checked loop", loop_of(checked_body()));
    show("retain and release", loop_of(counting_body()));
    show("plain call", loop_of_calls());
    show("waiting call, done at once", loop_of_frames());
    show("table call, done at once", loop_of_suspends());
    show_recursion();
    show_compile_time();
}

/// The shortest of some runs.
fn measure(mut work: impl FnMut()) -> Duration {
    let runs = (0..20).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn show(name: &str, (build, function): (Build, FunctionIndex)) {
    let mut machine = Machine::new(&build.module);
    let time = measure(|| {
        machine
            .run(function, &[ROUNDS])
            .expect("the loop ends without error");
    });
    let each = time.as_secs_f64() * 1e9 / ROUNDS as f64;
    println!("{name:<30}{time:>10.2?}  {each:.2} ns a round");
}

/// Does in Rust what [`checked_body`] does.
#[inline(never)]
fn rust_loop(rounds: i64) -> Option<i64> {
    let mut sum = 0_i64;
    let mut index = 0_i64;
    while index < rounds {
        sum = sum.checked_mul(3)?.checked_add(index)? % 1_000_003;
        index = index.checked_add(1)?;
    }
    Some(sum)
}

/// `sum = (sum * 3 + index) % 1_000_003`, in locals 2 and 1; the block after it is number 5.
fn checked_body() -> Vec<Block> {
    let fails = || handler(4, 8);
    vec![
        end(checked(2, Checked::Multiply, at(2), word(3), 3, fails())),
        end(checked(2, Checked::Add, at(2), at(1), 4, fails())),
        end(checked(
            2,
            Checked::Remainder,
            at(2),
            word(1_000_003),
            5,
            fails(),
        )),
    ]
}

fn counting_body() -> Vec<Block> {
    let count = vec![
        Instruction::Retain(local(5)),
        Instruction::Release(local(5)),
    ];
    vec![block(count, jump(3)), end(jump(4)), end(jump(5))]
}

/// A plain loop around three blocks.
fn loop_of(body: Vec<Block>) -> (Build, FunctionIndex) {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![]));
    let mut blocks = vec![
        block(
            vec![
                set(1, 0),
                set(2, 0),
                Instruction::Object {
                    to: local(5),
                    ty: tuple,
                    extra: 0,
                    fields: vec![],
                },
            ],
            jump(1),
        ),
        block(
            vec![operation(3, Operation::IntLess, at(1), at(0))],
            branch(at(3), 2, 7),
        ),
    ];
    blocks.extend(body);
    blocks.extend([
        end(checked(1, Checked::Add, at(1), word(1), 6, handler(4, 8))),
        end(Terminator::Loop {
            head: to(1),
            stop: handler(4, 8),
        }),
        block(vec![Instruction::Release(local(5))], give(at(2))),
        block(vec![Instruction::Release(local(5))], raise(4)),
    ]);
    let function = build.plain(1, &[INT, INT, INT, INT, ERROR, tuple], blocks);
    (build, function)
}

fn loop_of_calls() -> (Build, FunctionIndex) {
    let mut build = Build::new();
    let callee = build.plain(1, &[INT], vec![end(give(at(0)))]);
    let body = end(call(2, callee, &[at(1)], 3, handler(4, 6)));
    let function = build.plain(1, &[INT, INT, INT, INT, ERROR], around(body));
    (build, function)
}

fn loop_of_frames() -> (Build, FunctionIndex) {
    let mut build = Build::new();
    let callee = build.resumable(1, &[INT], vec![end(give(at(0)))]);
    let body = end(call(2, callee, &[at(1)], 3, handler(4, 6)));
    let function = build.resumable(1, &[INT, INT, INT, INT, ERROR], around(body));
    (build, function)
}

fn loop_of_suspends() -> (Build, FunctionIndex) {
    let mut build = Build::new();
    let body = end(Terminator::Suspend {
        to: local(2),
        call: RuntimeCall::time_now,
        arguments: vec![],
        next: to(3),
        handler: handler(4, 6),
    });
    let function = build.resumable(1, &[INT, INT, INT, INT, ERROR], around(body));
    (build, function)
}

/// Fibonacci numbers the slow way: no loop, so compiled without optimization.
fn show_recursion() {
    let mut build = Build::new();
    let this = FunctionIndex(0);
    let fails = || handler(4, 8);
    build.plain(
        1,
        &[INT, INT, INT, INT, ERROR],
        vec![
            block(
                vec![operation(1, Operation::IntLess, at(0), word(2))],
                branch(at(1), 1, 2),
            ),
            end(give(at(0))),
            end(checked(1, Checked::Subtract, at(0), word(1), 3, fails())),
            end(call(2, this, &[at(1)], 4, fails())),
            end(checked(1, Checked::Subtract, at(0), word(2), 5, fails())),
            end(call(3, this, &[at(1)], 6, fails())),
            end(checked(2, Checked::Add, at(2), at(3), 7, fails())),
            end(give(at(2))),
            end(raise(4)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    let time = measure(|| {
        black_box(machine.run(this, &[30]).expect("it ends"));
    });
    let calls = 2_692_537.0;
    let each = time.as_secs_f64() * 1e9 / calls;
    println!("fib(30)                       {time:>10.2?}  {each:.2} ns a call");
}

/// A loop around one block.
fn around(body: Block) -> Vec<Block> {
    vec![
        block(vec![set(1, 0), set(2, 0)], jump(1)),
        block(
            vec![operation(3, Operation::IntLess, at(1), at(0))],
            branch(at(3), 2, 5),
        ),
        body,
        end(checked(1, Checked::Add, at(1), word(1), 4, handler(4, 6))),
        end(Terminator::Loop {
            head: to(1),
            stop: handler(4, 6),
        }),
        end(give(at(2))),
        end(raise(4)),
    ]
}

fn show_compile_time() {
    for count in [1, 1000] {
        show_compiling("loops", count, |build, last| {
            let body = end(call(2, last, &[at(1)], 3, handler(4, 6)));
            build.plain(1, &[INT, INT, INT, INT, ERROR], around(body))
        });
        show_compiling("ordinary functions", count, ordinary);
    }
}

/// Compiles this many functions, each of which is made with the one before.
fn show_compiling(
    name: &str,
    count: u32,
    make: impl Fn(&mut Build, FunctionIndex) -> FunctionIndex,
) {
    let mut build = Build::new();
    let mut last = build.plain(1, &[INT], vec![end(give(at(0)))]);
    for _ in 0..count {
        last = make(&mut build, last);
    }
    let options = Options {
        verification: Verification::Off,
    };
    let time = measure(|| {
        black_box(compile(&build.module, &options).expect("it compiles"));
    });
    let each = time.as_secs_f64() * 1e6 / f64::from(count);
    println!("compiling {count:>4} {name:<20}{time:>10.2?}  {each:.1} us a function");
}

/// Five calls with an object that is kept, made and given back on the way, and all that an error on the way needs.
fn ordinary(build: &mut Build, callee: FunctionIndex) -> FunctionIndex {
    let ty = gsw_abi::builtin::LIST_INT;
    let mut blocks = Vec::new();
    for step in 0..5 {
        blocks.push(block(
            vec![
                Instruction::Retain(local(1)),
                Instruction::Object {
                    to: local(2),
                    ty,
                    extra: 0,
                    fields: vec![at(1), at(0)],
                },
                Instruction::Load {
                    to: local(3),
                    from: local(2),
                    index: 1,
                },
                Instruction::Release(local(2)),
            ],
            call(0, callee, &[at(3)], step + 1, handler(4, 6)),
        ));
    }
    let release = vec![Instruction::Release(local(1))];
    blocks.push(block(release.clone(), give(at(0))));
    blocks.push(block(release, raise(4)));
    blocks[0].instructions.insert(
        0,
        Instruction::Object {
            to: local(1),
            ty,
            extra: 0,
            fields: vec![],
        },
    );
    build.plain(1, &[INT, ty, ty, INT, ERROR], blocks)
}
