//! Runtime calls on the run's tree, its log, its events and its state.

use gsw_abi::call::NodeKind;

use crate::event::{EventKind, Level};
use crate::export::guard::calls;
use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::value::string;

calls! {
    /// Enters a node, which becomes the current one: kind, name, input or 0.
    plain node_enter(run, kind, name, input) {
        let name = run.take_string(name);
        let input = run.take_json(input);
        let parent = run.current_node();
        let node = run.enter_node(NewNode { parent, kind: kind_of(kind), name: &name, index: None, input });
        run.go_to_node(node);
        match kind_of(kind) {
            NodeKind::Tool => run.open_keyed_call(node),
            NodeKind::Human => run.begin_to_wait_for_a_person(),
            _ => {}
        }
        u64::from(node.0)
    }

    /// Waits for the tasks of the current node; raises the first error that nobody awaited.
    waiting node_join(run) {
        run.join()
    }

    /// Cancels the tasks of the current node and waits until they have ended.
    waiting node_abort(run) {
        run.abort()
    }

    /// Leaves the current node as completed, with its output or 0.
    plain node_complete(run, output) {
        let node = run.current_node();
        run.close_keyed_call(node, Some(output));
        let output = run.take_json(output);
        run.go_to_parent();
        run.leave_node(node, Status::Completed, output);
        0
    }

    /// Leaves the current node as failed or cancelled, as the error says.
    plain node_fail(run, error) {
        let node = run.current_node();
        run.close_keyed_call(node, None);
        run.go_to_parent();
        run.fail_node(node, error);
        0
    }

    /// `log.…`: level, message, data or 0.
    plain log(run, level, message, data) {
        let message = run.take_string(message);
        let data = take_tree(run, data);
        let node = run.current_node();
        run.tell(node, EventKind::Log { level: Level::of(level), message, data });
        0
    }

    /// `emit v`
    plain emit(run, value) {
        let value = take_tree(run, value).unwrap_or_default();
        let node = run.current_node();
        run.tell(node, EventKind::Emit { value });
        0
    }

    /// A `state` variable has this value now.
    plain state_set(run, name, value) {
        let name = string::text(name).to_owned();
        let value = take_tree(run, value).unwrap_or_default();
        let node = run.current_node();
        run.tell(node, EventKind::StateSnapshot { name, value });
        0
    }
}

impl Run {
    /// The current task works in this node from here on.
    fn go_to_node(&mut self, node: NodeId) {
        let current = self.current;
        self.tasks.at_mut(current).node = node;
    }

    /// The current task leaves its node, but never the one that it is itself.
    fn go_to_parent(&mut self) {
        if self.tree.node(self.current_node()).kind == NodeKind::Human {
            self.end_to_wait_for_a_person();
        }
        let task = self.tasks.at(self.current);
        if task.node != task.base {
            let parent = self.tree.node(task.node).parent;
            self.go_to_node(parent);
        }
    }
}

/// A `json` word, or 0, as the tree that observers see; it is taken over.
fn take_tree(run: &mut Run, word: u64) -> Option<serde_json::Value> {
    let text = run.take_json(word)?;
    serde_json::from_str(&text).ok()
}

fn kind_of(kind: u64) -> NodeKind {
    const KINDS: [NodeKind; 11] = [
        NodeKind::Workflow,
        NodeKind::Step,
        NodeKind::Task,
        NodeKind::Parallel,
        NodeKind::Iteration,
        NodeKind::Prompt,
        NodeKind::Tool,
        NodeKind::Human,
        NodeKind::Reflection,
        NodeKind::Attempt,
        NodeKind::Region,
    ];
    debug_assert!(
        KINDS
            .iter()
            .enumerate()
            .all(|(index, kind)| index == *kind as usize)
    );
    KINDS
        .get(kind as usize)
        .copied()
        .unwrap_or(NodeKind::Region)
}
