//! Tasks, first in, first out. A task runs from its begin to its end when another task waits for it; where a real
//! interleaving could give something else, that is unsupported.

use std::cell::RefCell;
use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;
use gsw_infer::hir::{ExpressionId, Lambda, RacePolicy};

use crate::frame::Frame;
use crate::machine::Machine;
use crate::stop::{Flow, Raised, Stop, raise, unsupported};
use crate::value::{Closure, Function, Value};

/// A task, shared by all its holders.
pub type TaskCell = Rc<RefCell<Task>>;

#[derive(Debug)]
pub struct Task {
    pub state: State,
    /// Whether its ending was given to another task.
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

impl Task {
    /// Cancels the task. One that has not begun never does.
    pub fn cancel(&mut self) -> Flow<()> {
        match self.state {
            State::Ready(_) => self.state = State::Cancelled,
            State::Running => return unsupported("a running task is cancelled"),
            State::Ended(_) if self.has_waited => {
                return unsupported("a task that waits is cancelled");
            }
            State::Ended(_) | State::Cancelled => {}
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// `await e` of a task, a list of tasks or a tuple of tasks.
    pub fn await_tasks(&mut self, frame: &mut Frame, tasks: ExpressionId) -> Flow<Value> {
        let tasks = self.evaluate(frame, tasks)?;
        if let Value::Task(task) = &tasks {
            await_task(self, task)
        } else if let Value::List(tasks) = &tasks {
            Ok(Value::list(await_all(self, tasks)?))
        } else if let Value::Tuple(tasks) = &tasks {
            Ok(Value::tuple(await_all(self, tasks)?))
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
        race(self, tasks, policy)
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

    /// The current code waits: all that is ready runs.
    pub fn wait(&mut self) -> Flow<()> {
        self.may_wait("code that shares variables waits")?;
        // What is spawned meanwhile comes after the one that waits.
        for _ in 0..self.ready.len() {
            if let Some(task) = self.ready.pop_front() {
                run_task(self, &task)?;
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
            task.borrow_mut().cancel()?;
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

fn await_all(machine: &mut Machine, tasks: &[Value]) -> Flow<Vec<Value>> {
    let mut results = Vec::new();
    let mut error = None;
    for task in tasks {
        let Value::Task(task) = task else {
            return unsupported("no task");
        };
        match await_task(machine, task) {
            Ok(value) => results.push(value),
            Err(Stop::Raise(_)) if error.is_some() => return unsupported("two tasks failed"),
            Err(Stop::Raise(raised)) => error = Some(raised),
            Err(other) => return Err(other),
        }
    }
    error.map_or(Ok(results), |it| Err(Stop::Raise(it)))
}

fn await_task(machine: &mut Machine, task: &TaskCell) -> Flow<Value> {
    task.borrow_mut().is_seen = true;
    if matches!(task.borrow().state, State::Ready(_)) {
        machine.wait()?;
    }
    match &task.borrow().state {
        State::Ended(Ok(value)) => Ok(value.clone()),
        State::Ended(Err(raised)) => Err(Stop::Raise(raised.clone())),
        State::Cancelled => raise(machine.db, BuiltinError::Cancelled, vec![Value::None]),
        State::Ready(_) | State::Running => unsupported("tasks wait for each other"),
    }
}

/// The first of these to end, or to give a value: the first in the queue that does not wait. Those that wait are cancelled
/// where they do.
fn race(machine: &mut Machine, tasks: &[Value], policy: RacePolicy) -> Flow<Value> {
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
    machine.may_wait("code that shares variables waits")?;
    let mut winner = None;
    for _ in 0..machine.ready.len() {
        let Some(task) = machine.ready.pop_front() else {
            break;
        };
        if !racers.iter().any(|it| Rc::ptr_eq(it, &task)) {
            run_task(machine, &task)?;
        } else if winner.is_some() {
            // It is cancelled at once, so it never begins.
            task.borrow_mut().cancel()?;
        } else if runs_without_waiting(machine, &task)? && has_won(&task, policy) {
            winner = Some(task);
        }
    }
    for racer in &racers {
        racer.borrow_mut().is_seen = true;
    }
    if let Some(winner) = &winner {
        return await_task(machine, winner);
    }
    let mut errors = Vec::new();
    for racer in racers {
        let State::Ended(Err(raised)) = &racer.borrow().state else {
            return unsupported("all that race wait");
        };
        errors.push(raised.value());
    }
    raise(machine.db, BuiltinError::Many, vec![Value::list(errors)])
}

/// Whether a task that has ended decides its race.
fn has_won(task: &TaskCell, policy: RacePolicy) -> bool {
    match policy {
        RacePolicy::First => true,
        RacePolicy::Merge => matches!(task.borrow().state, State::Ended(Ok(_))),
    }
}

/// Runs a task, which is cancelled where it first waits; true when it ends before that.
fn runs_without_waiting(machine: &mut Machine, task: &TaskCell) -> Flow<bool> {
    let begun = std::mem::replace(&mut task.borrow_mut().state, State::Running);
    let State::Ready(closure) = begun else {
        return unsupported("no task");
    };
    let (others, slept) = (machine.ready.len(), machine.slept);
    machine.ends_at_wait = true;
    let result = machine.shared(&closure, Vec::new());
    machine.ends_at_wait = false;
    let ended = match result {
        Ok(value) => Ok(value),
        Err(Stop::Raise(raised)) => Err(raised),
        Err(Stop::Cancelled) => {
            let shares =
                |it: &TaskCell| matches!(&it.borrow().state, State::Ready(it) if it.shares());
            if machine.ready.len() != others || closure.shares() && machine.ready.iter().any(shares)
            {
                return unsupported("others run before a task is cancelled");
            }
            machine.slept = slept;
            task.borrow_mut().state = State::Cancelled;
            return Ok(false);
        }
        Err(other) => return Err(other),
    };
    task.borrow_mut().state = State::Ended(ended);
    Ok(true)
}

fn run_task(machine: &mut Machine, task: &TaskCell) -> Flow<()> {
    let State::Ready(closure) = std::mem::replace(&mut task.borrow_mut().state, State::Running)
    else {
        // It was in the queue but had been cancelled.
        task.borrow_mut().state = State::Cancelled;
        return Ok(());
    };
    let waits = machine.waits;
    machine.tasks_at_work += 1;
    let result = machine.shared(&closure, Vec::new());
    machine.tasks_at_work -= 1;
    let result = match result {
        Ok(value) => Ok(value),
        Err(Stop::Raise(raised)) => Err(raised),
        Err(other) => return Err(other),
    };
    let mut task = task.borrow_mut();
    task.state = State::Ended(result);
    task.has_waited = machine.waits != waits;
    Ok(())
}
