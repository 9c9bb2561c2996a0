//! What a run shows to who carries it.

use std::sync::Arc;

use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;

use crate::front::Front;
use crate::run::Run;

impl Run {
    /// Where others ask the run to end; it outlives the run.
    #[must_use]
    pub fn front(&self) -> &Arc<Front> {
        &self.front
    }

    /// How many more bytes it may use; `None` when nothing limits it.
    #[must_use]
    pub fn room(&self) -> Option<u64> {
        self.heap.room_if_limited()
    }

    /// Begins with a resumable function without parameters.
    pub fn start_function(&mut self, function: FunctionIndex, result: TypeId) {
        self.enter_native();
        self.start_root(function, result, &[]);
    }
}
