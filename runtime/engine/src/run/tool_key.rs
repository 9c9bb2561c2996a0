//! The keys of tool calls: results by key, the calls in flight, and the tasks that wait for them.

use std::collections::{HashMap, VecDeque};

use gsw_abi::builtin::UNIT;
use gsw_abi::types::{Type, TypeId};
use rustc_hash::FxHashMap;

use crate::arguments::Arguments;
use crate::heap::Heap;
use crate::node::{NodeId, Status};
use crate::run::raise;
use crate::task::TaskId;
use crate::value;

/// What distinguishes calls of tools.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ToolKey {
    pub tool: u64,
    /// The text that the program makes of the arguments.
    pub key: String,
}

/// The keyed calls of a run. Keys come from models, so their hash has a secret key; nothing looks at their order.
#[derive(Debug, Default)]
pub(crate) struct ToolKeys {
    /// Values do not change, so the first result is given as it is.
    results: HashMap<ToolKey, Kept>,
    /// What the call was given that has the result, or is on its way.
    given: HashMap<ToolKey, Arguments>,
    /// Whose call is on its way.
    busy: HashMap<ToolKey, TaskId>,
    /// The keys of the calls whose nodes are entered next, by task.
    starting: FxHashMap<TaskId, ToolKey>,
    /// The keys of the calls whose nodes are open.
    open: FxHashMap<NodeId, ToolKey>,
    /// The tasks that wait for a call in flight, in order.
    waiting: HashMap<ToolKey, VecDeque<TaskId>>,
}

/// A result; the word is owned here.
#[derive(Clone, Copy, Debug)]
struct Kept {
    ty: TypeId,
    word: u64,
}

/// What a call with a key meets.
pub(crate) enum Earlier {
    /// A call that gave a result.
    Kept,
    /// A call of this task that is on its way.
    Busy(TaskId),
    /// No other: the call is on its way.
    None,
}

/// What follows the end of a call with a key.
pub(crate) enum Next {
    /// The waiting tasks get its result.
    Give(ToolKey, VecDeque<TaskId>),
    /// The first of the waiting tasks makes the call itself.
    CallAgain(TaskId),
    Nothing,
}

impl ToolKeys {
    /// The task whose call the others wait for.
    pub(crate) fn owner(&self, key: &ToolKey) -> Option<TaskId> {
        self.busy.get(key).copied()
    }

    /// The task waits no longer.
    pub(crate) fn forget(&mut self, key: &ToolKey, id: TaskId) {
        if let Some(waiting) = self.waiting.get_mut(key) {
            // A task that unwinds must not be handed the call later.
            waiting.retain(|it| *it != id);
        }
    }

    /// The arguments of a call that are not those of the call whose result it is given.
    pub(crate) fn differing(&self, key: &ToolKey, given: &Arguments) -> Option<String> {
        self.given.get(key)?.differing(given)
    }

    /// What a call is given that is the first one with its key.
    pub(crate) fn note(&mut self, key: ToolKey, given: Arguments) {
        self.given.insert(key, given);
    }

    pub(crate) fn begin(&mut self, key: &ToolKey, task: TaskId) -> Earlier {
        if self.results.contains_key(key) {
            return Earlier::Kept;
        }
        match self.owner(key) {
            Some(owner) => Earlier::Busy(owner),
            None => {
                self.start(key.clone(), task);
                Earlier::None
            }
        }
    }

    fn start(&mut self, key: ToolKey, task: TaskId) {
        self.busy.insert(key.clone(), task);
        self.starting.insert(task, key);
    }

    pub(crate) fn wait(&mut self, key: ToolKey, task: TaskId) {
        self.waiting.entry(key).or_default().push_back(task);
    }

    /// A result in a tuple of one, which `result` is an optional of.
    pub(crate) fn kept(&self, heap: &mut Heap, key: &ToolKey, result: TypeId) -> Result<u64, u64> {
        let kept = self.results.get(key).copied();
        let (Some(Kept { ty, word }), Type::Optional(tuple)) = (kept, heap.types().get(result))
        else {
            return Err(raise::internal(
                heap,
                "a call with a key has no result to give",
            ));
        };
        let tuple = *tuple;
        heap.retain_typed(ty, word);
        // A tuple, because the result may itself be optional: `none` must mean that there is no earlier call.
        let one = heap.object(tuple, 0, 1);
        value::set_field(one, 0, word);
        Ok(one)
    }

    /// The call of this node has this value, which is borrowed.
    pub(crate) fn keep(&mut self, heap: &mut Heap, node: NodeId, ty: TypeId, word: u64) {
        if let Some(key) = self.open.get(&node) {
            heap.retain_typed(ty, word);
            // Under the node's key and not the task's: the tool's code may have called other keyed tools since.
            self.results.insert(key.clone(), Kept { ty, word });
        }
    }

    /// Releases the results, because the run has ended.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for (_, Kept { ty, word }) in std::mem::take(&mut self.results) {
            heap.release_typed(ty, word);
        }
    }

    /// The node of a tool call was entered.
    pub(crate) fn open(&mut self, task: TaskId, node: NodeId) {
        if let Some(key) = self.starting.remove(&task) {
            self.open.insert(node, key);
        }
    }

    /// A node ends. A call that failed gave nothing to keep.
    pub(crate) fn close(&mut self, node: NodeId, status: Status) -> Next {
        let Some(key) = self.open.remove(&node) else {
            return Next::Nothing;
        };
        self.busy.remove(&key);
        if status == Status::Completed {
            // A call without a value keeps that.
            let nothing = Kept { ty: UNIT, word: 0 };
            self.results.entry(key.clone()).or_insert(nothing);
            let waiting = self.waiting.remove(&key).unwrap_or_default();
            return Next::Give(key, waiting);
        }
        let waiting = self.waiting.get_mut(&key);
        let Some(next) = waiting.and_then(VecDeque::pop_front) else {
            self.waiting.remove(&key);
            return Next::Nothing;
        };
        // Busy again under its new owner before anybody else can begin, so the order of waiting holds.
        self.start(key, next);
        Next::CallAgain(next)
    }
}
