//! What tasks are called, what they are for, and how they end.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::layout::Frame;
use gsw_abi::types::TypeId;

use crate::node::NodeId;

/// A task of the run; the number is given again once nothing names the task any more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TaskId(pub u32);

impl TaskId {
    pub const NONE: Self = Self(u32::MAX);
}

/// A program of the run that a model has written, in order of beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlanId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// In the queue, its code not yet entered.
    New,
    /// In the queue, to be resumed.
    Ready,
    Running,
    /// Until its wait ends.
    Waiting,
    /// It has ended; its record says how.
    Ended,
}

/// How a task ended. Words are owned by the task's record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    Value(u64),
    Error(u64),
    Cancelled,
}

/// What a task is for, and which task gets its ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The run's own: its ending is the run's.
    Root,
    Spawned,
    /// An iteration of a `parallel`, by its place in the result.
    Iteration {
        /// The task that runs the `parallel`.
        coordinator: TaskId,
        index: u32,
    },
    /// A tool that a model called, by its place among the calls.
    Tool {
        /// The task that runs the prompt.
        coordinator: TaskId,
        index: u32,
    },
    /// The task of an `undo` block.
    Undo {
        /// The task whose workflow failed.
        coordinator: TaskId,
    },
    /// What `reflect` asks about a failed body.
    Reflection {
        /// The task whose body failed.
        coordinator: TaskId,
    },
}

/// How the value of a body becomes the `json` that is the task's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// With all that is in it, for a program.
    Whole(TypeId),
    /// With `***` for what is secret, for a model.
    Redacted(TypeId),
}

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
    pub input: Option<Arc<str>>,
    pub role: Role,
    /// The type of its value.
    pub result: TypeId,
}
