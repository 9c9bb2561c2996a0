//! What a run asks for, and what becomes of the outcomes.

use gsw_abi::builtin::INT;
use gsw_abi::site::Site;
use gsw_abi::types::TypeId;
use gsw_tree::class::Class;
use rustc_hash::FxHashMap;

use crate::event::{EventKind, Level};
use crate::media;
use crate::node::NodeId;
use crate::operation::{
    DetachedStart, Failure, Form, GivenUp, Operation, OperationId, Outcome, Request,
};
use crate::run::Run;
use crate::run::human::Questions;
use crate::scope::{ScopeId, ScopeKind};
use crate::step::Step;
use crate::task::TaskId;
use crate::value::{list, string};
use crate::wait::Wait;

/// So many requested operations begin while the tasks that can go on do so. A guess: large beside a switch of threads,
/// small beside thousands of prompts, which would otherwise all wait for the last of them.
const MANY: usize = 64;

/// How long is waited for something that was given up and changes something, in nanoseconds.
const GRACE: i64 = 10_000_000_000;

/// The operations of a run that have no outcome yet.
#[derive(Debug, Default)]
pub struct Operations {
    next: u64,
    waiting: FxHashMap<OperationId, Outstanding>,
    requested: Vec<Operation>,
    abandoned: Vec<Abandoned>,
    /// Timers that alone keep nothing alive: nothing waits for them.
    idle: usize,
    /// Those that ask people.
    pub(crate) questions: Questions,
}

/// What is known of an operation until its outcome comes.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    purpose: Purpose,
    form: Form,
    given_up: GivenUp,
}

/// An operation whose outcome is of no interest any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abandoned {
    /// Which.
    pub id: OperationId,
    /// Whether the run waits until it has ended: then its outcome is brought all the same.
    pub how: GivenUp,
}

/// Who an outcome is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// The wait of a task.
    Task(TaskId),
    /// The clock of a scope.
    Scope(ScopeId),
    /// The wait of a task for something that it has given up.
    Grace(TaskId),
    /// The run as a whole: the time that a cancelled run has.
    Run,
}

/// An outcome that the request cannot have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongOutcome {
    /// What was asked for.
    pub asked: Form,
    /// What came.
    pub came: Form,
}

impl std::fmt::Display for WrongOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "an operation that gives {:?} has ended with {:?}",
            self.asked, self.came
        )
    }
}

impl Operations {
    /// Whether anything from outside can still make the run go on.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.waiting.len() > self.idle
    }

    /// Whether so much is requested that it should begin.
    #[must_use]
    pub fn are_many(&self) -> bool {
        self.requested.len() >= MANY
    }

    /// What was requested and abandoned since this was last asked. What is both is left out.
    pub fn take_requested(&mut self) -> (Vec<Operation>, Vec<Abandoned>) {
        let mut requested = std::mem::take(&mut self.requested);
        let mut abandoned = std::mem::take(&mut self.abandoned);
        if let Some(first) = requested.first().map(|it| it.id) {
            requested.retain(|it| self.waiting.contains_key(&it.id));
            abandoned.retain(|it| it.id < first || it.how == GivenUp::AwaitedFirst);
        }
        (requested, abandoned)
    }

    /// What becomes of an operation that is given up.
    pub(crate) fn given_up(&self, id: OperationId) -> GivenUp {
        self.waiting
            .get(&id)
            .map_or(GivenUp::Dropped, |it| it.given_up)
    }

    /// Nobody wants the outcome of an operation any more.
    pub fn abandon(&mut self, id: OperationId) {
        match self.waiting.remove(&id).map(|it| it.purpose) {
            Some(Purpose::Run) => self.idle -= 1,
            Some(Purpose::Task(_) | Purpose::Scope(_) | Purpose::Grace(_)) => {}
            None => return,
        }
        self.questions.remove(&id);
        self.abandoned.push(Abandoned {
            id,
            how: GivenUp::Dropped,
        });
    }

    fn request(&mut self, purpose: Purpose, asked: Asked, request: Request) -> OperationId {
        let id = OperationId(self.next);
        self.next += 1;
        let outstanding = Outstanding {
            purpose,
            form: request.form(),
            given_up: request.given_up(),
        };
        self.waiting.insert(id, outstanding);
        self.requested.push(Operation {
            id,
            node: asked.node,
            site: asked.site,
            class: request.class().min(asked.at_most),
            due: asked.due,
            request,
        });
        id
    }
}

/// Where and until when something is asked for.
#[derive(Clone, Copy)]
struct Asked {
    node: NodeId,
    site: Site,
    at_most: Class,
    due: Option<i64>,
}

