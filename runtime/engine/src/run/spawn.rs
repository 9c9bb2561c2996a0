//! Starts tasks, and calls function values and plain functions.

use gsw_abi::layout::{CLOSURE_FUNCTION, Frame};

use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::run::native;
use crate::run::scheduler::Task;
use crate::scope::ScopeId;
use crate::task::{NewTask, State, TaskId};
use crate::value;
use crate::wait::Wait;

impl Run {
    /// Puts a new task at the end of the queue.
    pub(crate) fn start_task(&mut self, mut new: NewTask<'_>) -> TaskId {
        // The node is there at once, idle, so the tree shows what is started before it gets the thread.
        let base = self.enter_node(NewNode {
            parent: new.owner,
            kind: new.kind,
            name: new.name,
            index: new.index,
            status: Status::Idle,
            input: new.input.take(),
        });
        self.start_task_on(base, new)
    }

    /// Like [`Self::start_task`], for a task whose node exists already.
    pub(crate) fn start_task_on(&mut self, base: NodeId, new: NewTask<'_>) -> TaskId {
        let starter = self.scheduler.get(self.scheduler.starter(new.role));
        let budget = starter.map_or(ScopeId::TASK, |it| it.budget);
        let is_shielded = starter.is_some_and(|it| it.is_shielded || it.shield > 0);
        let depth = self.scheduler.depth_of_new(new.role, self.stack.depth());
        let id = self.scheduler.insert(Task {
            frame: new.frame,
            depth,
            state: State::New,
            wait: Wait::Nothing,
            base,
            node: base,
            owner: new.owner,
            previous: TaskId::NONE,
            next: TaskId::NONE,
            role: new.role,
            result: new.result,
            encodes: None,
            ending: None,
            ended_at: 0,
            waiters: Vec::new(),
            scopes: Vec::new(),
            budget,
            pending: None,
            shield: 0,
            is_shielded,
            is_cancelled: false,
            is_observed: false,
            has_handle: false,
            is_listed: true,
        });
        // The budget lives until the task ends, also if its block is left before.
        self.scopes.join(budget);
        self.heap.charge(Task::CHARGE);
        id
    }

    /// A frame that calls a function value with these arguments; the closure is borrowed, the arguments are taken over.
    /// `None` when its code is plain.
    pub(crate) fn closure_frame(&mut self, closure: u64, arguments: &[u64]) -> Option<*mut Frame> {
        let function = closure_function(closure);
        if self.loaded.functions[function as usize].resume.is_null() {
            return None;
        }
        self.heap.retain(closure);
        // A function value's code has the closure and these parameters as its first slots.
        Some(self.frame_with(function, with_closure(closure, arguments)))
    }

    /// Calls a function value whose code is plain; the closure is borrowed, the arguments are taken over.
    pub(crate) fn call_closure(&mut self, closure: u64, arguments: &[u64]) -> Result<u64, u64> {
        let function = closure_function(closure);
        self.heap.retain(closure);
        let words: Vec<u64> = with_closure(closure, arguments).collect();
        // SAFETY: the checker and the lowering agree on what a function value takes.
        unsafe { native::call(self, function, &words) }
    }

    /// The value of a plain function of the program's tables.
    pub(crate) fn call_plain(&mut self, function: u32, arguments: &[u64]) -> Result<u64, u64> {
        // SAFETY: the loader checked colour and parameters of the functions that tables name.
        unsafe { native::call(self, function, arguments) }
    }
}

/// The words that the code of a function value takes.
fn with_closure(closure: u64, arguments: &[u64]) -> impl Iterator<Item = u64> {
    std::iter::once(closure).chain(arguments.iter().copied())
}

/// The function of a function value.
pub(crate) fn closure_function(closure: u64) -> u32 {
    value::load(closure, CLOSURE_FUNCTION) as u32
}
