//! Environment variables that an agent gives to the tools which its model calls, and to the programs that these run (G30).
//!
//! They are kept by the node of the prompt as long as it runs, and found from the node that asks: what is under a tool is
//! under the prompt whose model called it. So agents that run at the same time do not see each other's, an agent that is
//! asked by another one does not see those of that one, and the process has none of them.

use gsw_abi::call::NodeKind;
use gsw_abi::setting::Setting;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::node::{NodeId, Tree};
use crate::secret::Template;

/// The variables of the prompts that run.
#[derive(Debug, Default)]
pub(crate) struct Environments {
    /// By the prompt's node; none are empty.
    of_prompts: FxHashMap<NodeId, Vec<(String, Template)>>,
}

impl Environments {
    /// A prompt begins with these settings.
    pub(crate) fn grant(&mut self, prompt: NodeId, settings: &Map<String, Value>) {
        let Some(Value::Object(written)) = settings.get(Setting::Env.name()) else {
            return;
        };
        let variables = written
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), Template::written(value.as_str()?))));
        let variables: Vec<_> = variables.collect();
        if !variables.is_empty() {
            self.of_prompts.insert(prompt, variables);
        }
    }

    pub(crate) fn forget(&mut self, prompt: NodeId) {
        self.of_prompts.remove(&prompt);
    }

    /// What code at this node sees.
    pub(crate) fn around(&self, tree: &Tree, node: NodeId) -> &[(String, Template)] {
        if self.of_prompts.is_empty() {
            return &[];
        }
        // The nearest alone: a prompt without variables hides those of the prompt around it.
        let prompt = tree
            .lineage(node)
            .find(|it| tree.node(*it).kind == NodeKind::Prompt);
        prompt
            .and_then(|it| self.of_prompts.get(&it))
            .map_or(&[], Vec::as_slice)
    }

    /// These variables, and before them those that code at this node sees.
    pub(crate) fn with(
        &self,
        tree: &Tree,
        node: NodeId,
        own: Vec<(String, Template)>,
    ) -> Vec<(String, Template)> {
        let around = self.around(tree, node).iter();
        let mut variables: Vec<_> = around
            .filter(|(name, _)| own.iter().all(|it| it.0 != *name))
            .cloned()
            .collect();
        variables.extend(own);
        variables
    }
}
