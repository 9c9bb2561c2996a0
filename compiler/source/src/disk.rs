//! The only place of the front end that reads the disk.
#![allow(
    clippy::disallowed_methods,
    reason = "this module is the exception that the lint is for"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where sources come from: the disk, or an editor's open documents before it.
pub trait Files {
    /// The text of a file.
    ///
    /// # Errors
    /// When it cannot be read as source: a sentence for the user, without the path.
    fn read(&self, path: &Path) -> Result<Arc<str>, String>;

    /// The path from the root of the file system, as [`crate::normal`] has it.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// The files below a folder by their paths in it, sorted, without hidden ones and links.
    ///
    /// # Errors
    /// When it cannot be read, or holds too much: a sentence for the user, without the path.
    fn below(&self, folder: &Path) -> Result<Vec<String>, String>;

    /// Whether there is such a file, readable or not.
    fn is_file(&self, path: &Path) -> bool {
        self.read(path).is_ok()
    }

    /// Whether anything has this path, so that a text which cannot be read is not just missing.
    fn exists(&self, path: &Path) -> bool {
        self.read(path).is_ok()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// The most bytes of a source file; spans count in 32 bits, and no one writes more by hand. A guess.
const LARGEST: u64 = 16 << 20;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        let metadata = std::fs::metadata(path).map_err(|error| reason(&error))?;
        if metadata.is_dir() {
            return Err("is a folder, not a `.gsw` file".into());
        }
        // A device or a pipe may never end.
        if !metadata.is_file() {
            return Err("is no regular file".into());
        }
        if metadata.len() > LARGEST {
            return Err(format!(
                "has {} MB; a source file may have at most {}",
                metadata.len() >> 20,
                LARGEST >> 20
            ));
        }
        let bytes = std::fs::read(path).map_err(|error| reason(&error))?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                Err(format!("is not UTF-8 text: byte {at} is invalid"))
            }
        }
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        crate::normal(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    fn below(&self, folder: &Path) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        let mut left = MOST;
        list(folder, "", &mut left, &mut found)?;
        found.sort();
        Ok(found)
    }

    fn is_file(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|it| it.is_file())
    }

    fn exists(&self, path: &Path) -> bool {
        match path.try_exists() {
            Ok(exists) => exists,
            // What cannot be found out, such as in a folder that may not be opened, is most likely there; below a file nothing is.
            Err(error) => error.kind() != std::io::ErrorKind::NotADirectory,
        }
    }
}

/// How many files and folders [`Files::below`] takes; a guess, so that a folder that was named by mistake costs little.
const MOST: usize = 1_000;

fn list(
    folder: &Path,
    below: &str,
    left: &mut usize,
    found: &mut Vec<String>,
) -> Result<(), String> {
    for entry in std::fs::read_dir(folder).map_err(|error| reason(&error))? {
        let entry = entry.map_err(|error| reason(&error))?;
        let kind = entry.file_type().map_err(|error| reason(&error))?;
        let name = entry.file_name();
        // A path that is no text cannot be asked for.
        let Some(name) = name.to_str().filter(|it| !it.starts_with('.')) else {
            continue;
        };
        *left = left
            .checked_sub(1)
            .ok_or_else(|| format!("holds more than {MOST} files and folders"))?;
        let path = format!("{below}{name}");
        if kind.is_file() {
            found.push(path);
        } else if kind.is_dir() {
            list(&entry.path(), &format!("{path}/"), left, found)?;
        }
    }
    Ok(())
}

/// Those of `paths` that are below a folder, as [`Files::below`] gives them.
///
/// # Errors
/// When there are none.
pub fn paths_below<'a>(
    paths: impl Iterator<Item = &'a Path>,
    folder: &Path,
) -> Result<Vec<String>, String> {
    let below = paths.filter_map(|it| it.strip_prefix(folder).ok()?.to_str());
    let mut below: Vec<String> = below.map(str::to_owned).collect();
    below.sort();
    match below.is_empty() {
        true => Err("does not exist".into()),
        false => Ok(below),
    }
}

fn reason(error: &std::io::Error) -> String {
    let kind = error.kind();
    if matches!(
        kind,
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    ) {
        "does not exist".into()
    } else if kind == std::io::ErrorKind::PermissionDenied {
        "cannot be read: permission denied".into()
    } else {
        format!("cannot be read: {error}")
    }
}
