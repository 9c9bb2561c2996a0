//! Programs that models have written, as parts of the run whose model wrote them.
//!
//! **Idea.** Such a program is a run of its own in a run: with its own code, types, heap and tasks, since those belong to its
//! image. What it does belongs to the run around it. While it has the thread it is lent the tree, the time and the port of that
//! run, so its nodes are under the prompt's and its events are the run's; what it asks for is asked for by the run, under a
//! shared numbering, so that a journal needs to know nothing of it; and it draws from the budgets of the task that waits for
//! it.
//!
//! **Invariants.**
//! - A plan has the thread only between `lend` and `take_back`, and the run around it is not looked at meanwhile.
//! - The task that started a plan waits for it until it has ended. Cancelling that task cancels the plan, and waits for it.
//! - What a plan may do is never more than what the run around it may: the driver asks both.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use gsw_abi::builtin::{BuiltinError, JSON};
use gsw_abi::call::NodeKind;
use gsw_abi::permission::Permitted;
use gsw_abi::program::{Program, Workflow};
use gsw_abi::provider::Provider;
use gsw_abi::types::TypeId;
use gsw_notation::issue::Issue;
use gsw_notation::json::written;
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::codec::decode;
use crate::event::RunError;
use crate::load::Loaded;
use crate::node::{NewNode, NodeId, Status};
use crate::operation::{GivenUp, Operation, OperationId, Outcome, Rights, Written};
use crate::port::Deaf;
use crate::run::{Pause, Run, RunResult, Start, by_name, raise};
use crate::scope::ScopeId;
use crate::task::{Encoding, PlanId, TaskId};
use crate::wait::Wait;

/// The workflow of a written program that is started.
const MAIN: &str = "main";
/// What a program failed with that has been ended by the driver.
const OVERRUN: &str = "it has computed for too long without waiting for anything, and was ended";
/// The most that its values may take: the code of a model has no claim to the memory of the machine.
const MEMORY: u64 = 1 << 30;
/// What its node is called.
pub(crate) const NAME: &str = "written";

/// The written programs of a run that have not ended.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    of: IndexMap<PlanId, Plan>,
    /// Those that can take a turn.
    ready: VecDeque<PlanId>,
    begun: u32,
    /// Objects of those that have ended which were not freed; anything but 0 is a bug.
    leaked: u64,
}

#[derive(Debug)]
struct Plan {
    run: Box<Run>,
    node: NodeId,
    /// The task that waits for its end, and from whose budgets it draws.
    waiter: TaskId,
    /// The budget of its own that stands for those.
    budget: ScopeId,
    rights: Arc<Rights>,
}

/// A written program that may begin.
pub(crate) struct Admitted {
    run: Box<Run>,
    workflow: Workflow,
    words: Vec<u64>,
    rights: Arc<Rights>,
}

impl Plans {
    pub(crate) fn next_ready(&mut self) -> Option<PlanId> {
        self.ready.pop_front()
    }

    pub(crate) fn leaked(&self) -> u64 {
        self.leaked
    }

    fn make_ready(&mut self, id: PlanId) {
        if !self.ready.contains(&id) {
            self.ready.push_back(id);
        }
    }
}

/// What a program that is written in this one may do at most. Where nothing is listed that is nothing: a program that lists
/// nothing trusts its own code, and not that of a model.
pub(crate) fn permissions_within(program: &Program) -> Permitted {
    let listed = program.permissions.as_ref().or(program.ceiling.as_ref());
    listed.cloned().unwrap_or_default()
}

/// The providers that the agents of a program name: they are granted by that.
fn providers(program: &Program) -> Vec<String> {
    let models = program.agents.iter().flat_map(|it| &it.models);
    let named: BTreeSet<&str> = models
        .filter_map(|it| Provider::of(it))
        .map(|it| it.0.name())
        .collect();
    named.into_iter().map(str::to_owned).collect()
}

