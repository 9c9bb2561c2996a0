//! `undo` blocks: called last first when a workflow fails.

use std::rc::Rc;

use crate::machine::Machine;
use crate::stop::{Flow, Stop, unsupported};
use crate::value::{Closure, Function, Undoing, Value};

impl Machine<'_> {
    fn is_in_task(&self) -> bool {
        self.tasks_at_work > 0
    }

    /// `undo { }`
    pub fn register_undo(&mut self, closure: Closure) -> Flow<Value> {
        if self.is_in_task() {
            return unsupported("an `undo` in a task");
        }
        if let Some(Undoing::Workflow(list)) = self.undos.last_mut() {
            list.push(closure);
        }
        Ok(Value::Unit)
    }

    /// Runs the body of a workflow, and takes back what it has done where it fails.
    pub fn undoing(&mut self, work: impl FnOnce(&mut Self) -> Flow<Value>) -> Flow<Value> {
        self.undos.push(Undoing::Workflow(Vec::new()));
        let result = work(self);
        let Some(Undoing::Workflow(list)) = self.undos.pop() else {
            return unsupported("the undos of a workflow are lost");
        };
        if list.is_empty() {
            return result;
        }
        match &result {
            Ok(_) => {
                if self.is_in_task() {
                    return unsupported("a workflow with an `undo` in a task");
                }
                if let Some(Undoing::Workflow(around)) = self.undos.last_mut() {
                    around.extend(list);
                }
                return result;
            }
            Err(Stop::Raise(_)) => {}
            Err(Stop::Cancelled) => return unsupported("a workflow with an `undo` is cancelled"),
            Err(
                Stop::Return(_)
                | Stop::Break
                | Stop::Continue
                | Stop::Unsupported(_)
                | Stop::Limit(_),
            ) => {
                return result;
            }
        }
        self.may_wait("code that shares variables takes something back")?;
        if !self.ready.is_empty() {
            return unsupported("tasks run beside what takes something back");
        }
        self.undos.push(Undoing::Undo);
        for closure in list.into_iter().rev() {
            let function = Value::Function(Rc::new(Function::Closure(closure)));
            match self.node(|it| it.call_value(&function, Vec::new())) {
                // What one cannot take back does not keep the others from theirs.
                Ok(_) | Err(Stop::Raise(_)) => {}
                Err(other) => return Err(other),
            }
        }
        self.undos.pop();
        result
    }
}
