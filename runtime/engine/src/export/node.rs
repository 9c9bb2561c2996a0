//! Runtime calls on the run's tree, its log, its events and its state.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::types::TypeId;

use crate::event::{EventKind, JsonText, Level};
use crate::export::guard::calls;
use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::value::string;

calls! {
    /// Enters a node, which becomes the current one: kind, name, input or 0.
    plain node_enter(run, kind, name, input) {
        let name = run.take_string(name);
        let input = run.take_json(input);
        u64::from(run.enter_here(kind_of(kind), &name, input).0)
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
        run.close_keyed_call(node, Status::Completed);
        let output = run.take_json(output);
        run.go_to_parent();
        run.leave_node(node, Status::Completed, output);
        0
    }

    /// Leaves the current node as failed or cancelled, as the error says.
    plain node_fail(run, error) {
        let node = run.current_node();
        run.close_keyed_call(node, Status::Failed);
        run.go_to_parent();
        run.fail_node(node, error);
        0
    }

    /// `log.…`: level, message, data or 0.
    plain log(run, level, message, data) {
        let message = run.take_string(message);
        let data = run.take_json(data).map(JsonText::from);
        let node = run.current_node();
        run.log_at(node, Level::of(level), message.into(), data);
        0
    }

    /// `emit v`
    plain emit(run, value) {
        let value = run.take_json(value).unwrap_or_else(|| "null".into()).into();
        let node = run.current_node();
        run.tell(node, EventKind::Emit { value });
        0
    }

    /// A `state` variable begins: its type, its name, its cell.
    plain state_begin(run, ty, name, cell) {
        run.begin_state(TypeId(ty as u32), string::text(name), cell);
        0
    }

    /// The `state` variable in a cell has another value.
    plain state_set(run, cell) {
        run.change_state(cell);
        0
    }

    /// The `state` variable in a cell has more at its end.
    plain state_append(run, cell) {
        run.extend_state(cell);
        0
    }

    /// The first value of a `state` variable: its type, name, value.
    raising state_revised(run, ty, name, value) {
        Ok(run.revised_state(TypeId(ty as u32), string::text(name), value))
    }
}

impl Run {
    /// Enters a node below the current one. A tool that a model called, and a workflow that it asked for, finds its node there.
    fn enter_here(&mut self, kind: NodeKind, name: &str, input: Option<Arc<str>>) -> NodeId {
        let parent = self.current_node();
        // Attempts have no name in source.
        // Attempts and the like have no names of their own; a step has what was written, also when that is nothing.
        let name = if name.is_empty() && kind != NodeKind::Step {
            kind.name()
        } else {
            name
        };
        if kind == NodeKind::Tool && self.is_expected(parent) {
            self.tree.set_input(parent, input);
            self.open_keyed_call(parent);
            return parent;
        }
        if kind == NodeKind::Workflow && self.introspection.takes_up(parent) {
            self.tree.set_input(parent, input);
            return parent;
        }
        let node = self.enter_node(NewNode {
            parent,
            kind,
            name,
            index: None,
            status: Status::Running,
            input,
        });
        self.go_to_node(node);
        match kind {
            NodeKind::Tool => self.open_keyed_call(node),
            NodeKind::Human => self.begin_to_wait_for_a_person(),
            _ => {}
        }
        node
    }

    /// Whether a node was made for the tool that is about to begin.
    fn is_expected(&self, node: NodeId) -> bool {
        let task = self.tasks.at(self.current);
        let it = self.tree.node(node);
        task.base == node && it.kind == NodeKind::Tool && it.input.is_none()
    }

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

fn kind_of(kind: u64) -> NodeKind {
    NodeKind::ALL
        .get(kind as usize)
        .copied()
        .unwrap_or(NodeKind::Region)
}
