//! What a program says of itself: schemas, effects, models, permissions.

use gsw_abi::program::{Agent, Program, Prompt, Repeat, Tool, Workflow};
use gsw_abi::schema;
use gsw_abi::types::TypeTable;
use serde_json::{Value, json};

/// The program's description as one JSON object.
#[must_use]
pub fn manifest(program: &Program) -> Value {
    let types = &program.types;
    let agent = |it: &Agent| json!({ "name": it.name, "models": it.models });
    json!({
        "name": program.name,
        "version": program.version,
        "description": program.docs,
        "abi": format!("{:016x}", gsw_abi::abi_hash()),
        "workflows": program.workflows.iter().map(|it| workflow(types, it)).collect::<Vec<_>>(),
        "agents": program.agents.iter().map(agent).collect::<Vec<_>>(),
        "prompts": program.prompts.iter().map(|it| prompt(program, it)).collect::<Vec<_>>(),
        "tools": program.tools.iter().map(|it| tool(types, it)).collect::<Vec<_>>(),
        "permissions": program.permissions,
    })
}

fn workflow(types: &TypeTable, it: &Workflow) -> Value {
    json!({
        "name": it.name,
        "description": it.docs,
        "input": schema::input_schema(types, &it.parameters),
        "output": schema::schema(types, it.result),
        "errors": it.errors,
        "effects": it.effects,
    })
}

fn prompt(program: &Program, it: &Prompt) -> Value {
    let answer = schema::schema(&program.types, it.result);
    let agent = it
        .agent
        .and_then(|index| program.agents.get(index as usize));
    json!({
        "name": it.name,
        "description": it.docs,
        "agent": agent.map(|it| &it.name),
        "input": schema::input_schema(&program.types, &it.parameters),
        "schema_hash": schema::schema_hash(&answer),
        "output": answer,
    })
}

fn tool(types: &TypeTable, it: &Tool) -> Value {
    let repeat = match it.repeat {
        Repeat::Pure => "pure",
        Repeat::Reads => "reads",
        Repeat::Idempotent(_) => "idempotent",
        Repeat::Once => "once",
    };
    json!({
        "name": it.name,
        "module": it.module,
        "description": it.docs,
        "input": schema::input_schema(types, &it.parameters),
        "output": schema::schema(types, it.result),
        "repeat": repeat,
    })
}
