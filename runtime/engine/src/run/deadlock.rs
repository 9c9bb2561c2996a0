//! Tasks that await each other in a cycle, found where it closes if it can be seen from there, else when no task is ready, whatever
//! others wait for ([`search`]); and tasks that wait at queues when nothing can come from outside either.

mod search;

use gsw_abi::call::QueuePurpose;
use rustc_hash::FxHashMap;

use crate::heap::Heap;
use crate::node::{NodeId, Tree};
use crate::run::handles::{task_of, tasks_in};
use crate::run::queue::leave_line;
use crate::run::scheduler::Scheduler;
use crate::run::sessions::{self, Sessions};
use crate::run::stream::leave as leave_stream;
use crate::run::tool_key::ToolKeys;
use crate::run::{Run, awaiting, raise};
use crate::scope::Scopes;
use crate::task::{State, TaskId};
use crate::value::queue;
use crate::wait::{Awaited, Wait};

use search::Search;
pub(crate) use search::Suspects;

/// Chains of waits are followed so far at each wait; longer cycles are found when no task is ready. A guess.
const LONGEST_CHAIN: usize = 256;
/// The most tasks of a cycle that are named.
const NAMED: usize = 8;

/// The tasks that are to raise because no task is ready, and the message of their error.
struct Deadlock {
    tasks: Vec<TaskId>,
    message: String,
}

/// What a chain of waits leads to.
enum Chain {
    /// To where it began.
    Closed(Vec<TaskId>),
    /// To a task that works, or waits for something from outside.
    Open,
    /// To several tasks, or it was not followed to its end.
    Unclear,
}

/// Which tasks wait for which.
struct WaitGraph<'a> {
    scheduler: &'a Scheduler,
    scopes: &'a Scopes,
    tool_keys: &'a ToolKeys,
    sessions: &'a Sessions,
    tree: &'a Tree,
    heap: &'a Heap,
}

impl<'a> WaitGraph<'a> {
    fn of(run: &'a Run) -> Self {
        Self {
            scheduler: &run.scheduler,
            scopes: &run.scopes,
            tool_keys: &run.tool_keys,
            sessions: &run.sessions,
            tree: run.progress.tree(),
            heap: &run.heap,
        }
    }

    /// The chain of waits from the current task, if it waits for `awaited`.
    fn chain(&self, awaited: TaskId) -> Chain {
        let current = self.scheduler.current();
        let mut next = awaited;
        let mut chain = vec![current];
        let closed_if = |is_closed, chain| match is_closed {
            true => Chain::Closed(chain),
            false => Chain::Unclear,
        };
        // Bounded, as this runs at every wait. A longer cycle is still found when no task is ready.
        for _ in 0..LONGEST_CHAIN {
            chain.push(next);
            let Some(task) = self.scheduler.get(next) else {
                return Chain::Open;
            };
            if next == current {
                return Chain::Closed(chain);
            }
            let further = match task.wait.awaited() {
                // A task that waits for all tasks of its node waits for the current one, if that is anywhere below the node.
                Awaited::AllOfNode => return closed_if(self.lies_in(current, task.node), chain),
                Awaited::Own => return closed_if(self.lies_in(current, task.base), chain),
                Awaited::Task(handle) => Some(task_of(handle)),
                Awaited::Key(key) => self.tool_keys.owner(key),
                Awaited::Session(session) => self.sessions.holder(session),
                // Several edges lead on, and one may be free: only a search follows them all.
                Awaited::InTurn { .. } | Awaited::OneOf(_) => return Chain::Unclear,
                Awaited::SomeOfNode | Awaited::Any => None,
            };
            match further {
                Some(task) => next = task,
                None => return Chain::Open,
            }
        }
        Chain::Unclear
    }

    fn lies_in(&self, task: TaskId, node: NodeId) -> bool {
        let base = self.scheduler.task(task).base;
        self.tree.lineage(base).any(|it| it == node)
    }

    /// Whether a task waits for others by name.
    fn awaits(&self, id: TaskId) -> bool {
        let task = self.scheduler.task(id);
        let awaits = match task.wait.awaited() {
            Awaited::Task(_)
            | Awaited::InTurn { .. }
            | Awaited::OneOf(_)
            | Awaited::Key(_)
            | Awaited::Session(_) => true,
            Awaited::AllOfNode | Awaited::SomeOfNode | Awaited::Own | Awaited::Any => false,
        };
        task.state == State::Waiting && awaits
    }

