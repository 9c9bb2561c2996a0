//! Models that ask models by their tools: how deep, and how many below one that a program has asked.
//!
//! Agents that list each other, and a tool that asks the prompt it is a tool of, would ask without end; turns bound each of them
//! alone.

use std::collections::HashMap;

use gsw_abi::call::NodeKind;

use crate::node::{NodeId, Tree};

/// How deep prompts may be nested.
const DEEPEST: usize = 8;
/// The most prompts two deep or deeper below one that the program has asked: ten each, eight deep, would be a hundred
/// million.
const MOST_BELOW: usize = 1_000;

/// What has been asked below the prompts that are on their way.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    /// By the outermost prompt.
    below: HashMap<NodeId, usize>,
}

impl Nesting {
    /// A prompt is to be asked in `node`; the error says why it is not.
    pub(crate) fn admit(&mut self, tree: &Tree, node: NodeId) -> Result<(), String> {
        let around = tree.lineage(node);
        let prompts = around.filter(|it| tree.node(*it).kind == NodeKind::Prompt);
        let (depth, outermost) = prompts.fold((0, NodeId::NONE), |(depth, _), it| (depth + 1, it));
        if depth > DEEPEST {
            return Err(format!("models ask each other more than {DEEPEST} deep"));
        }
        if depth > 1 {
            let below = self.below.entry(outermost).or_default();
            if *below == MOST_BELOW {
                return Err(format!(
                    "models have asked each other {MOST_BELOW} times for one prompt"
                ));
            }
            *below += 1;
        }
        Ok(())
    }

    /// Removes a prompt that has ended.
    pub(crate) fn forget(&mut self, prompt: NodeId) {
        self.below.remove(&prompt);
    }
}
