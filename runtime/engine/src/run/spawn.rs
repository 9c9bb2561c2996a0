//! Starts tasks, and keeps for each node the list of those that belong to it.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::layout::{CLOSURE_FUNCTION, Frame};
use gsw_abi::types::TypeId;

use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::run::native;
use crate::scope::ScopeId;
use crate::task::{Role, State, Task, TaskId};
use crate::value;
use crate::wait::Wait;

/// A task and its node take about as much memory as so many frames. So tasks may nest some 100,000 deep.
const TASK_FRAMES: u32 = 10;

/// What a task is made from.
#[derive(Debug)]
pub(crate) struct NewTask<'a> {
    /// Its frame, parameters set.
    pub frame: *mut Frame,
    /// The node that it belongs to.
    pub owner: NodeId,
    /// What its own node is.
    pub kind: NodeKind,
    /// The name of its own node.
    pub name: &'a str,
    /// The index of its own node, when it is given.
    pub index: Option<u32>,
    /// What goes in.
    pub input: Option<Arc<str>>,
    /// What it is for.
    pub role: Role,
    /// The type of its value.
    pub result: TypeId,
}

impl Run {
    /// Puts a new task at the end of the queue.
    pub(crate) fn start_task(&mut self, mut new: NewTask<'_>) -> TaskId {
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

    /// The same for a task whose node is there already.
    pub(crate) fn start_task_on(&mut self, base: NodeId, new: NewTask<'_>) -> TaskId {
        let budget = self
            .tasks
            .get(self.budget_source(new.role))
            .map_or(ScopeId::TASK, |it| it.budget);
        let starter = self.tasks.get(self.budget_source(new.role));
        let is_shielded = starter.is_some_and(|it| it.is_shielded || it.shield > 0);
        let last = self.tree.node(new.owner).last_task;
        let id = self.tasks.insert(Task {
            frame: new.frame,
            depth: self.depth_of_new(new.role),
            state: State::New,
            wait: Wait::Nothing,
            base,
            node: base,
            owner: new.owner,
            previous: last,
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
        self.scopes.join(budget);
        self.heap.charge(Task::CHARGE);
        let node = self.tree.node_mut(new.owner);
        node.live_tasks += 1;
        node.last_task = id;
        match last {
            TaskId::NONE => node.first_task = id,
            last => self.tasks.at_mut(last).next = id,
        }
        self.ready.push_back(id);
        id
    }

    /// How deep a new task begins: below who starts it, so that an endless recursion through tasks ends like any other.
    fn depth_of_new(&self, role: Role) -> u32 {
        let outer = match role {
            Role::Root => return 1,
            Role::Spawned => self.current,
            Role::Iteration { coordinator, .. }
            | Role::Tool { coordinator, .. }
            | Role::Reflection { coordinator } => coordinator,
        };
        let depth = match self.tasks.get(outer) {
            // What is noted of a task is from before it went on.
            Some(_) if outer == self.current => self.depth,
            Some(task) => task.depth,
            None => 0,
        };
        depth.saturating_add(TASK_FRAMES)
    }

    /// Whose budget a new task draws from.
    fn budget_source(&self, role: Role) -> TaskId {
        match role {
            Role::Root => TaskId::NONE,
            Role::Spawned => self.current,
            Role::Iteration { coordinator, .. }
            | Role::Tool { coordinator, .. }
            | Role::Reflection { coordinator } => coordinator,
        }
    }

    /// A frame that calls a function value with these arguments; the closure is borrowed, the arguments are taken over.
    /// `None` when its code is plain.
    pub(crate) fn closure_frame(&mut self, closure: u64, arguments: &[u64]) -> Option<*mut Frame> {
        let function = closure_function(closure);
        if self.loaded.functions[function as usize].resume.is_null() {
            return None;
        }
        let frame = self.bottom_frame(function);
        self.heap.retain(closure);
        let words = std::iter::once(&closure).chain(arguments);
        for (index, &word) in words.enumerate() {
            // SAFETY: a function value's code has the closure and these parameters as its first slots.
            unsafe { native::write_slot(frame, index, word) };
        }
        Some(frame)
    }

    /// Calls a function value whose code is plain; the closure is borrowed, the arguments are taken over.
    pub(crate) fn call_closure(&mut self, closure: u64, arguments: &[u64]) -> Result<u64, u64> {
        let function = closure_function(closure);
        self.heap.retain(closure);
        let words: Vec<u64> = std::iter::once(closure)
            .chain(arguments.iter().copied())
            .collect();
        // SAFETY: the checker and the lowering agree on what a function value takes.
        unsafe { native::call(self, function, &words) }
    }

    /// The value of a plain function of the program's tables.
    pub(crate) fn call_plain(&mut self, function: u32, arguments: &[u64]) -> Result<u64, u64> {
        // SAFETY: the loader checked colour and parameters of the functions that tables name.
        unsafe { native::call(self, function, arguments) }
    }
}

/// The function of a function value.
pub(crate) fn closure_function(closure: u64) -> u32 {
    value::load(closure, CLOSURE_FUNCTION) as u32
}
