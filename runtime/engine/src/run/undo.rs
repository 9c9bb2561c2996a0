//! `undo` blocks of workflows: registered while a workflow runs, called last first when it fails.
//!
//! **Invariants.**
//! - What is registered belongs to the nearest workflow around; inside of an undo nothing is registered, since an undo is
//!   not undone.
//! - A workflow that ends well hands its list to the workflow around, in order. Where there is none the list is dropped.
//! - An undo runs as a task of the failed workflow's node, after all other tasks of it have ended, with the coordinator
//!   shielded: a cancellation neither stops it nor takes its time.
//! - What a run has of another one, which it was forked from, that one takes back: done twice, a refund is paid twice.
//! - Each runs once, whatever becomes of it. What failed is kept until the run ends, for it may be tried again on request: a
//!   driver that knows of such a request says so before the run begins, and the run waits for it instead of ending.

use std::collections::VecDeque;

use gsw_abi::builtin::{BuiltinError, UNIT};
use gsw_abi::call::NodeKind;
use gsw_abi::layout::stop;
use rustc_hash::FxHashMap;

use crate::heap::Heap;
use crate::node::{NodeId, Tree};
use crate::operation::Request;
use crate::run::debugging::recording::Given;
use crate::run::{Run, raise};
use crate::step::Step;
use crate::task::{Ending, NewTask, Role, State, TaskId};
use crate::value::error;
use crate::wait::Wait;

/// What is to be taken back, by the workflow that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Undos {
    /// Closures without parameters, in order of registration.
    of: FxHashMap<NodeId, Vec<u64>>,
    /// Workflows that are taking back what they did.
    running: usize,
    /// Whether the time limit of a cancelled run has passed meanwhile.
    is_grace_over: bool,
    /// Those that have begun, by their nodes.
    begun: FxHashMap<NodeId, Undo>,
    /// What could not be taken back, by number.
    failed: Vec<Undo>,
    /// What became later of those that had failed, in the order in which it did.
    settled: Vec<SettledUndo>,
    /// The number of the one that failed last; the first has 1.
    numbered: u64,
    /// What is to be tried again, the next first.
    again: VecDeque<Undo>,
    /// How many wishes to try again are still to come, of a run that is replayed.
    expected: usize,
    /// The run is at its end, and one is to come.
    awaits_wish: bool,
    whose: Whose,
}

/// Whose what is registered is to take back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Whose {
    #[default]
    Own,
    /// It was done by the run that this one was forked from.
    Source,
}

/// An `undo` block that has begun.
#[derive(Debug)]
struct Undo {
    closure: u64,
    /// The number that it got when it failed for the first time: it keeps that whatever becomes of the others.
    number: Option<u64>,
    /// Where it failed, and why.
    why: String,
    standing: UndoStanding,
}

/// Something that could not be taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotUndone {
    /// By which it is settled. It stays the same as long as the run is kept.
    pub number: u64,
    /// Where and why.
    pub what: String,
    pub standing: UndoStanding,
}

/// What is known of an undo that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoStanding {
    Failed,
    /// It ended with `OutcomeUnknown`: it may have taken back what it was to.
    InDoubt,
}

/// Something that could not be taken back at first, and has been since.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettledUndo {
    pub number: u64,
    /// Where it had failed and why.
    pub what: String,
    pub how: SettledHow,
    /// In nanoseconds since 1970.
    pub at: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettledHow {
    /// Another attempt took it back.
    TakenBack,
    /// A person declared that it has been taken back.
    Declared,
}

/// What has become of the undos of a run that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FailedUndos {
    pub left: Vec<NotUndone>,
    pub settled: Vec<SettledUndo>,
}

/// A request about the undos that failed; they are numbered from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndoWish {
    /// All that are not in doubt are tried again.
    Failed,
    /// This one is tried again, whatever is known of it.
    Again(u64),
    /// What this one was to take back has been taken back.
    Done(u64),
}

impl Undos {
    /// What could not be taken back, as text.
    pub(crate) fn failed(&self) -> Vec<String> {
        self.failed.iter().map(|it| it.why.clone()).collect()
    }

    /// What could not be taken back, and what has been since.
    pub(crate) fn outcome(&self) -> FailedUndos {
        let left = self.failed.iter().map(|it| NotUndone {
            number: it.number.expect("it was numbered when it failed"),
            what: it.why.clone(),
            standing: it.standing,
        });
        FailedUndos {
            left: left.collect(),
            settled: self.settled.clone(),
        }
    }

    /// Keeps what failed, under its number.
    fn keep(&mut self, mut undo: Undo) {
        if undo.number.is_none() {
            self.numbered += 1;
            undo.number = Some(self.numbered);
        }
        let place = self.failed.partition_point(|it| it.number < undo.number);
        self.failed.insert(place, undo);
    }

