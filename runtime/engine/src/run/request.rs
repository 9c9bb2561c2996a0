//! Requests: what tasks, scopes and the run as a whole ask of the outside, and give up.

use gsw_abi::builtin::INT;
use gsw_abi::types::TypeId;

use crate::node::NodeId;
use crate::operation::{DetachedStart, GivenUp, OperationId, Request};
use crate::run::Run;
use crate::run::operations::{Asked, Detached, Purpose};
use crate::scope::{ScopeId, ScopeKind};
use crate::step::Step;
use crate::task::TaskId;
use crate::wait::Wait;

/// How long is waited for something that was given up and changes something, in nanoseconds.
const GRACE: i64 = 10_000_000_000;

impl Run {
    /// Requests something for a task, which is to wait for it.
    pub(crate) fn request(&mut self, task: TaskId, request: Request) -> OperationId {
        let it = self.scheduler.task(task);
        let node = it.node;
        let around = it.scopes.iter();
        // The earliest end of any scope around: performers get it as their time limit and can give up by themselves.
        let around = around.filter_map(|id| self.scopes.get(*id)?.ends).min();
        let due = due(&request, self.progress.now())
            .into_iter()
            .chain(around)
            .min();
        self.request_at(Purpose::Task(task), node, due, request)
    }

    /// Requests something for the run as a whole.
    pub(crate) fn request_for_run(&mut self, request: Request) -> OperationId {
        let due = due(&request, self.progress.now());
        self.request_at(Purpose::Run, NodeId::ROOT, due, request)
    }

    pub(super) fn request_at(
        &mut self,
        purpose: Purpose,
        node: NodeId,
        due: Option<i64>,
        request: Request,
    ) -> OperationId {
        let asked = Asked {
            purpose,
            node,
            // By node and count, not by time: tasks that interleave differently in a replay make the same requests.
            effect: self.progress.next_effect(node),
            due,
        };
        let class = request.class().min(asked.effect.at_most);
        if request.may_act() {
            self.progress.note_act(node);
        }
        let begins = self.operations.next_id();
        self.doubts
            .begins(begins, &request, class, self.progress.now());
        let id = self.operations.request(asked, request);
        self.interrupt_if_due();
        id
    }

    /// Starts the clock of a scope.
    pub(crate) fn start_clock(&mut self, id: ScopeId, nanoseconds: i64) {
        let Some(node) = self.scopes.get(id).map(|it| it.node) else {
            return;
        };
        // A negative limit has passed already, and is noticed like any other when the outcome comes.
        let nanoseconds = nanoseconds.max(0);
        let ends = self.progress.now().saturating_add(nanoseconds);
        let request = Request::Sleep { nanoseconds };
        let clock = self.request_at(Purpose::Scope(id), node, Some(ends), request);
        if let Some(scope) = self.scopes.get_mut(id) {
            scope.clock = Some(clock);
            scope.ends = Some(ends);
        }
    }

    /// The clock of a scope was not running for this long. Returns when it would have ended, and when it ends.
    pub fn extend_clock(&mut self, clock: OperationId, by: i64) -> Option<(i64, i64)> {
        let scope = self.operations.clock_of(clock)?;
        let scope = self.scopes.get_mut(scope)?;
        let ends = scope.ends.as_mut()?;
        let before = *ends;
        if let ScopeKind::Budget(budget) = &mut scope.kind {
            budget.clock.since = budget.clock.since.saturating_add(by);
        }
        *ends = before.saturating_add(by);
        Some((before, *ends))
    }

    /// A task gives up an operation. Returns whether it unwinds at once: an operation that changes the world is first stopped,
    /// or done.
    pub(crate) fn give_up_operation(&mut self, task: TaskId, id: OperationId) -> bool {
        match self.operations.given_up(id) {
            GivenUp::Dropped => {
                self.doubt(self.scheduler.task(task).node, id);
                self.operations.abandon(id);
                true
            }
            GivenUp::AwaitedFirst => {
                self.operations.stop(id);
                let node = self.scheduler.task(task).node;
                // Bounded, since whatever performs it may hang; after that the task unwinds and the outcome is unknown.
                let due = Some(self.progress.now().saturating_add(GRACE));
                let request = Request::Sleep { nanoseconds: GRACE };
                let grace = self.request_at(Purpose::Grace(task), node, due, request);
                self.scheduler.set_wait(task, Wait::Stopping { id, grace });
                false
            }
        }
    }

    /// The current task waits for an operation, whose outcome becomes its value.
    pub(crate) fn perform(&mut self, request: Request) -> Step {
        self.perform_for(request, INT)
    }

    /// Like [`Self::perform`], where the type of the value does not follow from the outcome.
    pub(crate) fn perform_for(&mut self, request: Request, result: TypeId) -> Step {
        self.interrupt_before_request();
        if let Some(error) = self.interruption() {
            return Step::Raised(error);
        }
        let id = self.request(self.scheduler.current(), request);
        self.scheduler.wait_for(Wait::Operation { id, result })
    }

    /// The current task starts a run of its own and waits for the id of that.
    pub(crate) fn detach(&mut self, start: DetachedStart) -> Step {
        let workflow = start.workflow.as_str().into();
        let step = self.perform(Request::StartRun {
            start: Box::new(start),
        });
        let current = self.scheduler.current();
        // `perform` may have raised instead, and then there is no operation.
        if let Wait::Operation { id, .. } = *self.scheduler.wait(current) {
            let node = self.scheduler.current_node();
            self.operations.detach(id, Detached { node, workflow });
        }
        step
    }
}

/// When a request that is made now has taken as long as it may, in nanoseconds since 1970.
fn due(request: &Request, now: i64) -> Option<i64> {
    Some(now.saturating_add(request.time_limit()?))
}
