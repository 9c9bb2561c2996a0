//! `gswc run`

use std::path::PathBuf;

use gsw_service::{Exit, Origin};

use crate::commands::{Watch, watch};
use crate::compile::{self, Main};
use crate::{project, report, written};

/// The word before what is to be done with the runs that are kept.
const RUNS: &str = "runs";

#[derive(clap::Args)]
pub struct Run {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// The workflow to run; by default `main`. `runs` looks at the runs that are kept.
    pub workflow: Option<String>,
    /// What to do with the runs that are kept, after `runs`.
    #[arg(value_name = "WORD")]
    pub command: Vec<String>,
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
    if let (Some(word), true) = (arguments.command.first(), workflow != Some(RUNS)) {
        return report::usage(&format!(
            "`{word}` is not expected here; the arguments of a program follow `--`"
        ));
    }
    let is_named = workflow.is_some() || arguments.words.first().is_some_and(|it| it == RUNS);
    let main = if is_named {
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
    let origin = Origin {
        command: match &arguments.file {
            Some(file) => format!("gswc run {} --", file.display()),
            None => "gswc run --".to_owned(),
        },
        // A run may be resumed from another folder.
        program: file
            .as_ref()
            .map(|it| std::path::absolute(it).unwrap_or_else(|_| it.clone()))
            .map(|it| it.display().to_string())
            .unwrap_or_default(),
    };
    let image = match file.and_then(|it| compile::image(&it, main)) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    let mut words: Vec<String> = workflow.into_iter().map(str::to_owned).collect();
    words.extend(arguments.command.iter().cloned());
    if let Some(model) = &arguments.model {
        words.extend(["--model".into(), model.clone()]);
    }
    words.extend(arguments.words.iter().cloned());
    match gsw_engine::load::Loaded::from_bytes(&image) {
        Ok(loaded) => {
            let loaded = loaded.with_compiler(written::compiler());
            gsw_service::run_program(loaded, &words, &origin)
        }
        Err(refusal) => report::failure(&refusal),
    }
}
