//! Reads a file whole: within what memory is left, and so that a pipe that never ends holds nothing that was given up.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use gsw_engine::MAX_OBJECT;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;

use super::{FileWork, Trouble};
use crate::place::Place;
use crate::portions::{Portions, Source};

/// How often is asked while nothing comes.
const LOOK: Duration = Duration::from_millis(50);

pub(super) fn read(place: &Place, work: &FileWork<'_>) -> Result<Vec<u8>, Trouble> {
    // A pipe is not waited for here, where the wait could not be given up.
    let file = place.open(OFlags::RDONLY | OFlags::NONBLOCK)?;
    let known = file.metadata()?;
    if known.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let _aside = (!known.is_file()).then(|| work.step_aside());
    let mut share = work.allowance.share();
    let mut bytes = Portions::default();
    if known.is_file() {
        // Files of the system say that they hold nothing.
        share.grow_to(known.len())?;
        bytes = Portions::with_room(size(known.len())?)?;
    }
    loop {
        work.check()?;
        if !known.is_file() {
            wait(&file, PollFlags::IN, work)?;
        }
        match bytes.read(&file) {
            Ok(Source::Ended) => return Ok(bytes.into_bytes()?),
            Ok(Source::Open) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        let read = bytes.len() as u64;
        share.grow_to(read)?;
        size(read)?;
    }
}

/// What one value may hold.
fn size(bytes: u64) -> Result<usize, Trouble> {
    match usize::try_from(bytes) {
        Ok(size) if bytes <= MAX_OBJECT => Ok(size),
        Ok(_) | Err(_) => Err(Trouble::TooLarge),
    }
}

/// Waits until a pipe or a device can be read or written.
pub(super) fn wait(file: &File, flags: PollFlags, work: &FileWork<'_>) -> Result<(), Trouble> {
    let look = Timespec::try_from(LOOK).unwrap_or_default();
    loop {
        let mut fds = [PollFd::from_borrowed_fd(file.as_fd(), flags)];
        match poll(&mut fds, Some(&look)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => work.check()?,
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

pub(super) fn pause(work: &FileWork<'_>) -> Result<(), Trouble> {
    std::thread::sleep(LOOK);
    work.check()
}
