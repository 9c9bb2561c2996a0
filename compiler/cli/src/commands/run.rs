//! `gswc run`

use std::path::PathBuf;

use gsw_service::Exit;

use crate::commands::{Watch, watch};
use crate::compile::{self, Main};
use crate::{project, report};

#[derive(clap::Args)]
pub struct Run {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// The workflow to run; by default `main`.
    pub workflow: Option<String>,
    /// Override every agent's model, by name or by an alias from `gsw.toml`; `sim/default` simulates answers offline.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub watch: Watch,
    /// The program's own arguments, after `--`.
    #[arg(last = true)]
    pub words: Vec<String>,
}

/// Compiles a program in memory and runs it.
pub fn run(arguments: &Run) -> Exit {
    let (file, workflow) =
        project::entry_and_word(arguments.file.as_deref(), arguments.workflow.as_deref());
    let main = if workflow.is_some() {
        Main::Optional
    } else {
        Main::Needed
    };
    if arguments.watch.watch {
        return match file {
            Ok(file) => watch(&|| vec![file.clone()]),
            Err(exit) => exit,
        };
    }
    let image = match file.and_then(|it| compile::image(&it, main)) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    let mut words: Vec<String> = workflow.into_iter().map(str::to_owned).collect();
    if let Some(model) = &arguments.model {
        words.extend(["--model".into(), model.clone()]);
    }
    words.extend(arguments.words.iter().cloned());
    match gsw_engine::load::Loaded::from_bytes(&image) {
        Ok(loaded) => gsw_service::run_program(loaded, &words),
        Err(refusal) => report::failure(&refusal),
    }
}
