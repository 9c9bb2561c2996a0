//! Places as agents name them, a line and a name or column in it, and as they are shown them.

use std::path::{Component, Path};

use gsw_source::{Database, File, Location, file_line_index};
use serde_json::{Value, json};

/// Whether a path leads into the folder that the server works in, links followed.
pub fn is_inside(path: &Path) -> bool {
    let Ok(here) = std::env::current_dir().and_then(|it| it.canonicalize()) else {
        return false;
    };
    is_beneath(&here, path)
}

fn is_beneath(here: &Path, path: &Path) -> bool {
    let path = here.join(path);
    if let Ok(path) = path.canonicalize() {
        return path.starts_with(here);
    }
    // A path that may not exist yet: where it would be is known only without `..`.
    let climbs = path.components().any(|it| it == Component::ParentDir);
    let mut parts = path.ancestors();
    let nearest = parts.find_map(|it| it.canonicalize().ok());
    !climbs && nearest.is_some_and(|it| it.starts_with(here))
}

/// A place in a file: lines and columns from 1, columns in characters.
pub struct Place {
    pub line: u32,
    pub at: At,
}

/// The position inside a line.
pub enum At {
    Column(u32),
    /// The first place in it that has this text as a whole word.
    Name(String),
}

impl Place {
    /// The byte of a text.
    pub fn offset(&self, text: &str) -> Result<u32, String> {
        let lines = text.split_inclusive('\n');
        let before = (self.line as usize).saturating_sub(1);
        let start: usize = lines.clone().take(before).map(str::len).sum();
        let line = lines.clone().nth(before).filter(|_| self.line > 0);
        let line = line.ok_or_else(|| {
            let count = text.lines().count();
            format!("there is no line {}; the file has {count}", self.line)
        })?;
        let inside = match &self.at {
            At::Name(name) => word(line, name).ok_or_else(|| {
                format!("`{name}` is not in line {}: {}", self.line, line.trim_end())
            })?,
            At::Column(column) => {
                let characters = line.char_indices().map(|it| it.0);
                let index = (*column as usize).saturating_sub(1);
                characters
                    .clone()
                    .nth(index)
                    .unwrap_or(line.trim_end().len())
            }
        };
        Ok(u32::try_from(start + inside).unwrap_or(u32::MAX))
    }
}

/// Where a line has a name as a word of its own.
fn word(line: &str, name: &str) -> Option<usize> {
    let is_part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    let mut found = line.match_indices(name).map(|it| it.0);
    found.find(|&start| {
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        !name.is_empty() && !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// A place with its line, as text and as data.
pub fn told(db: &Database, location: Location) -> (String, Value) {
    let Location { file, span } = location;
    let text = file.text(db);
    let position = file_line_index(db, file).position(text, span.start);
    let line = text.lines().nth(position.line as usize - 1);
    let line = line.unwrap_or_default().trim();
    let path = path(db, file);
    let told = format!("{path}:{}:{}: {line}\n", position.line, position.column);
    let data = json!({
        "file": path,
        "line": position.line,
        "column": position.column,
        "text": line,
    });
    (told, data)
}

fn path(db: &Database, file: File) -> String {
    file.path(db).display().to_string()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{At, Place, is_beneath};

    const TEXT: &str = "let a = 1\nlet über = aa + a\n";

    fn at(line: u32, at: At) -> Result<u32, String> {
        Place { line, at }.offset(TEXT)
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let folder = std::env::temp_dir().join(format!("gsw-inside-{}", std::process::id()));
        let (here, out) = (folder.join("here"), folder.join("out"));
        for it in [&here, &out] {
            std::fs::create_dir_all(it).expect("a folder can be made");
            std::fs::write(it.join("a.gsw"), "").expect("a file can be written");
        }
        let _ = std::os::unix::fs::symlink(&out, here.join("link"));
        let here = here.canonicalize().expect("it exists");
        let absolute = here.join("a.gsw");
        for inside in [
            "a.gsw",
            ".",
            "new.gsw",
            "../here/a.gsw",
            absolute.to_str().expect("text"),
        ] {
            assert!(is_beneath(&here, Path::new(inside)), "{inside}");
        }
        for outside in [
            "..",
            "../out/a.gsw",
            "../out/new.gsw",
            "link/a.gsw",
            "link/new.gsw",
            "/etc/passwd",
        ] {
            assert!(!is_beneath(&here, Path::new(outside)), "{outside}");
        }
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_name_is_a_whole_word() {
        let last = u32::try_from(TEXT.rfind('a').expect("it is there")).expect("it is short");
        assert_eq!(at(2, At::Name("a".into())), Ok(last));
        assert_eq!(at(2, At::Name("über".into())), Ok(14));
        assert!(at(2, At::Name("b".into())).is_err());
        assert!(at(1, At::Name(String::new())).is_err());
    }

    #[test]
    fn columns_count_characters_from_one() {
        assert_eq!(at(1, At::Column(1)), Ok(0));
        assert_eq!(at(2, At::Column(10)), Ok(20));
        assert_eq!(at(1, At::Column(99)), Ok(9));
        assert!(at(0, At::Column(1)).is_err());
        assert!(at(9, At::Column(1)).is_err());
    }
}
