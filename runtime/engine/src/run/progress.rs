//! How far a run has come: its tree, its time, and the events that report both.

use std::sync::Arc;

use gsw_abi::call::NodeKind;
use gsw_abi::program::Program;
use gsw_tree::class::Class;

use crate::event::{End, Event, EventKind, JsonText, Level, LogLine, State};
use crate::exchange::Exchange;
use crate::node::{EffectSite, NewNode, NodeId, Spent, Status, Totals, Tree};
use crate::port::{Notice, Port};

/// What a run has done, and where it reports that.
pub(crate) struct Progress {
    tree: Tree,
    /// What declarations of the program were called before.
    program: Arc<Program>,
    /// What the step that begins next was called before.
    next_was: Option<Arc<str>>,
    /// The run's name in events.
    run: Arc<str>,
    /// When it began, in nanoseconds since 1970.
    began: i64,
    /// The latest time that an outcome brought, in nanoseconds since 1970.
    now: i64,
    /// The number of the next event.
    next_event: u64,
    port: Box<dyn Port>,
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress")
            .field("run", &self.run)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Progress {
    /// A run of this name that begins now; the name of `program` is that of its root node.
    pub(crate) fn new(
        run: Arc<str>,
        program: &Arc<Program>,
        now: i64,
        port: Box<dyn Port>,
    ) -> Self {
        let mut tree = Tree::default();
        tree.enter(
            NewNode {
                // The root is there from the start, so that each node but it has a parent and no rule needs a case for none.
                parent: NodeId::NONE,
                kind: NodeKind::Region,
                name: &program.name,
                index: None,
                status: Status::Running,
                input: None,
            },
            now,
        );
        Self {
            tree,
            program: Arc::clone(program),
            next_was: None,
            run,
            began: now,
            now,
            next_event: 0,
            port,
        }
    }

    pub(crate) fn run(&self) -> &Arc<str> {
        &self.run
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The run has ended: its tree goes to its starter.
    pub(crate) fn take_tree(&mut self) -> Tree {
        std::mem::take(&mut self.tree)
    }

    /// The run's time, in nanoseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.now
    }

    /// An outcome came at this time. A clock that was set back must not make durations negative.
    pub(crate) fn advance(&mut self, now: i64) {
        self.now = self.now.max(now);
    }

    /// How long the run has taken, in nanoseconds.
    pub(crate) fn duration(&self) -> i64 {
        self.now - self.began
    }

    /// Whether any observer wants events while they happen.
    pub(crate) fn wants_events(&self) -> bool {
        self.port.wants_events()
    }

    /// Whether exchanges with models are recorded, or answered from a recording.
    pub(crate) fn wants_exchanges(&self) -> bool {
        self.port.wants_exchanges()
    }

    pub(crate) fn exchanged(&mut self, exchange: Exchange) {
        self.port.take(Notice::Exchanged(Box::new(exchange)));
    }

    /// Counts an event that no observer receives, so that the numbers of events do not depend on the observers.
    pub(crate) fn skip_event(&mut self) {
        self.next_event += 1;
    }

    /// Hands an event to the observers.
    pub(crate) fn emit(&mut self, node: NodeId, kind: EventKind) {
        // First: the tree's counts must not depend on whether anybody listens.
        self.tree.note(&kind);
        // Numbered also when no observer receives it, for the same reason.
        let sequence = self.next_event;
        self.next_event += 1;
        if self.port.wants_events() {
            self.port.take(Notice::Event(Event {
                sequence,
                time: self.now,
                run: Arc::clone(&self.run),
                node,
                kind,
            }));
        }
    }

    /// Hands on what is no event and needs no answer.
    pub(crate) fn notify(&mut self, notice: Notice) {
        self.port.take(notice);
    }

    /// Writes a line of a node's log.
    pub(crate) fn log(
        &mut self,
        node: NodeId,
        level: Level,
        message: Arc<str>,
        data: Option<JsonText>,
    ) {
        // Kept as well as sent: `context.logs` reads it, with or without observers.
        self.tree.keep_line(LogLine {
            time: self.now,
            node,
            level,
            message: Arc::clone(&message),
            data: data.clone(),
        });
        self.emit(
            node,
            EventKind::Log {
                level,
                message,
                data,
            },
        );
    }

    pub(crate) fn warn(&mut self, node: NodeId, message: String) {
        self.log(node, Level::Warn, message.into(), None);
    }

    /// The next node that is a step was called this in earlier versions of the program.
    pub(crate) fn was(&mut self, name: String) {
        self.next_was = Some(name.into());
    }

    /// The name that stays the identity of a node; `None` for its own.
    fn former_name(&mut self, new: &NewNode<'_>) -> Option<Arc<str>> {
        if new.kind == NodeKind::Step {
            return self.next_was.take();
        }
        self.program.former_name(new.kind, new.name).map(Into::into)
    }

    /// Adds a node and reports it.
    pub(crate) fn enter(&mut self, new: NewNode<'_>) -> NodeId {
        let (parent, kind, status, input) = (new.parent, new.kind, new.status, new.input.clone());
        let node = match self.former_name(&new) {
            Some(was) => self.tree.enter_as(new, &was, self.now),
            None => self.tree.enter(new, self.now),
        };
        let name = Arc::clone(self.tree.name(node));
        let index = self.tree.node(node).index;
        let input = input.map(JsonText::from);
        self.emit(
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
        node
    }

    /// An idle node begins; says whether it did.
    pub(crate) fn begin(&mut self, node: NodeId) -> bool {
        self.tree.begin(node, self.now)
    }

    /// Reports that a node has begun. The state is that of the workflow around another attempt.
    pub(crate) fn report_start(&mut self, node: NodeId, state: State) {
        let name = Arc::clone(self.tree.name(node));
        let kind = match self.tree.node(node).kind {
            NodeKind::Workflow => EventKind::WorkflowStart { workflow: name },
            NodeKind::Step | NodeKind::Undo => EventKind::StepStart { step: name },
            NodeKind::Task | NodeKind::Iteration => EventKind::TaskStart,
            NodeKind::Attempt => match self.tree.node(node).index {
                // The first attempt is the step itself, whose start was reported.
                0 => return,
                attempt => EventKind::StepRestarted {
                    step: Arc::clone(self.tree.name(self.tree.node(node).parent)),
                    attempt,
                    state,
                },
            },
            NodeKind::Parallel
            | NodeKind::Prompt
            | NodeKind::Tool
            | NodeKind::Hook
            | NodeKind::Human
            | NodeKind::External
            | NodeKind::Reflection
            | NodeKind::Region => return,
        };
        self.emit(node, kind);
    }

    /// Ends a node with its output, or the text of the error that it failed with; says whether it had not ended before.
    pub(crate) fn finish(
        &mut self,
        node: NodeId,
        status: Status,
        output: Option<Arc<str>>,
    ) -> bool {
        self.tree.finish(node, status, output, self.now)
    }

    /// Reports that a node has ended.
    pub(crate) fn report_end(&mut self, node: NodeId) {
        // Read from the tree, which is the one place where the end of a node is decided.
        let end = self.end_of(node);
        let it = self.tree.node(node);
        let name = Arc::clone(self.tree.name(node));
        let kind = match it.kind {
            NodeKind::Workflow => EventKind::WorkflowEnd {
                workflow: name,
                end,
            },
            NodeKind::Step | NodeKind::Undo => EventKind::StepEnd { step: name, end },
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
            NodeKind::Attempt
            | NodeKind::Parallel
            | NodeKind::Hook
            | NodeKind::Human
            | NodeKind::External
            | NodeKind::Reflection
            | NodeKind::Region => {
                // The run's own node was never announced.
                if node == NodeId::ROOT {
                    return;
                }
                EventKind::Status { end }
            }
        };
        let is_workflow = matches!(kind, EventKind::WorkflowEnd { .. });
        self.emit(node, kind);
        if is_workflow {
            // After each workflow, so that an observer that missed events has the counts again.
            let totals = self.totals();
            self.emit(node, EventKind::TreeUpdated { totals });
        }
    }

    pub(crate) fn end_of(&self, node: NodeId) -> End {
        let it = self.tree.node(node);
        let text = it.output.clone();
        let (output, error) = if it.status == Status::Failed {
            (None, text)
        } else {
            (text.map(JsonText::from), None)
        };
        End {
            status: it.status,
            duration: it.end - it.start,
            output,
            error,
        }
    }

    /// The counts of the tree, and of the events so far.
    fn totals(&self) -> Totals {
        Totals {
            events: self.next_event,
            ..self.tree.totals()
        }
    }

    /// The position of the next effect of a node in the program: the same in every life of the run.
    pub(crate) fn next_effect(&mut self, node: NodeId) -> EffectSite {
        self.tree.next_effect(node)
    }

    /// Effects in a node count as this at most.
    pub(crate) fn limit_effects(&mut self, node: NodeId, most: Class) {
        self.tree.limit_effects(node, most);
    }

    /// A model has begun a tool call under this node that must not be repeated: nothing around it is tried again.
    pub(crate) fn note_act(&mut self, node: NodeId) {
        self.tree.note_act(node);
    }

    pub(crate) fn forbid_repeats(&mut self, node: NodeId) {
        self.tree.forbid_repeats(node);
    }

    /// What goes into a node that was entered before it was known.
    pub(crate) fn set_input(&mut self, node: NodeId, input: Option<Arc<str>>) {
        self.tree.set_input(node, input);
    }

    /// A prompt has made this many requests.
    pub(crate) fn set_requests(&mut self, node: NodeId, requests: u32) {
        self.tree.set_attempts(node, requests);
    }

    /// A node itself spends this.
    pub(crate) fn charge(&mut self, node: NodeId, spent: &Spent) {
        self.tree.charge(node, spent);
    }
}
