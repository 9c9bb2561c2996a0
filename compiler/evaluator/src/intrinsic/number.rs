//! Rows of numbers and durations.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::call::RuntimeCall as Row;

use crate::machine::Machine;
use crate::number_text::float_text;
use crate::stop::{Flow, UNSPECIFIED, raise, unsupported};
use crate::value::Value;

impl Machine<'_> {
    pub fn number_intrinsic(&mut self, row: Row, arguments: &[Value]) -> Flow<Value> {
        match (row, arguments) {
            (Row::int_pow, [Value::Int(_), Value::Int(b)]) if *b < 0 => raise(
                self.db,
                BuiltinError::AssertionFailed,
                vec![Value::text(UNSPECIFIED)],
            ),
            (Row::int_pow, [Value::Int(a), Value::Int(b)]) => {
                let power = match (*a, *b) {
                    (0 | 1, b) => Some(if b == 0 { 1 } else { *a }),
                    (-1, b) => Some(if b % 2 == 0 { 1 } else { -1 }),
                    (a, b) => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
                };
                self.int(power)
            }
            (Row::int_to_float, [Value::Int(it)]) => Ok(Value::Float(*it as f64)),
            (Row::float_to_int, [Value::Float(it)]) => {
                let whole = it.trunc();
                let limit = 9_223_372_036_854_775_808.0;
                let fits = whole >= -limit && whole < limit;
                self.int(fits.then_some(whole as i64))
            }
            (Row::float_round, [Value::Float(it)]) => Ok(Value::Float(it.round())),
            (Row::float_floor, [Value::Float(it)]) => Ok(Value::Float(it.floor())),
            (Row::float_ceil, [Value::Float(it)]) => Ok(Value::Float(it.ceil())),
            (Row::float_sqrt, [Value::Float(it)]) => Ok(Value::Float(it.sqrt())),
            (Row::float_fixed, [Value::Float(it), Value::Int(digits)]) => {
                let digits = usize::try_from(*digits).unwrap_or(0).min(1_000);
                Ok(Value::text(if it.is_finite() {
                    format!("{it:.digits$}")
                } else {
                    float_text(*it)
                }))
            }
            (Row::duration_seconds, [Value::Duration(it)]) => Ok(Value::Float(*it as f64 / 1e9)),
            _ => unsupported(format!("`{}`", row.name())),
        }
    }
}
