//! Constants: evaluated while compiling, so that what one raises is a mistake in the program.

use gsw_abi::builtin::BuiltinError;
use gsw_names::builtin_error;
use gsw_source::{Db, ItemId, Span};

use crate::evaluate::with_stack;
use crate::machine::Machine;
use crate::stop::{Raised, Stop, UNSPECIFIED};
use crate::value::Value;

/// A constant without a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedConstant {
    pub item: ItemId,
    /// The innermost expression that has no value; `None` for all of it.
    pub span: Option<Span>,
    pub failure: Failure,
}

/// Why a constant has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    Raises {
        error: String,
        /// Its message, where the language fixes one.
        message: Option<String>,
    },
    /// It is too much; why.
    Unending(String),
}

/// Those of `constants` that have no value. One that needs a part of the library which only the runtime has counts as having one:
/// it raises where it is used.
///
/// Works on a thread with room for deep recursion, which the queries of salsa do not follow: a query that calls this would not
/// run again after an edit.
#[must_use]
pub fn failing_constants(db: &dyn Db, constants: &[ItemId]) -> Vec<FailedConstant> {
    with_stack(db, |db| failures(db, constants))
}

fn failures(db: &dyn Db, constants: &[ItemId]) -> Vec<FailedConstant> {
    let mut failures = Vec::new();
    let mut machine = Machine::new(db);
    for &item in constants {
        machine = Machine::after(machine);
        let Err(stop) = machine.constant(item) else {
            continue;
        };
        let failed = machine.failed();
        // What another constant raises is reported there.
        if matches!(stop, Stop::Raise(_)) && failed.is_some_and(|(other, _)| other != item) {
            continue;
        }
        let own = failed.filter(|(other, _)| *other == item);
        let failure = match stop {
            Stop::Raise(raised) => raises(db, &raised),
            Stop::Limit(why) => Failure::Unending(why),
            Stop::Unsupported(_)
            | Stop::Break
            | Stop::Continue
            | Stop::Return(_)
            | Stop::Cancelled => {
                continue;
            }
        };
        failures.push(FailedConstant {
            item,
            span: own.map(|(_, span)| span),
            failure,
        });
    }
    failures
}

fn raises(db: &dyn Db, raised: &Raised) -> Failure {
    let says = matches!(
        builtin_error(db, raised.item),
        Some(BuiltinError::Failed | BuiltinError::AssertionFailed)
    );
    let mut message = None;
    if let Some(Value::Text(text)) = raised.fields.first()
        && says
        && &**text != UNSPECIFIED
    {
        message = Some(text.to_string());
    }
    Failure::Raises {
        error: raised.item.name(db).to_string(),
        message,
    }
}
