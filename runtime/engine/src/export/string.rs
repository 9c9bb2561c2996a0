//! Runtime calls that ask something of strings.

use gsw_abi::builtin::OPTIONAL_INT;
use gsw_abi::types::TypeId;
use gsw_notation::number;

use crate::export::guard::calls;
use crate::value::{optional, string};

calls! {
    plain string_len(_run, s) {
        string::scalars(s) as u64
    }

    object string_concat(run, a, b) {
        string::concat(&mut run.heap, a, b)
    }

    plain string_equal(_run, a, b) {
        u64::from(string::bytes(a) == string::bytes(b))
    }

    plain string_contains(_run, s, part) {
        u64::from(string::text(s).contains(string::text(part)))
    }

    plain string_starts_with(_run, s, start) {
        u64::from(string::text(s).starts_with(string::text(start)))
    }

    plain string_ends_with(_run, s, end) {
        u64::from(string::text(s).ends_with(string::text(end)))
    }

    /// `s.index_of(part)`, in characters.
    plain string_index_of(run, s, part) {
        let text = string::text(s);
        let Some(offset) = text.find(string::text(part)) else {
            return 0;
        };
        let index = if string::is_ascii(s) {
            offset
        } else {
            string::scalar_count(&text[..offset])
        };
        optional::some(&mut run.heap, OPTIONAL_INT, index as u64)
    }

    plain string_parse_int(run, s) {
        match string::text(s).parse::<i64>() {
            Ok(it) => optional::some(&mut run.heap, OPTIONAL_INT, it as u64),
            Err(_) => 0,
        }
    }

    plain string_parse_float(run, result, s) {
        match number::parse_float(string::text(s)) {
            Some(it) => optional::some(&mut run.heap, TypeId(result as u32), it.to_bits()),
            None => 0,
        }
    }
}
