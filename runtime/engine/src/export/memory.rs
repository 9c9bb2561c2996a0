//! Runtime calls that make and free objects and frames.

use gsw_abi::layout::Frame;
use gsw_abi::types::TypeId;

use crate::export::guard::calls;

calls! {
    /// A fresh object: type, extra, words.
    object object_new(run, ty, extra, words) {
        run.heap.object_of_bytes(TypeId(ty as u32), extra as u32, 8 * words as usize)
    }

    /// Frees an object whose last owner is gone.
    plain object_free(run, word) {
        run.heap.free(word);
        0
    }

    /// A fresh frame of a function.
    object frame_new(run, function) {
        run.frame_new(function as u32) as u64
    }

    /// Frees a frame that has ended.
    plain frame_free(run, frame) {
        run.free_frame(frame as *mut Frame);
        0
    }

    /// The value of a constant, once it was made.
    plain constant_kept(run, function) {
        run.heap.kept(function as u32)
    }

    /// Keeps the value of a constant until the run ends.
    plain constant_keep(run, function, value) {
        run.heap.keep(function as u32, value);
        0
    }
}
