//! `gswc graph`

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gsw_codegen::{Access, replace};
use gsw_service::Exit;

use crate::{compile, project, report};

#[derive(clap::Args)]
pub struct Graph {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// A workflow, drawn with those it calls; by default all workflows of the entry module.
    pub workflow: Option<String>,
    /// The output format; by default that of the extension of `--output`, or Mermaid.
    #[arg(long, value_enum)]
    pub format: Option<GraphFormat>,
    /// The file to write; by default standard output.
    #[arg(short, long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// The format of a graph.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Mermaid text, which many sites and editors render.
    Mermaid,
    /// A self-contained SVG image.
    Svg,
}

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
