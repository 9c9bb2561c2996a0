//! Plain calls: of functions, of function values, of the runtime, and too deep ones.

use gsw_abi::builtin::{BuiltinError, ERROR, FUNCTION, INT};
use gsw_abi::call::RuntimeCall;
use gsw_abi::layout::{CONTEXT_STACK_LIMIT, CONTEXT_STOP};
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::Type;
use gsw_flow::ir::{Checked, Constant, Instruction, Operation, Terminator};

use crate::machine::Machine;
use crate::module::{
    Build, at, block, branch, call, checked, end, give, handler, kind, local, operation, raise, to,
    word,
};

#[test]
fn a_recursion_gives_back_its_result() {
    let mut build = Build::new();
    let fib = FunctionIndex(0);
    build.plain(
        1,
        &[INT, INT, INT, INT, ERROR],
        vec![
            block(
                vec![operation(1, Operation::IntLess, at(0), word(2))],
                branch(at(1), 1, 2),
            ),
            end(give(at(0))),
            end(checked(
                1,
                Checked::Subtract,
                at(0),
                word(1),
                3,
                handler(4, 8),
            )),
            end(call(2, fib, &[at(1)], 4, handler(4, 8))),
            end(checked(
                1,
                Checked::Subtract,
                at(0),
                word(2),
                5,
                handler(4, 8),
            )),
            end(call(3, fib, &[at(1)], 6, handler(4, 8))),
            end(checked(2, Checked::Add, at(2), at(3), 7, handler(4, 8))),
            end(give(at(2))),
            end(raise(4)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(fib, &[20]), Ok(6765));
}

/// A function that calls itself for ever.
fn endless() -> Build {
    let mut build = Build::new();
    let again = call(1, FunctionIndex(0), &[at(0)], 1, handler(2, 2));
    build.plain(
        1,
        &[INT, INT, ERROR],
        vec![end(again), end(give(at(1))), end(raise(2))],
    );
    build
}

/// Who stops a run sets the flag and then raises the limit. A processor that reads ahead could find the limit raised and the flag not
/// yet set, and the stack would seem to be used up.
#[test]
fn the_flag_is_read_after_the_limit() {
    let text = gsw_codegen::clif(&endless().module).expect("it translates");
    let (function, _) = text.split_once("; 1 ").expect("routines follow");
    let place = |what: &str| {
        function
            .find(what)
            .unwrap_or_else(|| panic!("{what} in {function}"))
    };
    let limit = place(&format!("load.i64 notrap aligned v0+{CONTEXT_STACK_LIMIT}"));
    let flag = place(&format!("load.i32 notrap aligned v0+{CONTEXT_STOP}"));
    let fence = place("fence");
    assert!(limit < fence && fence < flag, "{function}");
}

#[test]
fn an_endless_recursion_raises_stack_overflow_or_stops() {
    let mut machine = Machine::new(&endless().module);
    let ended = machine.run(FunctionIndex(0), &[1]);
    assert_eq!(ended, Err(kind(BuiltinError::StackOverflow)));
    assert_eq!(machine.trace[0], 1000);
    assert!(machine.trace.len() > 1000);
    assert_eq!(machine.live(), 0);
    machine.stop();
    let ended = machine.run(FunctionIndex(0), &[1]);
    assert_eq!(ended, Err(kind(BuiltinError::Unwind)));
    assert_eq!(machine.live(), 0);
}

#[test]
fn function_values_know_their_captures() {
    let mut build = Build::new();
    let closure = build.ty(Type::Closure(vec![INT]));
    let adder = build.plain(
        2,
        &[closure, INT, INT, ERROR],
        vec![
            block(
                vec![
                    Instruction::Capture {
                        to: local(2),
                        from: local(0),
                        index: 0,
                    },
                    Instruction::Release(local(0)),
                ],
                checked_add(),
            ),
            end(give(at(2))),
            end(raise(3)),
        ],
    );
    let caller = build.plain(
        2,
        &[INT, INT, FUNCTION, INT, ERROR],
        vec![
            block(
                vec![Instruction::Closure {
                    to: local(2),
                    ty: closure,
                    function: adder,
                    captures: vec![at(0)],
                }],
                Terminator::CallValue {
                    to: local(3),
                    closure: local(2),
                    arguments: vec![at(1)],
                    next: to(1),
                    handler: handler(4, 2),
                },
            ),
            block(vec![Instruction::Release(local(2))], give(at(3))),
            block(vec![Instruction::Release(local(2))], raise(4)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(caller, &[40, 2]), Ok(42));
    assert_eq!(machine.live(), 0);
    let most = i64::MAX.cast_unsigned();
    assert_eq!(
        machine.run(caller, &[most, 2]),
        Err(kind(BuiltinError::Overflow))
    );
    assert_eq!(machine.trace, [2, 2]);
    assert_eq!(machine.live(), 0);
}

fn checked_add() -> Terminator {
    checked(2, Checked::Add, at(2), at(1), 1, handler(3, 2))
}

#[test]
fn a_constant_closure_is_called_like_any_other() {
    let mut build = Build::new();
    let closure = build.ty(Type::Closure(vec![]));
    let answer = build.plain(
        1,
        &[closure],
        vec![block(vec![Instruction::Release(local(0))], give(word(42)))],
    );
    let constant = build.constant(Constant::Closure {
        ty: closure,
        function: answer,
    });
    let caller = build.plain(
        0,
        &[FUNCTION, INT, ERROR],
        vec![
            block(
                vec![Instruction::Constant {
                    to: local(0),
                    constant,
                }],
                Terminator::CallValue {
                    to: local(1),
                    closure: local(0),
                    arguments: vec![],
                    next: to(1),
                    handler: handler(2, 2),
                },
            ),
            block(vec![Instruction::Release(local(0))], give(at(1))),
            block(vec![Instruction::Release(local(0))], raise(2)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(caller, &[]), Ok(42));
}

#[test]
fn a_rust_function_and_a_compiled_one_agree_on_two_results() {
    let mut build = Build::new();
    let function = build.plain(
        1,
        &[INT, INT, ERROR],
        vec![
            end(Terminator::Runtime {
                to: local(1),
                call: RuntimeCall::float_to_int,
                arguments: vec![at(0)],
                next: to(1),
                handler: handler(2, 2),
            }),
            end(give(at(1))),
            end(raise(2)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[41]), Ok(42));
    assert_eq!(
        machine.run(function, &[0]),
        Err(kind(BuiltinError::Overflow))
    );
    assert_eq!(machine.live(), 0);
}

#[test]
fn many_parameters_arrive_in_order() {
    let mut build = Build::new();
    let count = 9;
    let locals = vec![INT; count];
    let mut instructions = vec![operation(0, Operation::IntAddUnchecked, at(0), word(0))];
    // Each parameter shifts what came before by doubling it, so that the order counts.
    for index in 1..count as u32 {
        instructions.push(operation(0, Operation::IntAddUnchecked, at(0), at(0)));
        instructions.push(operation(0, Operation::IntAddUnchecked, at(0), at(index)));
    }
    let many = build.plain(
        count as u32,
        &locals,
        vec![block(instructions, give(at(0)))],
    );
    let bits = [1, 0, 1, 1, 0, 0, 1, 0, 1];
    let caller = build.plain(
        0,
        &[INT, ERROR],
        vec![
            end(call(0, many, &bits.map(word), 1, handler(1, 2))),
            end(give(at(0))),
            end(raise(1)),
        ],
    );
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(caller, &[]), Ok(0b1_0110_0101));
}
