//! Writes files: beside and then in place, so that no reader sees half of one and what was given up changes nothing.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use rustix::fs::{FileType, Mode, OFlags, Stat};

use super::read::{pause, wait};
use super::{FileWork, Trouble, sync};
use crate::clock;
use crate::place::{Place, kind};

/// How much is written before it is asked whether to continue.
const PORTION: usize = 1 << 20;
/// How much of a long name the name of what is written beside repeats; both together are as long as a name may be.
const NAME: usize = 200;

/// Replaces what a file holds. A device or pipe is written as it is, and a link through to what it leads to.
pub(super) fn replace(place: &Place, content: &[u8], work: &FileWork<'_>) -> Result<(), Trouble> {
    let known = place.known()?;
    match known.as_ref().map(kind) {
        None | Some(FileType::RegularFile) => replace_whole(place, known, content, work),
        Some(FileType::Symlink) => match place.known_through_links()?.as_ref().map(kind) {
            None | Some(FileType::RegularFile | FileType::Symlink) => {
                work.commit()?;
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NONBLOCK;
                write_to(place.open(flags)?, content)
            }
            Some(_) => pour(place, content, work),
        },
        Some(FileType::Directory) => Err(io::Error::from(ErrorKind::IsADirectory).into()),
        Some(_) => pour(place, content, work),
    }
}

/// Adds to a file, or to what a device or pipe was given.
pub(super) fn append(place: &Place, content: &[u8], work: &FileWork<'_>) -> Result<(), Trouble> {
    let known = place.known_through_links()?;
    match known.as_ref().map(kind) {
        None | Some(FileType::RegularFile) => {
            work.commit()?;
            let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NONBLOCK;
            write_to(place.open(flags)?, content)?;
            if known.is_none() {
                sync::folder_of(place)?;
            }
            Ok(())
        }
        Some(FileType::Directory) => Err(io::Error::from(ErrorKind::IsADirectory).into()),
        Some(_) => pour(place, content, work),
    }
}

fn write_to(mut file: File, content: &[u8]) -> Result<(), Trouble> {
    file.write_all(content)?;
    sync::file(&file)?;
    Ok(())
}

fn replace_whole(
    place: &Place,
    known: Option<Stat>,
    content: &[u8],
    work: &FileWork<'_>,
) -> Result<(), Trouble> {
    let (part, mut file) = Part::create(place)?;
    for portion in content.chunks(PORTION) {
        work.check()?;
        file.write_all(portion)?;
    }
    if let Some(known) = known {
        rustix::fs::fchmod(file.as_fd(), Mode::from_raw_mode(known.st_mode))?;
    }
    // Before it gets its name, which must not stand for half of it.
    sync::file(&file)?;
    work.commit()?;
    part.rename_to(place)?;
    sync::folder_of(place)?;
    Ok(())
}

/// A file that is written beside its place; gone when it does not get there.
struct Part(Option<Place>);

impl Part {
    fn create(target: &Place) -> io::Result<(Self, File)> {
        let name = target.file_name();
        let name = &name[..name.floor_char_boundary(NAME)];
        let part = target.beside(format!("{name}.{:016x}.part", clock::random_word()));
        let file = part.open(OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)?;
        Ok((Self(Some(part)), file))
    }

    fn rename_to(mut self, target: &Place) -> io::Result<()> {
        if let Some(part) = &self.0 {
            part.rename_to(target)?;
        }
        self.0 = None;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(part) = &self.0 {
            // What stopped the writing is the error to report.
            let _ = part.unlink();
        }
    }
}

/// Writes to a device or a pipe, as long as it is needed.
fn pour(place: &Place, content: &[u8], work: &FileWork<'_>) -> Result<(), Trouble> {
    let _aside = work.step_aside();
    let mut file = loop {
        match place.open(OFlags::WRONLY | OFlags::NONBLOCK) {
            // A pipe without a reader yet.
            Err(error) if is_unread(&error) && is_pipe(place) => pause(work)?,
            opened => break opened?,
        }
    };
    let mut rest = content;
    while !rest.is_empty() {
        wait(&file, PollFlags::OUT, work)?;
        work.check()?;
        match file.write(rest) {
            Ok(written) => rest = &rest[written..],
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn is_unread(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
}

fn is_pipe(place: &Place) -> bool {
    let known = place.known_through_links();
    known.is_ok_and(|it| it.as_ref().map(kind) == Some(FileType::Fifo))
}
