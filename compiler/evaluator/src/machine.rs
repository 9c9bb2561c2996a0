//! The state of an evaluation: the program, the limits, the tasks.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use gsw_infer::hir::{Body, BodyPart};
use gsw_infer::infer_item;
use gsw_source::{Db, ItemId, ItemKind, Span};

use crate::stop::{Flow, Stop, limit, unsupported};
use crate::task::TaskCell;
use crate::value::{Undoing, Value};

/// The most expressions that are evaluated.
const FUEL: u64 = 3_000_000;
/// The most for all constants of a file, some seconds: a text that a model writes may hold thousands of them…
const FUEL_OF_ALL: u64 = 20 * FUEL;
/// …and what each may take when the others have taken all, so that no simple one fails for them.
const LEAST: u64 = 10_000;

/// The most for a default, with all constants that it names. What takes longer is computed in a run alone.
const FUEL_OF_DEFAULT: u64 = 100_000;

/// Calls nest so deep at most; far below where compiled code raises `StackOverflow`.
const DEPTH: u32 = 1_500;

/// An evaluation on its way.
pub struct Machine<'a> {
    pub db: &'a dyn Db,
    /// Tasks that have not begun, first in, first out.
    pub ready: VecDeque<TaskCell>,
    /// The tasks of each node around the current code, from the outside in.
    pub nodes: Vec<Vec<TaskCell>>,
    /// How many pieces of code that share variables with others are running: these may not wait.
    pub sharing: u32,
    /// Whether the current task is one that is cancelled where it first waits.
    pub ends_at_wait: bool,
    /// How often something may have waited.
    pub waits: u64,
    /// How many nanoseconds `sleep` was asked for.
    pub slept: i64,
    /// What calls of tools with a key gave: tool, key, result.
    pub keyed: Vec<(ItemId, Value, Value)>,
    /// How many calls of `once` tools have begun.
    pub once_calls: u64,
    /// Calls of tools with keys that have not ended: what others with their keys wait for, the reference does not know.
    pub keys_at_work: Vec<(ItemId, Value)>,
    /// The workflows around the current code, and what takes something back.
    pub undos: Vec<Undoing>,
    /// How many tasks are running, each nested in the one before.
    pub tasks_at_work: u32,
    /// The constants that were evaluated; `None` for one that is being evaluated.
    constants: HashMap<ItemId, Option<Value>>,
    /// The innermost expression of a constant that has no value, until something has.
    failed: Option<(ItemId, Span)>,
    fuel: u64,
    /// What is left for the constants after this one.
    reserve: u64,
    depth: u32,
}

impl<'a> Machine<'a> {
    pub fn new(db: &'a dyn Db) -> Self {
        Self {
            db,
            ready: VecDeque::new(),
            nodes: vec![Vec::new()],
            sharing: 0,
            ends_at_wait: false,
            waits: 0,
            slept: 0,
            keyed: Vec::new(),
            once_calls: 0,
            keys_at_work: Vec::new(),
            undos: Vec::new(),
            tasks_at_work: 0,
            constants: HashMap::new(),
            failed: None,
            fuel: FUEL,
            reserve: FUEL_OF_ALL - FUEL,
            depth: 0,
        }
    }

    /// A machine for a default: a program has many of them.
    pub fn for_little(db: &'a dyn Db) -> Self {
        Self {
            fuel: FUEL_OF_DEFAULT,
            reserve: 0,
            ..Self::new(db)
        }
    }

    /// A machine that knows the constants that `other` has evaluated.
    pub fn after(other: Self) -> Self {
        let mut machine = Self::new(other.db);
        machine.constants = other.constants;
        machine.constants.retain(|_, value| value.is_some());
        let left = other.reserve + other.fuel;
        machine.fuel = left.clamp(LEAST, FUEL);
        machine.reserve = left.saturating_sub(FUEL);
        machine
    }

    pub fn tick(&mut self) -> Flow<()> {
        self.spend(1)
    }

    pub fn spend(&mut self, work: usize) -> Flow<()> {
        match self.fuel.checked_sub(work as u64) {
            Some(rest) => {
                self.fuel = rest;
                Ok(())
            }
            None => limit("it takes too long"),
        }
    }

    /// Does `work` one call deeper.
    pub fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Flow<T>) -> Flow<T> {
        if self.depth == DEPTH {
            return limit("calls nest too deep");
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// The value of a constant.
    pub fn constant(&mut self, item: ItemId) -> Flow<Value> {
        match self.constants.get(&item) {
            Some(Some(value)) => return Ok(value.clone()),
            // A cycle is reported without being evaluated.
            Some(None) => return unsupported("it needs its own value"),
            None => {}
        }
        self.constants.insert(item, None);
        let body = self.body(item, BodyPart::Main)?;
        let value = self.run_body(body, [].into(), Vec::new());
        match &value {
            Ok(value) => self.constants.insert(item, Some(value.clone())),
            Err(_) => self.constants.remove(&item),
        };
        value
    }

    /// Notes whether an expression of `body` has a value.
    pub fn note(&mut self, body: &Body, span: Span, found: &Flow<Value>) {
        match found {
            Ok(_) => self.failed = None,
            Err(Stop::Raise(_) | Stop::Limit(_)) => {
                if body.item.kind(self.db) == ItemKind::Const && self.failed.is_none() {
                    self.failed = Some((body.item, span));
                }
            }
            Err(_) => {}
        }
    }

    /// The innermost constant whose evaluation failed, and where in it.
    pub fn failed(&self) -> Option<(ItemId, Span)> {
        self.failed
    }

    /// A body of an item.
    pub fn body(&self, item: ItemId, part: BodyPart) -> Flow<Arc<Body>> {
        let bodies = &infer_item(self.db, item).bodies;
        match bodies.iter().find(|it| it.part == part) {
            Some(body) => Ok(Arc::clone(body)),
            None => unsupported(format!("`{}` has no {part:?}", item.name(self.db))),
        }
    }
}

#[cfg(test)]
mod tests {
    use gsw_source::Database;

    use super::{FUEL, FUEL_OF_ALL, LEAST, Machine};

    #[test]
    fn constants_that_are_evaluated_one_after_the_other_share_what_they_may_take() {
        let db = Database::default();
        let mut machine = Machine::new(&db);
        for _ in 0..FUEL_OF_ALL / FUEL {
            assert!(machine.spend(FUEL as usize).is_ok());
            assert!(machine.tick().is_err(), "one of them may take no more");
            machine = Machine::after(machine);
        }
        assert!(machine.spend(LEAST as usize).is_ok());
        assert!(machine.tick().is_err());
    }
}
