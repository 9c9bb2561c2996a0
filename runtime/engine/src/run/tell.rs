//! Enters and leaves nodes, and tells observers what happens.

use std::sync::Arc;

use gsw_abi::builtin::JSON;
use gsw_abi::call::NodeKind;
use gsw_abi::program::Repeat;
use gsw_tree::class::Class;

use crate::event::{End, Event, EventKind, JsonText, Level, LogLine};
use crate::node::{NewNode, Node, NodeId, Status, Totals};
use crate::port::Notice;
use crate::run::Run;
use crate::value::error;

impl Run {
    /// Whether anybody looks at events while they happen.
    pub(crate) fn is_heard(&self) -> bool {
        self.outbox.wants_events()
    }

    /// Counts an event that nobody hears, so that the numbers of events do not depend on who does.
    pub(crate) fn skip_event(&mut self) {
        self.events += 1;
    }

    /// Hands an event to the observers.
    pub(crate) fn tell(&mut self, node: NodeId, kind: EventKind) {
        self.tree.note(&kind);
        let sequence = self.events;
        self.events += 1;
        if self.outbox.wants_events() {
            self.outbox.push(Notice::Event(Event {
                sequence,
                time: self.now,
                run: Arc::clone(&self.id),
                node,
                kind,
            }));
        }
    }

    /// Adds a node and says so.
    pub(crate) fn enter_node(&mut self, new: NewNode<'_>) -> NodeId {
        let (parent, kind, status, input) = (new.parent, new.kind, new.status, new.input.clone());
        let node = self.tree.enter(new, self.now);
        self.heap.charge(Node::CHARGE);
        if kind == NodeKind::Tool {
            self.relax_effects(node);
        }
        let name = Arc::clone(self.tree.name(node));
        let index = self.tree.node(node).index;
        let input = input.map(JsonText::from);
        self.tell(
            node,
            EventKind::ChildAttached {
                parent,
                kind,
                name,
                index,
                status,
                input,
            },
        );
        if status == Status::Running {
            self.tell_start(node);
        }
        node
    }

    /// A tool that says how it may be repeated says so of all that it does.
    fn relax_effects(&mut self, node: NodeId) {
        let name = self.tree.name(node);
        let named = self.loaded.program.tools.iter();
        let classes = named
            .filter(|it| it.name == **name)
            .map(|it| match it.repeat {
                Repeat::Pure => Class::Pure,
                Repeat::Reads => Class::Reads,
                Repeat::Idempotent(_) => Class::Idempotent,
                Repeat::Once => Class::Once,
            });
        // Of tools that are named alike, the one that must be repeated least.
        let Some(most) = classes.max() else { return };
        let node = self.tree.node_mut(node);
        node.at_most = node.at_most.min(most);
    }

    /// An idle node begins.
    pub(crate) fn begin_node(&mut self, node: NodeId) {
        if self.tree.begin(node, self.now) {
            self.tell_start(node);
        }
    }

    fn tell_start(&mut self, node: NodeId) {
        let name = Arc::clone(self.tree.name(node));
        let kind = match self.tree.node(node).kind {
            NodeKind::Workflow => EventKind::WorkflowStart { workflow: name },
            NodeKind::Step => EventKind::StepStart { step: name },
            NodeKind::Task | NodeKind::Iteration => EventKind::TaskStart,
            NodeKind::Attempt => match self.tree.node(node).index {
                0 => return,
                attempt => self.restarted(node, attempt),
            },
            _ => return,
        };
        self.tell(node, kind);
    }

    fn restarted(&self, node: NodeId, attempt: u32) -> EventKind {
        let workflow = self.tree.workflow_of(node);
        EventKind::StepRestarted {
            step: Arc::clone(self.tree.name(self.tree.node(node).parent)),
            attempt,
            state: workflow.map(|it| self.state_of(it)).unwrap_or_default(),
        }
    }

    /// Ends a node with its output, or the error that it failed with, and says so.
    pub(crate) fn leave_node(&mut self, node: NodeId, status: Status, output: Option<Arc<str>>) {
        if !self.tree.finish(node, status, output, self.now) {
            return;
        }
        self.lessons.close(node, status);
        if self.tree.node(node).kind == NodeKind::Workflow {
            self.close_state(node);
        }
        let end = self.end_of(node);
        let it = self.tree.node(node);
        let name = Arc::clone(self.tree.name(node));
        let kind = match it.kind {
            NodeKind::Workflow => EventKind::WorkflowEnd {
                workflow: name,
                end,
            },
            NodeKind::Step => EventKind::StepEnd { step: name, end },
            NodeKind::Task | NodeKind::Iteration => EventKind::TaskEnd { end },
            NodeKind::Tool => EventKind::ToolCall {
                tool: name,
                input: it.input.clone().unwrap_or_else(|| "{}".into()).into(),
                end,
            },
            // Only of those that are given up; others say more about their end.
            NodeKind::Prompt => EventKind::PromptEnd {
                prompt: name,
                end,
                usage: it.spent.as_ref().map(|it| it.usage).unwrap_or_default(),
                detail: None,
            },
            // The run's own node was never announced.
            _ if node == NodeId::ROOT => return,
            _ => EventKind::Status { end },
        };
        let is_workflow = matches!(kind, EventKind::WorkflowEnd { .. });
        self.tell(node, kind);
        if is_workflow {
            let totals = self.totals();
            self.tell(node, EventKind::TreeUpdated { totals });
        }
    }

    /// How a node ended.
    pub(crate) fn end_of(&self, node: NodeId) -> End {
        let it = self.tree.node(node);
        let text = it.output.clone();
        let (output, error) = match it.status {
            Status::Failed => (None, text),
            _ => (text.map(JsonText::from), None),
        };
        End {
            status: it.status,
            duration: it.end - it.start,
            output,
            error,
        }
    }

    /// The counts of the tree, and of the events until now.
    pub(crate) fn totals(&self) -> Totals {
        Totals {
            events: self.events,
            ..*self.tree.totals()
        }
    }

    /// Ends a node as failed or cancelled, as the error says; the error is borrowed.
    pub(crate) fn fail_node(&mut self, node: NodeId, error: u64) {
        let (status, text) = self.tell_failure(node, error);
        self.leave_node(node, status, text);
    }

    /// Tells of the error that a node is about to end with, and gives its end. The error is borrowed.
    pub(crate) fn tell_failure(&mut self, node: NodeId, error: u64) -> (Status, Option<Arc<str>>) {
        if self.is_unwind(error) {
            return (Status::Cancelled, None);
        }
        // An error that crosses several nodes is told once, where it arose.
        if let Some(described) = self.describe_once(error, node) {
            self.tell(node, EventKind::Error(described));
        }
        let name = error::name(&self.heap, error);
        let text = format!("{name}: {}", error::message(&self.heap, error));
        (Status::Failed, Some(text.into()))
    }

    /// Writes a line of a node's log.
    pub(crate) fn log_at(
        &mut self,
        node: NodeId,
        level: Level,
        message: Arc<str>,
        data: Option<JsonText>,
    ) {
        self.tree.keep_line(LogLine {
            time: self.now,
            node,
            level,
            message: Arc::clone(&message),
            data: data.clone(),
        });
        self.tell(
            node,
            EventKind::Log {
                level,
                message,
                data,
            },
        );
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
