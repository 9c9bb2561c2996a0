//! Makes one file of a launcher and an image. It appears under its name complete or not at all.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use gsw_abi::image::{FOOTER_MAGIC, FOOTER_SIZE, PAGE};

use crate::replace::{Access, Draft};

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
    Begun::copy(launcher, target).and_then(|it| it.finish(image))
}

/// A bundle whose launcher, most of its bytes, is copied by a thread of its own while the program is compiled.
pub struct Bundle {
    launcher: PathBuf,
    target: PathBuf,
    /// `None` without a thread, and once it has been waited for.
    copied: Option<JoinHandle<Result<Begun, BundleError>>>,
}

impl Bundle {
    #[must_use]
    pub fn begin(launcher: PathBuf, target: PathBuf) -> Self {
        let (from, to) = (launcher.clone(), target.clone());
        let copied = std::thread::Builder::new().spawn(move || Begun::copy(&from, &to));
        Self {
            launcher,
            target,
            copied: copied.ok(),
        }
    }

    /// As [`bundle`], and its errors.
    ///
    /// # Errors
    /// Those of [`bundle`].
    pub fn finish(mut self, image: &[u8]) -> Result<(), BundleError> {
        match self.copied.take().map(JoinHandle::join) {
            Some(Ok(begun)) => begun?.finish(image),
            // Without a thread, or with one that panicked, it is copied now.
            Some(Err(_)) | None => bundle(&self.launcher, image, &self.target),
        }
    }
}

impl Drop for Bundle {
    fn drop(&mut self) {
        // Waited for, so that nothing is left beside the target when the program does not compile.
        drop(self.copied.take().map(JoinHandle::join));
    }
}

/// A draft that begins with the launcher.
struct Begun {
    draft: Draft,
    length: u64,
    target: PathBuf,
}

impl Begun {
    fn copy(launcher: &Path, target: &Path) -> Result<Self, BundleError> {
        let unread = |error| BundleError::Launcher {
            path: launcher.to_owned(),
            error,
        };
        let own = Own::of(launcher).map_err(unread)?;
        let own = own.ok_or_else(|| BundleError::NotAnExecutable(launcher.to_owned()))?;
        let mut draft =
            Draft::open(target, Access::Executable).map_err(|it| unwritten(target, it))?;
        own.copy_to(&mut draft.file)
            .map_err(|it| unwritten(target, it))?;
        Ok(Self {
            draft,
            length: own.length,
            target: target.to_owned(),
        })
    }

    fn finish(self, image: &[u8]) -> Result<(), BundleError> {
        let target = self.target.clone();
        self.append(image).map_err(|it| unwritten(&target, it))
    }

    fn append(mut self, image: &[u8]) -> Result<(), Error> {
        // The loader maps the image in place, which the kernel does by whole pages only.
        let offset = self.length.next_multiple_of(PAGE as u64);
        let file = &mut self.draft.file;
        io::copy(&mut io::repeat(0).take(offset - self.length), file)?;
        file.write_all(image)?;
        // At the end of the file, where it can be found without reading the executable.
        file.write_all(&offset.to_le_bytes())?;
        file.write_all(&(image.len() as u64).to_le_bytes())?;
        file.write_all(&FOOTER_MAGIC)?;
        self.draft.place()
    }
}

fn unwritten(target: &Path, error: Error) -> BundleError {
    BundleError::Target {
        path: target.to_owned(),
        error,
    }
}

/// The executable itself: a built program that serves as a launcher loses its image. Appending to all of it would leave an image
/// that is never found.
struct Own {
    file: File,
    length: u64,
}

impl Own {
    /// `None` of what is no executable.
    fn of(path: &Path) -> Result<Option<Self>, Error> {
        let mut file = File::open(path)?;
        let mut first = [0; ELF.len()];
        match file.read_exact(&mut first) {
            Ok(()) if first == ELF => {}
            Ok(()) => return Ok(None),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let length = length_without_image(&mut file)?;
        Ok(Some(Self { file, length }))
    }

    /// By the kernel, which does not show it to us.
    fn copy_to(&self, target: &mut File) -> Result<(), Error> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        match io::copy(&mut file.take(self.length), target)? {
            copied if copied == self.length => Ok(()),
            _ => Err(Error::new(
                ErrorKind::UnexpectedEof,
                "the launcher became shorter meanwhile",
            )),
        }
    }
}

fn length_without_image(file: &mut File) -> Result<u64, Error> {
    let length = file.metadata()?.len();
    let Some(footer) = length.checked_sub(FOOTER_SIZE as u64) else {
        return Ok(length);
    };
    let (mut offset, mut size, mut magic) = ([0; 8], [0; 8], [0; FOOTER_MAGIC.len()]);
    file.seek(SeekFrom::Start(footer))?;
    file.read_exact(&mut offset)?;
    file.read_exact(&mut size)?;
    file.read_exact(&mut magic)?;
    let offset = u64::from_le_bytes(offset);
    let is_footer = magic == FOOTER_MAGIC && offset < footer;
    // Elsewhere the magic is there by chance: nothing is cut off that was not understood.
    Ok(if is_footer { offset } else { length })
}
