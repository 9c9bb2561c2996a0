//! The one wrapper around every runtime call: a panic becomes an `Internal` error and never reaches compiled code.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::{Context, Outcome};

use crate::run::Run;
use crate::value::error;

/// Declares runtime calls: `plain` bodies give a word, `raising` ones a `Result` of a word and an error.
macro_rules! calls {
    ($($(#[$doc:meta])* $kind:ident $name:ident($run:ident $(, $argument:ident)*) $body:block)*) => {
        $(calls!(@one $(#[$doc])* $kind $name($run $(, $argument)*) $body);)*
    };
    (@one $(#[$doc:meta])* plain $name:ident($run:ident $(, $argument:ident)*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by compiled code with the context it was given and valid words, as the row says.
        pub unsafe extern "C" fn $name(context: *mut gsw_abi::layout::Context $(, $argument: u64)*) -> u64 {
            let body = |$run: &mut $crate::run::Run| -> u64 { $body };
            // SAFETY: the context is the front of the run that called, which waits for this call.
            unsafe { $crate::export::guard::plain(context, body) }
        }
    };
    (@one $(#[$doc:meta])* raising $name:ident($run:ident $(, $argument:ident)*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by compiled code with the context it was given and valid words, as the row says.
        pub unsafe extern "C" fn $name(
            context: *mut gsw_abi::layout::Context $(, $argument: u64)*
        ) -> gsw_abi::layout::Outcome {
            let body = |$run: &mut $crate::run::Run| -> Result<u64, u64> { $body };
            // SAFETY: the context is the front of the run that called, which waits for this call.
            unsafe { $crate::export::guard::raising(context, body) }
        }
    };
}
pub(crate) use calls;

/// Runs the body of a plain call. After a panic the run remembers the mistake and the call gives 0.
///
/// # Safety
/// `context` is the front of a run that nobody else uses meanwhile.
pub(crate) unsafe fn plain(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    // SAFETY: as this function demands.
    let run = unsafe { Run::of(context) };
    match catch_unwind(AssertUnwindSafe(|| body(run))) {
        Ok(word) => word,
        Err(payload) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            run.heap.record_internal(panic_text(payload.as_ref()));
            0
        }
    }
}

/// Runs the body of a raising call. After a panic it raises `Internal`.
///
/// # Safety
/// `context` is the front of a run that nobody else uses meanwhile.
pub(crate) unsafe fn raising(
    context: *mut Context,
    body: impl FnOnce(&mut Run) -> Result<u64, u64>,
) -> Outcome {
    // SAFETY: as this function demands.
    let run = unsafe { Run::of(context) };
    match catch_unwind(AssertUnwindSafe(|| body(run))) {
        Ok(Ok(value)) => Outcome { value, error: 0 },
        Ok(Err(error)) => Outcome { value: 0, error },
        Err(payload) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            let text = panic_text(payload.as_ref());
            let error = error::with_text(&mut run.heap, BuiltinError::Internal, &text);
            Outcome { value: 0, error }
        }
    }
}

/// What a panic said.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the runtime panicked").to_owned()
}
