//! The request of a prompt for an editor that shows it beside the name: with examples for parameters without a value.

use std::path::Path;
use std::time::Duration;

use gsw_abi::types::{Field, Type, TypeId, TypeTable};
use gsw_engine::load::Loaded;
use gsw_source::{Database, Files, Severity};
use serde_json::{Map, Value, json};

use super::{Size, begin, conversation};

/// The most lines of a request that are shown.
const LINES: usize = 40;
/// What computes longer is not shown. A guess.
const PATIENCE: Duration = Duration::from_secs(2);
/// Types nest so deep at most in an example.
const DEEPEST: usize = 8;

/// The request in Markdown; `None` where the program has errors or a parameter has a type that no example is made up for.
pub fn preview(file: &Path, prompt: &str, files: &dyn Files) -> Option<String> {
    let loaded = compiled(file, files)?;
    let program = &loaded.program;
    let index = program.workflows.iter().position(|it| it.name == prompt)?;
    let parameters = &program.workflows[index].parameters;
    let input = examples(&program.types, parameters)?;
    let begun = begin(loaded, None).ok()?;
    let handle = begun.engine.start(index, input);
    let stop = handle.canceller();
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let finished = handle.wait();
        // The caller has given up.
        let _ = sender.send(finished);
    });
    if ended.recv_timeout(PATIENCE).is_err() {
        stop.stop();
    }
    let asked = begun.asked()?;
    let text = conversation(&asked.request);
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.push("…");
    }
    // A fence in it must not end the block.
    let fence = "`".repeat(3.max(longest_run(&text) + 1));
    Some(format!(
        "The request to `{}`: {}\n\n{fence}text\n{}\n{fence}",
        asked.request.model,
        Size::of(&asked).as_text(),
        lines.join("\n")
    ))
}

fn compiled(file: &Path, files: &dyn Files) -> Option<Loaded> {
    let mut db = Database::default();
    gsw_project::read_project(&mut db, file, files).ok()?;
    let reports = gsw_analysis::check_project(&db);
    if reports.iter().any(|it| it.severity == Severity::Error) {
        return None;
    }
    let module = gsw_flow::lower_prompts(&db).ok()?;
    let image = gsw_codegen::compile(&module, &gsw_codegen::Options::default()).ok()?;
    Loaded::from_bytes(&image).ok()
}

/// The most back-quotes in a row.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|it| it != '`').map(str::len);
    runs.max().unwrap_or_default()
}

/// Examples for the parameters that need a value; `None` where a type has none.
pub fn examples(types: &TypeTable, parameters: &[Field]) -> Option<Map<String, Value>> {
    object(types, parameters, 0)
}

/// Examples for the parameters or fields that need a value.
fn object(types: &TypeTable, fields: &[Field], depth: usize) -> Option<Map<String, Value>> {
    let needed = fields.iter().filter(|it| it.default.is_none());
    needed
        .map(|it| Some((it.wire.clone(), example(types, it.ty, &it.name, depth)?)))
        .collect()
}

/// A value of a type: a text says which parameter it stands for.
fn example(types: &TypeTable, ty: TypeId, name: &str, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    match types.get(ty) {
        Type::String => Some(json!(format!("<{name}>"))),
        Type::Unit | Type::Optional(_) | Type::Json => Some(Value::Null),
        Type::Bool => Some(json!(false)),
        Type::Int => Some(json!(1)),
        Type::Float => Some(json!(1.0)),
        Type::Time => Some(json!("2026-01-01T00:00:00Z")),
        Type::Duration => Some(json!("1s")),
        Type::Literals(words) => words.first().map(|it| json!(it)),
        Type::List(_) | Type::Set { .. } => Some(json!([])),
        Type::Map { .. } => Some(json!({})),
        Type::Tuple(parts) => {
            let parts = parts.iter().map(|it| example(types, *it, name, depth + 1));
            parts.collect::<Option<Vec<Value>>>().map(Value::Array)
        }
        Type::Record(it) => object(types, &it.fields, depth + 1).map(Value::Object),
        Type::Enum(it) => {
            let first = it.variants.first()?;
            if first.fields.is_empty() {
                return Some(json!(first.wire));
            }
            let mut fields = object(types, &first.fields, depth + 1)?;
            fields.insert("kind".to_owned(), json!(first.wire));
            Some(Value::Object(fields))
        }
        Type::Checked { base, .. } => example(types, *base, name, depth + 1),
        Type::Bytes
        | Type::Secret
        | Type::Media
        | Type::Error
        | Type::ErrorKind(_)
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => None,
    }
}
