//! Which tasks can never go on, although others of the run can: found from those whose wait may have closed a cycle.
//!
//! A task that waits goes on once what it waits for has ended: one task, all of several, or one of several. Those that work, or
//! wait for something from outside, may go on. From them it spreads to whoever waits for them; what it does not reach is stuck.
//! Each task and each wait is looked at once.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::run::deadlock::WaitGraph;
use crate::run::handles::{task_in, task_of, tasks_in};
use crate::task::{State, TaskId};
use crate::wait::Awaited;

/// A search may look at so many waits before tasks of the run must have gone on for it. A guess: a tenth of a second.
const MOST_AHEAD: i64 = 1_000_000;
/// So many waits may be looked at for each time that a task goes on, so that all searches together cost what the run does.
const EACH: i64 = 256;

/// The tasks whose waits may have closed a cycle.
#[derive(Debug)]
pub(crate) struct Suspects {
    tasks: BTreeSet<TaskId>,
    /// How many waits may be looked at. It counts what the run does and no time, so that a replay searches at the same places.
    allowance: i64,
}

impl Default for Suspects {
    fn default() -> Self {
        Self {
            tasks: BTreeSet::new(),
            allowance: MOST_AHEAD,
        }
    }
}

impl Suspects {
    pub(crate) fn add(&mut self, task: TaskId) {
        self.tasks.insert(task);
    }

    /// A task goes on.
    pub(crate) fn gone_on(&mut self) {
        self.allowance = self.allowance.saturating_add(EACH).min(MOST_AHEAD);
    }

    /// The tasks to search from, if it is time for a search.
    pub(super) fn take(&mut self) -> Option<BTreeSet<TaskId>> {
        let is_time = !self.tasks.is_empty() && self.allowance > 0;
        is_time.then(|| std::mem::take(&mut self.tasks))
    }

    /// After a search that has looked at so many waits, and has left these tasks stuck.
    pub(super) fn searched(&mut self, cost: usize, stuck: impl Iterator<Item = TaskId>) {
        // Into debt, which the run pays back.
        self.allowance = self
            .allowance
            .saturating_sub(i64::try_from(cost).unwrap_or(i64::MAX));
        self.tasks.extend(stuck);
    }
}

/// What must have ended before a task goes on.
enum Needs {
    /// Nothing, or something from outside.
    Nothing,
    All(Vec<TaskId>),
    OneOf(Vec<TaskId>),
}

struct Place {
    id: TaskId,
    /// The places that it needs.
    needs: Vec<usize>,
    /// How many of them have to be able to go on before it can; 0 once it can.
    missing: usize,
    /// The places that need it.
    needed_by: Vec<usize>,
}

/// The tasks that can be reached from the suspects by what they need.
pub(super) struct Search {
    places: Vec<Place>,
}

impl Search {
    /// Looks at all that `from` need.
    pub(super) fn of(graph: &WaitGraph<'_>, from: &BTreeSet<TaskId>) -> Self {
        let mut search = Self { places: Vec::new() };
        let mut known = FxHashMap::default();
        for id in from {
            search.place_of(*id, &mut known);
        }
        let mut free = Vec::new();
        let mut next = 0;
        while next < search.places.len() {
            let (needed, is_enough) = match graph.needs(search.places[next].id) {
                Needs::Nothing => (Vec::new(), 0),
                Needs::All(tasks) => {
                    let count = tasks.len();
                    (tasks, count)
                }
                Needs::OneOf(tasks) => {
                    let count = tasks.len().min(1);
                    (tasks, count)
                }
            };
            if is_enough == 0 {
                free.push(next);
            } else {
                let places = needed.iter().map(|it| search.place_of(*it, &mut known));
                let places: Vec<usize> = places.collect();
                for place in &places {
                    search.places[*place].needed_by.push(next);
                }
                search.places[next].missing = is_enough;
                search.places[next].needs = places;
            }
            next += 1;
        }
        search.spread(free);
        search
    }

