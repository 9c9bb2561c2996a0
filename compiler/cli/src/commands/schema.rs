//! `gswc schema`

use std::path::PathBuf;

use gsw_abi::schema;
use gsw_flow::Outline;
use gsw_service::Exit;
use serde_json::{Map, Value, json};

use crate::report::Format;
use crate::{compile, project, report};

#[derive(clap::Args)]
pub struct Schema {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// A type or a workflow; by default all of them, by name.
    pub name: Option<String>,
    /// Print the schema that is sent to providers for structured output, and the keywords that it dropped.
    #[arg(long)]
    pub strict: bool,
    /// Print a hash of each schema, as 16 hexadecimal digits.
    #[arg(long, conflicts_with = "strict")]
    pub hash: bool,
}

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
    let form = if arguments.strict {
        Form::Strict
    } else if arguments.hash {
        Form::Hash
    } else {
        Form::Whole
    };
    let Some(name) = name else {
        return report::output_json(&format!("{:#}\n", all(&outline, form)));
    };
    match named(&outline, name, form) {
        Some(found) => report::output_json(&format!("{found:#}\n")),
        None => report::usage(&format!(
            "there is no workflow `{name}`, and no type `{name}` with a JSON form and without type parameters"
        )),
    }
}

/// What is printed of a schema.
#[derive(Clone, Copy)]
enum Form {
    /// The whole schema.
    Whole,
    /// The part that providers accept for structured output.
    Strict,
    /// The hash of the schema.
    Hash,
}

fn named(outline: &Outline, name: &str, form: Form) -> Option<Value> {
    let ty = outline.named.iter().find(|(of, _)| of == name);
    if let Some((name, ty)) = ty {
        return Some(document(name, schema::schema(&outline.types, *ty), form));
    }
    let workflow = outline.workflows.iter().find(|it| it.name == name)?;
    Some(json!({
        "input": document(name, schema::input_schema(&outline.types, &workflow.parameters), form),
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

/// The schema as a document of its own, or in the form that is asked for.
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
    if let Value::Object(fields) = schema {
        document.extend(fields);
    } else {
        // A schema that is a bool accepts everything or nothing.
        document.extend([("allOf".to_owned(), json!([schema]))]);
    }
    Value::Object(document)
}
