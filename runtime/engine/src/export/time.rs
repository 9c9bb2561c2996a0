//! Runtime calls on times and durations that need no clock.

use gsw_abi::builtin::BuiltinError;
use gsw_notation::calendar::{self, Fault};
use gsw_notation::duration;

use crate::codec;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::value::{error, string};

calls! {
    plain duration_seconds(_run, d) {
        (d as i64 as f64 / duration::SECOND as f64).to_bits()
    }

    raising time_add(run, t, d) {
        let sum = (t as i64).checked_add(d as i64);
        sum.map(i64::cast_unsigned).ok_or_else(|| out_of_range(&mut run.heap))
    }

    raising time_subtract(run, t, other) {
        let rest = (t as i64).checked_sub(other as i64);
        rest.map(i64::cast_unsigned).ok_or_else(|| out_of_range(&mut run.heap))
    }

    raising time_format(run, t, pattern, zone) {
        let pattern = string::text(pattern);
        calendar::format(t as i64, pattern, string::text(zone))
            .map(|text| string::new(&mut run.heap, &text))
            .map_err(|fault| fault_of(&mut run.heap, fault, pattern))
    }

    raising time_parse(run, text, pattern, zone) {
        let (text, pattern) = (string::text(text), string::text(pattern));
        let read = match pattern {
            "" | RFC_3339 => calendar::parse_rfc3339(text).ok_or(Fault::Text),
            pattern => calendar::parse(text, pattern, string::text(zone)),
        };
        let found = |heap: &Heap| heap.without_hidden(text.to_owned()).into();
        read.map(i64::cast_unsigned).map_err(|fault| match (fault, pattern) {
            (Fault::Text, "" | RFC_3339) => {
                let expected = match calendar::is_too_far(text) {
                    true => calendar::RANGE,
                    false => "a time as of RFC 3339",
                };
                let issue = codec::mismatch("$", expected, &found(&run.heap));
                error::decode(&mut run.heap, &issue)
            }
            (Fault::Text, pattern) => {
                let expected = calendar::expected(text, pattern);
                let issue = codec::mismatch("$", &expected, &found(&run.heap));
                error::decode(&mut run.heap, &issue)
            }
            (Fault::Range, _) => {
                let issue = codec::mismatch("$", calendar::RANGE, &found(&run.heap));
                error::decode(&mut run.heap, &issue)
            }
            (fault @ (Fault::UnknownZone(_) | Fault::Pattern(_)), pattern) => {
                fault_of(&mut run.heap, fault, pattern)
            }
        })
    }
}

/// What times and durations of 64 bits of nanoseconds do not hold.
fn out_of_range(heap: &mut Heap) -> u64 {
    error::with_text(heap, BuiltinError::OutOfRange, calendar::OUT_OF_RANGE)
}

/// The pattern of the form that is read without one.
const RFC_3339: &str = "%+";

/// A zone or pattern that makes no sense is the program's mistake.
fn fault_of(heap: &mut Heap, fault: Fault, pattern: &str) -> u64 {
    let text = match fault {
        Fault::UnknownZone(zone) => format!("there is no time zone `{zone}`"),
        Fault::Pattern(_) | Fault::Text | Fault::Range => {
            format!("`{pattern}` is not a format for times")
        }
    };
    error::with_text(heap, BuiltinError::AssertionFailed, &text)
}
