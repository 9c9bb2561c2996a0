//! Runtime calls that ask something of strings.

use std::cell::RefCell;

use gsw_abi::builtin::{BuiltinError, OPTIONAL_INT};
use gsw_abi::types::TypeId;
use regex::Regex;
use rustc_hash::FxHashMap;

use crate::export::guard::calls;
use crate::value::{error, optional, string};

/// So many compiled patterns are kept per thread; a guess.
const KEPT_PATTERNS: usize = 256;

thread_local! {
    // A pattern always compiles to the same machine, so runs on one thread may share them.
    static PATTERNS: RefCell<FxHashMap<String, Result<Regex, String>>> = RefCell::default();
}

calls! {
    /// `s.len()`
    plain string_len(_run, s) {
        string::scalars(s) as u64
    }

    /// `a + b`
    plain string_concat(run, a, b) {
        string::concat(&mut run.heap, a, b)
    }

    /// `a == b`
    plain string_equal(_run, a, b) {
        u64::from(string::bytes(a) == string::bytes(b))
    }

    /// `s.contains(part)`
    plain string_contains(_run, s, part) {
        u64::from(string::text(s).contains(string::text(part)))
    }

    /// `s.starts_with(start)`
    plain string_starts_with(_run, s, start) {
        u64::from(string::text(s).starts_with(string::text(start)))
    }

    /// `s.ends_with(end)`
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

    /// `s.matches(pattern)`, anywhere in it.
    raising string_matches(run, s, pattern) {
        match matches(string::text(s), string::text(pattern)) {
            Ok(does) => Ok(u64::from(does)),
            Err(why) => Err(error::with_text(&mut run.heap, BuiltinError::Failed, &why)),
        }
    }

    /// `s.parse_int()`
    plain string_parse_int(run, s) {
        match string::text(s).parse::<i64>() {
            Ok(it) => optional::some(&mut run.heap, OPTIONAL_INT, it as u64),
            Err(_) => 0,
        }
    }

    /// `s.parse_float()`
    plain string_parse_float(run, result, s) {
        match string::text(s).parse::<f64>() {
            Ok(it) => optional::some(&mut run.heap, TypeId(result as u32), it.to_bits()),
            Err(_) => 0,
        }
    }
}

fn matches(text: &str, pattern: &str) -> Result<bool, String> {
    PATTERNS.with_borrow_mut(|patterns| {
        if !patterns.contains_key(pattern) {
            if patterns.len() >= KEPT_PATTERNS {
                patterns.clear();
            }
            let regex = Regex::new(pattern);
            let regex = regex.map_err(|why| format!("`{pattern}` is no regular expression: {why}"));
            patterns.insert(pattern.to_owned(), regex);
        }
        match &patterns[pattern] {
            Ok(regex) => Ok(regex.is_match(text)),
            Err(why) => Err(why.clone()),
        }
    })
}
