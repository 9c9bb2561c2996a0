//! A panic inside of a plain call ends the run, and what compiled code gets can be looked into.

use gsw_abi::builtin::{BuiltinError, JSON};

use crate::export::guard::calls;
use crate::tests::values::machine::Machine;
use crate::value::{error, string};
use crate::{codec, value};

calls! {
    /// A number.
    plain number_panics(_run) {
        panic!("a number")
    }

    /// A string.
    text text_panics(_run) {
        panic!("a text")
    }

    /// A `json`.
    json json_panics(_run) {
        panic!("a json")
    }

    /// An error.
    error error_panics(_run) {
        panic!("an error")
    }
}

#[test]
fn what_a_call_gives_after_a_panic_can_be_looked_into() {
    let mut it = Machine::new();
    let context = it.context();
    // SAFETY: the context is that of a run, which nothing else uses here.
    let (number, text, json, raised) = unsafe {
        (
            number_panics(context),
            text_panics(context),
            json_panics(context),
            error_panics(context),
        )
    };
    assert_eq!((number, string::text(text)), (0, ""));
    assert_eq!(codec::encode(it.heap(), JSON, json), "null");
    assert_eq!(error::kind(raised), Some(BuiltinError::Internal));
    assert_eq!(string::text(value::error::field(raised, 0)), "an error");
    assert!(it.heap().is_interrupted(), "the run goes on");
    assert_eq!(it.heap().take_internal().as_deref(), Some("a number"));
    for word in [text, json, raised] {
        it.heap().release(word);
    }
}
