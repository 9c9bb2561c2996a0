//! The rows of queues.

use std::cell::RefCell;
use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;

use crate::machine::Machine;
use crate::queue::{Queue, Waiting};
use crate::stop::{Flow, UNSPECIFIED, raise, unsupported};
use crate::value::{QueueCell, Value};

impl Machine<'_> {
    /// Calls a row that makes or uses a queue.
    pub(super) fn queue_intrinsic(&mut self, row: &str, arguments: &[Value]) -> Flow<Value> {
        match (row, arguments) {
            ("queue_new", [Value::Int(limit), _]) => {
                match usize::try_from(*limit).ok().filter(|it| *it > 0) {
                    Some(limit) => Ok(Value::Queue(Rc::new(RefCell::new(Queue::new(limit))))),
                    None => refuse(self),
                }
            }
            ("queue_push", [Value::Queue(queue), item]) => push(self, queue, item),
            ("queue_pop", [Value::Queue(queue)]) => self.pop(queue),
            ("queue_first_when_full", [Value::Queue(queue)]) => {
                Ok(Value::optional(queue.borrow().first_when_full()))
            }
            ("queue_close", [Value::Queue(queue)]) => {
                queue.borrow_mut().close();
                Ok(Value::Unit)
            }
            _ => unsupported(format!("`{row}`")),
        }
    }

    /// Takes the next item out, or `none` where no more come.
    pub fn pop(&mut self, queue: &QueueCell) -> Flow<Value> {
        if let Some(item) = queue.borrow_mut().pop_at_once() {
            return Ok(item);
        }
        if queue.borrow().is_closed() {
            return Ok(Value::None);
        }
        queue.borrow_mut().wait(Waiting::Popping);
        wait_for_others(self)?;
        let mut queue = queue.borrow_mut();
        match queue.take_waiting() {
            Waiting::Received(item) => Ok(item),
            Waiting::Popping if queue.is_closed() => Ok(Value::None),
            Waiting::Popping | Waiting::Nobody | Waiting::Pushing(_) => {
                unsupported("an item that never comes")
            }
        }
    }
}

fn push(machine: &mut Machine, queue: &QueueCell, item: &Value) -> Flow<Value> {
    let is_closed = queue.borrow().is_closed();
    if is_closed {
        return refuse(machine);
    }
    if queue.borrow_mut().push_at_once(item) {
        return Ok(Value::Unit);
    }
    queue.borrow_mut().wait(Waiting::Pushing(item.clone()));
    wait_for_others(machine)?;
    let waiting = queue.borrow_mut().take_waiting();
    match waiting {
        Waiting::Nobody => Ok(Value::Unit),
        Waiting::Popping | Waiting::Received(_) | Waiting::Pushing(_) => {
            unsupported("an item for which there is never room")
        }
    }
}

/// All that is ready runs. What is started meanwhile may come before or after the one that waits.
fn wait_for_others(machine: &mut Machine) -> Flow<()> {
    machine.wait()?;
    match machine.ready.is_empty() {
        true => Ok(()),
        false => unsupported("tasks are started while others wait at a queue"),
    }
}

fn refuse(machine: &Machine) -> Flow<Value> {
    let message = vec![Value::text(UNSPECIFIED)];
    raise(machine.db, BuiltinError::AssertionFailed, message)
}
