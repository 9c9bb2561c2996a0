//! Defaults that are the same in every call, as the JSON that they are: for schemas.

use gsw_infer::hir::BodyPart;
use gsw_names::types::Type;
use gsw_names::{Parameter, Presence};
use gsw_source::{Db, ItemId};

use crate::evaluate::with_stack;
use crate::json::text;
use crate::machine::Machine;
use crate::stop::{Flow, UNSPECIFIED};
use crate::value::Value;

/// A longer one is left out: schemas are read by people, and sent to models with every request.
const LONGEST: usize = 16 << 10;

/// The JSON of the default that `part` of an item gives, of a type with these arguments; `None` where it is known only in a run,
/// takes long to compute, is very long, or holds a secret.
#[must_use]
pub fn constant_default(
    db: &dyn Db,
    item: ItemId,
    part: BodyPart,
    arguments: &[Type],
) -> Option<String> {
    let arguments = arguments.to_vec();
    with_stack(db, move |db| {
        let json = of_default(db, item, part, &arguments).ok()??;
        let is_said = json.len() <= LONGEST && !json.contains(&quoted(UNSPECIFIED));
        is_said.then_some(json)
    })
}

fn of_default(
    db: &dyn Db,
    item: ItemId,
    part: BodyPart,
    arguments: &[Type],
) -> Flow<Option<String>> {
    let mut machine = Machine::for_little(db);
    let body = machine.body(item, part)?;
    // Without the parameters before it: what reads one differs from call to call.
    let value = machine.run_body(body, arguments.into(), Vec::new())?;
    if machine.slept > 0 || holds_secret(&mut machine, &value)? {
        return Ok(None);
    }
    let json = machine.json_of(&value)?;
    Ok(Some(text(&json)))
}

/// Whether a field inside must not be shown.
fn holds_secret(machine: &mut Machine<'_>, value: &Value) -> Flow<bool> {
    machine.tick()?;
    let of_fields = |machine: &mut Machine<'_>, declared: &[Parameter], fields: &[Value]| {
        if declared.iter().any(|it| it.secret == Presence::Present) {
            return Ok(true);
        }
        any_holds_secret(machine, fields)
    };
    match value {
        Value::List(them) | Value::Tuple(them) => any_holds_secret(machine, them),
        Value::Map(entries) => {
            for (key, it) in entries.iter() {
                if holds_secret(machine, key)? || holds_secret(machine, it)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Record(item, fields) | Value::Error(item, fields) => {
            let declared = machine.record_fields(*item);
            of_fields(machine, &declared, fields)
        }
        Value::Variant(item, variant, fields) => {
            let declared = machine.variant(*item, *variant)?.fields;
            of_fields(machine, &declared, fields)
        }
        Value::Unit
        | Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Duration(_)
        | Value::Text(_)
        | Value::Json(_)
        | Value::Function(_)
        | Value::Task(_)
        | Value::Queue(_) => Ok(false),
    }
}

fn any_holds_secret(machine: &mut Machine<'_>, values: &[Value]) -> Flow<bool> {
    for it in values {
        if holds_secret(machine, it)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// As it stands inside of a JSON string.
fn quoted(part: &str) -> String {
    let json = serde_json::Value::from(part).to_string();
    json.trim_matches('"').to_owned()
}
