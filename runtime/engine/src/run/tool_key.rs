//! `idempotent by`: results of tool calls by key, so that a second call in the same run gives the first result, also while
//! the first is still on its way.

use std::collections::VecDeque;

use gsw_abi::builtin::JSON;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::codec::{self, decode, parse};
use crate::export::Step;
use crate::node::NodeId;
use crate::run::Run;
use crate::task::TaskId;
use crate::wait::Wait;

/// A tool's index and the key of a call of it.
pub type Key = (u64, String);

/// The keyed calls of a run.
#[derive(Debug, Default)]
pub struct ToolKeys {
    /// Results as JSON.
    results: FxHashMap<Key, String>,
    /// Whose call is on its way.
    busy: FxHashMap<Key, TaskId>,
    /// The keys of the calls whose nodes are entered next, by task.
    starting: FxHashMap<TaskId, Key>,
    /// The keys of the calls whose nodes are open.
    open: FxHashMap<NodeId, Key>,
    /// Who waits for a call on its way, in order.
    waiting: FxHashMap<Key, VecDeque<TaskId>>,
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

    fn kept_result(&mut self, key: &Key, result: TypeId) -> Result<u64, u64> {
        let text = self
            .tool_keys
            .results
            .get(key)
            .map_or("null", String::as_str);
        let tree = parse::parse(text).unwrap_or(Value::Null);
        // Running again is what a key is there to prevent, so this is an error.
        decode::decode(self, result, &Value::Array(vec![tree])).map_err(|issue| {
            let message = format!(
                "the result of the call with the key `{}` cannot be given again: {}",
                key.1, issue.message
            );
            self.failed(&message)
        })
    }

    /// The node of a tool call was entered.
    pub(crate) fn open_keyed_call(&mut self, node: NodeId) {
        if let Some(key) = self.tool_keys.starting.remove(&self.current) {
            self.tool_keys.open.insert(node, key);
        }
    }

    /// A node ends with this output, a `json` or 0; without one its call gave nothing to keep, and the next in line is made.
    pub(crate) fn close_keyed_call(&mut self, node: NodeId, output: Option<u64>) {
        let Some(key) = self.tool_keys.open.remove(&node) else {
            return;
        };
        self.tool_keys.busy.remove(&key);
        let Some(output) = output else {
            self.hand_over(key);
            return;
        };
        let text = match output {
            0 => "null".to_owned(),
            word => codec::encode(&self.heap, JSON, word),
        };
        self.tool_keys.results.insert(key.clone(), text);
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