    /// A cycle of waits that can be reached from `start`, found depth first.
    fn cycle_from(&self, start: TaskId) -> Option<Vec<TaskId>> {
        let mut path = vec![start];
        let mut branches = vec![self.waited_for(start)];
        // Where on the path a task was when it was reached, which it may not be on any more.
        let mut reached = FxHashMap::from_iter([(start, 0)]);
        while let Some(branch) = branches.last_mut() {
            let Some(next) = branch.pop() else {
                branches.pop();
                path.pop();
                continue;
            };
            match reached.get(&next) {
                Some(&at) if path.get(at) == Some(&next) => return Some(path.split_off(at)),
                // A task whose branches were all followed is on no cycle, so it is never followed again.
                Some(_) => {}
                None => {
                    reached.insert(next, path.len());
                    path.push(next);
                    branches.push(self.waited_for(next));
                }
            }
        }
        None
    }

    /// The tasks that must end, or of which one must, before this one resumes.
    fn waited_for(&self, id: TaskId) -> Vec<TaskId> {
        let Some(task) = self.scheduler.get(id) else {
            return Vec::new();
        };
        let mut tasks: Vec<TaskId> = match task.wait.awaited() {
            Awaited::Task(handle) => vec![task_of(handle)],
            Awaited::InTurn { handles, .. } | Awaited::OneOf(handles) => {
                tasks_in(self.heap, handles)
            }
            Awaited::Key(key) => self.tool_keys.owner(key).into_iter().collect(),
            Awaited::Session(session) => self.sessions.holder(session).into_iter().collect(),
            Awaited::Own => self.scheduler.tasks_of(task.base).collect(),
            Awaited::Any => Vec::new(),
            Awaited::AllOfNode | Awaited::SomeOfNode => {
                self.scheduler.tasks_of(task.node).collect()
            }
        };
        tasks.retain(|it| self.is_under_way(*it));
        tasks
    }

    fn is_under_way(&self, id: TaskId) -> bool {
        let task = self.scheduler.get(id);
        task.is_some_and(|it| it.state != State::Ended)
    }

