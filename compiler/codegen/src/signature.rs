//! How compiled functions are called: every parameter and every result is a word.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Signature};
use cranelift_codegen::isa::CallConv;
use gsw_abi::call::CallKind;
use gsw_abi::program::Colour;

/// How a call returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Returns {
    /// A word or a status.
    Word,
    /// A word and an error, in two registers.
    Outcome,
}

/// A way to call, without the context that always goes first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Shape {
    /// How many words go in.
    pub(crate) parameters: usize,
    pub(crate) returns: Returns,
}

impl Shape {
    /// Of a compiled function with this many parameters of its own.
    pub(crate) fn of_function(colour: Colour, parameters: usize) -> Self {
        match colour {
            Colour::Plain => Self {
                parameters,
                returns: Returns::Outcome,
            },
            // Just the frame.
            Colour::Resumable => Self {
                parameters: 1,
                returns: Returns::Word,
            },
        }
    }

    /// Of a runtime call of this kind with this many parameters, the waiting frame included.
    pub(crate) fn of_runtime(kind: CallKind, parameters: usize) -> Self {
        let returns = match kind {
            CallKind::Plain | CallKind::Waiting => Returns::Word,
            CallKind::Raising => Returns::Outcome,
        };
        Self {
            parameters,
            returns,
        }
    }

    pub(crate) fn signature(self, convention: CallConv) -> Signature {
        let mut signature = Signature::new(convention);
        let word = AbiParam::new(I64);
        signature.params = vec![word; 1 + self.parameters];
        signature.returns = match self.returns {
            Returns::Word => vec![word],
            Returns::Outcome => vec![word; 2],
        };
        signature
    }
}
