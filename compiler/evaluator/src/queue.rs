//! Queues. Only code that shares nothing may wait at one, so one waits at most; what would need two is unsupported.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use gsw_abi::builtin::BuiltinError;

use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED, raise, unsupported};
use crate::value::Value;

/// A queue, shared by all who know it.
pub type QueueCell = Rc<RefCell<Queue>>;

#[derive(Debug)]
pub struct Queue {
    items: VecDeque<Value>,
    limit: usize,
    is_closed: bool,
    waiting: Waiting,
}

/// Who waits at a queue.
#[derive(Debug)]
enum Waiting {
    Nobody,
    /// For an item.
    Popping,
    /// It was woken with this item.
    Received(Value),
    /// For room for this item.
    Pushing(Value),
}

impl Machine<'_> {
    /// Calls a row that makes or uses a queue.
    pub fn queue_intrinsic(&mut self, row: &str, arguments: &[Value]) -> Flow<Value> {
        match (row, arguments) {
            ("queue_new", [Value::Int(limit), _]) => {
                match usize::try_from(*limit).ok().filter(|it| *it > 0) {
                    Some(limit) => Ok(Value::Queue(Rc::new(RefCell::new(Queue {
                        items: VecDeque::new(),
                        limit,
                        is_closed: false,
                        waiting: Waiting::Nobody,
                    })))),
                    None => self.refuse(),
                }
            }
            ("queue_push", [Value::Queue(queue), item]) => self.push(queue, item),
            ("queue_pop", [Value::Queue(queue)]) => self.pop(queue),
            ("queue_first_when_full", [Value::Queue(queue)]) => {
                let queue = queue.borrow();
                let first = queue.items.front().filter(|_| queue.is_full());
                Ok(Value::optional(first.cloned()))
            }
            ("queue_close", [Value::Queue(queue)]) => {
                queue.borrow_mut().is_closed = true;
                Ok(Value::Unit)
            }
            _ => unsupported(format!("`{row}`")),
        }
    }

    fn push(&mut self, queue: &QueueCell, item: &Value) -> Flow<Value> {
        let is_closed = queue.borrow().is_closed;
        if is_closed {
            return self.refuse();
        }
        if queue.borrow_mut().push_at_once(item) {
            return Ok(Value::Unit);
        }
        queue.borrow_mut().waiting = Waiting::Pushing(item.clone());
        self.wait_for_others()?;
        let is_in = matches!(queue.borrow().waiting, Waiting::Nobody);
        match is_in {
            true => Ok(Value::Unit),
            false => unsupported("an item for which there is never room"),
        }
    }

    /// Takes the next item out, or `none` where no more come.
    pub fn pop(&mut self, queue: &QueueCell) -> Flow<Value> {
        if let Some(item) = queue.borrow_mut().pop_at_once() {
            return Ok(item);
        }
        queue.borrow_mut().waiting = Waiting::Popping;
        self.wait_for_others()?;
        let mut queue = queue.borrow_mut();
        match std::mem::replace(&mut queue.waiting, Waiting::Nobody) {
            Waiting::Received(item) => Ok(item),
            Waiting::Popping if queue.is_closed => Ok(Value::None),
            Waiting::Popping | Waiting::Nobody | Waiting::Pushing(_) => {
                unsupported("an item that never comes")
            }
        }
    }

    /// All that is ready runs. What is started meanwhile may come before or after the one that waits.
    fn wait_for_others(&mut self) -> Flow<()> {
        self.wait()?;
        match self.ready.is_empty() {
            true => Ok(()),
            false => unsupported("tasks are started while others wait at a queue"),
        }
    }

    fn refuse(&self) -> Flow<Value> {
        let message = vec![Value::text(UNSPECIFIED)];
        raise(self.db, BuiltinError::AssertionFailed, message)
    }
}

impl Queue {
    fn is_full(&self) -> bool {
        self.items.len() >= self.limit
    }

    fn push_at_once(&mut self, item: &Value) -> bool {
        if matches!(self.waiting, Waiting::Popping) {
            self.waiting = Waiting::Received(item.clone());
            return true;
        }
        let has_room = !self.is_full();
        if has_room {
            self.items.push_back(item.clone());
        }
        has_room
    }

    fn pop_at_once(&mut self) -> Option<Value> {
        let Some(item) = self.items.pop_front() else {
            return self.is_closed.then_some(Value::None);
        };
        if let Waiting::Pushing(next) = &self.waiting {
            self.items.push_back(next.clone());
            self.waiting = Waiting::Nobody;
        }
        Some(item)
    }
}
