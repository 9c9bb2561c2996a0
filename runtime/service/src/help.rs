//! The texts of `--help`, from the program's own tables.

mod command;
mod shape;

use std::fmt::Write;

use gsw_abi::option::BuiltinOption;
use gsw_abi::permission::Permission;
use gsw_abi::program::{Program, Workflow};
use gsw_abi::provider::Provider;
use gsw_abi::types::{Field, Type, TypeTable};
use gsw_engine::codec::type_name;

use crate::arguments::is_required;
use crate::columns::Columns;
use crate::exit::Exit;
use crate::{consent, prices, value_text};

pub use command::command_help;

/// The help of the whole program.
#[must_use]
pub fn program_help(program: &Program, columns: Columns) -> String {
    let mut text = String::new();
    if let Some(docs) = &program.docs {
        let _ = writeln!(text, "{}", columns.paragraphs(docs));
    }
    let main = program.workflows.iter().find(|it| it.name == "main");
    if let Some(main) = main {
        write_workflow(&mut text, program, main, columns);
    } else {
        let usage = format!("Usage: {} {}", program.name, usage_words(program));
        let _ = writeln!(text, "{}", columns.paragraphs(&usage));
    }
    let others = program.workflows.iter().filter(|it| it.name != "main");
    let others = others.map(|it| {
        let docs = first_paragraph(it.docs.as_deref());
        (it.name.clone(), docs)
    });
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        let heading = match main {
            Some(_) => "Other workflows:\n",
            None => "Workflows:\n",
        };
        text.push_str(heading);
        text.push_str(&columns.rows(&others));
        let more = format!("\n`{} WORKFLOW --help` shows its options.", program.name);
        let _ = writeln!(text, "{}", columns.paragraphs(&more));
    }
    write_builtin(&mut text, program, columns);
    text
}

/// The help of one workflow.
#[must_use]
pub fn workflow_help(program: &Program, workflow: &Workflow, columns: Columns) -> String {
    let mut text = String::new();
    write_workflow(&mut text, program, workflow, columns);
    write_builtin(&mut text, program, columns);
    text
}

/// The parameters and the result of what `usage` starts, without the options that every program has.
#[must_use]
pub fn signature_help(
    program: &Program,
    workflow: &Workflow,
    usage: &str,
    columns: Columns,
) -> String {
    let mut text = String::new();
    write_signature(&mut text, program, workflow, usage, columns);
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

/// The words after the program's name: the workflow may be left out where it is `main` or the only one.
fn usage_words(program: &Program) -> &'static str {
    let has_main = program.workflows.iter().any(|it| it.name == "main");
    match (program.workflows.len(), has_main) {
        (0 | 1, _) => "[OPTIONS]",
        (_, true) => "[WORKFLOW] [OPTIONS]",
        (_, false) => "WORKFLOW [OPTIONS]",
    }
}

fn write_workflow(text: &mut String, program: &Program, workflow: &Workflow, columns: Columns) {
    let usage = if workflow.name == "main" {
        format!("{} {}", program.name, usage_words(program))
    } else {
        format!("{} {} [OPTIONS]", program.name, workflow.name)
    };
    write_signature(text, program, workflow, &usage, columns);
}

fn write_signature(
    text: &mut String,
    program: &Program,
    workflow: &Workflow,
    usage: &str,
    columns: Columns,
) {
    let types = &program.types;
    if let Some(docs) = &workflow.docs {
        let _ = writeln!(text, "{}", columns.paragraphs(docs));
    }
    let usage = format!("Usage: {usage}");
    let _ = writeln!(text, "{}", columns.paragraphs(&usage));
    if !workflow.parameters.is_empty() {
        let rows = workflow.parameters.iter().map(|it| row(types, it));
        text.push_str("Options:\n");
        text.push_str(&columns.rows(&rows.collect::<Vec<_>>()));
        text.push('\n');
        write_shapes(text, types, workflow, columns);
    }
    let mut ends = vec![format!("Result: {}", type_name(types, workflow.result))];
    if !workflow.errors.is_empty() {
        ends.push(format!("Errors: {}", workflow.errors.join(" | ")));
    }
    for end in ends {
        text.push_str(&columns.paragraphs(&end));
    }
    text.push('\n');
}

/// The types of parameters that are written as JSON, with their fields.
fn write_shapes(text: &mut String, types: &TypeTable, workflow: &Workflow, columns: Columns) {
    let parameters = workflow.parameters.iter().map(|it| it.ty);
    let shapes = shape::shapes(types, parameters);
    for shape in &shapes {
        text.push_str(&columns.paragraphs(&shape.heading));
        text.push_str(&columns.rows(&shape.rows));
        text.push('\n');
    }
    let is_json = |it: &Field| value_text::is_json(types, it.ty);
    let is_list = |it: &&Field| value_text::list_element(types, it.ty).is_some();
    let (lists, others): (Vec<_>, Vec<_>) = workflow
        .parameters
        .iter()
        .filter(|it| is_json(it))
        .partition(is_list);
    if let Some(first) = others.first().or(lists.first()) {
        let name = first.name.replace('_', "-");
        let files = format!("`--{name} @FILE` reads the JSON from a file.\n");
        let _ = writeln!(text, "{}", columns.paragraphs(&files));
    }
}