/// What is wrong with the models that a written program names; one whose name is made while it runs is looked at then. So a
/// written program that writes programs in turn can name no provider that was not granted to it.
pub(crate) fn foreign_model(around: &Program, written: &Program) -> Option<String> {
    let granted = providers(around);
    let is_granted = |it: &str| match Provider::of(it) {
        Some((provider, _)) => provider.is_granted(&granted),
        // It is reported as none where it is asked.
        None => true,
    };
    written.agents.iter().find_map(|agent| {
        let model = agent.models.iter().find(|it| !is_granted(it))?;
        let name = &agent.name;
        let granted = match granted.as_slice() {
            [] => "no provider".to_owned(),
            them => format!("only {}", them.join(", ")),
        };
        Some(format!("agent `{name}` names `{model}`, and the agents of the program that runs this name {granted}"))
    })
}

impl Run {
    /// A written program with its input, made ready to begin.
    ///
    /// # Errors
    /// What of the input does not fit.
    pub(crate) fn admit_plan(
        &self,
        loaded: &Arc<Loaded>,
        written: Written,
        input: &Value,
    ) -> Result<Admitted, Vec<Issue>> {
        let workflows = &loaded.program.workflows;
        let Some(workflow) = workflows.iter().find(|it| it.name == MAIN) else {
            return Err(vec![Issue {
                path: "$".into(),
                expected: format!("a program with a workflow `{MAIN}`"),
                found: "none".into(),
                message: String::new(),
            }]);
        };
        let rights = Rights {
            own: loaded.program.permissions.clone(),
            around: written.permissions,
            providers: providers(&self.loaded.program),
        };
        let mut settings = self.models.settings();
        let room = self.heap.room_if_limited();
        settings.memory_limit = Some(room.map_or(MEMORY, |it| it.min(MEMORY)));
        let start = Start {
            id: Arc::clone(self.progress.run()),
            now: self.progress.now(),
            // As secret as the run's own, and another one for each.
            seed: self.heap.hash_key().word(u64::from(self.plans.begun)),
            settings,
            parent: None,
            behaviour: super::BEHAVIOUR,
        };
        let prompts = self.models.prompts();
        let mut run = Self::new(Arc::clone(loaded), prompts, start, Box::new(Deaf));
        run.enter_native();
        let words = by_name::words_of_input(&mut run, workflow, input)?;
        Ok(Admitted {
            workflow: workflow.clone(),
            run,
            words,
            rights: Arc::new(rights),
        })
    }

    /// Begins a written program under the node of the prompt whose model wrote it; the current task is to wait for it.
    pub(crate) fn begin_plan(&mut self, prompt: NodeId, admitted: Admitted) -> (PlanId, NodeId) {
        let Admitted {
            run,
            workflow,
            words,
            rights,
        } = admitted;
        let node = self.enter_node(NewNode {
            parent: prompt,
            // The workflow's own code finds this node as its own.
            kind: NodeKind::Workflow,
            name: NAME,
            index: None,
            status: Status::Idle,
            input: None,
        });
        let id = PlanId(self.plans.begun);
        self.plans.begun += 1;
        self.front.lead(&run.front);
        let waiter = self.scheduler.current();
        let mut plan = Plan {
            run,
            node,
            waiter,
            budget: ScopeId::TASK,
            rights,
        };
        self.within_plan(id, &mut plan, |run| {
            let root = run.start_root_at(node, workflow.function, JSON, &words);
            // As JSON without what observers may not see: it is meant for a model.
            run.scheduler.task_mut(root).encodes = Some(Encoding::Redacted(workflow.result));
            run.introspection.expect(node, root);
        });
        plan.run.introspection.inherit(&self.introspection, node);
        let root = plan.run.completion.root();
        plan.budget = plan.run.open_budget(root, self.left_for(waiter));
        self.plans.of.insert(id, plan);
        self.plans.make_ready(id);
        (id, node)
    }

