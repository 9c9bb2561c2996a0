//! What takes back what a workflow has done: registered as it goes on, called last first when the workflow fails.
//!
//! **Invariants.**
//! - What is registered belongs to the nearest workflow around; inside of an undo nothing is registered, since nobody takes
//!   back what takes something back.
//! - A workflow that ends well hands its list to the workflow around, in order. Where there is none the list is dropped.
//! - An undo runs as a task of the failed workflow's node, after all other tasks of it have ended, with the coordinator
//!   shielded: a cancellation neither stops it nor takes its time.
//! - Each runs once, whatever becomes of it.

use gsw_abi::builtin::UNIT;
use gsw_abi::call::NodeKind;
use gsw_abi::layout::stop;
use rustc_hash::FxHashMap;

use crate::heap::Heap;
use crate::node::{NodeId, Tree};
use crate::operation::Request;
use crate::run::{Run, raise};
use crate::step::Step;
use crate::task::{Ending, NewTask, Role, TaskId};
use crate::wait::Wait;

/// What is to be taken back, by the workflow that it belongs to.
#[derive(Debug, Default)]
pub(crate) struct Undos {
    /// Closures without parameters, in order of registration.
    of: FxHashMap<NodeId, Vec<u64>>,
    /// Workflows that are taking back what they did.
    running: usize,
    /// Whether the time that a cancelled run has ended meanwhile.
    is_grace_over: bool,
    /// What could not be taken back, in order.
    failed: Vec<String>,
}

impl Undos {
    /// What could not be taken back.
    pub(crate) fn failed(&self) -> &[String] {
        &self.failed
    }

    /// Releases what will not be called any more.
    pub(crate) fn release(&mut self, heap: &mut Heap) {
        for closure in self.of.drain().flat_map(|(_, list)| list) {
            heap.release(closure);
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
    match workflow_around(run.progress.tree(), run.scheduler.current_node()) {
        Some(workflow) => run.undos.of.entry(workflow).or_default().push(closure),
        None => run.heap.release(closure),
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
    let frame = run
        .closure_frame(closure, &[])
        .expect("an `undo` is compiled as a task, which has a frame");
    run.heap.release(closure);
    run.start_task(NewTask {
        frame,
        owner: workflow,
        kind: NodeKind::Undo,
        name: NodeKind::Undo.name(),
        index: None,
        input: None,
        role: Role::Undo { coordinator },
        result: UNIT,
    });
    true
}

/// One has ended, well or not; the next follows.
pub(crate) fn undo_ended(run: &mut Run, node: NodeId, coordinator: TaskId, ending: Ending) {
    let what = match ending {
        Ending::Value(_) => None,
        Ending::Error(error) => {
            let why = raise::said_by(&run.heap, error);
            run.heap.release(error);
            Some(why)
        }
        Ending::Cancelled => Some("the run was stopped".to_owned()),
    };
    if let Some(why) = what {
        let path = run.progress.tree().path(node);
        run.undos.failed.push(format!("{path}: {why}"));
        let message = format!("what was done could not be taken back: {why}");
        run.progress.warn(node, message);
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
