//! `gswc doc`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gsw_codegen::{Access, replace};
use gsw_describe::{ManualPage, Page, State};
use gsw_service::Exit;
use gsw_source::{Database, Files, Project};

use super::explain;
use crate::declarations::{Whose, declarations, described, json_lines};
use crate::report::Format;
use crate::{compile, project, report};

#[derive(clap::Args)]
pub struct Doc {
    /// The entry file or a project folder; by default the project in the current folder, or the standard library alone if there is none.
    pub file: Option<PathBuf>,
    /// The folder that the pages are written to.
    #[arg(short, long, value_name = "FOLDER", default_value = "doc")]
    pub output: PathBuf,
    /// Print the language on one page, as Markdown, instead of writing a folder.
    #[arg(long, conflicts_with_all = ["file", "output", "format"])]
    pub language: bool,
    /// Print every declaration as one JSON object per line, as `describe` does for one, instead of writing a folder.
    #[arg(long, value_enum, default_value_t = Form::Html, conflicts_with = "output")]
    pub format: Form,
}

/// What is made.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// A folder of web pages.
    Html,
    /// One JSON object per line.
    Json,
}

/// The page that `--language` prints.
const LANGUAGE: &str = "reference/language";

/// The page by which a folder is known to hold documentation.
const INDEX: &str = "search-index.js";

/// Writes the documentation of a program and of the library.
pub fn doc(arguments: &Doc) -> Exit {
    if arguments.language {
        return match ManualPage::at(LANGUAGE) {
            Some(page) => report::output(page.text),
            None => report::failure(&"this `gswc` was built without its documentation"),
        };
    }
    if arguments.format == Form::Json {
        return match super::describe::database(arguments.file.as_deref()) {
            Ok(db) => {
                let all = described(&db, &declarations(&db, Whose::All));
                report::output_json(&json_lines(&all))
            }
            Err(exit) => exit,
        };
    }
    if let Some(file) = arguments.file.as_ref().filter(|it| !it.exists())
        && let Some(name) = file.to_str().filter(|it| explain::is_module(it))
    {
        return report::usage(&format!(
            "`{name}` is a module of the library: `gswc explain std/{}` shows it",
            name.strip_prefix("std/").unwrap_or(name)
        ));
    }
    let pages = if arguments.file.is_none() && !project::is_in_project() {
        of_library()
    } else {
        project::entry(arguments.file.as_deref()).and_then(|it| of_program(&it))
    };
    let pages = match pages {
        Ok(pages) => pages,
        Err(exit) => return exit,
    };
    let folder = &arguments.output;
    match write(folder, &pages) {
        Ok(()) => report::output(&format!("{}\n", folder.join("index.html").display())),
        Err(message) => report::failure(&message),
    }
}

fn of_program(entry: &Path) -> Result<Vec<Page>, Exit> {
    let db = compile::open(entry).map_err(|failure| report::failure(&failure))?;
    // The user may be in the middle of an edit.
    let diagnostics = gsw_analysis::check_project(&db);
    let state = if report::report(&db, &diagnostics, Format::Auto) == Exit::Done {
        State::Checked
    } else {
        State::Broken
    };
    Ok(gsw_describe::site(&db, Some(&title(&db, entry)), state))
}

fn of_library() -> Result<Vec<Page>, Exit> {
    let db = library()?;
    Ok(gsw_describe::site(&db, None, State::Checked))
}

/// A database with the standard library alone.
pub(super) fn library() -> Result<Database, Exit> {
    let mut db = Database::default();
    gsw_project::open_project(&mut db, Path::new("library.gsw"), &Nothing)
        .map_err(|failure| report::failure(&failure))?;
    Ok(db)
}

/// The name of the project and its version, else the name of the entry's file.
fn title(db: &Database, entry: &Path) -> String {
    let said = gsw_project::project_configuration(db);
    let is_home = Project::try_get(db).is_some_and(|it| it.home(db).as_ref() == Some(it.entry(db)));
    let name = said.filter(|_| is_home).and_then(|it| it.name.clone());
    let stem = || {
        entry
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let name = name.unwrap_or_else(stem);
    match said.and_then(|it| it.version.as_ref()) {
        Some(version) => format!("{name} {version}"),
        None => name,
    }
}

/// Writes the pages into a folder that is new, empty, or was written so before.
fn write(folder: &Path, pages: &[Page]) -> Result<(), String> {
    let shown = folder.display();
    let failed = |error: std::io::Error| format!("`{shown}` cannot be written: {error}");
    if folder.exists() && !folder.join(INDEX).is_file() {
        let mut entries = std::fs::read_dir(folder).map_err(failed)?;
        if entries.next().is_some() {
            return Err(format!(
                "`{shown}` contains files other than documentation; choose another folder with --output"
            ));
        }
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let is_ours = ["module.", "source.", "manual."]
            .iter()
            .any(|it| name.starts_with(it));
        if is_ours && name.ends_with(".html") && !pages.iter().any(|it| it.name == name) {
            // The page of a module that no longer exists.
            std::fs::remove_file(folder.join(&*name)).map_err(failed)?;
        }
    }
    for page in pages {
        let file = folder.join(&page.name);
        replace(&file, page.text.as_bytes(), Access::Usual).map_err(failed)?;
    }
    Ok(())
}

struct Nothing;

impl Files for Nothing {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        match path.to_str() {
            Some("library.gsw") => Ok("".into()),
            _ => Err("does not exist".into()),
        }
    }

    fn below(&self, _: &Path) -> Result<Vec<String>, String> {
        Err("does not exist".into())
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        Path::new("/").join(path)
    }
}
