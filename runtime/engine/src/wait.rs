//! What a task can wait for.

use gsw_abi::call::RacePolicy;
use gsw_abi::types::TypeId;

use crate::arguments::Arguments;
use crate::operation::OperationId;
use crate::run::parallel::Parallel;
use crate::run::prompt::PromptRun;
use crate::run::queue::Arrival;
use crate::run::reflect::Reflecting;
use crate::run::tool_key::ToolKey;
use crate::task::PlanId;

/// A race that has not ended.
#[derive(Clone, Copy, Debug)]
pub struct Race {
    /// The list of handles.
    pub handles: u64,
    pub policy: RacePolicy,
    /// The place of the task that has decided it, once there is one and the others are to end.
    pub winner: Option<usize>,
    /// The first that has not ended.
    pub next: usize,
}

/// What a task waits for. Words in here are owned by it.
#[derive(Debug, Default)]
pub enum Wait {
    /// Nothing: it is in the queue or runs.
    #[default]
    Nothing,
    /// The outcome of an operation, which becomes a value of this type.
    Operation {
        id: OperationId,
        /// The type of the value, where it does not follow from the outcome.
        result: TypeId,
    },
    /// An operation that was given up and changes something: the code around it continues once it has been stopped.
    Stopping {
        id: OperationId,
        /// The clock after which nothing waits for that any longer.
        grace: OperationId,
    },
    Await(u64),
    /// Several tasks, one after the other.
    AwaitAll {
        /// The list or tuple of handles.
        handles: u64,
        /// The type of the list or tuple of values.
        result: TypeId,
        /// The first one that has not ended.
        next: usize,
    },
    /// The first of several tasks to end, or to give a value.
    Race(Race),
    /// The tasks of the current node, whose first unseen error is raised.
    Join,
    /// The tasks of the current node, which were cancelled.
    Abort,
    /// The iterations of a `parallel`.
    Parallel(Box<Parallel>),
    /// What a failed workflow takes back.
    Undo,
    /// The judgement on a failed body.
    Reflect(Box<Reflecting>),
    /// A call of a tool with the same key.
    Keyed {
        key: Box<ToolKey>,
        /// What the call that waits was given.
        given: Arguments,
        /// The type of the tuple with the result, as an optional.
        result: TypeId,
    },
    Prompt(Box<PromptRun>),
    /// The end of the call that runs in a session.
    Session {
        session: u64,
    },
    /// The end of a program that a model has written.
    Plan {
        plan: PlanId,
        /// The type of what comes of it.
        result: TypeId,
    },
    /// Room in a full queue.
    Push {
        queue: u64,
        /// What is to be pushed.
        item: u64,
        arrival: Arrival,
    },
    /// An item of an empty queue.
    Pop {
        queue: u64,
        /// The type of the item as an optional.
        result: TypeId,
        arrival: Arrival,
    },
    /// Nothing any more: it was woken with an item of a queue, and is in the queue of ready tasks.
    Received {
        queue: u64,
        item: u64,
        /// The type of the item as an optional.
        result: TypeId,
    },
    /// A further part of a stream's answer.
    Part {
        stream: u64,
        /// The type of the part as an optional.
        result: TypeId,
    },
    /// Its body has ended; the tasks that belong to it have not.
    Ending,
}

/// The tasks that must end, or of which one must, before a wait is over.
#[derive(Clone, Copy, Debug)]
pub enum Awaited<'a> {
    /// The one of a handle.
    Task(u64),
    /// Those of a list or tuple of handles, one after the other.
    InTurn {
        handles: u64,
        /// The first that has not ended.
        next: usize,
    },
    /// One of a list or tuple of handles.
    OneOf(u64),
    /// The one that runs the call with a key.
    Key(&'a ToolKey),
    /// The one whose call runs in a session.
    Session(u64),
    /// All of the current node.
    AllOfNode,
    /// Some of the current node, if any.
    SomeOfNode,
    /// Those that belong to the task itself.
    Own,
    /// None: any other task may help.
    Any,
}

impl Wait {
    /// Which tasks it waits for.
    pub fn awaited(&self) -> Awaited<'_> {
        match self {
            Self::Await(handle) | Self::Part { stream: handle, .. } => Awaited::Task(*handle),
            Self::AwaitAll { handles, next, .. }
            | Self::Race(Race {
                handles,
                next,
                winner: Some(_),
                ..
            }) => Awaited::InTurn {
                handles: *handles,
                next: *next,
            },
            Self::Race(Race {
                handles,
                winner: None,
                ..
            }) => Awaited::OneOf(*handles),
            Self::Keyed { key, .. } => Awaited::Key(key),
            Self::Session { session } => Awaited::Session(*session),
            Self::Join | Self::Abort | Self::Parallel(_) => Awaited::AllOfNode,
            Self::Nothing
            | Self::Operation { .. }
            | Self::Stopping { .. }
            | Self::Undo
            | Self::Reflect(_)
            | Self::Plan { .. }
            | Self::Prompt(_) => Awaited::SomeOfNode,
            Self::Ending => Awaited::Own,
            Self::Push { .. } | Self::Pop { .. } | Self::Received { .. } => Awaited::Any,
        }
    }

    /// Whether several tasks have to end before it is over, or one of several: no single chain of waits leads on from it.
    pub fn branches(&self) -> bool {
        match self.awaited() {
            Awaited::InTurn { .. } | Awaited::OneOf(_) | Awaited::AllOfNode | Awaited::Own => true,
            Awaited::Task(_)
            | Awaited::Key(_)
            | Awaited::Session(_)
            | Awaited::SomeOfNode
            | Awaited::Any => false,
        }
    }

    /// When it came to the queue at which it waits.
    pub fn arrival(&self) -> Option<Arrival> {
        match self {
            Self::Push { arrival, .. } | Self::Pop { arrival, .. } => Some(*arrival),
            Self::Nothing
            | Self::Operation { .. }
            | Self::Stopping { .. }
            | Self::Await(_)
            | Self::AwaitAll { .. }
            | Self::Race(_)
            | Self::Join
            | Self::Abort
            | Self::Parallel(_)
            | Self::Undo
            | Self::Reflect(_)
            | Self::Plan { .. }
            | Self::Keyed { .. }
            | Self::Prompt(_)
            | Self::Part { .. }
            | Self::Session { .. }
            | Self::Received { .. }
            | Self::Ending => None,
        }
    }
}
