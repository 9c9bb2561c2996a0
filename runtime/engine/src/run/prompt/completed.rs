//! The input of a call as its tool gets it: with what the model has left out for a default. Hooks decide on that, so that leaving
//! something out is no way around them.

use gsw_abi::types::{Field, Secrecy, Trust};
use serde_json::{Map, Value};

use crate::codec;
use crate::node::NodeId;
use crate::run::introspection::{self, unpacked};
use crate::run::prompt::trust;
use crate::run::{Run, by_name};

/// Writes into an input what its tool gets by default, each parameter by its name in JSON; `words` are the parameters, which end
/// here. Returns the texts of these defaults which the program itself has written.
pub(super) fn complete(
    run: &mut Run,
    parameters: &[Field],
    words: Vec<u64>,
    input: &mut Value,
) -> Vec<String> {
    let mut written = Vec::new();
    // The words were read from an object.
    let mut fields = match input.take() {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    for (parameter, word) in parameters.iter().zip(words) {
        rename(parameters, parameter, &mut fields);
        let whole = codec::to_tree(&run.heap, parameter.ty, word);
        run.heap.release_typed(parameter.ty, word);
        // One that nests too deeply to be JSON was not given as JSON, and no hook could look at it.
        let Ok(whole) = whole else {
            continue;
        };
        match fields.get_mut(&parameter.wire) {
            Some(given) => fill(given, whole, &mut written),
            None if whole.is_null() => {}
            None => {
                if parameter.secrecy == Secrecy::Redacted {
                    run.heap.hide(&whole);
                }
                // It may be made of other parameters, unless nothing but the program's own texts may stand there.
                if parameter.trust == Trust::Trusted {
                    trust::texts_of(&whole, &mut written);
                }
                fields.insert(parameter.wire.clone(), whole);
            }
        }
    }
    *input = Value::Object(fields);
    written
}

/// The same for the input of the workflow that a model asks for in a call. What is refused, or does not fit, is left as it is: the
/// tool says so to the model.
pub(super) fn complete_spawn(run: &mut Run, prompt: NodeId, call: &mut Value) -> Vec<String> {
    let name = call["name"].as_str().unwrap_or_default();
    let Ok(wanted) = introspection::wanted(run, prompt, name) else {
        return Vec::new();
    };
    let mut input = unpacked(&call["input"]).into_owned();
    let Ok(words) = by_name::words_of_input(run, &wanted.workflow, &input) else {
        return Vec::new();
    };
    let written = complete(run, &wanted.workflow.parameters, words, &mut input);
    call["input"] = input;
    written
}

/// A parameter that is given by its own name is found by the one that it has in JSON.
fn rename(parameters: &[Field], parameter: &Field, fields: &mut Map<String, Value>) {
    if parameters.iter().any(|it| it.wire == parameter.name) {
        return;
    }
    if let Some(given) = fields.remove(&parameter.name) {
        fields.insert(parameter.wire.clone(), given);
    }
}

/// Adds what a value has beyond what is given of it: the defaults of fields, which are the program's.
fn fill(given: &mut Value, whole: Value, written: &mut Vec<String>) {
    match (given, whole) {
        (Value::Object(given), Value::Object(whole)) => {
            for (name, value) in whole {
                match given.get_mut(&name) {
                    Some(given) => fill(given, value, written),
                    None if value.is_null() => {}
                    None => {
                        trust::texts_of(&value, written);
                        given.insert(name, value);
                    }
                }
            }
        }
        (Value::Array(given), Value::Array(whole)) if given.len() == whole.len() => {
            for (given, whole) in given.iter_mut().zip(whole) {
                fill(given, whole, written);
            }
        }
        // What has no parts has no defaults in it.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fill;

    #[test]
    fn what_is_left_out_inside_of_a_value_is_filled_in_and_what_is_given_stays() {
        let mut given = json!([{ "item": "pen" }, { "item": "ink", "amount": 5 }, "Later"]);
        let whole = json!([
            { "item": "pen", "amount": 500.0, "note": null, "to": { "town": "Bern" } },
            { "item": "ink", "amount": 5.0, "note": null, "to": { "town": "Bern" } },
            "Later",
        ]);
        let mut written = Vec::new();
        fill(&mut given, whole, &mut written);
        let expected = json!([
            { "item": "pen", "amount": 500.0, "to": { "town": "Bern" } },
            { "item": "ink", "amount": 5, "to": { "town": "Bern" } },
            "Later",
        ]);
        assert_eq!(given, expected);
        assert_eq!(written, ["500.0", "town", "Bern", "town", "Bern"]);
    }
}
