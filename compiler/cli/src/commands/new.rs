//! `gswc new` and `gswc init`: a folder becomes a project.

use std::path::{Path, PathBuf};

use gsw_codegen::{Access, replace};
use gsw_service::Exit;

use crate::report;

#[derive(clap::Args)]
pub struct New {
    /// The folder to create; `.` is the current one.
    pub name: PathBuf,
}

#[derive(clap::Args)]
pub struct Init {
    /// The folder that becomes a project.
    #[arg(default_value = ".")]
    pub folder: PathBuf,
}

/// Where the program's name goes in the files of a project.
const NAME: &str = "{{name}}";

/// The files of a project.
const FILES: [(&str, &str); 5] = [
    ("gsw.toml", include_str!("new/gsw.toml")),
    ("main.gsw", include_str!("new/main.gsw")),
    ("README.md", include_str!("new/README.md")),
    ("AGENTS.md", include_str!("new/AGENTS.md")),
    (".gitignore", include_str!("new/gitignore")),
];

/// What a program is called whose folder's name says nothing.
const UNNAMED: &str = "program";

/// Creates a folder with a project that runs offline and has a passing test.
pub fn new(arguments: &New) -> Exit {
    let folder = &arguments.name;
    // `.`, `..` and `a/..` are there already; they name no folder that could be created.
    let Some(name) = folder.file_name() else {
        return init(&Init {
            folder: folder.clone(),
        });
    };
    let Some(name) = name.to_str() else {
        return report::usage(&format!("`{}` is not UTF-8 text", folder.display()));
    };
    if name.contains(char::is_control) {
        let why = "a folder's name has no line breaks, tabs or other control characters";
        return report::usage(&format!("{name:?}: {why}"));
    }
    let above = folder.parent().map_or(Ok(()), std::fs::create_dir_all);
    // Fails when it exists: files of the user are never overwritten.
    match above.and_then(|()| std::fs::create_dir(folder)) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return report::failure(&taken(folder));
        }
        Err(error) => {
            return report::failure(&format!(
                "`{}` cannot be created: {error}",
                folder.display()
            ));
        }
    }
    let program = program_name(name);
    match write(folder, &program) {
        Ok(_) => {
            if program != name {
                report::note(&format!(
                    "the program is called `{program}`; gsw.toml has its name"
                ));
            }
            created(folder, &format!("  cd {}\n", quoted(folder)))
        }
        Err(message) => {
            // It was just made, and what is in it was written here.
            let _ = std::fs::remove_dir_all(folder);
            report::failure(&message)
        }
    }
}

/// What is said of a folder that cannot be created because something has its name.
fn taken(folder: &Path) -> String {
    let shown = folder.display();
    if !folder.is_dir() {
        return no_folder(folder);
    }
    if folder.join(FILES[0].0).exists() {
        return is_project(folder);
    }
    let word = quoted(folder);
    format!("`{shown}` exists already; `gswc init {word}` makes it a project")
}

fn no_folder(path: &Path) -> String {
    format!("`{}` is a file, not a folder", path.display())
}

fn is_project(folder: &Path) -> String {
    let (shown, file) = (folder.display(), FILES[0].0);
    format!("`{shown}` is a project already: it has a `{file}`")
}

/// Makes a folder that exists a project; what is in it stays as it is.
pub fn init(arguments: &Init) -> Exit {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        return report::failure(&match folder.symlink_metadata() {
            Ok(_) => no_folder(folder),
            Err(_) => {
                let shown = folder.display();
                format!("there is no folder `{shown}`; `gswc new` creates one")
            }
        });
    }
    if folder.join(FILES[0].0).exists() {
        return report::failure(&is_project(folder));
    }
    let name = std::path::absolute(folder).and_then(std::fs::canonicalize);
    let name = name
        .ok()
        .and_then(|it| Some(it.file_name()?.to_string_lossy().into_owned()));
    match write(folder, &program_name(&name.unwrap_or_default())) {
        Ok(kept) => {
            for file in kept {
                report::note(&format!("`{file}` already exists and was not changed"));
            }
            let change = match folder == Path::new(".") {
                true => String::new(),
                false => format!("  cd {}\n", quoted(folder)),
            };
            created(folder, &change)
        }
        Err(message) => report::failure(&message),
    }
}

fn created(folder: &Path, change: &str) -> Exit {
    let shown = match folder == Path::new(".") {
        true => "a project in this folder".to_owned(),
        false => format!("`{}`", folder.display()),
    };
    report::output(&format!(
        "created {shown}; try\n{change}  gswc test\n  gswc run -- --message \"Thanks!\"\n"
    ))
}

/// Writes the files that are missing, and gives the names of those that were there. `gsw.toml` comes last: what was interrupted
/// before can be done again.
fn write(folder: &Path, program: &str) -> Result<Vec<&'static str>, String> {
    let mut kept = Vec::new();
    for (file, text) in FILES.into_iter().rev() {
        let path = folder.join(file);
        // A link that leads nowhere belongs to the user, too.
        if path.symlink_metadata().is_ok() {
            kept.push(file);
            continue;
        }
        let text = text.replace(NAME, program);
        replace(&path, text.as_bytes(), Access::Usual)
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
    }
    Ok(kept)
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    gsw_service::shell::quoted(&path.to_string_lossy())
}

/// The folder's name as `gsw.toml` takes it: small letters, digits, `-` and `_`, a letter first.
fn program_name(folder: &str) -> String {
    let plain: String = folder
        .to_lowercase()
        .chars()
        .map(|it| {
            if it.is_ascii_alphanumeric() || it == '_' {
                it
            } else {
                '-'
            }
        })
        .collect();
    let name = plain.trim_start_matches(|it: char| !it.is_ascii_lowercase());
    let name = name.trim_end_matches('-');
    // Letters of one byte, so any place is between two of them.
    let name = name.get(..name.len().min(LONGEST)).unwrap_or(name);
    if name.is_empty() {
        UNNAMED.into()
    } else {
        name.to_owned()
    }
}

/// The longest name that `gsw.toml` takes.
const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn names_are_what_a_project_may_be_called() {
        assert_eq!(program_name("letters"), "letters");
        assert_eq!(program_name("My Letters!"), "my-letters");
        assert_eq!(program_name("2nd_try"), "nd_try");
        assert_eq!(program_name("…"), "program");
        assert_eq!(program_name(&"x".repeat(100)).len(), 64);
    }
}
