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

    /// The path from the root of the file system.
    fn absolute(&self, path: &Path) -> PathBuf;

    /// Whether there is such a file, readable or not.
    fn is_file(&self, path: &Path) -> bool {
        self.read(path).is_ok()
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// A source file may have so many bytes; spans count in 32 bits, and nobody writes more by hand. A guess.
const LARGEST: u64 = 16 << 20;

impl Files for Disk {
    fn read(&self, path: &Path) -> Result<Arc<str>, String> {
        let metadata = std::fs::metadata(path).map_err(|error| reason(&error))?;
        if metadata.is_dir() {
            return Err("is a folder, not a `.gsw` file".into());
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
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    }

    fn is_file(&self, path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|it| it.is_file())
    }
}

fn reason(error: &std::io::Error) -> String {
    let kind = error.kind();
    if kind == std::io::ErrorKind::NotFound {
        "does not exist".into()
    } else if kind == std::io::ErrorKind::PermissionDenied {
        "cannot be read: permission denied".into()
    } else {
        format!("cannot be read: {error}")
    }
}
