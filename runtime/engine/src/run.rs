//! The state of one run, which compiled code sees as its context.

use gsw_abi::layout::Context;

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
}
