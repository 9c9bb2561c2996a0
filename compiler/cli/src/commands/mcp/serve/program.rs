//! The program of a question, read anew for each, optionally with a text in place of a file.

use std::path::{Path, PathBuf};

use gsw_source::{Database, File, Project};

use crate::overlay::Overlay;
use crate::project;

/// The file that a text without a name stands for.
const UNNAMED: &str = "main.gsw";

/// A program, and the file that was named.
pub struct Opened {
    pub db: Database,
    pub file: File,
}

/// The program that a file begins, with this text as its content if there is one; without a file that of the project.
pub fn open(file: Option<&Path>, text: Option<String>) -> Result<Opened, String> {
    let mut overlay = Overlay::default();
    let entry = match (file, &text) {
        (None, Some(_)) => PathBuf::from(UNNAMED),
        (file, _) => project::find_entry(file).map_err(project::NoEntry::text)?,
    };
    if let Some(text) = text {
        overlay.change(entry.clone(), text);
    }
    opened(&entry, &overlay)
}

/// The program around a file: the project that it is a part of, else the file and what it imports.
pub fn open_around(file: &Path) -> Result<Opened, String> {
    let overlay = Overlay::default();
    let around = file.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = around.unwrap_or(Path::new("."));
    let configuration = gsw_project::find_configuration(&folder.join(UNNAMED), &overlay);
    let folder = configuration.as_deref().and_then(Path::parent);
    let folder = folder.map(|it| match it.as_os_str().is_empty() {
        true => Path::new("."),
        false => it,
    });
    if let Some(folder) = folder
        && let Ok(entry) = project::find_entry(Some(folder))
        && let Ok(opened) = opened(&entry, &overlay)
        && let Some(file) = file_at(&opened.db, file)
    {
        return Ok(Opened { file, ..opened });
    }
    opened(file, &overlay)
}

fn opened(entry: &Path, overlay: &Overlay) -> Result<Opened, String> {
    let mut db = Database::default();
    let file = gsw_project::open_project(&mut db, entry, overlay)?;
    Ok(Opened { db, file })
}

/// The file of a program at a path.
fn file_at(db: &Database, path: &Path) -> Option<File> {
    let wanted = path.canonicalize().ok()?;
    let modules = Project::try_get(db)?.modules(db);
    let is_it = |it: &&File| it.path(db).canonicalize().is_ok_and(|it| it == wanted);
    modules.values().find(is_it).copied()
}
