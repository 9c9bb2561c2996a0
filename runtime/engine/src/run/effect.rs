//! What a run asks for, and what becomes of the outcomes.

use gsw_abi::builtin::INT;
use gsw_abi::types::TypeId;
use rustc_hash::FxHashMap;

use crate::event::EventKind;
use crate::export::Step;
use crate::media;
use crate::node::NodeId;
use crate::operation::{DetachedStart, Operation, OperationId, Outcome, Request};
use crate::run::Run;
use crate::run::human::Questions;
use crate::scope::{ScopeId, ScopeKind};
use crate::task::TaskId;
use crate::value::{list, string};
use crate::wait::Wait;

/// So many requested operations begin while the tasks that can go on do so. A guess: large beside a switch of threads,
/// small beside thousands of prompts, which would otherwise all wait for the last of them.
const MANY: usize = 64;

/// The operations of a run that have no outcome yet.
#[derive(Debug, Default)]
pub struct Operations {
    next: u64,
    waiting: FxHashMap<OperationId, Purpose>,
    requested: Vec<Operation>,
    abandoned: Vec<OperationId>,
    /// Timers that alone keep nothing alive: nothing waits for them.
    idle: usize,
    /// Those that ask people.
    pub(crate) questions: Questions,
}

/// Who an outcome is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// The wait of a task.
    Task(TaskId),
    /// The clock of a scope.
    Scope(ScopeId),
    /// The run as a whole: the time that a cancelled run has.
    Run,
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
    pub fn take_requested(&mut self) -> (Vec<Operation>, Vec<OperationId>) {
        let mut requested = std::mem::take(&mut self.requested);
        let mut abandoned = std::mem::take(&mut self.abandoned);
        if let Some(first) = requested.first().map(|it| it.id) {
            requested.retain(|it| self.waiting.contains_key(&it.id));
            abandoned.retain(|it| *it < first);
        }
        (requested, abandoned)
    }

    /// Nobody wants the outcome of an operation any more.
    pub fn abandon(&mut self, id: OperationId) {
        match self.waiting.remove(&id) {
            Some(Purpose::Run) => self.idle -= 1,
            Some(_) => {}
            None => return,
        }
        self.questions.remove(&id);
        self.abandoned.push(id);
    }

    /// Requests something for the run as a whole.
    pub fn request_for_run(&mut self, node: NodeId, request: Request) -> OperationId {
        self.idle += 1;
        self.request(Purpose::Run, node, u32::MAX, request)
    }

    fn request(
        &mut self,
        purpose: Purpose,
        node: NodeId,
        occurrence: u32,
        request: Request,
    ) -> OperationId {
        let id = OperationId(self.next);
        self.next += 1;
        self.waiting.insert(id, purpose);
        self.requested.push(Operation {
            id,
            node,
            occurrence,
            request,
        });
        id
    }
}

impl Run {
    /// Requests something for a task, which is to wait for it.
    pub(crate) fn request(&mut self, task: TaskId, request: Request) -> OperationId {
        let node = self.tasks.at(task).node;
        let occurrence = self.next_effect(node);
        self.operations
            .request(Purpose::Task(task), node, occurrence, request)
    }

    /// Starts the clock of a scope that is about to be opened.
    pub(crate) fn start_clock(&mut self, scope: ScopeId, nanoseconds: i64) {
        let node = self.current_node();
        let occurrence = self.next_effect(node);
        let request = Request::Sleep {
            nanoseconds: nanoseconds.max(0),
        };
        let clock = self
            .operations
            .request(Purpose::Scope(scope), node, occurrence, request);
        if let Some(scope) = self.scopes.get_mut(scope) {
            scope.clock = Some(clock);
        }
    }

    fn next_effect(&mut self, node: NodeId) -> u32 {
        let node = self.tree.node_mut(node);
        node.effects += 1;
        node.effects - 1
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

    /// An outcome has come.
    pub(crate) fn take_outcome(&mut self, id: OperationId, outcome: Outcome) {
        match self.operations.waiting.remove(&id) {
            // It was abandoned.
            None => {}
            Some(Purpose::Run) => {
                self.operations.idle -= 1;
                self.drop_all();
            }
            Some(Purpose::Scope(scope)) => self.clock_ran_out(scope),
            Some(Purpose::Task(task)) => self.outcome_for(task, outcome),
        }
    }

    fn clock_ran_out(&mut self, id: ScopeId) {
        if let Some(scope) = self.scopes.get_mut(id) {
            scope.clock = None;
            let task = scope.task;
            if let ScopeKind::Budget(budget) = &mut scope.kind {
                budget.is_out_of_time = true;
            }
            self.unwind(task, id);
        }
    }

    fn outcome_for(&mut self, id: TaskId, outcome: Outcome) {
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
            Outcome::Done | Outcome::Released => 0,
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
            Outcome::Human(_) => {
                return Err(self.internal("a person answered where nobody was asked"));
            }
        })
    }
}
