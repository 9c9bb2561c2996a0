//! Calls on numbers, times and errors.

use gsw_abi::builtin::{BuiltinError, ERROR, FLOAT, TIME};
use gsw_abi::types::Type;

use crate::tests::values::machine::{Machine, call};
use crate::tests::values::table::Table;

#[test]
fn ints_never_wrap() {
    let mut it = Machine::new();
    let cases = [
        (2, 10, Ok("1024")),
        (-1, i64::MAX, Ok("-1")),
        (-1, i64::MAX - 1, Ok("1")),
        (0, 0, Ok("1")),
        (2, 63, Err("Overflow: an integer overflowed 64 bits")),
        (
            2,
            -1,
            Err("AssertionFailed: 2 to the negative power -1 is not an int"),
        ),
    ];
    for (a, b, expected) in cases {
        let outcome = call!(it, int_pow(a as u64, b as u64));
        assert_eq!(
            it.int(outcome),
            expected.map(str::to_owned).map_err(str::to_owned)
        );
    }
    for (x, expected) in [
        (2.9, Some(2)),
        (-2.9, Some(-2)),
        (9.3e18, None),
        (f64::NAN, None),
    ] {
        let outcome = call!(it, float_to_int(x.to_bits()));
        assert_eq!(it.int(outcome).ok(), expected.map(|it: i64| it.to_string()));
    }
}

#[test]
fn floats_round_and_print() {
    let mut it = Machine::new();
    let bits = |x: f64| x.to_bits();
    assert_eq!(call!(it, float_round(bits(-2.5))), bits(-3.0));
    assert_eq!(call!(it, float_floor(bits(-2.5))), bits(-3.0));
    assert_eq!(call!(it, float_ceil(bits(2.1))), bits(3.0));
    assert_eq!(call!(it, float_sqrt(bits(2.0))), bits(2.0f64.sqrt()));
    assert_eq!(call!(it, float_sqrt(bits(-1.0))), bits(f64::NAN));
    assert_eq!(
        call!(it, float_remainder(bits(-7.5), bits(2.0))),
        bits(-1.5)
    );
    assert_eq!(call!(it, int_to_float(-3i64 as u64)), bits(-3.0));
    let name = it.text("ln");
    assert_eq!(call!(it, float_math(name, bits(1.0))), bits(0.0));
    it.heap().release(name);
    // 1.005 is a little less than it looks.
    for (x, digits, expected) in [
        (1.005, 2, "1.00"),
        (2.0, 0, "2"),
        (f64::INFINITY, 2, "Infinity"),
    ] {
        let word = call!(it, float_fixed(bits(x), digits));
        assert_eq!(it.take_text(word), expected);
    }
}

#[test]
fn times_read_and_write() {
    let mut it = Machine::new();
    assert_eq!(
        f64::from_bits(call!(it, duration_seconds(1_500_000_000))),
        1.5
    );
    let (good, bad) = (it.text("1970-01-01T00:00:01Z"), it.text("soon"));
    let (empty, zone) = (it.text(""), it.text("UTC"));
    let outcome = call!(it, time_parse(good, empty, zone));
    assert_eq!(
        it.outcome(TIME, outcome),
        Ok("\"1970-01-01T00:00:01Z\"".into())
    );
    let outcome = call!(it, time_parse(bad, empty, zone));
    let message = "DecodeError: at $: expected a time as of RFC 3339, found \"soon\"";
    assert_eq!(it.outcome(TIME, outcome), Err(message.into()));
    let (pattern, unknown) = (it.text("%Y/%m"), it.text("%!"));
    let outcome = call!(it, time_format(0, pattern, zone));
    assert_eq!(
        it.outcome(gsw_abi::builtin::STRING, outcome),
        Ok("\"1970/01\"".into())
    );
    let outcome = call!(it, time_format(0, unknown, zone));
    assert_eq!(
        it.outcome(FLOAT, outcome),
        Err("AssertionFailed: `%!` is not a format for times".into())
    );
    for word in [good, bad, pattern, unknown, empty, zone] {
        it.heap().release(word);
    }
}

#[test]
fn errors_carry_messages_and_traces() {
    let mut it = Machine::new();
    let fault = call!(it, fault(BuiltinError::Overflow as u64));
    call!(it, error_trace(fault, 7));
    assert_eq!(crate::value::error::trace(fault), [7]);
    assert_eq!(call!(it, error_is_catchable(fault)), 1);
    assert_eq!(it.take(ERROR, fault), r#"{"kind":"Overflow"}"#);
    let text = it.text("no");
    let error = call!(it, assertion_failed(text));
    let message = call!(it, error_message(error));
    assert_eq!(it.take_text(message), "no");
    it.heap().release(error);
}

#[test]
fn literals_are_checked() {
    let mut table = Table::new();
    let literals = table.add(Type::Literals(vec!["a".into(), "b".into()]));
    let mut it = Machine::with(table);
    let (good, bad) = (it.text("a"), it.text("c"));
    let outcome = call!(it, string_as(u64::from(literals.0), good));
    assert_eq!(it.outcome(literals, outcome), Ok("\"a\"".into()));
    let outcome = call!(it, string_as(u64::from(literals.0), bad));
    let message = "DecodeError: at $: expected \"a\" | \"b\", found \"c\"";
    assert_eq!(it.outcome(literals, outcome), Err(message.into()));
}