impl Run {
    /// Requests something for a task, which is to wait for it.
    pub(crate) fn request(&mut self, task: TaskId, request: Request) -> OperationId {
        let it = self.tasks.at(task);
        let node = it.node;
        let around = it.scopes.iter();
        let around = around.filter_map(|id| self.scopes.get(*id)?.ends).min();
        let own = request.time_limit().map(|it| self.now.saturating_add(it));
        let due = own.into_iter().chain(around).min();
        self.request_at(Purpose::Task(task), node, due, request)
    }

    /// Requests something for the run as a whole.
    pub(crate) fn request_for_run(&mut self, request: Request) -> OperationId {
        self.operations.idle += 1;
        let due = request.time_limit().map(|it| self.now.saturating_add(it));
        self.request_at(Purpose::Run, NodeId::ROOT, due, request)
    }

    fn request_at(
        &mut self,
        purpose: Purpose,
        node: NodeId,
        due: Option<i64>,
        request: Request,
    ) -> OperationId {
        let path = self.tree.node_path(node);
        let it = self.tree.node_mut(node);
        let occurrence = it.effects;
        it.effects += 1;
        let asked = Asked {
            node,
            site: Site { path, occurrence },
            at_most: it.at_most,
            due,
        };
        self.operations.request(purpose, asked, request)
    }

    /// Starts the clock of a scope.
    pub(crate) fn start_clock(&mut self, id: ScopeId, nanoseconds: i64) {
        let Some(node) = self.scopes.get(id).map(|it| it.node) else {
            return;
        };
        let nanoseconds = nanoseconds.max(0);
        let ends = self.now.saturating_add(nanoseconds);
        let request = Request::Sleep { nanoseconds };
        let clock = self.request_at(Purpose::Scope(id), node, Some(ends), request);
        if let Some(scope) = self.scopes.get_mut(id) {
            scope.clock = Some(clock);
            scope.ends = Some(ends);
        }
    }

    /// A task gives up an operation. Says whether it unwinds at once: where that changes the world, only when it has been
    /// stopped, or has been done.
    pub(crate) fn give_up_operation(&mut self, task: TaskId, id: OperationId) -> bool {
        match self.operations.given_up(id) {
            GivenUp::Dropped => {
                self.operations.abandon(id);
                true
            }
            GivenUp::AwaitedFirst => {
                self.stop_operation(task, id);
                false
            }
        }
    }

    fn stop_operation(&mut self, task: TaskId, id: OperationId) {
        self.operations.abandoned.push(Abandoned {
            id,
            how: GivenUp::AwaitedFirst,
        });
        let node = self.tasks.at(task).node;
        let due = Some(self.now.saturating_add(GRACE));
        let request = Request::Sleep { nanoseconds: GRACE };
        let grace = self.request_at(Purpose::Grace(task), node, due, request);
        self.tasks.at_mut(task).wait = Wait::Stopping { id, grace };
    }

    /// What a task had given up has ended, or is not waited for any longer.
    fn stopped(&mut self, task: TaskId, outcome: Option<&Outcome>) {
        let Wait::Stopping { id, grace } = std::mem::take(&mut self.tasks.at_mut(task).wait) else {
            return;
        };
        let late = match outcome {
            Some(Outcome::Failed(_)) => None,
            Some(_) => Some("what was given up here had been done already"),
            None => Some("what was given up here cannot be stopped and may still be done"),
        };
        match outcome {
            Some(_) => self.operations.abandon(grace),
            None => self.operations.abandon(id),
        }
        let node = self.tasks.at(task).node;
        if let Some(message) = late {
            self.log_at(node, Level::Warn, message.into(), None);
        }
        let scope = self.tasks.at_mut(task).pending.take();
        let error = self.unwind_error(scope.unwrap_or(ScopeId::TASK));
        self.wake(task, Err(error));
    }

    /// The current task waits for an operation, whose outcome becomes its value.
    pub(crate) fn perform(&mut self, request: Request) -> Step {
        self.perform_for(request, INT)
    }

    /// The same where the type of the value does not follow from the outcome.
    pub(crate) fn perform_for(&mut self, request: Request, result: TypeId) -> Step {
        if let Some(error) = self.interruption() {
            return Step::Raised(error);
        }
        let id = self.request(self.current, request);
        self.wait_for(Wait::Operation { id, result })
    }