    fn settle(&mut self, undo: Undo, how: SettledHow, at: i64) {
        if let Some(number) = undo.number {
            let Undo { why: what, .. } = undo;
            self.settled.push(SettledUndo {
                number,
                what,
                how,
                at,
            });
        }
    }

    /// Whether the run is at its end and waits for a wish to try again.
    pub(crate) fn awaits_wish(&self) -> bool {
        self.awaits_wish
    }

    /// Releases what will not be called any more.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for closure in self.of.drain().flat_map(|(_, list)| list) {
            heap.release(closure);
        }
        let begun = self.begun.drain().map(|(_, it)| it);
        for undo in begun
            .chain(self.again.drain(..))
            .chain(self.failed.drain(..))
        {
            heap.release(undo.closure);
        }
    }

    /// The time of a cancelled run has ended; says whether it waits for what is being taken back.
    pub(crate) fn holds_back_the_end(&mut self) -> bool {
        let is_running = self.running > 0;
        self.is_grace_over |= is_running;
        is_running
    }
}

/// The workflow that a node belongs to; none inside of an undo, and outside of all workflows.
fn workflow_around(tree: &Tree, mut node: NodeId) -> Option<NodeId> {
    loop {
        let it = tree.node(node);
        match it.kind {
            NodeKind::Workflow => return Some(node),
            NodeKind::Undo => return None,
            NodeKind::Step
            | NodeKind::Task
            | NodeKind::Parallel
            | NodeKind::Iteration
            | NodeKind::Prompt
            | NodeKind::Tool
            | NodeKind::Hook
            | NodeKind::Human
            | NodeKind::External
            | NodeKind::Reflection
            | NodeKind::Attempt
            | NodeKind::Region => {}
        }
        if node == NodeId::ROOT {
            return None;
        }
        node = it.parent;
    }
}

/// `undo_register`: takes over the closure.
pub(crate) fn register(run: &mut Run, closure: u64) {
    let around = workflow_around(run.progress.tree(), run.scheduler.current_node());
    match (around, run.undos.whose) {
        (Some(workflow), Whose::Own) => {
            run.undos.of.entry(workflow).or_default().push(closure);
        }
        (None, _) | (Some(_), Whose::Source) => run.heap.release(closure),
    }
}

/// A workflow has ended well: what it has done is taken back with what the workflow around it has done.
pub(crate) fn hand_over(run: &mut Run, workflow: NodeId) {
    let Some(list) = run.undos.of.remove(&workflow) else {
        return;
    };
    let parent = run.progress.tree().node(workflow).parent;
    let around = (workflow != NodeId::ROOT)
        .then(|| workflow_around(run.progress.tree(), parent))
        .flatten();
    match around {
        Some(around) => run.undos.of.entry(around).or_default().extend(list),
        None => list.into_iter().for_each(|it| run.heap.release(it)),
    }
}

/// `undo_all`: the current node, a workflow, fails, and its tasks have ended.
pub(crate) fn undo_all(run: &mut Run) -> Step {
    let workflow = run.scheduler.current_node();
    if !run.undos.of.contains_key(&workflow) || run.front.has(stop::KILL) {
        return Step::Done(0);
    }
    let coordinator = run.scheduler.current();
    run.undos.running += 1;
    run.front.set_undoing(true);
    run.scheduler.task_mut(coordinator).shield += 1;
    run.update_shield();
    start_next(run, coordinator, workflow);
    run.scheduler.wait_for(Wait::Undo)
}

/// Starts the last that is left; says whether there was one.
fn start_next(run: &mut Run, coordinator: TaskId, workflow: NodeId) -> bool {
    let Some(list) = run.undos.of.get_mut(&workflow) else {
        return false;
    };
    let Some(closure) = list.pop() else {
        run.undos.of.remove(&workflow);
        return false;
    };
    let undo = Undo {
        closure,
        number: None,
        why: String::new(),
        standing: UndoStanding::Failed,
    };
    start(run, coordinator, workflow, undo);
    true
}

/// Calls one; it keeps its closure, in case it fails.
fn start(run: &mut Run, coordinator: TaskId, owner: NodeId, undo: Undo) {
    let frame = run
        .closure_frame(undo.closure, &[])
        .expect("an `undo` is compiled as a task, which has a frame");
    let task = run.start_task(NewTask {
        frame,
        owner,
        kind: NodeKind::Undo,
        name: NodeKind::Undo.name(),
        index: None,
        input: None,
        role: Role::Undo { coordinator },
        result: UNIT,
    });
    let node = run.scheduler.task(task).base;
    run.undos.begun.insert(node, undo);
}

