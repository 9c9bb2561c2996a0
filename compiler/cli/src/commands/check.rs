//! `gswc check`

use std::path::PathBuf;

use gsw_service::Exit;

use crate::commands::{Watch, watch};
use crate::report::Format;
use crate::{compile, project, report, signature};

#[derive(clap::Args)]
pub struct Check {
    /// The entry file or a project folder; by default the project in the current folder.
    pub file: Option<PathBuf>,
    /// The format of diagnostics.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    pub format: Format,
    /// Print every function with its inferred errors and effects.
    #[arg(long)]
    pub signatures: bool,
    #[command(flatten)]
    pub watch: Watch,
}

/// Reports everything wrong with a program.
pub fn check(arguments: &Check) -> Exit {
    let file = match project::entry(arguments.file.as_deref()) {
        Ok(file) => file,
        Err(exit) => return exit,
    };
    if arguments.watch.watch {
        return watch(&|| vec![file.clone()]);
    }
    match compile::open(&file) {
        Ok(db) => {
            let diagnostics = gsw_analysis::check_project(&db);
            let exit = report::report(&db, &diagnostics, arguments.format);
            let exit = if arguments.signatures && exit == Exit::Done {
                report::output(&signature::signatures(&db))
            } else {
                exit
            };
            // The process ends here: freeing a large program first would only take time.
            std::mem::forget(db);
            exit
        }
        Err(failure) => report::failure(&failure),
    }
}
