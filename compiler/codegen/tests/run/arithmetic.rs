//! Numbers: what overflows raises, what does not is exact.

use gsw_abi::builtin::{BuiltinError, ERROR, FLOAT, INT};
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use gsw_flow::ir::{Checked, Operand, Operation, Terminator};

use crate::machine::Machine;
use crate::module::{
    Build, at, block, branch, checked, end, give, handler, kind, local, operation, raise, set, to,
    word,
};

/// A function of two numbers that does one checked operation; the operands are locals 0 and 1 or words.
fn operate(build: &mut Build, how: Checked, left: Operand, right: Operand) -> FunctionIndex {
    build.plain(
        2,
        &[INT, INT, INT, ERROR],
        vec![
            end(checked(2, how, left, right, 1, handler(3, 2))),
            end(give(at(2))),
            end(raise(3)),
        ],
    )
}

/// What each operation gives, or why it raises.
fn expected(left: i64, right: i64) -> [(Checked, Result<i64, TypeId>); 6] {
    let overflow = kind(BuiltinError::Overflow);
    let divided = |value: Option<i64>| match right {
        0 => Err(kind(BuiltinError::DivisionByZero)),
        _ => value.ok_or(overflow),
    };
    let remainder = (right != 0).then(|| left.wrapping_rem(right));
    [
        (Checked::Add, left.checked_add(right).ok_or(overflow)),
        (Checked::Subtract, left.checked_sub(right).ok_or(overflow)),
        (Checked::Multiply, left.checked_mul(right).ok_or(overflow)),
        (Checked::Divide, divided(left.checked_div(right))),
        (Checked::Remainder, divided(remainder)),
        (Checked::Negate, left.checked_neg().ok_or(overflow)),
    ]
}

#[test]
fn checked_operations_raise_exactly_when_rust_says_so() {
    let edges = [
        i64::MIN,
        i64::MIN + 1,
        -2,
        -1,
        0,
        1,
        2,
        i64::MAX - 1,
        i64::MAX,
    ];
    let mut build = Build::new();
    let mut cases = Vec::new();
    for left in [i64::MIN, -7, -1, 0, 7, i64::MAX] {
        for right in edges {
            for (how, expected) in expected(left, right) {
                for operands in [(at(0), at(1)), (at(0), word(right)), (word(left), at(1))] {
                    let function = operate(&mut build, how, operands.0, operands.1);
                    cases.push((function, [left, right], (how, operands), expected));
                }
            }
        }
    }
    let mut machine = Machine::new(&build.module);
    for (function, numbers, shown, expected) in cases {
        machine.trace.clear();
        let ended = machine.run(function, &numbers.map(i64::cast_unsigned));
        assert_eq!(
            ended.map(u64::cast_signed),
            expected,
            "{shown:?} {numbers:?}"
        );
        assert_eq!(machine.live(), 0);
        if ended.is_err() {
            assert_eq!(machine.trace, [2]);
        }
    }
}

#[test]
fn floats_are_words() {
    let mut build = Build::new();
    let function = build.plain(
        2,
        &[FLOAT, FLOAT, FLOAT, INT],
        vec![
            block(
                vec![
                    operation(2, Operation::FloatMultiply, at(0), at(1)),
                    operation(2, Operation::FloatNegate, at(2), word(0)),
                    operation(3, Operation::FloatLess, at(2), at(0)),
                ],
                branch(at(3), 1, 2),
            ),
            end(give(at(2))),
            end(give(word(0))),
        ],
    );
    let mut machine = Machine::new(&build.module);
    let ended = machine.run(function, &[1.5_f64.to_bits(), 2.0_f64.to_bits()]);
    assert_eq!(ended.map(f64::from_bits), Ok(-3.0));
}

/// Adds the numbers below the parameter.
fn sum_below() -> (Build, FunctionIndex) {
    let mut build = Build::new();
    let function = build.plain(
        1,
        &[INT, INT, INT, INT, ERROR],
        vec![
            block(vec![set(1, 0), set(2, 0)], Terminator::Jump(to(1))),
            block(
                vec![operation(3, Operation::IntLess, at(1), at(0))],
                branch(at(3), 2, 5),
            ),
            end(checked(2, Checked::Add, at(2), at(1), 3, handler(4, 6))),
            block(
                vec![operation(1, Operation::IntAddUnchecked, at(1), word(1))],
                Terminator::Jump(to(4)),
            ),
            end(Terminator::Loop {
                head: to(1),
                stop: handler(4, 6),
            }),
            end(give(at(2))),
            end(raise(4)),
        ],
    );
    (build, function)
}

#[test]
fn a_loop_ends_or_is_stopped() {
    let (build, function) = sum_below();
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(function, &[1000]), Ok(499_500));
    machine.stop();
    assert_eq!(
        machine.run(function, &[1000]),
        Err(kind(BuiltinError::Unwind))
    );
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_switch_takes_the_case_or_the_default() {
    let mut build = Build::new();
    let cases = |cases: &[(u64, u32)]| Terminator::Switch {
        value: Operand::Local(local(0)),
        cases: cases
            .iter()
            .map(|&(word, block)| (word, to(block)))
            .collect(),
        default: to(3),
    };
    let blocks = |first| {
        vec![
            end(first),
            end(give(word(10))),
            end(give(word(20))),
            end(give(word(30))),
        ]
    };
    let two = build.plain(1, &[INT], blocks(cases(&[(0, 1), (u64::MAX, 2)])));
    let one = build.plain(1, &[INT], blocks(cases(&[(5, 1)])));
    let none = build.plain(1, &[INT], blocks(cases(&[])));
    let mut machine = Machine::new(&build.module);
    assert_eq!(machine.run(two, &[0]), Ok(10));
    assert_eq!(machine.run(two, &[u64::MAX]), Ok(20));
    assert_eq!(machine.run(two, &[1]), Ok(30));
    assert_eq!(machine.run(one, &[5]), Ok(10));
    assert_eq!(machine.run(one, &[6]), Ok(30));
    assert_eq!(machine.run(none, &[6]), Ok(30));
}
