//! Runtime calls on times and durations that need no clock.

use gsw_abi::builtin::BuiltinError;

use crate::export::guard::calls;
use crate::value::{error, string};
use crate::{calendar, codec, duration};

calls! {
    /// `d.seconds()`
    plain duration_seconds(_run, d) {
        (d as i64 as f64 / duration::SECOND as f64).to_bits()
    }

    /// `t.format(pattern)`
    raising time_format(run, t, pattern) {
        match calendar::format(t as i64, string::text(pattern)) {
            Ok(text) => Ok(string::new(&mut run.heap, &text)),
            Err(directive) => {
                let text = format!("a time has no `{directive}`");
                Err(error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &text))
            }
        }
    }

    /// `time.parse(text)`
    raising time_parse(run, text) {
        let text = string::text(text);
        match calendar::parse_rfc3339(text) {
            Some(time) => Ok(time as u64),
            None => {
                let issue = codec::mismatch("$", "a time as of RFC 3339", &text.into());
                Err(error::decode(&mut run.heap, &issue))
            }
        }
    }
}