    fn place_of(&mut self, id: TaskId, known: &mut FxHashMap<TaskId, usize>) -> usize {
        *known.entry(id).or_insert_with(|| {
            self.places.push(Place {
                id,
                needs: Vec::new(),
                missing: 0,
                needed_by: Vec::new(),
            });
            self.places.len() - 1
        })
    }

    /// Whoever needs one of these comes nearer to going on.
    fn spread(&mut self, mut free: Vec<usize>) {
        while let Some(place) = free.pop() {
            for waiting in std::mem::take(&mut self.places[place].needed_by) {
                let missing = &mut self.places[waiting].missing;
                if *missing > 0 {
                    *missing -= 1;
                    if *missing == 0 {
                        free.push(waiting);
                    }
                }
            }
        }
    }

    /// How many waits were looked at.
    pub(super) fn cost(&self) -> usize {
        let waits: usize = self.places.iter().map(|it| it.needs.len()).sum();
        self.places.len() + waits
    }

    pub(super) fn stuck(&self) -> impl Iterator<Item = TaskId> + '_ {
        let stuck = self.places.iter().filter(|it| it.missing > 0);
        stuck.map(|it| it.id)
    }

    /// Cycles of stuck tasks that share none, each in order of its waits.
    pub(super) fn cycles(&self) -> Vec<Vec<TaskId>> {
        let mut cycles = Vec::new();
        // By which walk a place was come to first.
        let mut walks = vec![0; self.places.len()];
        for start in 0..self.places.len() {
            let mut path = Vec::new();
            let mut at = (self.places[start].missing > 0).then_some(start);
            while let Some(place) = at {
                if walks[place] != 0 {
                    break;
                }
                walks[place] = start + 1;
                path.push(place);
                // What is stuck needs something that is.
                let mut needs = self.places[place].needs.iter().copied();
                at = needs.find(|it| self.places[*it].missing > 0);
            }
            let closed_at = at.and_then(|at| path.iter().position(|it| *it == at));
            if let Some(closed_at) = closed_at {
                let cycle = path[closed_at..].iter();
                cycles.push(cycle.map(|it| self.places[*it].id).collect());
            }
        }
        cycles
    }
}

impl WaitGraph<'_> {
    fn needs(&self, id: TaskId) -> Needs {
        let Some(task) = self.scheduler.get(id) else {
            return Needs::Nothing;
        };
        // What waits with a time limit of its own goes on when that is over.
        let has_limit = |it| self.scopes.get(it).is_some_and(|it| it.ends.is_some());
        if task.state != State::Waiting || task.scopes.iter().any(|it| has_limit(*it)) {
            return Needs::Nothing;
        }
        let under_way = |tasks: Vec<TaskId>| -> Vec<TaskId> {
            tasks
                .into_iter()
                .filter(|it| self.is_under_way(*it))
                .collect()
        };
        match task.wait.awaited() {
            Awaited::Task(handle) => Needs::All(under_way(vec![task_of(handle)])),
            Awaited::InTurn { handles, next } => {
                let next = task_in(self.heap, handles, next);
                Needs::All(under_way(next.into_iter().collect()))
            }
            Awaited::OneOf(handles) => Needs::OneOf(under_way(tasks_in(self.heap, handles))),
            Awaited::Key(key) => Needs::All(self.tool_keys.owner(key).into_iter().collect()),
            Awaited::Session(session) => {
                Needs::All(self.sessions.holder(session).into_iter().collect())
            }
            Awaited::Own => Needs::All(under_way(self.scheduler.tasks_of(task.base).collect())),
            Awaited::AllOfNode => {
                Needs::All(under_way(self.scheduler.tasks_of(task.node).collect()))
            }
            Awaited::SomeOfNode | Awaited::Any => Needs::Nothing,
        }
    }
}
