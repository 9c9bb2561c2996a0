//! `gswc fmt`

use std::io::Read;
use std::path::{Path, PathBuf};

use gsw_codegen::{Access, replace};
use gsw_format::format_file;
use gsw_service::Exit;
use gsw_source::{Database, File};

use crate::report::Format;
use crate::{project, report};

#[derive(clap::Args)]
pub struct Fmt {
    /// Files or project folders; by default the project in the current folder; `-` formats standard input to standard output.
    pub files: Vec<PathBuf>,
    /// List the files that would change instead of writing them, and exit with 1 if there are any.
    #[arg(long)]
    pub check: bool,
}

/// The name under which standard input is given.
const STANDARD_INPUT: &str = "-";

/// Formats files; one with syntax errors is left unchanged, and so is what is formatted already.
pub fn fmt(arguments: &Fmt) -> Exit {
    let mut worst = Exit::Done;
    let files = match project::files(&arguments.files) {
        Ok(files) => files,
        Err(exit) => return exit,
    };
    for path in &files {
        let exit = if path == Path::new(STANDARD_INPUT) {
            standard_input(arguments)
        } else {
            file(path, arguments)
        };
        worst = worst.worse(exit);
    }
    worst
}

fn file(path: &Path, arguments: &Fmt) -> Exit {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            return report::failure(&format!("`{}` cannot be read: {error}", path.display()));
        }
    };
    let formatted = match formatted(path.to_owned(), &text) {
        Ok(formatted) => formatted,
        Err(exit) => return exit,
    };
    if formatted == text {
        return Exit::Done;
    }
    if arguments.check {
        report::output(&format!("{}\n", path.display()));
        return Exit::Raised;
    }
    match replace(path, formatted.as_bytes(), Access::Usual) {
        Ok(()) => Exit::Done,
        Err(error) => report::failure(&format!("`{}` cannot be written: {error}", path.display())),
    }
}

fn standard_input(arguments: &Fmt) -> Exit {
    let mut text = String::new();
    if let Err(error) = std::io::stdin().read_to_string(&mut text) {
        return report::failure(&format!("standard input cannot be read: {error}"));
    }
    let formatted = match formatted("<stdin>".into(), &text) {
        Ok(formatted) => formatted,
        Err(exit) => return exit,
    };
    if !arguments.check {
        return report::output(&formatted);
    }
    if formatted == text {
        Exit::Done
    } else {
        report::output("<stdin>\n");
        Exit::Raised
    }
}

/// The formatted text; syntax errors are printed.
pub(super) fn formatted(path: PathBuf, text: &str) -> Result<String, Exit> {
    let db = Database::default();
    let name = path.display().to_string();
    let file = File::new(&db, path, text.into());
    format_file(&db, file).map_err(|error| {
        if error.diagnostics.is_empty() {
            return report::failure(&format!(
                "`{name}` is left as it is: `gswc check` reports what is wrong with it"
            ));
        }
        report::report(&db, &error.diagnostics, Format::Auto);
        Exit::Raised
    })
}
