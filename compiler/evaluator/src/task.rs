//! Tasks, first in, first out. A task runs from its begin to its end when somebody waits; where a real interleaving
//! could give something else, that is unsupported.

use std::cell::RefCell;
use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{ExpressionId, Lambda, RacePolicy};

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, raise, unsupported};
use crate::value::{Closure, Function, Value};

/// A task, shared by all who know it.
pub type TaskCell = Rc<RefCell<Task>>;

#[derive(Debug)]
pub struct Task {
    pub state: State,
    /// Whether somebody was given how it ended.
    pub is_seen: bool,
    /// Whether it may have waited before it ended.
    pub has_waited: bool,
}

/// How far a task is.
#[derive(Debug)]
pub enum State {
    Ready(Closure),
    Running,
    Ended(Result<Value, Raised>),
    Cancelled,
}

impl Machine<'_> {
    /// `await e` of a task, a list of tasks or a tuple of tasks.
    pub fn await_tasks(&mut self, frame: &mut Frame, tasks: ExpressionId) -> Flow<Value> {
        let tasks = self.evaluate(frame, tasks)?;
        if let Value::Task(task) = &tasks {
            self.await_task(task)
        } else if let Value::List(tasks) = &tasks {
            Ok(Value::list(self.await_all(tasks)?))
        } else if let Value::Tuple(tasks) = &tasks {
            Ok(Value::tuple(self.await_all(tasks)?))
        } else {
            unsupported(format!("{tasks:?} is no task"))
        }
    }

    pub fn race_tasks(
        &mut self,
        frame: &mut Frame,
        tasks: ExpressionId,
        policy: RacePolicy,
    ) -> Flow<Value> {
        let tasks = self.evaluate(frame, tasks)?;
        let Value::List(tasks) = &tasks else {
            return unsupported(format!("{tasks:?} are no tasks"));
        };
        self.race(tasks, policy)
    }

    /// The calls that a `parallel for` makes.
    pub fn iterations(
        &mut self,
        frame: &mut Frame,
        iterable: ExpressionId,
        limit: Option<ExpressionId>,
        body: &Lambda,
    ) -> Flow<Vec<(Closure, Vec<Value>)>> {
        let elements = self.elements(frame, iterable)?;
        if let Some(limit) = limit {
            let limit = self.evaluate(frame, limit)?;
            if matches!(limit, Value::Int(limit) if limit < 1) {
                let message = Value::text("`limit` must be at least 1");
                return raise(self.db, BuiltinError::AssertionFailed, vec![message]);
            }
        }
        let closure = frame.closure(body);
        let calls = elements.into_iter().map(|it| (closure.clone(), vec![it]));
        Ok(calls.collect())
    }

    /// A task that is ready to run.
    pub fn spawn(&mut self, closure: Closure) -> Value {
        let task = Rc::new(RefCell::new(Task {
            state: State::Ready(closure),
            is_seen: false,
            has_waited: false,
        }));
        self.ready.push_back(Rc::clone(&task));
        if let Some(node) = self.nodes.last_mut() {
            node.push(Rc::clone(&task));
        }
        Value::Task(task)
    }

    /// Cancels a task. One that has not begun never does.
    pub fn cancel(task: &TaskCell) -> Flow<()> {
        let mut task = task.borrow_mut();
        match task.state {
            State::Ready(_) => task.state = State::Cancelled,
            State::Running => return unsupported("a running task is cancelled"),
            State::Ended(_) if task.has_waited => {
                return unsupported("a task that waits is cancelled");
            }
            State::Ended(_) | State::Cancelled => {}
        }
        Ok(())
    }

    fn await_all(&mut self, tasks: &[Value]) -> Flow<Vec<Value>> {
        let mut results = Vec::new();
        let mut error = None;
        for task in tasks {
            let Value::Task(task) = task else {
                return unsupported("no task");
            };
            match self.await_task(task) {
                Ok(value) => results.push(value),
                Err(Stop::Raise(_)) if error.is_some() => return unsupported("two tasks failed"),
                Err(Stop::Raise(raised)) => error = Some(raised),
                Err(other) => return Err(other),
            }
        }
        error.map_or(Ok(results), |it| Err(Stop::Raise(it)))
    }

    fn await_task(&mut self, task: &TaskCell) -> Flow<Value> {
        task.borrow_mut().is_seen = true;
        if matches!(task.borrow().state, State::Ready(_)) {
            self.wait()?;
        }
        match &task.borrow().state {
            State::Ended(Ok(value)) => Ok(value.clone()),
            State::Ended(Err(raised)) => Err(Stop::Raise(raised.clone())),
            State::Cancelled => raise(self.db, BuiltinError::Cancelled, vec![Value::None]),
            State::Ready(_) | State::Running => unsupported("tasks wait for each other"),
        }
    }

    /// The current code waits: all that is ready runs.
    pub fn wait(&mut self) -> Flow<()> {
        self.may_wait("code that shares variables waits")?;
        // What is spawned meanwhile comes after the one that waits.
        for _ in 0..self.ready.len() {
            if let Some(task) = self.ready.pop_front() {
                self.run_task(&task)?;
            }
        }
        Ok(())
    }

    /// Ends a task that is to end here; where others may look it is unsupported, and `why` says so.
    pub fn may_wait(&mut self, why: &str) -> Flow<()> {
        self.waits += 1;
        // What it defers may wait.
        if std::mem::take(&mut self.ends_at_wait) {
            return Err(Stop::Cancelled);
        }
        if self.sharing > 0 {
            return unsupported(why);
        }
        Ok(())
    }

    /// The first of these to end, or to give a value: the first in the queue that does not wait. Those that wait are
    /// cancelled where they do.
    fn race(&mut self, tasks: &[Value], policy: RacePolicy) -> Flow<Value> {
        let racers: Vec<&TaskCell> = tasks
            .iter()
            .filter_map(|it| {
                let Value::Task(task) = it else { return None };
                Some(task)
            })
            .collect();
        let has_begun = |it: &&TaskCell| !matches!(it.borrow().state, State::Ready(_));
        if racers.is_empty() || racers.iter().any(has_begun) {
            return unsupported("a race of tasks that have begun");
        }
        self.may_wait("code that shares variables waits")?;
        let mut winner = None;
        for _ in 0..self.ready.len() {
            let Some(task) = self.ready.pop_front() else {
                break;
            };
            if !racers.iter().any(|it| Rc::ptr_eq(it, &task)) {
                self.run_task(&task)?;
            } else if winner.is_some() {
                // It is cancelled at once, so it never begins.
                Self::cancel(&task)?;
            } else if self.runs_without_waiting(&task)? && has_won(&task, policy) {
                winner = Some(task);
            }
        }
        for racer in &racers {
            racer.borrow_mut().is_seen = true;
        }
        if let Some(winner) = &winner {
            return self.await_task(winner);
        }
        let mut errors = Vec::new();
        for racer in racers {
            let State::Ended(Err(raised)) = &racer.borrow().state else {
                return unsupported("all that race wait");
            };
            errors.push(Self::error_value(raised));
        }
        raise(self.db, BuiltinError::Many, vec![Value::list(errors)])
    }

    /// Runs a task, which is cancelled where it first waits; true when it ends before that.
    fn runs_without_waiting(&mut self, task: &TaskCell) -> Flow<bool> {
        let begun = std::mem::replace(&mut task.borrow_mut().state, State::Running);
        let State::Ready(closure) = begun else {
            return unsupported("no task");
        };
        let (others, slept) = (self.ready.len(), self.slept);
        self.ends_at_wait = true;
        let result = self.shared(&closure, Vec::new());
        self.ends_at_wait = false;
        let ended = match result {
            Ok(value) => Ok(value),
            Err(Stop::Raise(raised)) => Err(raised),
            Err(Stop::Cancelled) => {
                let shares =
                    |it: &TaskCell| matches!(&it.borrow().state, State::Ready(it) if it.shares());
                if self.ready.len() != others || closure.shares() && self.ready.iter().any(shares) {
                    return unsupported("others run before a task is cancelled");
                }
                self.slept = slept;
                task.borrow_mut().state = State::Cancelled;
                return Ok(false);
            }
            Err(other) => return Err(other),
        };
        task.borrow_mut().state = State::Ended(ended);
        Ok(true)
    }

    fn run_task(&mut self, task: &TaskCell) -> Flow<()> {
        let State::Ready(closure) = std::mem::replace(&mut task.borrow_mut().state, State::Running)
        else {
            return self.restore(task);
        };
        let waits = self.waits;
        let result = self.shared(&closure, Vec::new());
        let result = match result {
            Ok(value) => Ok(value),
            Err(Stop::Raise(raised)) => Err(raised),
            Err(other) => return Err(other),
        };
        let mut task = task.borrow_mut();
        task.state = State::Ended(result);
        task.has_waited = self.waits != waits;
        Ok(())
    }

    /// A task that was in the queue but had been cancelled.
    fn restore(&mut self, task: &TaskCell) -> Flow<()> {
        task.borrow_mut().state = State::Cancelled;
        Ok(())
    }

    /// Runs a closure as a node of its own; while it can see variables of others, nothing in it may wait.
    pub fn shared(&mut self, closure: &Closure, arguments: Vec<Value>) -> Flow<Value> {
        let shares = u32::from(closure.shares());
        self.sharing += shares;
        let function = Value::Function(Rc::new(Function::Closure(closure.clone())));
        let result = self.node(|it| it.call_value(&function, arguments));
        self.sharing -= shares;
        result
    }

    /// Runs `work` as a node: its tasks are awaited when it ends normally and cancelled otherwise.
    pub fn node(&mut self, work: impl FnOnce(&mut Self) -> Flow<Value>) -> Flow<Value> {
        self.nodes.push(Vec::new());
        let result = work(self);
        if let Err(Stop::Unsupported(_)) = result {
            return result;
        }
        let mut result = result;
        let tasks = self.nodes.last().cloned().unwrap_or_default();
        let unfinished = |it: &&TaskCell| matches!(it.borrow().state, State::Ready(_));
        let raises = matches!(result, Err(Stop::Raise(_) | Stop::Cancelled));
        if !raises && tasks.iter().any(|it| unfinished(&it)) {
            match self.wait() {
                Err(Stop::Cancelled) => result = Err(Stop::Cancelled),
                waited => waited?,
            }
        }
        let is_normal = !matches!(result, Err(Stop::Raise(_) | Stop::Cancelled));
        for task in tasks.iter().filter(unfinished) {
            Self::cancel(task)?;
        }
        self.nodes.pop();
        let unseen = |it: &&TaskCell| !it.borrow().is_seen;
        if !is_normal {
            return result;
        }
        let mut failed = tasks.iter().filter(unseen).filter_map(|it| {
            let State::Ended(Err(raised)) = &it.borrow().state else {
                return None;
            };
            Some(raised.clone())
        });
        match (failed.next(), failed.next()) {
            (None, _) => result,
            (Some(raised), None) => Err(Stop::Raise(raised)),
            (Some(_), Some(_)) => unsupported("two tasks failed unseen"),
        }
    }
}

/// Whether a task that has ended decides its race.
fn has_won(task: &TaskCell, policy: RacePolicy) -> bool {
    match policy {
        RacePolicy::First => true,
        RacePolicy::Merge => matches!(task.borrow().state, State::Ended(Ok(_))),
    }
}
