//! Functions that wait: what lives across a wait comes back, in any nesting, on both ways on.

use gsw_abi::builtin::{BuiltinError, ERROR, FUNCTION, INT};
use gsw_abi::call::RuntimeCall;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::{Type, TypeId};
use gsw_flow::ir::{Checked, Handler, Instruction, Operand, Operation, Terminator};

use crate::machine::Machine;
use crate::module::{
    Build, at, block, branch, call, checked, end, give, handler, jump, kind, local, operation,
    raise, set, to, word,
};

fn suspend(
    target: u32,
    call: RuntimeCall,
    arguments: &[Operand],
    next: u32,
    handler: Handler,
) -> Terminator {
    Terminator::Suspend {
        to: local(target),
        call,
        arguments: arguments.to_vec(),
        next: to(next),
        handler,
    }
}

/// Waits once, then adds its parameter to what it waited for.
fn wait_and_add(build: &mut Build, row: RuntimeCall, arguments: &[Operand]) -> FunctionIndex {
    build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(suspend(1, row, arguments, 1, handler(2, 3))),
            end(checked(1, Checked::Add, at(0), at(1), 2, handler(2, 3))),
            end(give(at(1))),
            end(raise(2)),
        ],
    )
}

#[test]
fn a_wait_gives_its_value_or_its_error_now_or_later() {
    let mut build = Build::new();
    let later = wait_and_add(&mut build, RuntimeCall::sleep, &[word(40)]);
    let now = wait_and_add(&mut build, RuntimeCall::time_now, &[]);
    let raised_later = wait_and_add(&mut build, RuntimeCall::random_int, &[word(1), word(2)]);
    let raised_now = wait_and_add(&mut build, RuntimeCall::uuid, &[]);
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(later, &[2]), Ok(42));
    assert_eq!(machine.run(now, &[2]), Ok(44));
    assert_eq!(
        machine.run(raised_later, &[2]),
        Err(kind(BuiltinError::Cancelled))
    );
    assert_eq!(
        machine.run(raised_now, &[2]),
        Err(kind(BuiltinError::OutOfMemory))
    );
    assert_eq!(machine.trace, [3, 3]);
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_plain_function_that_calls_a_value_which_waits_gets_a_fault() {
    let mut build = Build::new();
    let closure = build.ty(Type::Closure(Vec::new()));
    let waiting = build.resumable(
        1,
        &[closure, INT, ERROR],
        vec![
            end(suspend(
                1,
                RuntimeCall::sleep,
                &[word(40)],
                1,
                handler(2, 2),
            )),
            block(vec![Instruction::Release(local(0))], give(at(1))),
            block(vec![Instruction::Release(local(0))], raise(2)),
        ],
    );
    let caller = build.plain(
        1,
        &[INT, FUNCTION, INT, ERROR],
        vec![
            block(
                vec![Instruction::Closure {
                    to: local(1),
                    ty: closure,
                    function: waiting,
                    captures: Vec::new(),
                }],
                Terminator::CallValue {
                    to: local(2),
                    closure: local(1),
                    arguments: Vec::new(),
                    next: to(1),
                    handler: handler(3, 2),
                },
            ),
            block(vec![Instruction::Release(local(1))], give(at(2))),
            block(vec![Instruction::Release(local(1))], raise(3)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(caller, &[1]), Err(kind(BuiltinError::Internal)));
    assert_eq!(machine.live(), 0);
}

/// A loop that calls a waiting function in each round and adds up.
#[test]
fn a_loop_of_nested_waits_keeps_its_locals() {
    let mut build = Build::new();
    let inner = wait_and_add(&mut build, RuntimeCall::sleep, &[at(0)]);
    let middle = pass_on(&mut build, inner);
    let outer = build.resumable(
        1,
        &[INT, INT, INT, INT, ERROR],
        vec![
            block(vec![set(1, 0), set(2, 0)], jump(1)),
            block(
                vec![operation(3, Operation::IntLess, at(1), at(0))],
                branch(at(3), 2, 5),
            ),
            end(call(3, middle, &[at(1)], 3, handler(4, 6))),
            end(checked(2, Checked::Add, at(2), at(3), 4, handler(4, 6))),
            block(
                vec![operation(1, Operation::IntAddUnchecked, at(1), word(1))],
                Terminator::Loop {
                    head: to(1),
                    stop: handler(4, 6),
                },
            ),
            end(give(at(2))),
            end(raise(4)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(outer, &[100]), Ok(2 * 4950));
    assert_eq!(machine.frames_made, 201);
    assert_eq!(machine.live(), 0);
}

fn pass_on(build: &mut Build, function: FunctionIndex) -> FunctionIndex {
    build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(call(1, function, &[at(0)], 1, handler(2, 2))),
            end(give(at(1))),
            end(raise(2)),
        ],
    )
}

#[test]
fn an_error_travels_through_waiting_callers() {
    let mut build = Build::new();
    let inner = wait_and_add(&mut build, RuntimeCall::random_int, &[word(1), word(2)]);
    let middle = pass_on(&mut build, inner);
    let outer = pass_on(&mut build, middle);
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(outer, &[1]), Err(kind(BuiltinError::Cancelled)));
    assert_eq!(machine.trace, [3, 2, 2]);
    assert_eq!(machine.live(), 0);
}

fn object(target: u32, ty: TypeId, field: i64) -> Instruction {
    Instruction::Object {
        to: local(target),
        ty,
        extra: 0,
        fields: vec![word(field)],
    }
}

/// Keeps an object across a wait, then releases it.
#[test]
fn objects_survive_waits_and_are_owned_by_the_frame() {
    let mut build = Build::new();
    let tuple = build.ty(Type::Tuple(vec![INT]));
    let holder = build.resumable(
        1,
        &[tuple, tuple, INT, INT, ERROR],
        vec![
            block(
                vec![object(1, tuple, 30)],
                suspend(2, RuntimeCall::sleep, &[word(5)], 1, handler(4, 3)),
            ),
            block(
                vec![
                    Instruction::Load {
                        to: local(3),
                        from: local(1),
                        index: 0,
                    },
                    Instruction::Release(local(1)),
                    Instruction::Release(local(0)),
                ],
                checked(2, Checked::Add, at(2), at(3), 2, handler(4, 4)),
            ),
            end(give(at(2))),
            block(
                [local(0), local(1)].map(Instruction::Release).to_vec(),
                raise(4),
            ),
            end(raise(4)),
        ],
    );
    let start = build.resumable(
        0,
        &[tuple, INT, ERROR],
        vec![
            block(
                vec![object(0, tuple, 1)],
                call(1, holder, &[at(0)], 1, handler(2, 2)),
            ),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(start, &[]), Ok(35));
    assert_eq!(machine.live(), 0);
    let described = &machine.program.functions[holder.0 as usize];
    assert_eq!(described.owned, [vec![0], vec![0, 1]]);
    assert_eq!(described.slots.len(), 2);
    assert_eq!(machine.drop_waiting(start, &[]), 2);
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_function_value_may_or_may_not_wait() {
    let mut build = Build::new();
    let closure = build.ty(Type::Closure(vec![INT]));
    let waits = build.resumable(
        1,
        &[closure, INT, ERROR],
        vec![
            block(
                vec![
                    Instruction::Capture {
                        to: local(1),
                        from: local(0),
                        index: 0,
                    },
                    Instruction::Release(local(0)),
                ],
                suspend(1, RuntimeCall::sleep, &[at(1)], 1, handler(2, 2)),
            ),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    let plain = build.plain(
        1,
        &[closure],
        vec![block(vec![Instruction::Release(local(0))], give(word(5)))],
    );
    let mut callers = Vec::new();
    for function in [waits, plain] {
        callers.push(call_of_value(&mut build, closure, function));
    }
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(callers[0], &[2]), Ok(42));
    assert_eq!(machine.run(callers[1], &[2]), Ok(7));
    assert_eq!(machine.live(), 0);
    assert_eq!(machine.drop_waiting(callers[0], &[2]), 2);
    assert_eq!(machine.live(), 0);
}

#[test]
fn an_endless_recursion_of_frames_raises_stack_overflow() {
    let mut build = Build::new();
    let again = FunctionIndex(0);
    build.resumable(
        1,
        &[INT, INT, ERROR],
        vec![
            end(call(1, again, &[at(0)], 1, handler(2, 2))),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    let ended = machine.run(again, &[1]);
    assert_eq!(ended, Err(kind(BuiltinError::StackOverflow)));
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_fresh_frame_has_its_parameters() {
    let mut build = Build::new();
    let callee = wait_and_add(&mut build, RuntimeCall::sleep, &[word(1)]);
    let maker = build.plain(
        1,
        &[INT, INT],
        vec![block(
            vec![Instruction::Frame {
                to: local(1),
                function: callee,
                arguments: vec![at(0)],
            }],
            give(at(1)),
        )],
    );
    let mut machine = Machine::new(&build.module);
    let frame = machine.run(maker, &[77]).expect("a frame");
    assert_eq!(machine.slot(frame, 0), 77);
}

/// Makes a closure that captures 40, calls it, and adds its parameter.
fn call_of_value(build: &mut Build, closure: TypeId, function: FunctionIndex) -> FunctionIndex {
    let release = vec![Instruction::Release(local(1))];
    build.resumable(
        1,
        &[INT, FUNCTION, INT, ERROR],
        vec![
            block(
                vec![Instruction::Closure {
                    to: local(1),
                    ty: closure,
                    function,
                    captures: vec![word(40)],
                }],
                Terminator::CallValue {
                    to: local(2),
                    closure: local(1),
                    arguments: vec![],
                    next: to(1),
                    handler: handler(3, 3),
                },
            ),
            block(
                release.clone(),
                checked(2, Checked::Add, at(2), at(0), 2, handler(3, 4)),
            ),
            end(give(at(2))),
            block(release, raise(3)),
            end(raise(3)),
        ],
    )
}
