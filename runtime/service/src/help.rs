//! The texts of `--help`, from the program's own tables.

use std::fmt::Write;

use gsw_abi::program::{Program, Workflow};
use gsw_abi::provider::OFFLINE_MODEL;
use gsw_abi::types::{Field, Type, TypeId, TypeTable};
use gsw_engine::codec::type_name;

use crate::arguments::is_required;

/// The help of the whole program.
#[must_use]
pub fn program_help(program: &Program) -> String {
    let mut text = String::new();
    if let Some(docs) = &program.docs {
        let _ = writeln!(text, "{docs}\n");
    }
    let main = program.workflows.iter().find(|it| it.name == "main");
    if let Some(main) = main {
        write_workflow(&mut text, program, main);
    }
    let others: Vec<_> = program
        .workflows
        .iter()
        .filter(|it| it.name != "main")
        .collect();
    if !others.is_empty() {
        text.push_str("Workflows:\n");
        for workflow in others {
            let _ = writeln!(
                text,
                "  {:<24} {}",
                workflow.name,
                first_line(workflow.docs.as_deref())
            );
        }
        text.push('\n');
    }
    write_builtin(&mut text);
    text
}

/// The help of one workflow.
#[must_use]
pub fn workflow_help(program: &Program, workflow: &Workflow) -> String {
    let mut text = String::new();
    write_workflow(&mut text, program, workflow);
    write_builtin(&mut text);
    text
}

/// The program's name and version, and those of what it runs on.
#[must_use]
pub fn version(program: &Program) -> String {
    let version = program.version.as_ref().map(|it| format!(" {it}"));
    let version = version.unwrap_or_default();
    let name = &program.name;
    format!(
        "{name}{version} (Groundswell {})\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn write_workflow(text: &mut String, program: &Program, workflow: &Workflow) {
    if let Some(docs) = &workflow.docs {
        let _ = writeln!(text, "{docs}\n");
    }
    let name = if workflow.name == "main" {
        String::new()
    } else {
        format!(" {}", workflow.name)
    };
    let _ = writeln!(text, "Usage: {}{name} [OPTIONS]\n", program.name);
    if !workflow.parameters.is_empty() {
        text.push_str("Options:\n");
        for parameter in &workflow.parameters {
            write_parameter(text, &program.types, parameter);
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "Result: {}",
        type_name(&program.types, workflow.result)
    );
    if !workflow.errors.is_empty() {
        let _ = writeln!(text, "Errors: {}", workflow.errors.join(" | "));
    }
    text.push('\n');
}

fn write_parameter(text: &mut String, types: &TypeTable, parameter: &Field) {
    let name = parameter.name.replace('_', "-");
    let usage = if *types.get(types.base(parameter.ty)) == Type::Bool {
        format!("--{name} | --no-{name}")
    } else {
        format!("--{name} <{}>", usage_type(types, parameter.ty))
    };
    let need = if is_required(types, parameter) {
        " (required)"
    } else {
        ""
    };
    let docs = first_line(parameter.docs.as_deref());
    let _ = writeln!(text, "  {usage:<32} {docs}{need}");
}

fn write_builtin(text: &mut String) {
    let _ = write!(
        text,
        "Built-in options:
  --model <provider/model>         Uses this model for every agent; {OFFLINE_MODEL} makes answers up, offline
  --events <FILE|->                Writes the run's events as JSON lines
  --json                           Prints an error as JSON
  --raw                            Prints a string result without quotes
  --pretty                         Prints the result as on a terminal: a string bare, all else as indented JSON
  --quiet                          No logs and no progress on standard error
  --memory SIZE                    Limits the memory of the run's values, such as 512MB
  --help                           Prints this help
  --version                        Prints the program's name and version
Built-in commands:
  manifest                         Describes the program's workflows and tools as JSON
",
    );
}

fn first_line(docs: Option<&str>) -> &str {
    docs.and_then(|it| it.lines().next()).unwrap_or_default()
}

/// A type as a command line names it: of an enum without payloads the words that may be written.
fn usage_type(types: &TypeTable, ty: TypeId) -> String {
    if let Type::Enum(it) = types.get(types.base(ty))
        && it.is_inline()
    {
        let words: Vec<_> = it.variants.iter().map(|it| it.wire.as_str()).collect();
        return words.join(" | ");
    }
    type_name(types, ty)
}
