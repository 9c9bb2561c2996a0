//! The state of one run, which compiled code sees as its context.

use gsw_abi::layout::{Context, Outcome};

use crate::heap::Heap;

/// One run. Its front is what compiled code gets as its first argument.
#[repr(C)]
#[derive(Debug)]
pub struct Run {
    /// What compiled code touches by itself.
    pub context: Context,
    /// Its memory.
    pub heap: Heap,
}

impl Run {
    /// The run behind a context.
    ///
    /// # Safety
    /// `context` is the front of a `Run` that nobody else is using during `'a`.
    #[must_use]
    pub unsafe fn of<'a>(context: *mut Context) -> &'a mut Self {
        // SAFETY: as this function demands.
        unsafe { &mut *context.cast::<Self>() }
    }

    /// Calls a plain function of the program, which takes over its arguments.
    pub(crate) fn call_plain(&mut self, function: u32, arguments: &[u64]) -> Result<u64, u64> {
        let context = std::ptr::from_mut(self).cast::<Context>();
        // SAFETY: the tables of a program name plain functions with as many parameters as their place passes.
        let outcome = unsafe {
            let code = (*self.context.functions.add(function as usize)).plain;
            match *arguments {
                [] => {
                    std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut Context) -> Outcome>(
                        code,
                    )(context)
                }
                [a] => std::mem::transmute::<
                    *const u8,
                    unsafe extern "C" fn(*mut Context, u64) -> Outcome,
                >(code)(context, a),
                [a, b] => std::mem::transmute::<
                    *const u8,
                    unsafe extern "C" fn(*mut Context, u64, u64) -> Outcome,
                >(code)(context, a, b),
                _ => unreachable!("defaults and checks take at most two arguments"),
            }
        };
        if outcome.error == 0 {
            Ok(outcome.value)
        } else {
            Err(outcome.error)
        }
    }
}
