//! Workflows as the tools of a server: names, descriptions, schemas, hints.

use std::borrow::Cow;
use std::sync::Arc;

use gsw_abi::builtin;
use gsw_abi::program::{Acts, Program, Workflow};
use gsw_abi::schema::{input_schema, schema, schema_of_fields};
use gsw_abi::types::{Field, Secrecy, Trust, TypeId, TypeTable};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::arguments::same_name;
use crate::mcp::{content, guard, prompt};

/// The key of a result that is no object in the structured content, which older clients want to be one.
pub(super) const RESULT: &str = "result";

/// The workflows that are tools, in the order of the program.
pub(super) fn tools(program: &Program) -> Vec<Tool> {
    let tools = program.workflows.iter();
    let tools = tools.filter(|it| is_tool(&program.types, it));
    tools.map(|it| tool(&program.types, it)).collect()
}

/// The tool of a name, as an index of a workflow.
pub(super) fn find(program: &Program, name: &str) -> Option<usize> {
    let mut all = program.workflows.iter();
    all.position(|it| same_name(&it.name, name) && is_tool(&program.types, it))
}

/// Whether it is neither something to read nor a prompt, and clients may call it.
fn is_tool(types: &TypeTable, workflow: &Workflow) -> bool {
    let is_other = workflow.resource.is_some() || prompt::is_prompt(types, workflow);
    !is_other && guard::is_open(workflow)
}

fn tool(types: &TypeTable, workflow: &Workflow) -> Tool {
    let input = object(input_schema(types, &workflow.parameters));
    let docs = workflow.docs.clone().map(Cow::Owned);
    let mut tool = Tool::new_with_raw(workflow.name.clone(), docs, Arc::new(input));
    if let Some(output) = output_schema(types, workflow.result) {
        tool = tool.with_raw_output_schema(Arc::new(output));
    }
    // Clients call what only reads without asking anybody.
    let annotations = ToolAnnotations::new().read_only(workflow.acts == Acts::Reads);
    tool.with_annotations(annotations)
}

/// The schema of the structured content; none for `()`, and for what is content of another kind.
fn output_schema(types: &TypeTable, result: TypeId) -> Option<Map<String, Value>> {
    if result == builtin::UNIT || content::is_content(types, result) {
        return None;
    }
    let bare = object(schema(types, result));
    if is_object(&bare) {
        return Some(bare);
    }
    let field = Field {
        name: RESULT.into(),
        wire: RESULT.into(),
        docs: None,
        ty: result,
        default: None,
        check: None,
        secrecy: Secrecy::Shown,
        trust: Trust::Any,
    };
    Some(object(schema_of_fields(types, &[field])))
}

/// Whether values of a schema are objects, as its root says.
fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// A result as structured content; none for `()`.
pub(super) fn structured(types: &TypeTable, result: TypeId, value: Value) -> Option<Value> {
    if result == builtin::UNIT {
        return None;
    }
    match is_object(&object(schema(types, result))) {
        true => Some(value),
        false => Some(Value::Object(Map::from_iter([(RESULT.to_owned(), value)]))),
    }
}

fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(fields) => fields,
        // A schema of ours is an object.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}
