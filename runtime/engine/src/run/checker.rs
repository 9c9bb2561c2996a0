//! A run decodes into its heap and calls the compiled defaults and checks.

use gsw_abi::program::FunctionIndex;

use crate::codec::checker::{Checker, Secrets};
use crate::heap::Heap;
use crate::run::{Run, raise};

impl Checker for Run {
    fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    fn secrets(&self) -> Secrets {
        self.reads_secrets
    }

    fn call_default(&mut self, function: FunctionIndex) -> Result<u64, String> {
        self.call_plain(function.0, &[]).map_err(|raised| {
            let said = raise::said_by(&self.heap, raised);
            self.give_back(raised);
            said
        })
    }

    fn check(&mut self, function: FunctionIndex, arguments: &[u64]) -> bool {
        match self.call_plain(function.0, arguments) {
            Ok(holds) => holds != 0,
            Err(error) => {
                self.give_back(error);
                // A check that raises has not passed. What it raised means nothing to the source of the value.
                false
            }
        }
    }
}
