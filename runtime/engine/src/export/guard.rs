//! The one wrapper around every runtime call: a panic becomes an `Internal` error and never reaches compiled code.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::json::NULL;
use gsw_abi::layout::{Context, Frame, Outcome, status};

use crate::panic;
use crate::run::Run;
use crate::step::Step;
use crate::value::{error, json, string};

/// Declares runtime calls: `plain` bodies give a word, `raising` ones a `Result` of a word and an error, `waiting` ones a
/// [`Step`].
///
/// To compiled code `object`, `text`, `json` and `error` are `plain`, too: it looks into what they give, so that after a panic
/// these give something to look into.
macro_rules! calls {
    ($($(#[$doc:meta])* $kind:ident $name:ident($run:ident $(, $argument:ident)*) $body:block)*) => {
        $(calls!(@one $(#[$doc])* $kind $name($run $(, $argument)*) $body);)*
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
    (@one $(#[$doc:meta])* waiting $name:ident($run:ident $(, $argument:ident)*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by compiled code with the context and frame it was given and valid words, as the row says.
        pub unsafe extern "C" fn $name(
            context: *mut gsw_abi::layout::Context,
            frame: *mut gsw_abi::layout::Frame
            $(, $argument: u64)*
        ) -> u64 {
            let body = |$run: &mut $crate::run::Run| -> $crate::step::Step { $body };
            // SAFETY: the context is the front of the run that called, which waits for this call.
            unsafe { $crate::export::guard::waiting(context, frame, body) }
        }
    };
    (@one $(#[$doc:meta])* $kind:ident $name:ident($run:ident $(, $argument:ident)*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Called by compiled code with the context it was given and valid words, as the row says.
        pub unsafe extern "C" fn $name(context: *mut gsw_abi::layout::Context $(, $argument: u64)*) -> u64 {
            let body = |$run: &mut $crate::run::Run| -> u64 { $body };
            // SAFETY: the context is the front of the run that called, which waits for this call.
            unsafe { $crate::export::guard::$kind(context, body) }
        }
    };
}
pub(crate) use calls;

/// Runs the body of a call whose word is a number, or may be 0. After a panic the call gives 0, and the run ends at its next
/// poll.
///
/// # Safety
/// `context` is the front of a run that no other code uses meanwhile.
pub(crate) unsafe fn plain(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    // SAFETY: as this function demands.
    unsafe { guarded(context, body, |_, _| 0) }
}

/// Like [`plain`], for a call that gives a string; after a panic an empty one.
///
/// # Safety
/// As for [`plain`].
pub(crate) unsafe fn text(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    // SAFETY: as this function demands.
    unsafe { guarded(context, body, |run, _| string::new(&mut run.heap, "")) }
}

/// Like [`plain`], for a call that gives a `json`; after a panic `null`.
///
/// # Safety
/// As for [`plain`].
pub(crate) unsafe fn json(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    let null = |run: &mut Run, _: &str| json::new(&mut run.heap, NULL, 0);
    // SAFETY: as this function demands.
    unsafe { guarded(context, body, null) }
}

/// Like [`plain`], for a call that gives an error; after a panic `Internal`.
///
/// # Safety
/// As for [`plain`].
pub(crate) unsafe fn error(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    let internal =
        |run: &mut Run, said: &str| error::with_text(&mut run.heap, BuiltinError::Internal, said);
    // SAFETY: as this function demands.
    unsafe { guarded(context, body, internal) }
}

/// Like [`plain`], for the few calls that make and change objects for compiled code. They have no value to give in place
/// of the object, and nothing in their bodies depends on what is in a value, so a panic ends the process.
///
/// # Safety
/// As for [`plain`].
pub(crate) unsafe fn object(context: *mut Context, body: impl FnOnce(&mut Run) -> u64) -> u64 {
    // SAFETY: as this function demands.
    unsafe { guarded(context, body, |_, _| std::process::abort()) }
}

/// Runs the body of a call. After a panic the run remembers the mistake, ends at its next poll, and gets `instead`, which is
/// given the text of the panic.
///
/// # Safety
/// As for [`plain`].
unsafe fn guarded(
    context: *mut Context,
    body: impl FnOnce(&mut Run) -> u64,
    instead: impl FnOnce(&mut Run, &str) -> u64,
) -> u64 {
    // SAFETY: as this function demands.
    let run = unsafe { Run::of(context) };
    match catch_unwind(AssertUnwindSafe(|| body(run))) {
        Ok(word) => word,
        Err(payload) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            let said = panic::message(payload.as_ref());
            run.heap.record_internal(said.clone());
            run.heap.raise_alarm();
            instead(run, &said)
        }
    }
}

/// Runs the body of a raising call. After a panic it raises `Internal`.
///
/// # Safety
/// `context` is the front of a run that no other code uses meanwhile.
pub(crate) unsafe fn raising(
    context: *mut Context,
    body: impl FnOnce(&mut Run) -> Result<u64, u64>,
) -> Outcome {
    // SAFETY: as this function demands.
    let run = unsafe { Run::of(context) };
    match catch_unwind(AssertUnwindSafe(|| body(run))) {
        Ok(Ok(value)) => Outcome { value, error: 0 },
        Ok(Err(error)) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            let error = run.in_place_of(error);
            Outcome { value: 0, error }
        }
        Err(payload) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            let text = panic::message(payload.as_ref());
            let error = error::with_text(&mut run.heap, BuiltinError::Internal, &text);
            Outcome { value: 0, error }
        }
    }
}

/// Runs the body of a waiting call, and leaves what it gives in the frame. After a panic it raises `Internal`.
///
/// # Safety
/// `context` is the front of a run that no other code uses meanwhile, and `frame` is the frame
/// that waits.
pub(crate) unsafe fn waiting(
    context: *mut Context,
    frame: *mut Frame,
    body: impl FnOnce(&mut Run) -> Step,
) -> u64 {
    // SAFETY: as this function demands.
    let run = unsafe { Run::of(context) };
    let step = catch_unwind(AssertUnwindSafe(|| body(run))).unwrap_or_else(|payload| {
        // SAFETY: as this function demands; the body has ended.
        let run = unsafe { Run::of(context) };
        let text = panic::message(payload.as_ref());
        Step::Raised(error::with_text(
            &mut run.heap,
            BuiltinError::Internal,
            &text,
        ))
    });
    let (status, value, error) = match step {
        Step::Done(value) => (status::DONE, value, 0),
        Step::Raised(error) => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            (status::RAISED, 0, run.in_place_of(error))
        }
        Step::Waiting => {
            // SAFETY: as this function demands; the body has ended.
            let run = unsafe { Run::of(context) };
            run.scheduler.task_mut(run.scheduler.current()).frame = frame;
            return status::WAITING;
        }
    };
    // SAFETY: the frame is live: it called.
    unsafe {
        (*frame).value = value;
        (*frame).error = error;
    }
    status
}
