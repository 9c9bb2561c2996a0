//! Which tasks a run has, which of them are ready, and which of them belong to each node.

mod table;

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::node::NodeId;
use crate::run::native;
use crate::step::Step;
use crate::task::{Ending, Role, State, TaskId};
use crate::wait::Wait;

pub(crate) use table::Task;
use table::Tasks;

/// A task and its node take about as much memory as this many frames. So tasks may nest some 100,000 deep.
const TASK_FRAMES: u32 = 10;

/// The tasks of a run. Those that are ready run first in, first out.
#[derive(Debug)]
pub(crate) struct Scheduler {
    tasks: Tasks,
    ready: VecDeque<TaskId>,
    /// The task on the native stack; `NONE` between two.
    current: TaskId,
    /// Of the nodes that have tasks.
    members: FxHashMap<NodeId, Members>,
}

/// The tasks that belong to a node.
#[derive(Debug)]
struct Members {
    /// The first one that is listed, in order of spawning.
    first: TaskId,
    last: TaskId,
    /// How many have not ended.
    live: u32,
    /// The task that waits for them.
    joiner: TaskId,
}

impl Default for Members {
    fn default() -> Self {
        Self {
            first: TaskId::NONE,
            last: TaskId::NONE,
            live: 0,
            joiner: TaskId::NONE,
        }
    }
}

impl Default for Scheduler {
    fn default() -> Self {
        Self {
            tasks: Tasks::default(),
            ready: VecDeque::new(),
            current: TaskId::NONE,
            members: FxHashMap::default(),
        }
    }
}

impl Scheduler {
    /// The task, which is kept because a queue, a list or a handle names it.
    pub(crate) fn task(&self, id: TaskId) -> &Task {
        self.tasks.at(id)
    }

    pub(crate) fn task_mut(&mut self, id: TaskId) -> &mut Task {
        self.tasks.at_mut(id)
    }

    /// The task, if it is kept.
    pub(crate) fn get(&self, id: TaskId) -> Option<&Task> {
        self.tasks.get(id)
    }

