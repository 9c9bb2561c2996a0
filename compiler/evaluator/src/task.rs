//! Tasks, first in, first out. A task runs from its begin to its end when somebody waits; where that could be told from a real
//! interleaving, the reference gives up.

use std::cell::RefCell;
use std::rc::Rc;

use gsw_infer::hir::ExpressionKind;
use gsw_names::types::Type;

use gsw_abi::builtin::BuiltinError;

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, give_up, raise};
use crate::value::{Closure, Function, Value};

/// A task, shared by all who know it.
pub type TaskCell = Rc<RefCell<Task>>;

/// A task.
#[derive(Debug)]
pub struct Task {
    /// How far it is.
    pub state: State,
    /// Whether somebody was given how it ended.
    pub is_seen: bool,
    /// Whether it may have waited before it ended.
    pub has_waited: bool,
}

/// How far a task is.
#[derive(Debug)]
pub enum State {
    /// It has not begun.
    Ready(Closure),
    /// It is running.
    Running,
    /// It has ended.
    Ended(Result<Value, Raised>),
    /// It was cancelled.
    Cancelled,
}

impl Machine<'_> {
    /// Expressions that concern tasks, steps and modifiers.
    pub fn concurrent(
        &mut self,
        frame: &mut Frame,
        kind: &ExpressionKind,
        ty: &Type,
    ) -> Flow<Value> {
        match kind {
            ExpressionKind::Spawn(lambda) => Ok(self.spawn(frame.closure(lambda))),
            ExpressionKind::Await(tasks) => match self.evaluate(frame, *tasks)? {
                Value::Task(task) => self.await_task(&task),
                Value::List(tasks) => Ok(Value::list(self.await_all(&tasks)?)),
                Value::Tuple(tasks) => Ok(Value::tuple(self.await_all(&tasks)?)),
                other => give_up(format!("{other:?} is no task")),
            },
            ExpressionKind::Step {
                name,
                modifiers,
                body,
            } => {
                self.evaluate(frame, *name)?;
                self.node(|it| it.modified(frame, modifiers, |it, frame| it.evaluate(frame, *body)))
            }
            ExpressionKind::Modified { modifiers, body } => {
                self.modified(frame, modifiers, |it, frame| it.evaluate(frame, *body))
            }
            ExpressionKind::ParallelFor {
                iterable,
                limit,
                policy,
                body,
            } => {
                let elements = self.elements(frame, *iterable)?;
                if let Some(limit) = limit {
                    let limit = self.evaluate(frame, *limit)?;
                    if matches!(limit, Value::Int(limit) if limit < 1) {
                        let message = Value::text("`limit` must be at least 1");
                        return raise(self.db, BuiltinError::AssertionFailed, vec![message]);
                    }
                }
                let closure = frame.closure(body);
                let work = elements
                    .into_iter()
                    .map(|it| (closure.clone(), vec![it]))
                    .collect();
                Ok(Value::list(self.parallel(work, *policy, ty)?))
            }
            ExpressionKind::Parallel(lambdas) => {
                let work = lambdas
                    .iter()
                    .map(|it| (frame.closure(it), Vec::new()))
                    .collect();
                let policy = gsw_infer::hir::ErrorPolicy::First;
                Ok(Value::tuple(self.parallel(work, policy, ty)?))
            }
            ExpressionKind::Race(tasks) => match self.evaluate(frame, *tasks)? {
                Value::List(tasks) => self.race(&tasks),
                other => give_up(format!("{other:?} are no tasks")),
            },
            ExpressionKind::SpawnDetached { .. } => give_up("runs of their own"),
            _ => give_up("models"),
        }
    }

    fn spawn(&mut self, closure: Closure) -> Value {
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
            State::Running => return give_up("a running task is cancelled"),
            State::Ended(_) if task.has_waited => return give_up("a task that waits is cancelled"),
            State::Ended(_) | State::Cancelled => {}
        }
        Ok(())
    }

    fn await_all(&mut self, tasks: &[Value]) -> Flow<Vec<Value>> {
        let mut results = Vec::new();
        let mut error = None;
        for task in tasks {
            let Value::Task(task) = task else {
                return give_up("no task");
            };
            match self.await_task(task) {
                Ok(value) => results.push(value),
                Err(Stop::Raise(_)) if error.is_some() => return give_up("two tasks failed"),
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
            State::Ready(_) | State::Running => give_up("tasks wait for each other"),
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

    /// Ends a task that is to end here; else gives up, saying why, where others may look.
    pub fn may_wait(&mut self, why: &str) -> Flow<()> {
        self.waits += 1;
        // What it defers may wait.
        if std::mem::take(&mut self.ends_at_wait) {
            return Err(Stop::Cancelled);
        }
        match self.sharing {
            0 => Ok(()),
            _ => give_up(why),
        }
    }

    /// The first of these to end: the first in the queue that does not wait. Those that wait are cancelled where they do.
    fn race(&mut self, tasks: &[Value]) -> Flow<Value> {
        let racers: Vec<&TaskCell> = tasks
            .iter()
            .filter_map(|it| match it {
                Value::Task(task) => Some(task),
                _ => None,
            })
            .collect();
        let has_begun = |it: &&TaskCell| !matches!(it.borrow().state, State::Ready(_));
        if racers.is_empty() || racers.iter().any(has_begun) {
            return give_up("a race of tasks that have begun");
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
            } else if self.runs_without_waiting(&task)? {
                winner = Some(task);
            }
        }
        for racer in racers {
            racer.borrow_mut().is_seen = true;
        }
        match &winner {
            Some(winner) => self.await_task(winner),
            None => give_up("all that race wait"),
        }
    }

    /// Runs a task, which is cancelled where it first waits; true when it ends before that.
    fn runs_without_waiting(&mut self, task: &TaskCell) -> Flow<bool> {
        let begun = std::mem::replace(&mut task.borrow_mut().state, State::Running);
        let State::Ready(closure) = begun else {
            return give_up("no task");
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
                    return give_up("others run before a task is cancelled");
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
        if let Err(Stop::GiveUp(_)) = result {
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
        let mut failed = tasks
            .iter()
            .filter(unseen)
            .filter_map(|it| match &it.borrow().state {
                State::Ended(Err(raised)) => Some(raised.clone()),
                _ => None,
            });
        match failed.next() {
            Some(_) if is_normal && failed.next().is_some() => give_up("two tasks failed unseen"),
            Some(raised) if is_normal => Err(Stop::Raise(raised)),
            _ => result,
        }
    }
}
