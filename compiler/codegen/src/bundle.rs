//! Makes one file of a launcher and an image. It appears under its name complete or not at all.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

use gsw_abi::image::{FOOTER_MAGIC, FOOTER_SIZE, PAGE};

/// The first bytes of the only kind of executable that an image can be appended to so far.
const ELF: [u8; 4] = *b"\x7fELF";

/// Why there is no file.
#[derive(Debug)]
pub enum BundleError {
    /// The launcher cannot be read.
    Launcher {
        /// The launcher.
        path: PathBuf,
        /// What the system says.
        error: Error,
    },
    /// The launcher is not an executable of this system.
    NotAnExecutable(PathBuf),
    /// The file cannot be written.
    Target {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: Error,
    },
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
    bytes.truncate(length_without_image(&bytes));
    bytes.resize(bytes.len().next_multiple_of(PAGE), 0);
    let offset = bytes.len() as u64;
    bytes.extend_from_slice(image);
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&(image.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&FOOTER_MAGIC);
    replace(target, &bytes).map_err(|error| BundleError::Target {
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
        Ok(offset) if offset < footer => offset,
        _ => bytes.len(),
    }
}

/// Puts the bytes under a name in one step, by way of a file beside it. What a crash of the whole machine loses can be built
/// again, so nobody waits for the disk.
fn replace(target: &Path, bytes: &[u8]) -> Result<(), Error> {
    let name = target
        .file_name()
        .ok_or_else(|| Error::new(ErrorKind::InvalidInput, "this is not the name of a file"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = target.with_file_name(temporary);
    let written =
        write_executable(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, target));
    if written.is_err() {
        // What stopped the writing is the error to report; the file may not even exist.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn write_executable(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    make_executable(&file)
}

#[cfg(unix)]
fn make_executable(file: &File) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &File) -> Result<(), Error> {
    Ok(())
}
