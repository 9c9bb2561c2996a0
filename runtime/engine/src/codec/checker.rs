//! What decoding needs of a run: its heap, and its compiled defaults and checks.

use gsw_abi::program::FunctionIndex;

use crate::heap::Heap;
use crate::run::Run;

/// Calls the plain compiled functions that types name.
pub trait Checker {
    /// The heap that values are made in.
    fn heap(&mut self) -> &mut Heap;

    /// The default of a field, owned by the caller; `None` when making it raised.
    fn call_default(&mut self, function: FunctionIndex) -> Option<u64>;

    /// Whether a check holds; it takes over its arguments. One that raises does not hold.
    fn check(&mut self, function: FunctionIndex, arguments: &[u64]) -> bool;
}

impl Checker for Run {
    fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    fn call_default(&mut self, function: FunctionIndex) -> Option<u64> {
        match self.call_plain(function.0, &[]) {
            Ok(word) => Some(word),
            Err(error) => {
                self.heap.release(error);
                None
            }
        }
    }

    fn check(&mut self, function: FunctionIndex, arguments: &[u64]) -> bool {
        match self.call_plain(function.0, arguments) {
            Ok(holds) => holds != 0,
            Err(error) => {
                self.heap.release(error);
                false
            }
        }
    }
}

/// A checker for types without defaults and checks, outside of any run.
#[derive(Debug)]
pub struct NoFunctions<'a>(pub &'a mut Heap);

impl Checker for NoFunctions<'_> {
    fn heap(&mut self) -> &mut Heap {
        self.0
    }

    fn call_default(&mut self, _: FunctionIndex) -> Option<u64> {
        None
    }

    fn check(&mut self, _: FunctionIndex, arguments: &[u64]) -> bool {
        debug_assert!(arguments.is_empty(), "there is nobody to take them over");
        false
    }
}
