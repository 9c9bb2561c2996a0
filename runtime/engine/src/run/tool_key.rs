//! `idempotent by`: results of tool calls by key, so that a second call in the same run gives the first result, also while
//! the first is still on its way.

use std::collections::{HashMap, VecDeque};

use gsw_abi::builtin::UNIT;
use gsw_abi::types::{Type, TypeId};
use rustc_hash::FxHashMap;

use crate::node::{NodeId, Status};
use crate::run::Run;
use crate::step::Step;
use crate::task::TaskId;
use crate::value;
use crate::wait::Wait;

/// A tool's index and the key of a call of it.
pub type Key = (u64, String);

/// The keyed calls of a run. Keys come from models, so their hash has a secret key; nothing looks at their order.
#[derive(Debug, Default)]
pub struct ToolKeys {
    /// Results, which are owned here: values do not change, so the first result is given as it is.
    results: HashMap<Key, (TypeId, u64)>,
    /// Whose call is on its way.
    busy: HashMap<Key, TaskId>,
    /// The keys of the calls whose nodes are entered next, by task.
    starting: FxHashMap<TaskId, Key>,
    /// The keys of the calls whose nodes are open.
    open: FxHashMap<NodeId, Key>,
    /// Who waits for a call on its way, in order.
    waiting: HashMap<Key, VecDeque<TaskId>>,
}

impl ToolKeys {
    /// The task whose call the others wait for.
    pub(crate) fn owner(&self, key: &Key) -> Option<TaskId> {
        self.busy.get(key).copied()
    }

    /// The task waits no longer.
    pub(crate) fn forget(&mut self, key: &Key, id: TaskId) {
        if let Some(waiting) = self.waiting.get_mut(key) {
            waiting.retain(|it| *it != id);
        }
    }
}

impl Run {
    /// Before a call with this key: the result of an earlier one in a tuple of one, or `none`, and then the call is on its way.
    pub(crate) fn begin_keyed_call(&mut self, tool: u64, key: String, result: TypeId) -> Step {
        let (key, current) = ((tool, key), self.current);
        if self.tool_keys.results.contains_key(&key) {
            return self.kept_result(&key, result).into();
        }
        let Some(owner) = self.tool_keys.owner(&key) else {
            self.tool_keys.busy.insert(key.clone(), current);
            self.tool_keys.starting.insert(current, key);
            return Step::Done(0);
        };
        if let Some(error) = self.interruption() {
            return Step::Raised(error);
        }
        let circle = if owner == current {
            let message = format!(
                "deadlock: the call with the key `{}` waits for itself",
                key.1
            );
            Some(self.failed(&message))
        } else {
            self.circle(owner)
        };
        if let Some(error) = circle {
            return Step::Raised(error);
        }
        let waiting = self.tool_keys.waiting.entry(key.clone()).or_default();
        waiting.push_back(current);
        self.wait_for(Wait::Keyed {
            key: Box::new(key),
            result,
        })
    }

    /// A result in a tuple of one, which `result` is an optional of.
    fn kept_result(&mut self, key: &Key, result: TypeId) -> Result<u64, u64> {
        let kept = self.tool_keys.results.get(key).copied();
        let (Some((ty, word)), Type::Optional(tuple)) = (kept, self.loaded.types.get(result))
        else {
            return Err(self.internal("a call with a key has no result to give"));
        };
        let tuple = *tuple;
        self.heap.retain_typed(ty, word);
        let one = self.heap.object(tuple, 0, 1);
        value::set_field(one, 0, word);
        Ok(one)
    }

    /// The call of this node gives a value, which is borrowed.
    pub(crate) fn keep_result(&mut self, node: NodeId, ty: TypeId, word: u64) {
        if let Some(key) = self.tool_keys.open.get(&node) {
            self.heap.retain_typed(ty, word);
            self.tool_keys.results.insert(key.clone(), (ty, word));
        }
    }

    /// The run is over.
    pub(crate) fn release_kept_results(&mut self) {
        for (_, (ty, word)) in std::mem::take(&mut self.tool_keys.results) {
            self.heap.release_typed(ty, word);
        }
    }

    /// The node of a tool call was entered.
    pub(crate) fn open_keyed_call(&mut self, node: NodeId) {
        if let Some(key) = self.tool_keys.starting.remove(&self.current) {
            self.tool_keys.open.insert(node, key);
        }
    }

    /// A node ends. A call that failed gave nothing to keep, and the next in line is made.
    pub(crate) fn close_keyed_call(&mut self, node: NodeId, status: Status) {
        let Some(key) = self.tool_keys.open.remove(&node) else {
            return;
        };
        self.tool_keys.busy.remove(&key);
        if status != Status::Completed {
            self.hand_over(key);
            return;
        }
        // What gives nothing keeps that.
        let results = &mut self.tool_keys.results;
        results.entry(key.clone()).or_insert((UNIT, 0));
        for id in self.tool_keys.waiting.remove(&key).unwrap_or_default() {
            if let Wait::Keyed { result, .. } = std::mem::take(&mut self.tasks.at_mut(id).wait) {
                let kept = self.kept_result(&key, result);
                self.wake(id, kept);
            }
        }
    }

    /// The first of those who wait makes the call itself.
    fn hand_over(&mut self, key: Key) {
        let waiting = self.tool_keys.waiting.get_mut(&key);
        let Some(next) = waiting.and_then(VecDeque::pop_front) else {
            self.tool_keys.waiting.remove(&key);
            return;
        };
        self.tasks.at_mut(next).wait = Wait::Nothing;
        self.tool_keys.busy.insert(key.clone(), next);
        self.tool_keys.starting.insert(next, key);
        self.wake(next, Ok(0));
    }
}
