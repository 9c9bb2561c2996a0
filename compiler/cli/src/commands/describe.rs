//! `gswc describe`: all facts about one declaration, of the program or of the library.

use std::path::PathBuf;

use gsw_service::Exit;
use gsw_source::Database;

use crate::declarations::{Whose, declarations, described, imported, json_lines, meant};
use crate::{compile, project, report};

#[derive(clap::Args)]
pub struct Describe {
    /// The declaration as a program names it: `main`, `schemas.Order`, `fs.read`, or the last part of such a name; or a module, `fs`, with all that it declares.
    pub name: String,
    /// The entry file or a project folder; by default the project in the current folder, or the standard library alone if there is none.
    pub file: Option<PathBuf>,
    /// The format of the description.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    pub format: Form,
}

/// How declarations are shown.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Prints what is known of a declaration; of several with the same short name, all.
pub fn describe(arguments: &Describe) -> Exit {
    let db = match database(arguments.file.as_deref()) {
        Ok(db) => db,
        Err(exit) => return exit,
    };
    let mut found = imported(&db, &arguments.name);
    if found.is_empty() {
        found = match meant(&declarations(&db, Whose::All), &arguments.name) {
            Ok(found) => found,
            Err(why) => return report::usage(&why),
        };
    }
    let described = described(&db, &found);
    match arguments.format {
        Form::Json => report::output_json(&json_lines(&described)),
        Form::Text => {
            let texts: Vec<String> = described.iter().map(|it| it.text()).collect();
            report::output(&texts.join("\n"))
        }
    }
}

/// The program, which may be wrong: the user may be in the middle of an edit.
pub(super) fn database(file: Option<&std::path::Path>) -> Result<Database, Exit> {
    if file.is_none() && !project::is_in_project() {
        return super::doc::library();
    }
    let entry = project::entry(file)?;
    compile::open(&entry).map_err(|failure| report::failure(&failure))
}