    /// What the error about a cycle says.
    fn message(&self, cycle: &[TaskId]) -> String {
        let mut names: Vec<String> = Vec::new();
        for id in cycle.iter().take(NAMED) {
            let name = self.task_name(*id);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = if cycle.len() > NAMED {
            " and others"
        } else {
            ""
        };
        match names.as_slice() {
            [one] => format!("deadlock: {one} waits for itself"),
            several => format!(
                "deadlock: {}{more} wait for each other",
                several.join(" and ")
            ),
        }
    }

    /// Which tasks must raise which error, given that no task is ready.
    fn deadlock(&self) -> Option<Deadlock> {
        // In order of ids, so that the same run always names the same task.
        let stuck = self.scheduler.ids().find(|it| self.awaits(*it));
        if let Some(cycle) = stuck.and_then(|it| self.cycle_from(it)) {
            // A task outside of the cycle gets the error from those inside.
            let id = cycle.iter().copied().find(|it| self.awaits(*it)).or(stuck);
            let message = self.message(&cycle);
            return id.map(|id| Deadlock {
                tasks: vec![id],
                message,
            });
        }
        let tasks = self.at_queues();
        if !tasks.is_empty() {
            let message = self.message_at_queues(&tasks);
            return Some(Deadlock { tasks, message });
        }
        stuck.map(|id| {
            let name = self.task_name(id);
            Deadlock {
                tasks: vec![id],
                message: format!("deadlock: {name} waits for something that can never end"),
            }
        })
    }

    /// The tasks that wait at queues; the one that has waited longest comes first.
    fn at_queues(&self) -> Vec<TaskId> {
        let mut waiting: Vec<_> = self
            .scheduler
            .ids()
            .filter_map(|id| Some((self.scheduler.task(id).wait.arrival()?, id)))
            .collect();
        waiting.sort_unstable_by_key(|(arrival, _)| *arrival);
        waiting.into_iter().map(|(_, id)| id).collect()
    }

    /// What the error about tasks that wait at queues says, of which there is one.
    fn message_at_queues(&self, tasks: &[TaskId]) -> String {
        let mut waits: Vec<String> = Vec::new();
        for id in tasks.iter().take(NAMED) {
            let wait = if let Wait::Push { queue, .. } = self.scheduler.task(*id).wait {
                match queue::purpose(queue) {
                    QueuePurpose::Items => "to push to a full queue that no task pops from",
                    QueuePurpose::Semaphore => "for a semaphore that no task releases",
                    QueuePurpose::Limiter => "for a limiter that no task releases",
                }
            } else {
                "for an item of an empty queue that no task pushes to or closes"
            };
            let wait = format!("{} waits {wait}", self.task_name(*id));
            if !waits.contains(&wait) {
                waits.push(wait);
            }
        }
        let more = if tasks.len() > NAMED {
            ", and others wait"
        } else {
            ""
        };
        format!("deadlock: {}{more}", waits.join(", "))
    }

    fn task_name(&self, id: TaskId) -> String {
        let path = self.scheduler.get(id).map(|task| self.tree.path(task.node));
        match path.filter(|it| !it.is_empty()) {
            Some(path) => format!("`{path}`"),
            None => "the run".into(),
        }
    }
}

/// The error that the current task must raise because waiting for `awaited` would close a cycle.
pub(crate) fn cycle_error(run: &mut Run, awaited: TaskId) -> Option<u64> {
    let graph = WaitGraph::of(run);
    match graph.chain(awaited) {
        Chain::Closed(chain) => {
            let message = graph.message(&chain);
            Some(raise::failed(&mut run.heap, &message))
        }
        Chain::Open => None,
        Chain::Unclear => {
            let current = run.scheduler.current();
            run.suspects.add(current);
            None
        }
    }
}

impl Run {
    /// Every task waits and something is outstanding: one of each cycle that it cannot help raises. Says whether any did.
    pub(super) fn break_cycles(&mut self) -> bool {
        let Some(suspects) = self.suspects.take() else {
            return false;
        };
        let graph = WaitGraph::of(self);
        let search = Search::of(&graph, &suspects);
        let found = search.cycles().into_iter().filter_map(|cycle| {
            let id = cycle.iter().copied().find(|it| graph.awaits(*it))?;
            let message = graph.message(&cycle);
            Some(Deadlock {
                tasks: vec![id],
                message,
            })
        });
        let found: Vec<Deadlock> = found.collect();
        // What waits for a cycle may be in another one as well, which is looked for once this one is broken.
        let stuck: Vec<TaskId> = match found.as_slice() {
            [] => Vec::new(),
            [..] => search.stuck().collect(),
        };
        self.suspects.searched(search.cost(), stuck.into_iter());
        let is_any = !found.is_empty();
        for deadlock in found {
            self.raise_deadlock(deadlock);
        }
        is_any
    }

    /// Every task waits and nothing is outstanding: one of a cycle raises, else all that wait at queues, else the first that awaits
    /// another one. That all at queues do keeps the end of many of them linear; none of them could have been helped.
    pub(super) fn break_deadlock(&mut self) {
        match WaitGraph::of(self).deadlock() {
            Some(deadlock) => self.raise_deadlock(deadlock),
            None => self.fail_internally("the run is blocked and nothing is outstanding".into()),
        }
    }

    fn raise_deadlock(&mut self, Deadlock { tasks, message }: Deadlock) {
        for id in tasks {
            let error = raise::failed(&mut self.heap, &message);
            match self.scheduler.take_wait(id) {
                wait @ (Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race(_)) => {
                    awaiting::leave(&mut self.scheduler, &mut self.heap, id, &wait);
                }
                Wait::Part { stream, .. } => leave_stream(self, id, stream),
                Wait::Keyed { key, .. } => self.tool_keys.forget(&key, id),
                Wait::Session { session } => sessions::leave_line(self, id, session),
                wait @ (Wait::Push { .. } | Wait::Pop { .. } | Wait::Received { .. }) => {
                    leave_line(self, &wait);
                }
                other @ (Wait::Nothing
                | Wait::Operation { .. }
                | Wait::Stopping { .. }
                | Wait::Join
                | Wait::Abort
                | Wait::Parallel(_)
                | Wait::Undo
                | Wait::Reflect(_)
                | Wait::Plan { .. }
                | Wait::Prompt(_)
                | Wait::Ending) => self.scheduler.set_wait(id, other),
            }
            self.scheduler.wake(id, Err(error));
        }
    }
}
