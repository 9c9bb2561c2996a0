//! Awaiting in a circle: found where it closes if it can be seen from there, else when nothing can go on any more.

use crate::node::NodeId;
use crate::run::Run;
use crate::run::awaiting::task_of;
use crate::task::{State, TaskId};
use crate::wait::Wait;

/// Chains of waits are followed so far; longer circles are found when the run stands still.
const LONGEST_CHAIN: usize = 10_000;
/// So many of a circle are named.
const NAMED: usize = 8;

impl Run {
    /// The error that the current task must raise because waiting for `awaited` would close a circle.
    pub(crate) fn circle(&mut self, awaited: TaskId) -> Option<u64> {
        let mut next = awaited;
        let mut chain = vec![self.current];
        for _ in 0..LONGEST_CHAIN {
            chain.push(next);
            let task = self.tasks.get(next)?;
            let closes = next == self.current
                || match task.wait {
                    Wait::Join | Wait::Abort | Wait::Parallel(_) => {
                        self.lies_in(self.current, task.node)
                    }
                    Wait::Ending => self.lies_in(self.current, task.base),
                    _ => false,
                };
            if closes {
                let names: Vec<String> = chain
                    .iter()
                    .take(NAMED)
                    .map(|it| self.task_name(*it))
                    .collect();
                let message = format!("deadlock: {} wait for each other", names.join(" and "));
                return Some(self.failed(&message));
            }
            next = match task.wait {
                Wait::Await(handle) => task_of(handle),
                _ => return None,
            };
        }
        None
    }

    fn lies_in(&self, task: TaskId, node: NodeId) -> bool {
        let base = self.tasks.at(task).base;
        self.tree.lineage(base).any(|it| it == node)
    }

    /// Every task waits and nothing is outstanding: the first that awaits another one is told so.
    pub(crate) fn break_deadlock(&mut self) {
        let stuck = self.tasks.ids().find(|&id| {
            let task = self.tasks.at(id);
            let awaits = matches!(
                task.wait,
                Wait::Await(_) | Wait::AwaitAll { .. } | Wait::Race { .. }
            );
            task.state == State::Waiting && awaits
        });
        let Some(id) = stuck else {
            self.fail_internally("the run is blocked and nothing is outstanding".into());
            return;
        };
        let message = format!(
            "deadlock: {} waits for what can never end",
            self.task_name(id)
        );
        match std::mem::take(&mut self.tasks.at_mut(id).wait) {
            Wait::Await(word)
            | Wait::AwaitAll { handles: word, .. }
            | Wait::Race { handles: word, .. } => {
                self.heap.release(word);
            }
            other => self.tasks.at_mut(id).wait = other,
        }
        let error = self.failed(&message);
        self.wake(id, Err(error));
    }

    fn task_name(&self, id: TaskId) -> String {
        let path = self.tasks.get(id).map(|task| self.tree.path(task.node));
        match path {
            Some(path) if !path.is_empty() => format!("`{path}`"),
            _ => "the run".into(),
        }
    }
}