    /// What the budgets around a task leave.
    fn left_for(&self, task: TaskId) -> crate::budget::Limits {
        self.scopes.left(self.scheduler.task(task).budget)
    }

    /// Runs a written program until it waits.
    pub(crate) fn drive_plan(&mut self, id: PlanId) {
        let Some(mut plan) = self.plans.of.shift_remove(&id) else {
            return;
        };
        let pause = self.within_plan(id, &mut plan, Self::go_on);
        match pause {
            Pause::Over => return self.plan_ended(plan),
            Pause::Busy => self.plans.make_ready(id),
            Pause::Blocked => {}
        }
        self.plans.of.insert(id, plan);
    }

    /// An outcome has come for a written program.
    pub(crate) fn outcome_for_plan(
        &mut self,
        id: PlanId,
        operation: OperationId,
        outcome: Outcome,
    ) {
        let Some(mut plan) = self.plans.of.shift_remove(&id) else {
            return;
        };
        let taken = self.within_plan(id, &mut plan, |run| run.take_outcome(operation, outcome));
        self.plans.of.insert(id, plan);
        self.plans.make_ready(id);
        if let Err(wrong) = taken {
            self.fail_internally(wrong.to_string());
        }
    }

    /// The task that waits for a written program is to unwind, which it does once that has ended.
    pub(crate) fn cancel_plan(&mut self, id: PlanId) {
        let Some(mut plan) = self.plans.of.shift_remove(&id) else {
            return;
        };
        self.within_plan(id, &mut plan, |run| {
            run.cancel_all("what it was run for was cancelled");
        });
        self.plans.of.insert(id, plan);
        self.plans.make_ready(id);
    }

    /// Ends a written program of a run that is dropped, with all that it holds.
    pub(crate) fn drop_plan(&mut self, id: PlanId) {
        if let Some(mut plan) = self.plans.of.shift_remove(&id) {
            self.within_plan(id, &mut plan, Self::drop_all);
            self.set_nothing_aside(&plan);
        }
    }

    /// What calls on their way might have cost is free again: none of a program that has ended is.
    fn set_nothing_aside(&mut self, plan: &Plan) {
        let load = plan.run.scopes.load(plan.budget);
        if let Some(waiter) = self.scheduler.get(plan.waiter).map(|it| it.budget) {
            self.scopes.draw(waiter, load, load.without_reserve());
        }
    }

    /// Lends a written program what belongs to this run, lets it do `work`, and takes all back with what it has asked for.
    fn within_plan<T>(
        &mut self,
        id: PlanId,
        plan: &mut Plan,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let waiter = self.scheduler.get(plan.waiter).map(|it| it.budget);
        let around = waiter.unwrap_or(ScopeId::TASK);
        let left = self.scopes.left(around);
        let before = plan.run.scopes.load(plan.budget);
        plan.run.scopes.leave_room(plan.budget, left);
        let inner = &mut *plan.run;
        let doubts = inner.doubts.count();
        std::mem::swap(&mut self.progress, &mut inner.progress);
        self.operations.count_with(&mut inner.operations);
        inner.enter_native();
        inner.front.set_working(true);
        let done = work(inner);
        inner.front.set_working(false);
        self.operations.count_with(&mut inner.operations);
        std::mem::swap(&mut self.progress, &mut inner.progress);
        self.doubts.join(&inner.doubts, doubts);
        let after = inner.scopes.load(plan.budget);
        self.scopes.draw(around, before, after);
        let (requested, abandoned) = inner.operations.take_requested();
        for operation in requested {
            let operation = Operation {
                // What a plan of the plan may do was checked against this one's rights, and is less.
                within: operation.within.or_else(|| Some(Arc::clone(&plan.rights))),
                ..operation
            };
            self.operations.adopt(operation, id);
        }
        for abandoned in abandoned {
            match abandoned.how {
                GivenUp::Dropped => self.operations.abandon(abandoned.id),
                GivenUp::AwaitedFirst => self.operations.stop(abandoned.id),
            }
        }
        // The thread is this run's again.
        self.enter_native();
        if self.scheduler.get(plan.waiter).is_some() {
            self.send_held_back(plan.waiter);
        }
        done
    }

