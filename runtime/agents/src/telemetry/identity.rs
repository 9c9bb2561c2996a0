//! The ids of traces and spans: random by run, so that those of two processes differ, and a function of the node within one.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use gsw_tree::node::NodeId;

/// The ids of one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pub trace: [u8; 16],
    seed: u64,
}

impl Identity {
    /// A run in a trace of its own, or in an existing one.
    pub fn new(run: &str, trace: Option<[u8; 16]>) -> Self {
        // The standard library's hasher is seeded by the system; no more randomness is needed to be unlike others.
        let random = |salt: u8| RandomState::new().hash_one((run, salt)).max(1);
        let own = || {
            let high = u128::from(random(1)) << 64;
            (high | u128::from(random(2))).to_be_bytes()
        };
        Self {
            trace: trace.unwrap_or_else(own),
            seed: random(3),
        }
    }

    /// The span of a node.
    pub fn node(&self, node: NodeId) -> [u8; 8] {
        self.span(u64::from(node.0) << 32)
    }

    /// The span of a request that a node sends.
    pub fn request(&self, node: NodeId, attempt: u32) -> [u8; 8] {
        self.span((u64::from(node.0) << 32) | u64::from(attempt.max(1)))
    }

    /// The finish of `SplitMix64`, which is one to one, so that no two spans of a run share an id.
    fn span(&self, number: u64) -> [u8; 8] {
        let mut word = number ^ self.seed;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)).max(1).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use gsw_tree::node::NodeId;

    use super::Identity;

    #[test]
    fn ids_never_collide() {
        // G18
        let (one, other) = (Identity::new("r", None), Identity::new("r", None));
        assert_ne!(one.trace, other.trace);
        let mut seen = std::collections::HashSet::new();
        for node in 0..1_000 {
            assert!(seen.insert(one.node(NodeId(node))));
            for attempt in 1..5 {
                assert!(seen.insert(one.request(NodeId(node), attempt)));
            }
        }
        assert_eq!(one.node(NodeId(7)), one.node(NodeId(7)));
    }
}
