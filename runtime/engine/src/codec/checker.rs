//! What decoding needs besides JSON: a heap, and the compiled defaults and checks that types name.

use gsw_abi::program::FunctionIndex;

use crate::heap::Heap;

/// What JSON holds where a `secret` is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Secrets {
    /// The text itself: input from outside may not ask for a secret by its name.
    #[default]
    AsText,
    /// What a run has written of its own: names where values go.
    ByName,
}

/// Calls the plain compiled functions that types name.
pub trait Checker {
    /// The heap that values are made in.
    fn heap(&mut self) -> &mut Heap;

    /// What the text of a `secret` is.
    fn secrets(&self) -> Secrets {
        Secrets::AsText
    }

    /// The default of a field, owned by the caller; the message of its error when making it raised.
    fn call_default(&mut self, function: FunctionIndex) -> Result<u64, String>;

    /// Whether a check holds; it takes over its arguments. One that raises does not hold.
    fn check(&mut self, function: FunctionIndex, arguments: &[u64]) -> bool;
}

/// A checker for types without defaults and checks, outside of any run.
#[derive(Debug)]
pub struct NoFunctions<'a>(pub &'a mut Heap);

impl Checker for NoFunctions<'_> {
    fn heap(&mut self) -> &mut Heap {
        self.0
    }

    fn call_default(&mut self, _: FunctionIndex) -> Result<u64, String> {
        Err("no code can be called here".into())
    }

    fn check(&mut self, _: FunctionIndex, arguments: &[u64]) -> bool {
        debug_assert!(arguments.is_empty(), "there is nobody to take them over");
        false
    }
}
