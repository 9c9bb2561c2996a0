//! How a tree grows by an event.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_tree::detail::PromptDetail;
use gsw_tree::event::{End, Event, EventKind};
use gsw_tree::node::{NodeId, Spent, Status};
use gsw_tree::usage::Usage;
use serde_json::Value;

use crate::node::{Node, Recorded, What};
use crate::tree::{Keep, Tree};

impl Tree {
    /// Takes the next event of the run.
    #[expect(
        clippy::too_many_lines,
        reason = "one line a kind: rustc names what a new kind must join"
    )]
    pub fn apply(&mut self, event: &Arc<Event>) {
        self.count(event.time);
        // What comes about a node that is forgotten changes nothing that is shown.
        if self.keep == Keep::Shape
            && !matches!(event.kind, EventKind::ChildAttached { .. })
            && self.get(event.node).is_none()
        {
            return;
        }
        let id = event.node;
        if let Some(end) = event.kind.end() {
            self.end(id, event.time, end);
        }
        match &event.kind {
            EventKind::ChildAttached { .. } => return self.attach(event),
            EventKind::WorkflowStart { .. }
            | EventKind::StepStart { .. }
            | EventKind::TaskStart => return self.begin(id),
            EventKind::PromptStart { model, .. } => {
                self.node_mut(id).model = model.as_deref().map(Arc::from);
            }
            EventKind::ModelRequest { model, .. } => {
                self.node_mut(id).model = Some(Arc::from(model.as_str()));
            }
            EventKind::ModelAnswer {
                usage,
                cost_usd,
                requests,
                error,
                ..
            } => {
                let node = self.node_mut(id);
                node.failed_requests += u64::from(error.is_some());
                node.arriving = None;
                self.spend(
                    id,
                    &Spent {
                        usage: *usage,
                        cost_usd: *cost_usd,
                        requests: u64::from(*requests),
                        ..Spent::default()
                    },
                );
            }
            EventKind::StreamDelta { text, bytes, call } => {
                let arriving = self.node_mut(id).arriving.get_or_insert_default();
                arriving.take(text.as_ref(), *bytes, call.as_ref());
            }
            EventKind::PromptEnd { usage, detail, .. } => {
                self.settle_prompt(id, usage, detail.as_deref());
            }
            EventKind::PromptRevision { old, new } => {
                self.node_mut(*old).revised_by = Some(*new);
            }
            EventKind::ToolCall { .. } => self.spend(
                id,
                &Spent {
                    tool_calls: 1,
                    ..Spent::default()
                },
            ),
            EventKind::StepRetry { .. } => {
                let node = self.node_mut(id);
                node.retries = node.retries.saturating_add(1);
            }
            EventKind::Log { .. } => self.totals.logs += 1,
            // Their end is all that they change.
            EventKind::Status { .. }
            | EventKind::WorkflowEnd { .. }
            | EventKind::StepEnd { .. }
            | EventKind::TaskEnd { .. } => {}
            // Shown with their node, and nothing is counted by them.
            EventKind::ChildDetached { .. }
            | EventKind::TreeUpdated { .. }
            | EventKind::StepRestarted { .. }
            | EventKind::Circuit { .. }
            | EventKind::ModelRetry { .. }
            | EventKind::Error(_)
            | EventKind::Emit { .. }
            | EventKind::StateChanged { .. }
            | EventKind::StateSnapshot { .. }
            | EventKind::InvalidResponse { .. }
            | EventKind::CacheHit { .. }
            | EventKind::CacheMiss { .. }
            | EventKind::CacheWait { .. }
            | EventKind::CacheEvict { .. }
            | EventKind::ReflectionStart { .. }
            | EventKind::ReflectionEnd { .. }
            | EventKind::HumanRequest { .. }
            | EventKind::HumanAnswer { .. }
            | EventKind::ExternalRequest { .. }
            | EventKind::ExternalAnswer { .. }
            | EventKind::Cancel { .. }
            | EventKind::Budget { .. }
            | EventKind::SpawnRequest { .. }
            | EventKind::Skill { .. }
            | EventKind::McpEvent { .. }
            | EventKind::SessionShortened { .. }
            | EventKind::ResultsCleared { .. }
            | EventKind::Hook { .. }
            | EventKind::Untrusted { .. } => {}
        }
        self.keep(id, event.sequence, event.time, || {
            What::Known(Arc::clone(event))
        });
    }

    /// Takes an event of a kind or form that this version does not know.
    pub(crate) fn apply_unknown(
        &mut self,
        node: NodeId,
        sequence: u64,
        time: i64,
        kind: String,
        fields: Value,
    ) {
        self.count(time);
        self.keep(node, sequence, time, || What::Unknown {
            kind: kind.into(),
            fields: Box::new(fields),
        });
    }

    fn count(&mut self, time: i64) {
        self.totals.events += 1;
        self.span = Some(match self.span {
            None => (time, time),
            Some((first, last)) => (first.min(time), last.max(time)),
        });
    }

    fn keep(&mut self, node: NodeId, sequence: u64, time: i64, what: impl FnOnce() -> What) {
        if self.keep == Keep::All {
            let recorded = Recorded {
                sequence,
                time,
                what: what(),
            };
            self.node_mut(node).recorded.push(recorded);
        }
    }

    /// The node with this id. One whose start was not recorded is mounted under the run itself.
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        if !self.nodes.contains_key(&id) {
            self.mount(Node::new(id, Some(NodeId::ROOT)));
        }
        self.nodes
            .get_mut(&id)
            .expect("it was there or has just been mounted")
    }

    fn mount(&mut self, node: Node) {
        self.totals.nodes += 1;
        *self.with_status(node.status) += 1;
        let (id, parent) = (node.id, node.parent);
        self.nodes.insert(id, Box::new(node));
        if let Some(parent) = parent.and_then(|it| self.nodes.get_mut(&it)) {
            parent.children.push(id);
            parent.begun += 1;
        }
    }

    fn attach(&mut self, event: &Arc<Event>) {
        let EventKind::ChildAttached {
            parent,
            kind,
            name,
            index,
            status,
            input,
        } = &event.kind
        else {
            return;
        };
        let id = event.node;
        let parent = if *parent == NodeId::NONE {
            NodeId::ROOT
        } else {
            *parent
        };
        let is_known = self.get(id).is_some_and(|it| it.kind.is_some());
        if id == NodeId::ROOT || id == NodeId::NONE || is_known || id == parent {
            self.contradictions += 1;
            return;
        }
        if self.get(id).is_some() && self.ancestors(parent).any(|it| it.id == id) {
            self.contradictions += 1;
            return;
        }
        // A parent whose start was not recorded is made first, so that it is above.
        self.node_mut(parent);
        if self.get(id).is_none() {
            let mut node = Node::new(id, Some(parent));
            node.status = *status;
            self.mount(node);
        } else {
            self.mount_again(id, parent);
        }
        // What a `parallel` works off is part of how far it is.
        let keeps_input = self.keep == Keep::All || *kind == NodeKind::Parallel;
        let node = self.node_mut(id);
        node.kind = Some(*kind);
        node.name = Arc::clone(name);
        node.index = *index;
        node.start = Some(event.time);
        node.input = input.clone().filter(|_| keeps_input);
    }

    /// What was recorded about a node before its start is recorded now under its parent.
    fn mount_again(&mut self, id: NodeId, parent: NodeId) {
        let old = self.node_mut(id).parent.replace(parent);
        if let Some(old) = old.and_then(|it| self.nodes.get_mut(&it)) {
            old.children.retain(|it| *it != id);
            old.begun = old.begun.saturating_sub(1);
        }
        let above = self.node_mut(parent);
        above.children.push(id);
        above.begun += 1;
    }

    fn begin(&mut self, id: NodeId) {
        if self.node_mut(id).status == Status::Idle {
            self.set_status(id, Status::Running);
        }
    }

    fn set_status(&mut self, id: NodeId, status: Status) {
        let old = std::mem::replace(&mut self.node_mut(id).status, status);
        if id == NodeId::ROOT {
            return;
        }
        let count = self.with_status(old);
        *count = count.saturating_sub(1);
        *self.with_status(status) += 1;
    }

    fn with_status(&mut self, status: Status) -> &mut u64 {
        match status {
            Status::Idle => &mut self.totals.idle,
            Status::Running => &mut self.totals.running,
            Status::Completed => &mut self.totals.completed,
            Status::Failed => &mut self.totals.failed,
            Status::Cancelled => &mut self.totals.cancelled,
        }
    }

    fn end(&mut self, id: NodeId, time: i64, end: &End) {
        if self.node_mut(id).status.is_final() {
            self.contradictions += 1;
            return;
        }
        self.set_status(id, end.status);
        let keeps_values = self.keep == Keep::All;
        let node = self.node_mut(id);
        node.end = Some(time);
        node.output = end.output.clone().filter(|_| keeps_values);
        node.error.clone_from(&end.error);
        if node.start.is_none() && node.kind.is_none() {
            node.start = Some(time.saturating_sub(end.duration));
        }
        let is_first_to_fail = end.status == Status::Failed && !node.has_failed_child;
        let is_innermost = end.status == Status::Cancelled && node.cancelled == 0;
        if let Some(above) = node.parent.and_then(|it| self.nodes.get_mut(&it)) {
            above.done += 1;
            above.cancelled += u64::from(end.status == Status::Cancelled);
            above.has_failed_child |= end.status == Status::Failed;
        }
        self.failures += u64::from(is_first_to_fail);
        self.cancellations += u64::from(is_innermost);
    }

    fn spend(&mut self, id: NodeId, spent: &Spent) {
        self.node_mut(id).spent.add(spent);
        self.totals.spent.add(spent);
    }

    /// The end of a prompt reports all that it spent; what its answers reported before is counted already.
    fn settle_prompt(&mut self, id: NodeId, usage: &Usage, detail: Option<&PromptDetail>) {
        let known = self.node_mut(id).spent;
        let cost = detail.and_then(|it| it.cost_usd);
        let spent = Spent {
            usage: usage.beyond(&known.usage),
            cost_usd: cost.map(|all| (all - known.cost_usd.unwrap_or(0.0)).max(0.0)),
            requests: detail.map_or(0, |it| {
                u64::from(it.attempts).saturating_sub(known.requests)
            }),
            tool_calls: 0,
        };
        self.spend(id, &spent);
        if let Some(detail) = detail.filter(|it| !it.model.is_empty()) {
            let node = self.node_mut(id);
            node.model = Some(Arc::from(detail.model.as_str()));
            node.dropped.clone_from(&detail.dropped);
        }
    }
}
