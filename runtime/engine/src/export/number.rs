//! Runtime calls on numbers. Floats come and go as their bits.

use gsw_abi::builtin::BuiltinError;
use gsw_notation::number;

use crate::export::guard::calls;
use crate::value::{error, string};

/// More digits than any float has after the point add nothing but zeros.
const MOST_DIGITS: i64 = 1_100;

calls! {
    /// `a.pow(b)` of ints.
    raising int_pow(run, a, b) {
        let (a, b) = (a as i64, b as i64);
        if b < 0 {
            let text = format!("{a} to the negative power {b} is not an int");
            return Err(error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &text));
        }
        // 1, 0 and -1 have powers of any height.
        let exponent = u32::try_from(b).unwrap_or(if b % 2 == 0 { u32::MAX - 1 } else { u32::MAX });
        match a.checked_pow(exponent) {
            Some(it) => Ok(it as u64),
            None => Err(error::new(&mut run.heap, BuiltinError::Overflow, &[])),
        }
    }

    plain int_to_float(_run, n) {
        (n as i64 as f64).to_bits()
    }

    raising float_to_int(run, x) {
        match number::truncated(f64::from_bits(x)) {
            Some(it) => Ok(it as u64),
            None => Err(error::new(&mut run.heap, BuiltinError::Overflow, &[])),
        }
    }

    plain float_remainder(_run, a, b) {
        canonical(libm::fmod(f64::from_bits(a), f64::from_bits(b)))
    }

    /// `a.pow(b)` of floats.
    plain float_pow(_run, a, b) {
        canonical(libm::pow(f64::from_bits(a), f64::from_bits(b)))
    }

    plain float_round(_run, x) {
        canonical(libm::round(f64::from_bits(x)))
    }

    plain float_floor(_run, x) {
        canonical(libm::floor(f64::from_bits(x)))
    }

    plain float_ceil(_run, x) {
        canonical(libm::ceil(f64::from_bits(x)))
    }

    plain float_sqrt(_run, x) {
        canonical(libm::sqrt(f64::from_bits(x)))
    }

    text float_fixed(run, x, digits) {
        let x = f64::from_bits(x);
        let digits = (digits as i64).clamp(0, MOST_DIGITS) as usize;
        let text = match number::special_text(x) {
            Some(text) => text.into(),
            None => format!("{x:.digits$}"),
        };
        string::new(&mut run.heap, &text)
    }

    /// A function of `math` by name.
    plain float_math(run, function, x) {
        let (name, x) = (string::text(function), f64::from_bits(x));
        match math(name) {
            Some(function) => canonical(function(x)),
            None => {
                run.heap.record_internal(format!("there is no function `{name}` of floats"));
                canonical(f64::NAN)
            }
        }
    }
}

/// The bits of a float, and one pattern for every NaN, so that nothing can tell two apart.
fn canonical(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

fn math(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sin" => libm::sin,
        "cos" => libm::cos,
        "tan" => libm::tan,
        "asin" => libm::asin,
        "acos" => libm::acos,
        "atan" => libm::atan,
        "sinh" => libm::sinh,
        "cosh" => libm::cosh,
        "tanh" => libm::tanh,
        "exp" => libm::exp,
        "exp2" => libm::exp2,
        "ln" => libm::log,
        "log2" => libm::log2,
        "log10" => libm::log10,
        "cbrt" => libm::cbrt,
        _ => return None,
    })
}
