//! What a program says of itself: schemas, effects, models, permissions.

use gsw_abi::program::{Program, Repeat};
use gsw_abi::schema;
use gsw_abi::types::{Field, TypeTable};
use serde_json::{Map, Value, json};

use crate::arguments::is_required;

/// The program's description as one JSON object.
#[must_use]
pub fn manifest(program: &Program) -> Value {
    let types = &program.types;
    let workflows: Vec<_> = program
        .workflows
        .iter()
        .map(|it| {
            json!({
                "name": it.name,
                "description": it.docs,
                "input": input_schema(types, &it.parameters),
                "output": schema::schema(types, it.result),
                "errors": it.errors,
                "effects": it.effects,
            })
        })
        .collect();
    let prompts: Vec<_> = program
        .prompts
        .iter()
        .map(|it| {
            let answer = schema::schema(types, it.result);
            json!({
                "name": it.name,
                "description": it.docs,
                "agent": it.agent.and_then(|index| program.agents.get(index as usize)).map(|it| &it.name),
                "input": input_schema(types, &it.parameters),
                "schema_hash": schema::schema_hash(&answer),
                "output": answer,
            })
        })
        .collect();
    let tools: Vec<_> = program
        .tools
        .iter()
        .map(|it| {
            json!({
                "name": it.name,
                "description": it.docs,
                "input": input_schema(types, &it.parameters),
                "output": schema::schema(types, it.result),
                "repeat": match it.repeat {
                    Repeat::Pure => "pure",
                    Repeat::Reads => "reads",
                    Repeat::Idempotent(_) => "idempotent",
                    Repeat::Once => "once",
                },
            })
        })
        .collect();
    let agents: Vec<_> = program
        .agents
        .iter()
        .map(|it| json!({ "name": it.name, "models": it.models }))
        .collect();
    json!({
        "name": program.name,
        "description": program.docs,
        "abi": format!("{:016x}", gsw_abi::abi_hash()),
        "workflows": workflows,
        "agents": agents,
        "prompts": prompts,
        "tools": tools,
        "permissions": program.permissions.as_ref().map(|it| it.iter().cloned().collect::<std::collections::BTreeMap<_, _>>()),
    })
}

/// The schema of an object with one property per parameter.
#[must_use]
pub fn input_schema(types: &TypeTable, parameters: &[Field]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        let mut property = schema::schema(types, parameter.ty);
        if let (Some(docs), Value::Object(property)) = (&parameter.docs, &mut property) {
            property.insert("description".into(), docs.as_str().into());
        }
        properties.insert(parameter.wire.clone(), property);
        if is_required(types, parameter) {
            required.push(Value::from(parameter.wire.as_str()));
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