/// One has ended, well or not; the next follows.
pub(crate) fn undo_ended(run: &mut Run, node: NodeId, coordinator: TaskId, ending: Ending) {
    note_end(run, node, ending);
    if coordinator == run.completion.root() && run.scheduler.task(coordinator).ending.is_some() {
        let is_over = run.front.has(stop::KILL) || !try_next(run, coordinator);
        if is_over {
            run.undos.running -= 1;
            run.front.set_undoing(run.undos.running > 0);
            run.scheduler.task_mut(coordinator).shield -= 1;
        }
        // The run's own task waits for the tasks of its node, of which this was the last if there is no other.
        return;
    }
    let workflow = run.scheduler.task(coordinator).node;
    if !run.front.has(stop::KILL) && start_next(run, coordinator, workflow) {
        return;
    }
    run.undos.running -= 1;
    run.front.set_undoing(run.undos.running > 0);
    let task = run.scheduler.task_mut(coordinator);
    task.shield = task.shield.saturating_sub(1);
    task.wait = Wait::Nothing;
    run.scheduler.wake(coordinator, Ok(0));
    if run.undos.running == 0 && std::mem::take(&mut run.undos.is_grace_over) {
        // What is cancelled still has its own time.
        run.request_for_run(Request::Sleep {
            nanoseconds: super::cancel::GRACE,
        });
    }
}

/// Keeps what failed, and forgets what was done.
fn note_end(run: &mut Run, node: NodeId, ending: Ending) {
    let Some(mut undo) = run.undos.begun.remove(&node) else {
        return;
    };
    let why = match ending {
        Ending::Value(_) => {
            run.heap.release(undo.closure);
            let now = run.progress.now();
            run.undos.settle(undo, SettledHow::TakenBack, now);
            return;
        }
        Ending::Error(error) => {
            undo.standing = match error::kind(error) {
                Some(BuiltinError::OutcomeUnknown) => UndoStanding::InDoubt,
                Some(_) | None => UndoStanding::Failed,
            };
            let why = raise::said_by(&run.heap, error);
            run.heap.release(error);
            why
        }
        Ending::Cancelled => "the run was stopped".to_owned(),
    };
    let path = run.progress.tree().path(node);
    undo.why = format!("{path}: {why}");
    run.undos.keep(undo);
    let message = format!("what was done could not be taken back: {why}");
    run.progress.warn(node, message);
}

/// Starts the next that is to be tried again; says whether there was one.
fn try_next(run: &mut Run, root: TaskId) -> bool {
    let Some(undo) = run.undos.again.pop_front() else {
        return false;
    };
    let node = run.scheduler.task(root).base;
    start(run, root, node, undo);
    true
}

impl Run {
    /// Says whose what happens from now on is to take back: a driver that brings back a fork knows.
    pub fn undos_are(&mut self, whose: Whose) {
        self.undos.whose = whose;
    }

    /// Announces `count` requests about undos, each of which comes when the run is at its end.
    pub fn expect_undo_wishes(&mut self, count: usize) {
        self.undos.expected = count;
    }

    /// The run's own task has ended and waits for a wish, if one is to come.
    pub(crate) fn waits_for_undo_wish(&mut self, root: TaskId) -> bool {
        let waits = root == self.completion.root()
            && self.undos.expected > 0
            && !self.undos.failed.is_empty();
        self.undos.awaits_wish = waits;
        if waits {
            let task = self.scheduler.task_mut(root);
            task.state = State::Waiting;
            task.wait = Wait::Ending;
        }
        waits
    }

    /// Takes a request to try failed undos again, or a report of what happened to one. The run ends when that is done.
    pub fn undo_again(&mut self, wish: UndoWish, now: i64) {
        self.enter_native();
        self.progress.advance(now);
        self.debugging.keep(|| Given::Undo { wish, now });
        let root = self.completion.root();
        if !std::mem::take(&mut self.undos.awaits_wish) {
            return;
        }
        self.undos.expected -= 1;
        let (mut again, mut rest) = (VecDeque::new(), Vec::new());
        for undo in std::mem::take(&mut self.undos.failed) {
            match (wish, undo.standing) {
                (UndoWish::Done(it), _) if undo.number == Some(it) => {
                    self.heap.release(undo.closure);
                    self.undos.settle(undo, SettledHow::Declared, now);
                }
                (UndoWish::Again(it), _) if undo.number == Some(it) => again.push_back(undo),
                (UndoWish::Failed, UndoStanding::Failed) => again.push_back(undo),
                (UndoWish::Done(_) | UndoWish::Again(_), _)
                | (UndoWish::Failed, UndoStanding::InDoubt) => rest.push(undo),
            }
        }
        self.undos.failed = rest;
        self.undos.again = again;
        let base = self.scheduler.task(root).base;
        self.scheduler.task_mut(root).shield += 1;
        if try_next(self, root) {
            self.undos.running += 1;
            self.front.set_undoing(true);
            self.scheduler.set_joiner(base, root);
        } else {
            self.scheduler.task_mut(root).shield -= 1;
            self.settle(root);
        }
    }
}
