//! Runtime calls on streams.

use gsw_abi::layout::Frame;
use gsw_abi::types::TypeId;

use crate::export::guard::calls;
use crate::run::stream::{self, reading};

calls! {
    /// Starts a task of the current node that runs a prompt: stream type, frame.
    raising stream_start(run, ty, frame) {
        // The frame was counted as one that the current task calls.
        run.stack.forget_frame();
        Ok(stream::start(run, TypeId(ty as u32), frame as *mut Frame))
    }

    waiting stream_next(run, result, stream) {
        reading::next(run, TypeId(result as u32), stream)
    }

    raising stream_open(run, result, stream) {
        stream::open(run, TypeId(result as u32), stream)
    }

    plain stream_restarts(run, stream) {
        stream::restarts(run, stream)
    }
}
