//! Calls into compiled code: resuming frames, and plain functions.

use gsw_abi::layout::{Context, Frame, Outcome, slot};

use crate::run::Run;

/// How compiled code resumes a frame.
type Resume = unsafe extern "C" fn(*mut Context, *mut Frame) -> u64;

/// The most parameters of a plain function that the runtime calls: a check has two, a function value its closure and what the
/// runtime reports it. What has any number of them is called in a frame.
const MOST_PARAMETERS: usize = 16;

/// Passes its tokens on, once per number of parameters.
macro_rules! call_with {
    ($address:expr, $context:expr, $arguments:expr; $($count:literal => ($($index:literal)*),)*) => {
        match $arguments.len() {
            $($count => {
                type Function = unsafe extern "C" fn(*mut Context $(, call_with!(@word $index))*) -> Outcome;
                // SAFETY: the caller vouches for address and parameters.
                unsafe { std::mem::transmute::<*const u8, Function>($address)($context $(, $arguments[$index])*) }
            })*
            count => unreachable!("plain functions of {count} parameters are refused before"),
        }
    };
    (@word $index:literal) => { u64 };
}

/// Resumes a frame and returns its status.
///
/// # Safety
/// `run` is live and `frame` is one of its frames that waits or is new.
pub unsafe fn resume(run: *mut Run, frame: *mut Frame) -> u64 {
    // SAFETY: frames name functions of the program; the entry of a resumable one has this type.
    unsafe {
        let context = (*run).front.enter(run.cast());
        let entry = (*context).functions.add((*frame).function as usize);
        let resume: Resume = std::mem::transmute((*entry).resume);
        resume(context, frame)
    }
}

/// Calls a plain function, which takes the arguments over.
///
/// # Safety
/// `run` is live, `function` is a plain one of the program, and the arguments are what it takes.
pub unsafe fn call(run: *mut Run, function: u32, arguments: &[u64]) -> Result<u64, u64> {
    // SAFETY: as this function demands.
    let (context, address, parameters) = unsafe {
        let context = (*run).front.enter(run.cast());
        let entry = (*context).functions.add(function as usize);
        (context, (*entry).plain, (*entry).parameters as usize)
    };
    // The loader has checked all of this for the tables; what arrives here otherwise is a bug, and a wrong call would be
    // undefined behaviour.
    assert!(
        !address.is_null() && parameters == arguments.len() && parameters <= MOST_PARAMETERS,
        "function {function} cannot be called with {} arguments",
        arguments.len()
    );
    let outcome = call_with! { address, context, arguments;
        0 => (), 1 => (0), 2 => (0 1), 3 => (0 1 2), 4 => (0 1 2 3), 5 => (0 1 2 3 4),
        6 => (0 1 2 3 4 5), 7 => (0 1 2 3 4 5 6), 8 => (0 1 2 3 4 5 6 7),
        9 => (0 1 2 3 4 5 6 7 8), 10 => (0 1 2 3 4 5 6 7 8 9),
        11 => (0 1 2 3 4 5 6 7 8 9 10), 12 => (0 1 2 3 4 5 6 7 8 9 10 11),
        13 => (0 1 2 3 4 5 6 7 8 9 10 11 12), 14 => (0 1 2 3 4 5 6 7 8 9 10 11 12 13),
        15 => (0 1 2 3 4 5 6 7 8 9 10 11 12 13 14), 16 => (0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
    };
    if outcome.error == 0 {
        Ok(outcome.value)
    } else {
        Err(outcome.error)
    }
}

/// Leaves a value or an error in a frame, which finds it when it is resumed.
///
/// # Safety
/// The frame is live.
pub unsafe fn give(frame: *mut Frame, result: Result<u64, u64>) {
    let (value, error) = match result {
        Ok(value) => (value, 0),
        Err(error) => (0, error),
    };
    // SAFETY: as this function demands.
    unsafe {
        (*frame).value = value;
        (*frame).error = error;
    }
}

/// Reads slot `index` of a frame.
///
/// # Safety
/// The frame is live and has that slot.
#[must_use]
pub unsafe fn read_slot(frame: *mut Frame, index: usize) -> u64 {
    // SAFETY: slots follow the frame's front.
    unsafe {
        frame
            .cast::<u8>()
            .offset(slot(index) as isize)
            .cast::<u64>()
            .read()
    }
}

/// Writes slot `index` of a frame.
///
/// # Safety
/// As for [`read_slot`].
pub unsafe fn write_slot(frame: *mut Frame, index: usize, word: u64) {
    // SAFETY: slots follow the frame's front.
    unsafe {
        frame
            .cast::<u8>()
            .offset(slot(index) as isize)
            .cast::<u64>()
            .write(word)
    };
}
