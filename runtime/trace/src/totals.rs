//! What a node and everything below it spent, for all nodes at once.

use gsw_tree::node::{NodeId, Spent};
use rustc_hash::FxHashMap;

use crate::tree::Tree;

impl Tree {
    /// What each node and everything below it spent; one pass over the tree.
    #[must_use]
    pub fn spent_below(&self) -> FxHashMap<NodeId, Spent> {
        let order: Vec<_> = std::iter::once(self.root()).chain(self.walk()).collect();
        let mut sums: FxHashMap<NodeId, Spent> = order.iter().map(|it| (it.id, it.spent)).collect();
        // Backwards, so that everything below a node is summed before the node is added to its parent.
        for node in order.iter().rev() {
            let own = sums.get(&node.id).copied().unwrap_or_default();
            if let Some(above) = node.parent.and_then(|it| sums.get_mut(&it)) {
                above.add(&own);
            }
        }
        sums
    }
}