    /// A written program has ended: its waiter is informed.
    fn plan_ended(&mut self, mut plan: Plan) {
        let result = plan.run.completion.take();
        self.set_nothing_aside(&plan);
        self.plans.leaked += plan.run.heap.live();
        self.leave_nodes_below(plan.node);
        let Wait::Plan { result: ty, .. } = self.scheduler.take_wait(plan.waiter) else {
            return;
        };
        let unwinds = self.scheduler.task_mut(plan.waiter).pending.take();
        let ended = match unwinds {
            Some(scope) => Err(raise::unwind_error(&mut self.heap, scope)),
            None if plan.run.front.has_overrun() => {
                let ran = json!({ "node": plan.node.0, "refusal": null, "result": null, "failure": OVERRUN });
                record(self, ty, &ran)
            }
            None => self.came_of_plan(ty, plan.node, result),
        };
        self.scheduler.wake(plan.waiter, ended);
    }

    /// What a written program ended with, as the record `Ran`.
    fn came_of_plan(
        &mut self,
        ty: TypeId,
        node: NodeId,
        result: Option<RunResult>,
    ) -> Result<u64, u64> {
        let (value, failure) = match result {
            Some(RunResult::Value(text)) => match written(&text) {
                Ok(value) => (value, Value::Null),
                Err(issue) => (
                    Value::Null,
                    json!(format!("its result cannot be read: {}", issue.message)),
                ),
            },
            Some(RunResult::Raised(raised)) => {
                if raised.error == BuiltinError::OutcomeUnknown.name() {
                    // It must not be taken for a failure that may be tried again.
                    return Err(raise::outcome_unknown(&mut self.heap, &raised.message));
                }
                (Value::Null, json!(failure_text(&raised)))
            }
            Some(RunResult::Internal(message)) => {
                return Err(raise::internal(&mut self.heap, &message));
            }
            Some(RunResult::Cancelled | RunResult::InvalidInput(_) | RunResult::Left(_)) | None => {
                (Value::Null, json!("it was cancelled"))
            }
        };
        let ran = json!({ "node": node.0, "refusal": null, "result": value, "failure": failure });
        record(self, ty, &ran)
    }

    /// Ends what is still open in a node that has ended otherwise than by its code.
    fn leave_nodes_below(&mut self, node: NodeId) {
        let is_open = |run: &Self, it: NodeId| {
            let tree = run.progress.tree();
            !tree.node(it).status.is_final() && tree.lineage(it).any(|it| it == node)
        };
        if self.progress.tree().node(node).status.is_final() {
            return;
        }
        // Numbers grow downwards in the tree, so walking back leaves inner nodes before those around them.
        for id in (node.0..self.progress.tree().len() as u32).rev() {
            if is_open(self, NodeId(id)) {
                self.leave_node(NodeId(id), Status::Cancelled, None);
            }
        }
    }
}

/// A record of `std/introspect.gsw` about a written program.
pub(crate) fn record(run: &mut Run, ty: TypeId, tree: &Value) -> Result<u64, u64> {
    decode::decode(run, ty, tree).map_err(|issue| {
        let message = format!("what came of a program has no record: {}", issue.message);
        raise::no_record(&mut run.heap, &message)
    })
}

/// An error of a written program as its author reads it: with the place in its text.
fn failure_text(raised: &RunError) -> String {
    let place = raised.trace.first();
    let at = place.map_or_else(String::new, |it| {
        let source = it.source.as_deref().unwrap_or_default().trim();
        format!(" (line {}: `{source}`)", it.line)
    });
    format!("{}: {}{at}", raised.error, raised.message)
}
