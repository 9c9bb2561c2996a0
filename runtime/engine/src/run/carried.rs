//! The part of a run that its carrier uses.

use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::FunctionIndex;
use gsw_abi::types::TypeId;
use serde_json::Value;

use crate::codec::decode;
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
    pub fn memory_left(&self) -> Option<u64> {
        self.heap.room_if_limited()
    }

    /// Begins with a resumable function without parameters.
    pub fn start_function(&mut self, function: FunctionIndex, result: TypeId) {
        self.enter_native();
        self.start_root(function, result, &[]);
    }

    /// Begins with a resumable function without result that is given one value of this type, as JSON. One that does not fit ends
    /// the run before its first turn.
    pub fn start_with(&mut self, function: FunctionIndex, ty: TypeId, argument: &Value) {
        self.enter_native();
        let word = decode::decode_all_issues(self, ty, argument);
        self.input_was_read(function, builtin::UNIT, word.map(|it| vec![it]));
    }
}
