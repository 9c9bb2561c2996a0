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
    let form = match (arguments.strict, arguments.hash) {
        (true, _) => Form::Strict,
        (_, true) => Form::Hash,
        _ => Form::Whole,
    };
    let found = match name {
        None => Some(all(&outline, form)),
        Some(name) => named(&outline, name, form),
    };
    match (found, name) {
        (Some(found), _) => report::output_json(&format!("{found:#}\n")),
        (None, name) => {
            let name = name.unwrap_or_default();
            report::usage(&format!(
                "there is no workflow `{name}`, and no type with a JSON form and without type parameters"
            ))
        }
    }
}

/// What is printed of a schema.
#[derive(Clone, Copy)]
enum Form {
    /// Itself.
    Whole,
    /// What providers take of it.
    Strict,
    /// What tells it from others.
    Hash,
}

fn named(outline: &Outline, name: &str, form: Form) -> Option<Value> {
    let ty = outline.named.iter().find(|(of, _)| of == name);
    if let Some((name, ty)) = ty {
        return Some(document(name, schema::schema(&outline.types, *ty), form));
    }
    let workflow = outline.workflows.iter().find(|it| it.name == name)?;
    Some(json!({
        "input": document(name, gsw_service::input_schema(&outline.types, &workflow.parameters), form),
        "output": document(name, schema::schema(&outline.types, workflow.result), form),
    }))
}

fn all(outline: &Outline, form: Form) -> Value {
    let mut types = Map::new();
    for (name, _) in &outline.named {
        types.extend(named(outline, name, form).map(|it| (name.clone(), it)));
    }
    let workflows: Map<String, Value> = outline
        .workflows
        .iter()
        .filter_map(|it| Some((it.name.clone(), named(outline, &it.name, form)?)))
        .collect();
    json!({ "types": types, "workflows": workflows })
}

/// The schema as a document of its own, or what else is asked of it.
fn document(name: &str, schema: Value, form: Form) -> Value {
    match form {
        Form::Whole => {}
        Form::Hash => return schema::schema_hash(&schema).into(),
        Form::Strict => {
            let (strict, dropped) = schema::strict(&schema);
            let why = schema::strict_obstacle(&schema);
            return json!({ "schema": strict, "dropped": dropped, "obstacle": why });
        }
    }
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
