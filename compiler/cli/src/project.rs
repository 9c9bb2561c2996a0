//! Which files a command is about: those that are named, or those of the project around the current folder.

use std::path::{Component, Path, PathBuf};

use gsw_project::CONFIGURATION;
use gsw_service::Exit;
use gsw_source::{Database, Diagnostic, Disk, File, Files};

use crate::report::{self, Format};

/// The file that stands for whatever is in the current folder.
const HERE: &str = "main.gsw";
/// Folders are not entered deeper than this when tests are looked for; a guess that keeps cycles of links finite.
const DEPTH: usize = 32;

/// Why there is no entry file.
pub enum NoEntry {
    /// The command was called wrongly.
    Usage(String),
    Failure(String),
    /// What is wrong with `gsw.toml`.
    Diagnostics(Box<Database>, Vec<Diagnostic>),
}

impl NoEntry {
    fn report(self) -> Exit {
        match self {
            Self::Usage(why) => report::usage(&why),
            Self::Failure(why) => report::failure(&why),
            Self::Diagnostics(db, found) => report::report(&db, &found, Format::Auto),
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Usage(why) | Self::Failure(why) => why,
            Self::Diagnostics(db, found) => report::plain_text(&db, &found),
        }
    }
}

/// The entry file: the one that is named, that of the project in the folder that is named, or that of the project around the
/// current folder.
pub fn entry(named: Option<&Path>) -> Result<PathBuf, Exit> {
    find_entry(named).map_err(NoEntry::report)
}

/// Like [`entry`], but returns what is wrong instead of printing it.
pub fn find_entry(named: Option<&Path>) -> Result<PathBuf, NoEntry> {
    let found = match named {
        Some(path) if !path.is_dir() => return Ok(path.to_owned()),
        Some(folder) => Some(folder.join(CONFIGURATION)).filter(|it| it.is_file()),
        None => gsw_project::find_configuration(Path::new(HERE), &Disk),
    };
    match found {
        Some(configuration) => entry_of(&configuration),
        None => Err(NoEntry::Usage(no_project(named))),
    }
}

/// The entry file and the word after it, where the file may be omitted in a project.
pub fn entry_and_word<'a>(
    file: Option<&'a Path>,
    word: Option<&'a str>,
) -> (Result<PathBuf, Exit>, Option<&'a str>) {
    let Some(path) = file else {
        return (entry(None), word);
    };
    let is_file = path.exists() || path.extension().is_some_and(|it| it == "gsw");
    match path.to_str() {
        Some(name) if !is_file && word.is_none() && is_in_project() => (entry(None), Some(name)),
        _ => (entry(Some(path)), word),
    }
}

/// The files that are tested or formatted: those that are named, and all of the folders that are named; without a name those
/// of the project around the current folder.
pub fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Exit> {
    if named.is_empty() {
        let found = gsw_project::find_configuration(Path::new(HERE), &Disk);
        let configuration = found.ok_or_else(|| {
            report::usage(&format!(
                "there is no `{CONFIGURATION}` here or in a folder above; give `.gsw` files, or a folder, such as `.` for this one"
            ))
        })?;
        let files = files_of(folder_of(&configuration))?;
        return Ok(files.iter().map(|it| from_here(it)).collect());
    }
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            files.extend(files_of(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// What the project is called whose entry `file` is.
pub fn name_of_entry(file: &Path) -> Option<String> {
    let configuration = gsw_project::find_configuration(file, &Disk)?;
    let (db, text) = read(&configuration).ok()?;
    let said = &gsw_project::file_configuration(&db, text).configuration;
    let home = folder_of(&configuration).join(&said.entry);
    let is_home = Disk.absolute(&home) == Disk.absolute(file);
    said.name.clone().filter(|_| is_home)
}

/// Whether the current folder, or one above, holds a project.
pub fn is_in_project() -> bool {
    gsw_project::find_configuration(Path::new(HERE), &Disk).is_some()
}

fn no_project(named: Option<&Path>) -> String {
    let place = match named {
        Some(folder) => format!("in `{}`", folder.display()),
        None => "here or in a folder above".to_owned(),
    };
    format!(
        "there is no `{CONFIGURATION}` {place}; give a `.gsw` file, or create a project with `gswc new NAME`"
    )
}

fn entry_of(configuration: &Path) -> Result<PathBuf, NoEntry> {
    let (db, file) = read(configuration)?;
    let checked = gsw_project::file_configuration(&db, file);
    let path = from_here(&folder_of(configuration).join(&checked.configuration.entry));
    if path.is_file() {
        // What else is wrong in the file is reported with the program.
        return Ok(path);
    }
    if !checked.diagnostics.is_empty() {
        let found = checked.diagnostics.clone();
        return Err(NoEntry::Diagnostics(Box::new(db), found));
    }
    Err(NoEntry::Failure(format!(
        "`{}` does not exist, but `{}` names it as the project's entry",
        path.display(),
        configuration.display()
    )))
}

fn folder_of(configuration: &Path) -> &Path {
    configuration.parent().unwrap_or(Path::new(""))
}

/// The path without the folders that it leaves and enters again: in `src`, `../src/a.gsw` is `a.gsw`.
fn from_here(path: &Path) -> PathBuf {
    let left = path
        .components()
        .take_while(|it| *it == Component::ParentDir);
    let left = left.count();
    let rest: PathBuf = path.components().skip(left).collect();
    let Ok(here) = std::env::current_dir() else {
        return path.to_owned();
    };
    let inside: Vec<_> = here.components().collect();
    let Some(first) = inside.len().checked_sub(left) else {
        return path.to_owned();
    };
    let entered = inside[first..].iter().zip(rest.components());
    let entered = entered.take_while(|(folder, it)| *folder == it).count();
    let up = std::iter::repeat_n(Component::ParentDir, left - entered);
    up.chain(rest.components().skip(entered)).collect()
}

/// A database with one `gsw.toml`.
fn read(path: &Path) -> Result<(Database, File), NoEntry> {
    let text = Disk
        .read(path)
        .map_err(|why| NoEntry::Failure(format!("`{}` {why}", path.display())))?;
    let db = Database::default();
    let file = File::new(&db, path.to_owned(), text);
    Ok((db, file))
}

/// The `.gsw` files beneath a folder in order; hidden folders and projects inside are left out.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Exit> {
    let mut files = Vec::new();
    collect(folder, DEPTH, &mut files).map_err(|error| {
        report::failure(&format!("cannot list `{}`: {error}", folder.display()))
    })?;
    Ok(files)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let listed = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let mut entries: Vec<_> = std::fs::read_dir(listed)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let path = folder.join(&name);
        let is_hidden = name.to_string_lossy().starts_with('.');
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !is_hidden && depth > 0 && !path.join(CONFIGURATION).is_file() {
                collect(&path, depth - 1, files)?;
            }
        } else if path.extension().is_some_and(|it| it == "gsw") {
            files.push(path);
        }
    }
    Ok(())
}
