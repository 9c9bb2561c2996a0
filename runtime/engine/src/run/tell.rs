//! Enters and leaves nodes, and tells observers what happens.

use std::sync::Arc;

use gsw_abi::builtin::JSON;
use gsw_abi::call::NodeKind;

use crate::event::{Event, EventKind};
use crate::node::{NewNode, NodeId, Status};
use crate::run::Run;
use crate::value::error;

impl Run {
    /// Hands an event to the observers.
    pub(crate) fn tell(&mut self, node: NodeId, kind: EventKind) {
        let event = Event {
            sequence: self.events,
            time: self.now,
            run: Arc::clone(&self.id),
            node,
            kind,
        };
        self.events += 1;
        self.services.observers.publish(event);
    }

    /// Adds a node and says so.
    pub(crate) fn enter_node(&mut self, new: NewNode<'_>) -> NodeId {
        let (parent, kind, input) = (new.parent, new.kind, new.input.clone());
        let node = self.tree.enter(new, self.now);
        let name = Arc::clone(self.tree.name(node));
        let index = self.tree.node(node).index;
        self.tell(
            node,
            EventKind::ChildAttached {
                parent,
                kind,
                name: Arc::clone(&name),
                index,
                input,
            },
        );
        match kind {
            NodeKind::Workflow => self.tell(node, EventKind::WorkflowStart { workflow: name }),
            NodeKind::Step => self.tell(node, EventKind::StepStart { step: name }),
            NodeKind::Task => self.tell(node, EventKind::TaskStart),
            _ => {}
        }
        node
    }

    /// Ends a node and says so.
    pub(crate) fn leave_node(&mut self, node: NodeId, status: Status, output: Option<Arc<str>>) {
        if !self.tree.finish(node, status, output.clone(), self.now) {
            return;
        }
        let it = self.tree.node(node);
        let (kind, duration) = (it.kind, it.end - it.start);
        match kind {
            NodeKind::Workflow => {
                self.tell(
                    node,
                    EventKind::WorkflowEnd {
                        status,
                        duration,
                        output,
                    },
                );
            }
            NodeKind::Step => {
                let step = Arc::clone(self.tree.name(node));
                self.tell(
                    node,
                    EventKind::StepEnd {
                        step,
                        status,
                        duration,
                    },
                );
            }
            NodeKind::Task => self.tell(node, EventKind::TaskEnd { status, duration }),
            NodeKind::Tool => self.tell_tool(node, output, duration),
            // The end of a prompt is told with what it cost, and the run's own node was never announced.
            NodeKind::Prompt => {}
            _ if node == NodeId::ROOT => {}
            _ => self.tell(node, EventKind::Status { status }),
        }
    }

    fn tell_tool(&mut self, node: NodeId, output: Option<Arc<str>>, duration: i64) {
        let tree = |text: &Arc<str>| serde_json::from_str(text).unwrap_or_default();
        let it = self.tree.node(node);
        let has_failed = it.status != Status::Completed;
        let kind = EventKind::ToolCall {
            tool: Arc::clone(self.tree.name(node)),
            input: it.input.as_ref().map(tree).unwrap_or_default(),
            output: output.as_ref().filter(|_| !has_failed).map(tree),
            error: has_failed.then(|| output.as_deref().unwrap_or("cancelled").to_owned()),
            duration,
        };
        self.tell(node, kind);
    }

    /// Ends a node as failed or cancelled, as the error says; the error is borrowed.
    pub(crate) fn fail_node(&mut self, node: NodeId, error: u64) {
        if self.is_unwind(error) {
            self.leave_node(node, Status::Cancelled, None);
            return;
        }
        let name: Arc<str> = error::name(&self.heap, error).into();
        let message = error::message(&self.heap, error);
        let output = format!("{name}: {message}");
        // An error that crosses several nodes is told once, where it arose.
        if self.failure.is_none_or(|(known, _)| known != error) {
            self.failure = Some((error, node));
            self.tell(
                node,
                EventKind::Error {
                    error: name,
                    message,
                },
            );
        }
        self.leave_node(node, Status::Failed, Some(output.into()));
    }

    /// A `json` word, or 0, as the text that observers see; it is taken over.
    pub(crate) fn take_json(&mut self, word: u64) -> Option<Arc<str>> {
        if word == 0 {
            return None;
        }
        let text = crate::codec::encode_redacted(&self.heap, JSON, word);
        self.heap.release(word);
        Some(text.into())
    }
}
