//! How deep the current task is, in frames and on the native stack of the thread that has the run.

use crate::front::Front;

/// Deeper stacks of frames raise `StackOverflow`.
pub(crate) const MOST_FRAMES: u32 = 1_000_000;
/// How much of its stack a turn may use; the threads have more.
const TURN_STACK: u64 = 16 << 20;

/// The stacks of the current task.
#[derive(Debug, Default)]
pub(crate) struct CallStack {
    /// How many frames it has.
    depth: u32,
    /// The end of the native stack that a turn may use, an address.
    native_limit: u64,
}

impl CallStack {
    /// Compiled code may use this much of the native stack from here on.
    pub(crate) fn enter(&mut self, front: &Front) {
        // Measured again at each turn, because turns run on whichever thread is free.
        self.native_limit = stack_pointer().saturating_sub(TURN_STACK);
        front.limit_stack(self.native_limit);
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Another task has the thread.
    pub(crate) fn set_depth(&mut self, depth: u32) {
        self.depth = depth;
    }

    pub(crate) fn push(&mut self, front: &Front) {
        self.depth += 1;
        if self.has_too_many_frames() {
            // Every function checks the limit first, so the one that is about to begin raises.
            front.limit_stack(u64::MAX);
        }
    }

    /// A call of the current task has ended.
    pub(crate) fn pop(&mut self, front: &Front) {
        self.forget_frame();
        // Lowered at the very call that leaves the excess, so the handler of the error can call again.
        if self.depth == MOST_FRAMES {
            front.limit_stack(self.native_limit);
        }
    }

    /// A frame that was counted as one that the current task calls is given to a new task.
    pub(crate) fn forget_frame(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(crate) fn has_too_many_frames(&self) -> bool {
        self.depth > MOST_FRAMES
    }

    /// Whether the current task may call nothing more.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.has_too_many_frames() || stack_pointer() < self.native_limit
    }

    /// Sets the limit that compiled code checks.
    pub(crate) fn apply_limit(&self, front: &Front) {
        front.limit_stack(if self.has_too_many_frames() {
            u64::MAX
        } else {
            self.native_limit
        });
    }
}

fn stack_pointer() -> u64 {
    let mark = 0u8;
    std::hint::black_box(&raw const mark).addr() as u64
}
