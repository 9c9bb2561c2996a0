//! `gswc graph`

use std::path::Path;

use gsw_codegen::{Access, replace};
use gsw_service::Exit;

use crate::arguments::{Graph, GraphFormat};
use crate::{compile, project, report};

/// Draws the structure of a program's workflows.
pub fn graph(arguments: &Graph) -> Exit {
    let (file, workflow) =
        project::entry_and_word(arguments.file.as_deref(), arguments.workflow.as_deref());
    let db = match file.and_then(|it| compile::checked(&it)) {
        Ok(db) => db,
        Err(exit) => return exit,
    };
    let Some(graph) = gsw_describe::program_graph(&db, workflow) else {
        let name = workflow.unwrap_or_default();
        return report::usage(&format!("there is no workflow `{name}`"));
    };
    let output = arguments.output.as_deref();
    let text = match arguments.format.or_else(|| format_of(output?)) {
        Some(GraphFormat::Svg) => gsw_describe::svg(&graph),
        Some(GraphFormat::Mermaid) | None => gsw_describe::mermaid(&graph),
    };
    match output {
        None => report::output(&text),
        Some(path) => match replace(path, text.as_bytes(), Access::Usual) {
            Ok(()) => Exit::Done,
            Err(error) => {
                report::failure(&format!("`{}` cannot be written: {error}", path.display()))
            }
        },
    }
}

/// The form that a file's ending asks for.
fn format_of(path: &Path) -> Option<GraphFormat> {
    let is_svg = path.extension()?.eq_ignore_ascii_case("svg");
    is_svg.then_some(GraphFormat::Svg)
}
