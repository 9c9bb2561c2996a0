//! The entry point of the evaluator.

use gsw_names::module_scope;
use gsw_source::{Database, Db, File, ItemKind};
use serde_json::Value as Tree;

use crate::json::{Json, text};
use crate::machine::Machine;
use crate::stop::{Flow, Stop, UNSPECIFIED, unsupported};

/// The outcome of a workflow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Its result as compact JSON.
    Value(String),
    /// The name of the error that it raises.
    Raised(String),
    /// The reference cannot say; why.
    Unknown(String),
    /// It is too much for the reference, and may never end; why.
    TooMuch(String),
}

/// Room for [`crate::machine::Machine::deeper`]'s limit in builds without optimisation; touched only as far as needed.
const STACK: usize = 2 << 30;

/// Evaluates a workflow of `entry`, whose parameters `input` gives by name.
#[must_use]
pub fn evaluate(db: &Database, entry: File, workflow: &str, input: &Tree) -> Verdict {
    with_stack(db, |db| verdict(db, entry, workflow, input))
}

/// Does `work` where deep recursion has room.
pub(crate) fn with_stack<T: Send>(db: &dyn Db, work: impl FnOnce(&dyn Db) -> T + Send) -> T {
    let db = db.fork();
    gsw_source::with_stack(STACK, move || work(&db))
}

fn verdict(db: &dyn Db, entry: File, workflow: &str, input: &Tree) -> Verdict {
    match run(db, entry, workflow, input) {
        Ok(json)
            if json.contains(
                &text(&Json::Text(UNSPECIFIED.into()))
                    .trim_matches('"')
                    .to_owned(),
            ) =>
        {
            Verdict::Unknown("the wording is free".into())
        }
        Ok(json) => Verdict::Value(json),
        Err(Stop::Raise(raised)) => Verdict::Raised(raised.item.name(db).to_string()),
        Err(Stop::Unsupported(why)) => Verdict::Unknown(why),
        Err(Stop::Limit(why)) => Verdict::TooMuch(why),
        Err(other @ (Stop::Break | Stop::Continue | Stop::Return(_) | Stop::Cancelled)) => {
            Verdict::Unknown(format!("the workflow ended by {other:?}"))
        }
    }
}

fn run(db: &dyn Db, entry: File, workflow: &str, input: &Tree) -> Flow<String> {
    let found = module_scope(db, entry).items.get(workflow).copied();
    let Some(item) = found.filter(|it| it.kind(db) == ItemKind::Workflow) else {
        return unsupported(format!("there is no workflow `{workflow}`"));
    };
    let mut machine = Machine::new(db);
    let arguments = machine.input(item, input)?;
    let result = machine.call_item(item, &[].into(), arguments)?;
    Ok(text(&machine.json_of(&result)?))
}