    /// All tasks in order of their numbers.
    pub(crate) fn ids(&self) -> impl Iterator<Item = TaskId> + '_ {
        self.tasks.ids()
    }

    pub(crate) fn current(&self) -> TaskId {
        self.current
    }

    pub(crate) fn set_current(&mut self, id: TaskId) {
        self.current = id;
    }

    /// The node that the current task works in.
    pub(crate) fn current_node(&self) -> NodeId {
        self.get(self.current)
            .map_or(NodeId::ROOT, |task| task.node)
    }

    /// The current task works in this node from here on.
    pub(crate) fn go_to(&mut self, node: NodeId) {
        self.tasks.at_mut(self.current).node = node;
    }

    /// Takes the task that has been ready longest out of the queue.
    pub(crate) fn next_ready(&mut self) -> Option<TaskId> {
        self.ready.pop_front()
    }

    pub(crate) fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Keeps a new task, at the end of the queue and of the list of its owner.
    pub(crate) fn insert(&mut self, mut task: Task) -> TaskId {
        // Intrusive lists by node: starting and ending a task costs one look-up, and a node without tasks costs nothing.
        let members = self.members.entry(task.owner).or_default();
        let last = members.last;
        task.previous = last;
        let id = self.tasks.insert(task);
        members.live += 1;
        members.last = id;
        match last {
            TaskId::NONE => members.first = id,
            last => self.tasks.at_mut(last).next = id,
        }
        self.ready.push_back(id);
        id
    }

    /// Forgets a task that nothing names any more.
    pub(crate) fn remove(&mut self, id: TaskId) {
        self.tasks.remove(id);
    }

    /// Takes a task out of its owner's list.
    pub(crate) fn unlist(&mut self, id: TaskId) {
        let task = self.tasks.at_mut(id);
        // Several paths take a task out (awaited, forgotten, ended with its node); the first one does.
        if !std::mem::replace(&mut task.is_listed, false) {
            return;
        }
        let (owner, previous, next) = (task.owner, task.previous, task.next);
        let members = self.members.entry(owner).or_default();
        match previous {
            TaskId::NONE => members.first = next,
            previous => self.tasks.at_mut(previous).next = next,
        }
        match next {
            TaskId::NONE => members.last = previous,
            next => self.tasks.at_mut(next).previous = previous,
        }
        self.forget_if_empty(owner);
    }

    fn forget_if_empty(&mut self, node: NodeId) {
        let is_empty = |it: &Members| it.live == 0 && it.first == TaskId::NONE;
        if self.members.get(&node).is_some_and(is_empty) {
            self.members.remove(&node);
        }
    }

    /// How many tasks of a node have not ended.
    pub(crate) fn live_tasks(&self, node: NodeId) -> u32 {
        self.members.get(&node).map_or(0, |it| it.live)
    }

    /// The first task in the list of a node.
    pub(crate) fn first_task(&self, node: NodeId) -> Option<TaskId> {
        let first = self.members.get(&node)?.first;
        (first != TaskId::NONE).then_some(first)
    }

    /// The tasks in the list of a node, in order of spawning.
    pub(crate) fn tasks_of(&self, node: NodeId) -> impl Iterator<Item = TaskId> + '_ {
        std::iter::successors(self.first_task(node), |it| {
            let next = self.task(*it).next;
            (next != TaskId::NONE).then_some(next)
        })
    }

    /// `joiner` is checked again when the last task of a node, which has live ones, has ended.
    pub(crate) fn set_joiner(&mut self, node: NodeId, joiner: TaskId) {
        self.members.entry(node).or_default().joiner = joiner;
    }

    /// Forgets the task that waits for the tasks of a node.
    pub(crate) fn clear_joiner(&mut self, node: NodeId) {
        if let Some(members) = self.members.get_mut(&node) {
            // The entry stays while tasks are live; only the waiter is forgotten.
            members.joiner = TaskId::NONE;
        }
    }

    /// A task of `owner` has ended; returns the task that waits for all of them if it was the last.
    pub(crate) fn count_ended(&mut self, owner: NodeId) -> Option<TaskId> {
        let members = self.members.get_mut(&owner)?;
        // Counted apart from the list: a task that has ended stays listed while its error may still be raised.
        members.live -= 1;
        if members.live > 0 {
            return None;
        }
        // Taken, so that it is woken once, also when it starts further tasks before it runs.
        let joiner = std::mem::replace(&mut members.joiner, TaskId::NONE);
        self.forget_if_empty(owner);
        (joiner != TaskId::NONE).then_some(joiner)
    }

    /// A task ends; the number says which of several ended first.
    pub(crate) fn end(&mut self, id: TaskId) {
        let number = self.tasks.next_ending();
        let task = self.tasks.at_mut(id);
        task.state = State::Ended;
        task.ended_at = number;
        // A wait may hold values; it is taken out before a task ends.
        task.wait = Wait::Nothing;
    }

    /// The first error of the tasks of `node` that was not given to any task, in order of their endings; borrowed.
    pub(crate) fn first_unseen_error(&self, node: NodeId) -> Option<u64> {
        let mut first: Option<(u64, u64)> = None;
        for id in self.tasks_of(node) {
            let task = self.task(id);
            if let (State::Ended, Some(Ending::Error(error))) = (task.state, task.ending)
                // A task that awaited it has seen its error and dealt with it.
                && !task.is_observed
                && first.is_none_or(|(number, _)| task.ended_at < number)
            {
                first = Some((task.ended_at, error));
            }
        }
        first.map(|(_, error)| error)
    }

    pub(crate) fn wait(&self, id: TaskId) -> &Wait {
        &self.task(id).wait
    }

    pub(crate) fn wait_mut(&mut self, id: TaskId) -> &mut Wait {
        &mut self.task_mut(id).wait
    }

    /// Takes what a task waits for, which waits for nothing then.
    pub(crate) fn take_wait(&mut self, id: TaskId) -> Wait {
        std::mem::take(&mut self.task_mut(id).wait)
    }

    pub(crate) fn set_wait(&mut self, id: TaskId, wait: Wait) {
        self.task_mut(id).wait = wait;
    }

    /// The current task is to wait for this.
    pub(crate) fn wait_for(&mut self, wait: Wait) -> Step {
        self.set_wait(self.current, wait);
        Step::Waiting
    }

    /// `waiter` is checked again when a task has ended.
    pub(crate) fn add_waiter(&mut self, id: TaskId, waiter: TaskId) {
        self.task_mut(id).waiters.push(waiter);
    }

    /// `waiter` waits for a task no longer.
    pub(crate) fn remove_waiter(&mut self, id: TaskId, waiter: TaskId) {
        self.task_mut(id).waiters.retain(|it| *it != waiter);
    }

    /// Ends the wait of a task and puts it into the queue, with a value or an error.
    pub(crate) fn wake(&mut self, id: TaskId, with: Result<u64, u64>) {
        let task = self.tasks.at_mut(id);
        debug_assert!(
            matches!(task.wait, Wait::Nothing),
            "a wait is taken before its end"
        );
        debug_assert_eq!(task.state, State::Waiting);
        // SAFETY: a waiting task's frame is live.
        unsafe { native::give(task.frame, with) };
        task.state = State::Ready;
        self.ready.push_back(id);
    }

    /// Replaces what a task that is in the queue resumes with.
    pub(crate) fn give_ready(&mut self, id: TaskId, with: Result<u64, u64>) {
        let task = self.tasks.at_mut(id);
        debug_assert!(matches!(task.state, State::Ready | State::Running));
        // SAFETY: the task has been woken and not resumed, so its frame is live.
        unsafe { native::give(task.frame, with) };
    }

    /// The task that starts one of this role: its budget and its depth begin there.
    pub(crate) fn starter(&self, role: Role) -> TaskId {
        match role {
            Role::Root => TaskId::NONE,
            // The budget is that of the code that spawns, whatever node the task belongs to.
            Role::Spawned => self.current,
            Role::Iteration { coordinator, .. }
            | Role::Tool { coordinator, .. }
            | Role::Undo { coordinator }
            | Role::Reflection { coordinator } => coordinator,
        }
    }

    /// How deep a new task begins: below the task that starts it, so that an endless recursion through tasks ends like any
    /// other. `current_depth` is the number of frames of the current task.
    pub(crate) fn depth_of_new(&self, role: Role, current_depth: u32) -> u32 {
        if role == Role::Root {
            return 1;
        }
        let starter = self.starter(role);
        let depth = match self.get(starter) {
            // What is noted of a task is from before it resumed.
            Some(_) if starter == self.current => current_depth,
            Some(task) => task.depth,
            None => 0,
        };
        depth.saturating_add(TASK_FRAMES)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gsw_abi::builtin::INT;
    use gsw_abi::call::RacePolicy;
    use gsw_abi::types::{Type, TypeId};

    use super::{Scheduler, Task};
    use crate::heap::Heap;
    use crate::node::NodeId;
    use crate::run::{awaiting, handles};
    use crate::scope::ScopeId;
    use crate::task::{Ending, Role, State, TaskId};
    use crate::value::hash::HashKey;
    use crate::value::list;
    use crate::wait::{Race, Wait};

    const OWNER: NodeId = NodeId(7);

    fn start(scheduler: &mut Scheduler) -> TaskId {
        scheduler.insert(Task {
            frame: std::ptr::null_mut(),
            depth: 1,
            state: State::New,
            wait: Wait::Nothing,
            base: NodeId(8),
            node: NodeId(8),
            owner: OWNER,
            previous: TaskId::NONE,
            next: TaskId::NONE,
            role: Role::Spawned,
            result: INT,
            encodes: None,
            ending: None,
            ended_at: 0,
            waiters: Vec::new(),
            scopes: Vec::new(),
            budget: ScopeId::TASK,
            pending: None,
            shield: 0,
            is_shielded: false,
            is_cancelled: false,
            is_observed: false,
            has_handle: false,
            is_listed: true,
        })
    }

    fn fail(scheduler: &mut Scheduler, id: TaskId, error: u64) {
        scheduler.task_mut(id).ending = Some(Ending::Error(error));
        scheduler.end(id);
    }

    #[test]
    fn tasks_become_ready_first_in_first_out() {
        let mut scheduler = Scheduler::default();
        let ids = [start(&mut scheduler), start(&mut scheduler)];
        assert_eq!(scheduler.next_ready(), Some(ids[0]));
        assert!(scheduler.has_ready());
        assert_eq!(scheduler.next_ready(), Some(ids[1]));
        assert_eq!(scheduler.next_ready(), None);
    }

    #[test]
    fn a_task_that_is_unlisted_leaves_the_others_in_order() {
        let mut scheduler = Scheduler::default();
        let ids: Vec<TaskId> = (0..4).map(|_| start(&mut scheduler)).collect();
        scheduler.unlist(ids[1]);
        scheduler.unlist(ids[0]);
        scheduler.unlist(ids[3]);
        scheduler.unlist(ids[3]);
        assert_eq!(scheduler.tasks_of(OWNER).collect::<Vec<_>>(), [ids[2]]);
        let last = start(&mut scheduler);
        let listed: Vec<_> = scheduler.tasks_of(OWNER).collect();
        assert_eq!(listed, [ids[2], last]);
    }

    #[test]
    fn the_last_task_to_end_gives_who_waits_for_all() {
        let mut scheduler = Scheduler::default();
        let ids = [start(&mut scheduler), start(&mut scheduler)];
        let joiner = TaskId(9);
        scheduler.set_joiner(OWNER, joiner);
        assert_eq!(scheduler.count_ended(OWNER), None);
        assert_eq!(scheduler.live_tasks(OWNER), 1);
        assert_eq!(scheduler.count_ended(OWNER), Some(joiner));
        assert_eq!(scheduler.live_tasks(OWNER), 0);
        for id in ids {
            scheduler.unlist(id);
        }
        assert!(
            scheduler.members.is_empty(),
            "nothing is kept of a node whose tasks are gone"
        );
    }

    #[test]
    fn the_first_error_is_the_one_that_ended_first_and_nobody_saw() {
        let mut scheduler = Scheduler::default();
        let ids: Vec<TaskId> = (0..3).map(|_| start(&mut scheduler)).collect();
        for (id, error) in [(ids[2], 30), (ids[1], 20), (ids[0], 10)] {
            fail(&mut scheduler, id, error);
        }
        assert_eq!(scheduler.first_unseen_error(OWNER), Some(30));
        scheduler.task_mut(ids[2]).is_observed = true;
        assert_eq!(scheduler.first_unseen_error(OWNER), Some(20));
    }

    /// A wait under a time limit in a loop: what is kept does not grow with how often it was given up.
    #[test]
    fn who_gives_up_a_wait_is_no_waiter_any_more() {
        let mut types = gsw_abi::builtin::type_table();
        types.types.push(Type::Task(INT));
        let of_task = TypeId(types.types.len() as u32 - 1);
        types.types.push(Type::List(of_task));
        let of_list = TypeId(types.types.len() as u32 - 1);
        let mut heap = Heap::new(Arc::new(types), None, HashKey::of_seed(1));
        let mut scheduler = Scheduler::default();
        let [waiter, other, first, second] = [(); 4].map(|()| start(&mut scheduler));
        for turn in 0..100 {
            let handles = [first, second].map(|it| handles::handle_of(&mut heap, of_task, it));
            let wait = if turn % 3 == 0 {
                heap.release(handles[1]);
                scheduler.add_waiter(first, waiter);
                Wait::Await(handles[0])
            } else {
                let handles = list::new(&mut heap, of_list, &handles);
                scheduler.add_waiter(first, waiter);
                if turn % 3 == 1 {
                    Wait::AwaitAll {
                        handles,
                        result: of_list,
                        next: 0,
                    }
                } else {
                    scheduler.add_waiter(second, waiter);
                    Wait::Race(Race {
                        handles,
                        policy: RacePolicy::First,
                        winner: None,
                        next: 0,
                    })
                }
            };
            scheduler.add_waiter(first, other);
            awaiting::leave(&mut scheduler, &mut heap, waiter, &wait);
            scheduler.remove_waiter(first, other);
            assert!(
                scheduler.task(first).waiters.is_empty()
                    && scheduler.task(second).waiters.is_empty()
            );
        }
    }

    #[test]
    fn a_task_begins_below_who_starts_it() {
        let mut scheduler = Scheduler::default();
        let coordinator = start(&mut scheduler);
        assert_eq!(scheduler.depth_of_new(Role::Root, 5), 1);
        let role = Role::Tool {
            coordinator,
            index: 0,
        };
        let of_waiting = scheduler.depth_of_new(role, 5);
        scheduler.set_current(coordinator);
        assert_eq!(scheduler.depth_of_new(role, 5), of_waiting + 4);
        assert_eq!(scheduler.depth_of_new(Role::Spawned, 5), of_waiting + 4);
    }
}
