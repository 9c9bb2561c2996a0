//! Makes one file of a launcher and an image. It appears under its name complete or not at all.

use std::io::Error;
use std::path::{Path, PathBuf};

use gsw_abi::image::{FOOTER_MAGIC, FOOTER_SIZE, PAGE};

use crate::replace::{Access, replace};

/// The first bytes of the only kind of executable that an image can be appended to so far.
const ELF: [u8; 4] = *b"\x7fELF";

/// Why there is no file.
#[derive(Debug)]
pub enum BundleError {
    /// The launcher cannot be read.
    Launcher { path: PathBuf, error: Error },
    /// The launcher is not an executable of this system.
    NotAnExecutable(PathBuf),
    /// The file cannot be written.
    Target { path: PathBuf, error: Error },
}

impl std::fmt::Display for BundleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Launcher { path, error } => {
                write!(
                    f,
                    "the launcher `{}` cannot be read: {error}",
                    path.display()
                )
            }
            Self::NotAnExecutable(path) => write!(
                f,
                "`{}` cannot be used as a launcher: it is not an ELF executable",
                path.display()
            ),
            Self::Target { path, error } => {
                write!(f, "`{}` cannot be written: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for BundleError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Launcher { error, .. } | Self::Target { error, .. } => Some(error),
            Self::NotAnExecutable(_) => None,
        }
    }
}

/// Writes `target`: the launcher, then the image at a page of its own, then the footer that finds it.
///
/// # Errors
/// When a file cannot be read or written; then there is no new file, and an old one is as it was.
pub fn bundle(launcher: &Path, image: &[u8], target: &Path) -> Result<(), BundleError> {
    let mut bytes = std::fs::read(launcher).map_err(|error| BundleError::Launcher {
        path: launcher.to_owned(),
        error,
    })?;
    if !bytes.starts_with(&ELF) {
        return Err(BundleError::NotAnExecutable(launcher.to_owned()));
    }
    // A built program may serve as a launcher. Appending to all of it would leave an image that nobody finds.
    bytes.truncate(length_without_image(&bytes));
    // The loader maps the image in place, which the kernel does by whole pages only.
    bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
    let offset = bytes.len() as u64;
    bytes.extend_from_slice(image);
    // At the end of the file, where it can be found without reading the executable.
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&(image.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&FOOTER_MAGIC);
    replace(target, &bytes, Access::Executable).map_err(|error| BundleError::Target {
        path: target.to_owned(),
        error,
    })
}

/// How much of an executable is its own: a built program used as a launcher loses its image.
fn length_without_image(bytes: &[u8]) -> usize {
    let Some(footer) = bytes.len().checked_sub(FOOTER_SIZE) else {
        return bytes.len();
    };
    let (offset, magic) = (&bytes[footer..footer + 8], &bytes[footer + 16..]);
    if magic != FOOTER_MAGIC {
        return bytes.len();
    }
    let mut word = [0; 8];
    word.copy_from_slice(offset);
    match usize::try_from(u64::from_le_bytes(word)) {
        // Otherwise the magic is there by chance: nothing is cut off that was not understood.
        Ok(offset) if offset < footer => offset,
        _ => bytes.len(),
    }
}
