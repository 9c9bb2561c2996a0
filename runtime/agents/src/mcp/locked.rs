//! The digest of a server's tool, checked against the one that the program declares.

use std::collections::BTreeMap;

use gsw_abi::schema::canonical_digest;
use gsw_driver::servers::ServerFailure;
use rmcp::model::Tool;
use serde_json::{Map, Value};

/// The digests of a server's tools by their names.
pub(super) type Digests = BTreeMap<String, String>;

/// What of a tool a model or a program relies on.
const PARTS: [&str; 4] = ["name", "description", "inputSchema", "outputSchema"];

pub(super) fn digests(tools: &[Tool]) -> Digests {
    let digest = |it: &Tool| (it.name.to_string(), digest(&written(it)));
    tools.iter().map(digest).collect()
}

/// The tools as the protocol has them, each with its digest, as JSON text.
pub(super) fn shown(tools: &[Tool]) -> Result<String, ServerFailure> {
    let tools = tools.iter().map(|it| {
        let mut tool = written(it);
        let digest = digest(&tool);
        tool.insert("digest".into(), digest.into());
        rounded(Value::Object(tool))
    });
    Ok(Value::Array(tools.collect()).to_string())
}

/// With floats in the place of integers of more than 64 bits: the bounds and defaults of a schema must not make all tools of its
/// server unusable.
fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if !number.is_i64() => {
            number.as_f64().map_or(Value::Null, Value::from)
        }
        Value::Array(items) => items.into_iter().map(rounded).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, it)| (key, rounded(it)));
            Value::Object(fields.collect())
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// Refuses a tool that is another one than its declaration says.
pub(super) fn compare(tool: &str, locked: &str, found: Option<&str>) -> Result<(), ServerFailure> {
    match found {
        Some(found) if found == locked => Ok(()),
        Some(found) => Err(ServerFailure::Server(format!(
            "the tool `{tool}` does not match what was locked: its name, description or schema has changed ({found}); review it, and accept it with `gswc mcp lock`"
        ))),
        None => Err(ServerFailure::Server(format!("there is no tool `{tool}`"))),
    }
}

fn written(tool: &Tool) -> Map<String, Value> {
    match serde_json::to_value(tool) {
        Ok(Value::Object(tool)) => tool,
        // A tool is an object of texts and JSON, so there is no other; nothing then fits its digest.
        Ok(_) | Err(_) => Map::new(),
    }
}

fn digest(tool: &Map<String, Value>) -> String {
    let parts = PARTS
        .iter()
        .filter_map(|&it| Some((it.to_owned(), tool.get(it)?.clone())));
    format!(
        "sha256:{}",
        canonical_digest(&Value::Object(parts.collect()))
    )
}