    /// An outcome has come; one that was abandoned is ignored.
    pub(crate) fn take_outcome(
        &mut self,
        id: OperationId,
        outcome: Outcome,
    ) -> Result<(), WrongOutcome> {
        let Some(&Outstanding { purpose, form, .. }) = self.operations.waiting.get(&id) else {
            return Ok(());
        };
        if let Some(came) = outcome.form().filter(|it| *it != form) {
            return Err(WrongOutcome { asked: form, came });
        }
        self.operations.waiting.remove(&id);
        match (purpose, outcome) {
            (Purpose::Run, _) => {
                self.operations.idle -= 1;
                self.drop_all();
            }
            // A limit of time that nobody counts is none: the run must not go on as if it held.
            (Purpose::Scope(_), Outcome::Failed(failure)) => {
                let why = self.said_of(failure);
                self.fail_internally(format!("a time limit cannot be kept: {why}"));
            }
            (Purpose::Scope(scope), _) => self.clock_ran_out(scope),
            (Purpose::Grace(task), _) => self.stopped(task, None),
            (Purpose::Task(task), outcome) => self.outcome_for(task, outcome),
        }
        Ok(())
    }

    fn said_of(&mut self, failure: Failure) -> String {
        let raised = self.error_of_failure(failure);
        let said = self.said_by(raised);
        self.heap.release(raised);
        said
    }

    fn clock_ran_out(&mut self, id: ScopeId) {
        if let Some(scope) = self.scopes.get_mut(id) {
            scope.clock = None;
            scope.ends = None;
            let task = scope.task;
            if let ScopeKind::Budget(budget) = &mut scope.kind {
                budget.is_out_of_time = true;
            }
            self.unwind(task, id);
        }
    }

    fn outcome_for(&mut self, id: TaskId, outcome: Outcome) {
        if matches!(self.tasks.at(id).wait, Wait::Stopping { .. }) {
            self.stopped(id, Some(&outcome));
            return;
        }
        match std::mem::take(&mut self.tasks.at_mut(id).wait) {
            Wait::Operation {
                id: operation,
                result,
            } => {
                self.tell_detached(operation, &outcome);
                let value = match outcome {
                    Outcome::Human(reply) => match self.take_reply(id, operation, *reply) {
                        Ok(value) => value,
                        Err(again) => {
                            let wait = Wait::Operation { id: again, result };
                            self.tasks.at_mut(id).wait = wait;
                            return;
                        }
                    },
                    outcome => {
                        self.operations.questions.remove(&operation);
                        self.word_of(outcome, result)
                    }
                };
                self.wake(id, value);
            }
            Wait::Prompt(prompt) => self.prompt_outcome(id, prompt, outcome),
            other => self.tasks.at_mut(id).wait = other,
        }
    }

    /// The current task starts a run of its own and waits for the id of that.
    pub(crate) fn detach(&mut self, start: DetachedStart) -> Step {
        let workflow = start.workflow.as_str().into();
        let step = self.perform(Request::StartRun {
            start: Box::new(start),
        });
        if let Wait::Operation { id, .. } = self.tasks.at(self.current).wait {
            let node = self.current_node();
            self.detaching.insert(id, (node, workflow));
        }
        step
    }

    /// A run that was to be started has its id.
    fn tell_detached(&mut self, operation: OperationId, outcome: &Outcome) {
        if let Some((node, workflow)) = self.detaching.remove(&operation)
            && let Outcome::Text(child) = outcome
        {
            let child = child.as_str().into();
            self.tell(node, EventKind::ChildDetached { child, workflow });
        }
    }

    /// An outcome as a value of the program.
    fn word_of(&mut self, outcome: Outcome, result: TypeId) -> Result<u64, u64> {
        Ok(match outcome {
            Outcome::Done => 0,
            Outcome::Time(it) | Outcome::Int(it) => it as u64,
            Outcome::Float(it) => it.to_bits(),
            Outcome::Bool(it) => u64::from(it),
            Outcome::Text(it) => return string::admitted(&mut self.heap, &it),
            Outcome::OptionalText(it) => {
                return it.map_or(Ok(0), |it| string::admitted(&mut self.heap, &it));
            }
            Outcome::Bytes(it) => {
                self.heap.demand(it.len() as u64)?;
                string::new_bytes(&mut self.heap, &it)
            }
            Outcome::Texts(texts) => {
                return list::of_texts(&mut self.heap, texts.iter().map(String::as_str));
            }
            Outcome::Media(it) => media::new(&mut self.heap, &it),
            Outcome::Host { tool, answer } => return self.host_answer(tool, &answer, result),
            Outcome::Exec(output) => return self.exec_output(&output, result),
            Outcome::Http(answer) => return self.http_answer(&answer, result),
            Outcome::Failed(failure) => return Err(self.error_of_failure(failure)),
            Outcome::Model(_) => {
                return Err(self.internal("a model answered where nobody asked one"));
            }
            Outcome::Found(_) | Outcome::GaveWay(_) => {
                return Err(self.internal("an answer was kept where nobody asked for one"));
            }
            Outcome::Human(_) => {
                return Err(self.internal("a person answered where nobody was asked"));
            }
        })
    }
}
