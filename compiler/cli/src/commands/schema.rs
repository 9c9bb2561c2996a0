//! `gswc schema`

use gsw_abi::schema;
use gsw_flow::Outline;
use gsw_service::Exit;
use serde_json::{Map, Value, json};

use crate::arguments::{Format, Schema};
use crate::{compile, project, report};

/// Prints the JSON Schema of a type, of a workflow's input and output, or of all of them by name.
pub fn schema(arguments: &Schema) -> Exit {
    let (file, name) =
        project::entry_and_word(arguments.file.as_deref(), arguments.name.as_deref());
    let db = match file.and_then(|it| compile::checked(&it)) {
        Ok(db) => db,
        Err(exit) => return exit,
    };
    let outline = match gsw_flow::outline_program(&db) {
        Ok(outline) => outline,
        Err(diagnostics) => return report::report(&db, &diagnostics, Format::Auto),
    };
    let found = match name {
        None => Some(all(&outline)),
        Some(name) => named(&outline, name),
    };
    match (found, name) {
        (Some(found), _) => report::output(&format!("{found:#}\n")),
        (None, name) => {
            let name = name.unwrap_or_default();
            eprintln!(
                "gswc: there is no workflow `{name}`, and no type with a JSON form and without type parameters"
            );
            Exit::Usage
        }
    }
}

fn named(outline: &Outline, name: &str) -> Option<Value> {
    let ty = outline.named.iter().find(|(of, _)| of == name);
    if let Some((name, ty)) = ty {
        return Some(document(name, schema::schema(&outline.types, *ty)));
    }
    let workflow = outline.workflows.iter().find(|it| it.name == name)?;
    Some(json!({
        "input": document(name, gsw_service::input_schema(&outline.types, &workflow.parameters)),
        "output": document(name, schema::schema(&outline.types, workflow.result)),
    }))
}

fn all(outline: &Outline) -> Value {
    let mut types = Map::new();
    for (name, _) in &outline.named {
        types.extend(named(outline, name).map(|it| (name.clone(), it)));
    }
    let workflows: Map<String, Value> = outline
        .workflows
        .iter()
        .filter_map(|it| Some((it.name.clone(), named(outline, &it.name)?)))
        .collect();
    json!({ "types": types, "workflows": workflows })
}

/// The schema as a document of its own.
fn document(name: &str, schema: Value) -> Value {
    let mut document = Map::new();
    document.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    document.insert("title".into(), name.into());
    match schema {
        Value::Object(fields) => document.extend(fields),
        // A schema that is a bool takes everything or nothing.
        other => document.extend([("allOf".to_owned(), json!([other]))]),
    }
    Value::Object(document)
}
