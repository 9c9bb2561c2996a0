//! `gswc runs`: the runs of a store, whatever program they are of.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use gsw_service::{Exit, OfStore, Origin, runs_of_store};

use crate::compile::{self, Main};
use crate::{report, written};

#[derive(clap::Args)]
pub struct Runs {
    /// What to do, as after `runs` of a program, with `--store FILE`.
    #[arg(
        value_name = "WORD",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub words: Vec<String>,
}

/// Looks at the runs of a store, and lets their programs do what needs a program.
pub fn runs(arguments: &Runs) -> Exit {
    match runs_of_store(&arguments.words, "gswc") {
        OfStore::Done(exit) => exit,
        OfStore::ByProgram { program, words } if is_source(&program) => by_source(&program, words),
        OfStore::ByProgram { program, words } => by_program(&program, &words),
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str) == Some("gsw")
}

fn by_source(file: &Path, words: Vec<String>) -> Exit {
    let image = match compile::image(file, Main::Optional) {
        Ok(image) => image,
        Err(exit) => return exit,
    };
    let origin = Origin {
        command: format!("gswc run {} --", file.display()),
        program: file.display().to_string(),
    };
    let words: Vec<String> = std::iter::once("runs".to_owned()).chain(words).collect();
    match gsw_engine::load::Loaded::from_bytes(&image) {
        Ok(loaded) => {
            let loaded = loaded.with_compiler(written::compiler());
            gsw_service::run_program(loaded, &words, &origin)
        }
        Err(refusal) => report::failure(&refusal),
    }
}

/// In the place of this process, so that signals and the terminal are the program's.
#[cfg(unix)]
fn by_program(program: &Path, words: &[String]) -> Exit {
    use std::os::unix::process::CommandExt;
    let error = Command::new(program).arg("runs").args(words).exec();
    not_run(program, &error)
}

#[cfg(not(unix))]
fn by_program(program: &Path, words: &[String]) -> Exit {
    match Command::new(program).arg("runs").args(words).status() {
        Ok(status) => Exit::ALL
            .into_iter()
            .find(|it| status.code() == Some(*it as i32))
            .unwrap_or(Exit::Internal),
        Err(error) => not_run(program, &error),
    }
}

fn not_run(program: &Path, error: &std::io::Error) -> Exit {
    report::failure(&format!(
        "`{}`, which began the run, cannot be started: {error}",
        program.display()
    ))
}