/// A parameter: how it is written with its default, and its docs.
fn row(types: &TypeTable, parameter: &Field) -> (String, String) {
    let name = parameter.name.replace('_', "-");
    let list = value_text::list_element(types, parameter.ty);
    let mut usage = if *types.get(types.base(parameter.ty)) == Type::Bool {
        format!("--{name} | --no-{name}")
    } else {
        let element = list.unwrap_or(parameter.ty);
        let shown = shape::written(types, element);
        format!("--{name} <{}>", shown.trim_end_matches('?'))
    };
    // That nothing is given says as much as `none`.
    let shown = shape::default_source(types, parameter).filter(|it| *it != "none");
    let source = parameter.default.as_ref().map(|_| shown);
    if let Some(Some(source)) = source {
        let _ = write!(usage, " = {source}");
    }
    let mut marks = Vec::new();
    match source {
        Some(Some(_)) => {}
        Some(None) => marks.push("optional"),
        None if is_required(types, parameter) => marks.push("required"),
        None => marks.push("optional"),
    }
    if list.is_some() {
        marks.push("repeatable");
    }
    let docs = first_paragraph(parameter.docs.as_deref());
    let marks = match marks.is_empty() {
        true => String::new(),
        false => format!("({})", marks.join(", ")),
    };
    (usage, format!("{docs} {marks}").trim().to_owned())
}

fn write_builtin(text: &mut String, program: &Program, columns: Columns) {
    let options = BuiltinOption::ALL.map(option_row);
    let codes = Exit::ALL.map(|it| row_of(&format!("{}", it as u8), it.meaning()));
    for (heading, rows) in [
        ("Built-in options:", options.as_slice()),
        ("Built-in commands:", command::rows().as_slice()),
        ("Environment:", variables(program).as_slice()),
        ("Exit codes:", codes.as_slice()),
    ] {
        write_rows(text, heading, rows, columns);
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
}

fn write_rows(text: &mut String, heading: &str, rows: &[(String, String)], columns: Columns) {
    let _ = writeln!(text, "{heading}\n{}", columns.rows(rows));
}

/// How an option of every program is written, and what it does.
fn option_row(option: BuiltinOption) -> (String, String) {
    let operand = option.operand().map(|it| format!(" <{it}>"));
    let usage = format!("--{}{}", option.name(), operand.unwrap_or_default());
    (usage, option.summary().to_owned())
}

/// The environment variables that a run reads: those of every program, and those that this one may read.
fn variables(program: &Program) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    for provider in Provider::ALL {
        let named = [
            (provider.key(), "Key"),
            (provider.address(), "Another server"),
        ];
        for (variable, what) in named {
            let Some(variable) = variable else { continue };
            let more = format!("`{}`", provider.name());
            // Two protocols of one provider share its variables.
            let known = rows.iter_mut().find(|row| row.0 == variable);
            match known {
                Some((_, said)) => *said = format!("{said} and {more}"),
                None => rows.push((variable.into(), format!("{what} for models of {more}"))),
            }
        }
    }
    for option in BuiltinOption::ALL {
        if let Some(variable) = option.variable() {
            rows.push((variable.into(), format!("As `--{}`", option.name())));
        }
    }
    rows.push(row_of(
        prices::VARIABLE,
        "A JSON file with prices of models",
    ));
    rows.push(row_of(
        consent::VARIABLE,
        "A program that opens the addresses at which MCP servers are authorized",
    ));
    rows.push(row_of("NO_COLOR", "No colors on a terminal"));
    let permitted = program.permissions.as_ref();
    if let Some(names) = permitted.and_then(|it| it.get(&Permission::Env)) {
        rows.extend(names.iter().map(|it| row_of(it, "Read by this program")));
    }
    rows
}

fn row_of(left: &str, right: &str) -> (String, String) {
    (left.to_owned(), right.to_owned())
}

fn first_paragraph(docs: Option<&str>) -> String {
    let paragraph = docs.and_then(|it| it.split("\n\n").next());
    paragraph.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod variable_tests {
    use std::collections::BTreeSet;

    use gsw_abi::program::Program;
    use gsw_abi::types::TypeTable;

    use super::variables;

    #[test]
    fn each_variable_is_listed_once() {
        let rows = variables(&Program::empty("p", TypeTable { types: Vec::new() }));
        let names: BTreeSet<&str> = rows.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names.len(), rows.len(), "{rows:?}");
        let shared = rows.iter().find(|it| it.0 == "OPENAI_API_KEY");
        let said = shared.map(|it| it.1.as_str());
        assert_eq!(
            said,
            Some("Key for models of `openai` and `openai-responses`")
        );
    }
}
