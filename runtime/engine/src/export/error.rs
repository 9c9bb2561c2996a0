//! Runtime calls that make errors and look into them.

use gsw_abi::builtin::{self, BuiltinError};
use gsw_abi::types::{ErrorClass, TypeId};

use crate::codec;
use crate::export::difference;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::value::{error, string};

/// How many characters of a value are shown when an `assert` does not hold.
const SHOWN: usize = 1_000;

/// Said where the compiler took a function for one that never waits.
const REFUSED_CALL: &str = "a function that waits was called by code that cannot wait";

calls! {
    /// A value as a failed `assert` shows it.
    text assertion_shown(run, ty, word) {
        let text = shown(&run.heap, TypeId(ty as u32), word);
        string::new(&mut run.heap, &text)
    }

    /// Where two values of a type differ, a line each.
    text assertion_difference(run, ty, left, right) {
        let ty = TypeId(ty as u32);
        let [left, right] = [left, right].map(|it| codec::encode_redacted(&run.heap, ty, it));
        // A part of a text that is hidden as a whole is not recognized.
        let is_hidden = |it: &String| run.heap.without_hidden(it.clone()) != *it;
        let text = match is_hidden(&left) || is_hidden(&right) {
            true => String::new(),
            false => difference::difference(&left, &right),
        };
        string::new(&mut run.heap, &text)
    }

    /// A fault without fields, or the `Internal` of a call that compiled code refuses, by the index of its kind.
    error fault(run, kind) {
        let kind = BuiltinError::ALL.get(kind as usize);
        let kind = *kind.expect("compiled code numbers faults as the table does");
        let error = match kind == BuiltinError::Internal {
            true => error::with_text(&mut run.heap, kind, REFUSED_CALL),
            false => error::new(&mut run.heap, kind, &[]),
        };
        run.in_place_of(error)
    }

    /// What a loop or call that found the stop flag set must raise; 0 when it continues.
    plain interrupted(run) {
        run.interrupted().unwrap_or(0)
    }

    raising poll(run) {
        if !run.front.is_stopping() {
            return Ok(0);
        }
        run.interrupted().map_or(Ok(0), Err)
    }

    /// Appends a span to an error's trace.
    plain error_trace(run, error, span) {
        run.debug_raised(error);
        error::push_trace(&mut run.heap, error, span as u32);
        0
    }

    /// 0 for the unwinding of a cancellation.
    plain error_is_catchable(run, error) {
        u64::from(error::class(&run.heap, error) != ErrorClass::Unwind)
    }

    text error_message(run, error) {
        let text = error::message(&run.heap, error);
        string::new(&mut run.heap, &text)
    }

    /// A message that is made of the fields begins with the name.
    text error_named(run, error) {
        let message = error::message(&run.heap, error);
        let name = error::name(&run.heap, error);
        let text = match message.starts_with(name) {
            true => message,
            false => format!("{name}: {message}"),
        };
        string::new(&mut run.heap, &text)
    }

    /// `AssertionFailed` with this message.
    error assertion_failed(run, message) {
        error::new(&mut run.heap, BuiltinError::AssertionFailed, &[message])
    }

    /// `AssertionFailed` for a `where`: the value's type, the value, the type of the record that the check looks at, the record,
    /// and the text that the message begins with.
    error check_failed(run, ty, word, whole_type, whole, before) {
        let mut text = string::text(before).to_owned();
        text.push_str(&shown(&run.heap, TypeId(ty as u32), word));
        let whole_type = TypeId(whole_type as u32);
        if whole_type != builtin::UNIT {
            text.push_str(" in ");
            text.push_str(&shown(&run.heap, whole_type, whole));
        }
        error::with_text(&mut run.heap, BuiltinError::AssertionFailed, &text)
    }

    /// `Internal` with this message.
    error internal_fault(run, message) {
        error::new(&mut run.heap, BuiltinError::Internal, &[message])
    }
}

/// A value as messages about assertions show it.
fn shown(heap: &Heap, ty: TypeId, word: u64) -> String {
    let mut text = heap.without_hidden(codec::encode_redacted(heap, ty, word));
    if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
        let length = text.chars().count();
        text.truncate(cut);
        text.push_str(&format!("… ({length} characters)"));
    }
    text
}
