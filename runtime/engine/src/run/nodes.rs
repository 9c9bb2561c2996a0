//! Nodes that the run enters and leaves, with what of its parts ends with them.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::{Program, Repeat, ToolBody};
use gsw_tree::class::Class;

use crate::debug::What;
use crate::event::EventKind;
use crate::node::{NewNode, Node, NodeId, Status};
use crate::run::{Run, raise};
use crate::task::TaskId;

impl Run {
    /// Adds a node and reports it.
    pub(crate) fn enter_node(&mut self, new: NewNode<'_>) -> NodeId {
        let (kind, status) = (new.kind, new.status);
        let limit = if kind == NodeKind::Tool {
            effects_of_tool(&self.loaded.program, new.name)
        } else {
            None
        };
        let node = self.progress.enter(new);
        // Nodes count as memory of the run: an endless loop of steps would otherwise grow the tree past every limit.
        self.heap.charge(Node::CHARGE);
        if let Some(most) = limit {
            self.progress.limit_effects(node, most);
        }
        if status == Status::Running {
            self.report_start(node);
        }
        node
    }

    pub(crate) fn begin_node(&mut self, node: NodeId) {
        if self.progress.begin(node) {
            self.report_start(node);
        }
    }

    fn report_start(&mut self, node: NodeId) {
        let tree = self.progress.tree();
        let it = tree.node(node);
        let workflow = (it.kind == NodeKind::Attempt && it.index > 0)
            .then(|| tree.workflow_of(node))
            .flatten();
        let state = workflow.map(|it| self.states.of_workflow(&self.heap, it));
        self.progress.report_start(node, state.unwrap_or_default());
        if self.debugging.is_on() && self.scheduler.current() != TaskId::NONE {
            let tree = self.progress.tree();
            let (kind, name) = (tree.node(node).kind, Arc::clone(tree.name(node)));
            self.debug_point(What::Node { kind, name: &name });
        }
    }

    /// Ends a node with its output, or the error that it failed with, and reports it.
    pub(crate) fn leave_node(&mut self, node: NodeId, status: Status, output: Option<Arc<str>>) {
        // A node ends once. A second end comes where a task is dropped whose node was left already.
        if !self.progress.finish(node, status, output) {
            return;
        }
        for name in self.reflection_log.close(node, status) {
            let message = format!(
                "a reflection revised `{name}`, and none of the prompts and `state` variables that were reached since has that name and may be revised"
            );
            self.progress.warn(node, message);
        }
        if self.progress.tree().node(node).kind == NodeKind::Workflow {
            // Before the end is reported, so that an observer that looks at the state on that event finds the final
            // one.
            self.states.close(&mut self.heap, node);
        }
        self.progress.report_end(node);
    }

    /// Ends a node as failed or cancelled, as the error says; the error is borrowed.
    pub(crate) fn fail_node(&mut self, node: NodeId, error: u64) {
        let (status, text) = self.report_failure(node, error);
        self.leave_node(node, status, text);
    }

    /// Reports the error that a node is about to end with, and returns its end. The error is borrowed.
    pub(crate) fn report_failure(
        &mut self,
        node: NodeId,
        error: u64,
    ) -> (Status, Option<Arc<str>>) {
        if raise::is_unwind(error) {
            return (Status::Cancelled, None);
        }
        // An error that crosses several nodes is reported once, where it arose.
        if let Some(described) = self.describe_once(error, node) {
            self.progress.emit(node, EventKind::Error(described));
        }
        let text = raise::said_by(&self.heap, error);
        (Status::Failed, Some(text.into()))
    }
}

/// What the effects of a tool count as at most: a tool that says how it may be repeated says so of all that it does. For a prompt that
/// is one the tools of its own model answer.
pub(super) fn effects_of_tool(program: &Program, name: &str) -> Option<Class> {
    let named = program.tools.iter().filter(|it| it.name == name);
    let classes = named.map(|it| match it.body {
        ToolBody::Prompt => Class::Once,
        ToolBody::Program
        | ToolBody::Human
        | ToolBody::Host
        | ToolBody::Question
        | ToolBody::SpawnRequest
        | ToolBody::WrittenRequest
        | ToolBody::Skills => class_of(&it.repeat),
    });
    // Of tools that are named alike, the one that must be repeated least.
    classes.max()
}

const fn class_of(repeat: &Repeat) -> Class {
    match repeat {
        Repeat::Pure => Class::Pure,
        Repeat::Reads => Class::Reads,
        Repeat::Idempotent(_) => Class::Idempotent,
        Repeat::Once => Class::Once,
    }
}
