//! `gswc new`

use std::path::Path;

use gsw_codegen::{Access, replace};
use gsw_service::Exit;

use crate::report;

/// `gswc new`
#[derive(clap::Args)]
pub struct New {
    /// The folder to create.
    pub name: String,
}

const MAIN: &str = include_str!("new/main.gsw");
const CONFIGURATION: &str = include_str!("new/gsw.toml");
const README: &str = include_str!("new/README.md");
const IGNORED: &str = include_str!("new/gitignore");

/// What a program is called whose folder's name says nothing.
const UNNAMED: &str = "program";

/// Creates a folder with a project that runs offline and has a passing test.
pub fn new(arguments: &New) -> Exit {
    let folder = Path::new(&arguments.name);
    let Some(name) = folder.file_name().and_then(|it| it.to_str()) else {
        return report::usage(&format!("`{}` is not a valid folder name", arguments.name));
    };
    match write(folder, name) {
        Ok(()) => report::output(&format!(
            "created `{0}`; try\n  cd {0}\n  gswc test\n  gswc run -- --message \"Thanks!\"\n",
            folder.display()
        )),
        Err(error) => report::failure(&format!(
            "`{}` cannot be created: {error}",
            folder.display()
        )),
    }
}

fn write(folder: &Path, name: &str) -> std::io::Result<()> {
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above)?;
    }
    // Fails when it exists: files of the user are never overwritten.
    std::fs::create_dir(folder)?;
    let program = program_name(name);
    let named = |text: &str| text.replace("NAME", &program);
    for (file, text) in [
        ("main.gsw", MAIN.to_owned()),
        ("gsw.toml", named(CONFIGURATION)),
        ("README.md", named(README)),
        (".gitignore", named(IGNORED)),
    ] {
        replace(&folder.join(file), text.as_bytes(), Access::Usual)?;
    }
    Ok(())
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
    if name.is_empty() {
        UNNAMED.into()
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn names_are_what_a_project_may_be_called() {
        assert_eq!(program_name("letters"), "letters");
        assert_eq!(program_name("My Letters!"), "my-letters");
        assert_eq!(program_name("2nd_try"), "nd_try");
        assert_eq!(program_name("…"), "program");
    }
}
