//! `idempotent by`: results of tool calls by key, so that a second call in the same run gives the first result.

use gsw_abi::builtin::JSON;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;

use crate::codec::{self, decode, parse};
use crate::node::NodeId;
use crate::run::Run;

/// A tool's index and the key of a call of it.
type Key = (u64, String);

/// The keyed calls of a run.
#[derive(Debug, Default)]
pub struct ToolKeys {
    /// Results as JSON.
    results: FxHashMap<Key, String>,
    /// The key of the call whose node is entered next; nothing can come between.
    next: Option<Key>,
    /// The keys of the calls on their way.
    open: FxHashMap<NodeId, Key>,
}

impl Run {
    /// The result of an earlier call with this key as a word of `ty`; otherwise the call is remembered.
    pub(crate) fn result_by_key(&mut self, tool: u64, key: String, ty: TypeId) -> Option<u64> {
        let key = (tool, key);
        let Some(text) = self.tool_keys.results.get(&key) else {
            self.tool_keys.next = Some(key);
            return None;
        };
        let tree = parse::parse(text).ok()?;
        decode::decode(self, ty, &tree).ok()
    }

    /// The node of a tool call was entered.
    pub(crate) fn open_keyed_call(&mut self, node: NodeId) {
        if let Some(key) = self.tool_keys.next.take() {
            self.tool_keys.open.insert(node, key);
        }
    }

    /// A node ends with this output, a `json` or 0; without one its call gave nothing to keep.
    pub(crate) fn close_keyed_call(&mut self, node: NodeId, output: Option<u64>) {
        let Some(key) = self.tool_keys.open.remove(&node) else {
            return;
        };
        if let Some(output) = output {
            let text = match output {
                0 => "null".to_owned(),
                word => codec::encode(&self.heap, JSON, word),
            };
            self.tool_keys.results.insert(key, text);
        }
    }
}
