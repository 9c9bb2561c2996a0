//! Resumes tasks: runs the innermost frame, hands its result to the frame around it, and so on until one waits.

use gsw_abi::builtin::BuiltinError;
use gsw_abi::layout::{Frame, status, stop};

use crate::run::{Run, native, raise};
use crate::task::{Ending, State, TaskId};

impl Run {
    /// Resumes a task from the queue until it waits or its body ends.
    pub(crate) fn drive(&mut self, id: TaskId) {
        self.cancel_if_eager(id);
        let task = self.scheduler.task_mut(id);
        let is_unwanted = task.pending.is_some() || self.front.has(stop::KILL);
        // It has done nothing yet, so there is nothing to unwind: its frames go, and it leaves no node in the tree.
        if task.state == State::New && is_unwanted && task.shield == 0 {
            self.drop_frames(id);
            self.body_ended(id, Ending::Cancelled);
            return;
        }
        self.take_received(id);
        self.suspects.gone_on();
        let task = self.scheduler.task_mut(id);
        let is_new = std::mem::replace(&mut task.state, State::Running) == State::New;
        let (frame, base, depth) = (task.frame, task.base, task.depth);
        self.scheduler.set_current(id);
        self.stack.set_depth(depth);
        self.update_shield();
        if is_new {
            self.begin_node(base);
        }
        let ending = if is_new && self.stack.has_too_many_frames() {
            self.drop_frames(id);
            Some(Ending::Error(raise::fault(
                &mut self.heap,
                BuiltinError::StackOverflow,
            )))
        } else {
            self.resume_frames(frame)
        };
        let ending = ending.map(|it| self.within_limit(it, id));
        self.scheduler.set_current(TaskId::NONE);
        // A panic in a runtime function cannot be raised from everywhere; it is kept by the heap and ends the run here.
        if let Some(message) = self.heap.take_internal() {
            self.fail_internally(message);
            return;
        }
        let task = self.scheduler.task_mut(id);
        task.depth = self.stack.depth();
        match ending {
            Some(ending) => {
                task.frame = std::ptr::null_mut();
                self.body_ended(id, ending);
            }
            None => {
                task.state = State::Waiting;
                if task.wait.branches() {
                    self.suspects.add(id);
                }
            }
        }
    }

    /// A body that ends before it could see that the memory is used up has not got all that it asked for.
    fn within_limit(&mut self, ending: Ending, id: TaskId) -> Ending {
        let task = self.scheduler.task(id);
        // What becomes JSON first is of another type, and is looked at by the task that waits for it.
        let (Ending::Value(value), None) = (ending, task.encodes) else {
            return ending;
        };
        let result = task.result;
        if !self.heap.take_over_limit() {
            return ending;
        }
        self.heap.release_typed(result, value);
        Ending::Error(raise::fault(&mut self.heap, BuiltinError::OutOfMemory))
    }

    /// How the outermost frame ended; `None` when a frame waits.
    fn resume_frames(&mut self, mut frame: *mut Frame) -> Option<Ending> {
        loop {
            let run: *mut Self = self;
            // SAFETY: the frame belongs to the current task, which waits no more or is new.
            let status = unsafe { native::resume(run, frame) };
            if status == status::WAITING {
                return None;
            }
            // SAFETY: the frame is live until it is freed below; it has ended, so its slots own nothing.
            let (parent, value, error) =
                unsafe { ((*frame).parent, (*frame).value, (*frame).error) };
            self.free_frame(frame);
            let raised = status == status::RAISED;
            // The body has ended: an unwinding that reached the outermost frame is the cancellation itself and no error to report.
            if parent.is_null() {
                return Some(match (raised, error) {
                    (false, _) => Ending::Value(value),
                    (true, error) if raise::is_unwind(error) => {
                        self.heap.release(error);
                        Ending::Cancelled
                    }
                    (true, error) => Ending::Error(error),
                });
            }
            // SAFETY: a frame's parent waits for it and is live.
            unsafe {
                (*parent).value = if raised { 0 } else { value };
                (*parent).error = if raised { error } else { 0 };
            }
            // A loop and not a recursion: a stack of a million frames is resumed frame by frame on a short native stack.
            frame = parent;
        }
    }

    /// Calls a resumable function of the program's tables that does not wait; the parameters are taken over.
    pub(crate) fn call_framed(&mut self, function: u32, words: &[u64]) -> Result<u64, u64> {
        let frame = self.frame_with(function, words.iter().copied());
        let run: *mut Self = self;
        // SAFETY: the frame is new.
        let status = unsafe { native::resume(run, frame) };
        assert!(
            status != status::WAITING,
            "function {function} waits where nobody could go on with it"
        );
        // SAFETY: the frame is live until it is freed below; it has ended, so its slots own nothing.
        let (value, error) = unsafe { ((*frame).value, (*frame).error) };
        self.discard_frame(frame);
        match status == status::RAISED {
            true => Err(error),
            false => Ok(value),
        }
    }

    /// A frame of `function` with these parameters, which it takes over, for a task to come.
    ///
    /// # Panics
    /// When the function has fewer slots.
    pub(crate) fn frame_with(
        &mut self,
        function: u32,
        words: impl IntoIterator<Item = u64>,
    ) -> *mut Frame {
        let slots = self.loaded.functions[function as usize].slots;
        let frame = self.heap.frame_new(function, slots);
        for (slot, word) in words.into_iter().enumerate() {
            assert!(
                slot < slots as usize,
                "function {function} has no slot {slot}"
            );
            // SAFETY: the frame is new and has this slot.
            unsafe { native::write_slot(frame, slot, word) };
        }
        frame
    }

    /// A frame of `function` that the current task calls.
    pub(crate) fn frame_new(&mut self, function: u32) -> *mut Frame {
        self.stack.push(&self.front);
        let slots = self.loaded.functions[function as usize].slots;
        self.heap.frame_new(function, slots)
    }

    /// Frees a frame of the current task that has ended.
    pub(crate) fn free_frame(&mut self, frame: *mut Frame) {
        self.stack.pop(&self.front);
        self.discard_frame(frame);
    }

    fn discard_frame(&mut self, frame: *mut Frame) {
        // SAFETY: the frame is live and names a function of the program.
        let function = unsafe { (*frame).function };
        let slots = self.loaded.functions[function as usize].slots;
        self.heap.frame_free(frame, slots);
    }

    /// Frees all frames of a task that will not be resumed, and what they own where they wait.
    pub(crate) fn drop_frames(&mut self, id: TaskId) {
        let loaded = std::sync::Arc::clone(&self.loaded);
        let task = self.scheduler.task_mut(id);
        let mut frame = std::mem::replace(&mut task.frame, std::ptr::null_mut());
        task.depth = 0;
        while !frame.is_null() {
            // SAFETY: the frame is live and names a function of the program.
            let (parent, function, state) =
                unsafe { ((*frame).parent, (*frame).function, (*frame).state) };
            let function = &loaded.program.functions[function as usize];
            // Only what the state lists is owned while the frame waits there; all other slots hold old words.
            for &slot in function.owned.get(state as usize).into_iter().flatten() {
                // SAFETY: the loader checked that owned slots exist.
                let word = unsafe { native::read_slot(frame, slot as usize) };
                self.heap
                    .release_typed(function.slots[slot as usize].ty, word);
            }
            self.discard_frame(frame);
            frame = parent;
        }
    }
}
