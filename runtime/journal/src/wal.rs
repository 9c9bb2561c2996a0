//! The content of the write-ahead log of a store that was not closed, before the database takes it over.
//!
//! SQLite reads the log up to the first frame whose checksum is wrong and ignores the rest without a word. That is right for a
//! write that a power cut tore, and wrong for a bit that flipped later: commits that were on the disk are gone, and with
//! them answers that were paid for. A commit is synced before the next one begins, so a wrong frame that a commit and a
//! further frame of the same log follow was whole once: such a store is refused. A wrong frame near the end may be either.
//! If one flipped bit makes it right it was whole, too, and the store is refused; else it is taken for torn: the store is used as it
//! was before that write, and says so.
//!
//! Format: <https://www.sqlite.org/fileformat2.html#walformat>.

mod flipped;

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::file::beside;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Another process may be writing while we read; then the log is another one soon.
const LOOKS: u32 = 3;
const BETWEEN: Duration = Duration::from_millis(20);

/// How the last process that wrote to a store left it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastWrite {
    Whole,
    /// It was torn or damaged, and is ignored: the store is in the state before it.
    Torn,
}

/// Checks the log of a store.
pub(crate) fn look(store: &Path) -> Result<LastWrite, Error> {
    let log = beside(store, "-wal");
    let read = || match std::fs::read(&log) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::unusable(&log, &error)),
    };
    let bytes = read()?;
    let judged = judge(&bytes);
    if judged == Judged::Whole {
        return Ok(LastWrite::Whole);
    }
    for _ in 1..LOOKS {
        std::thread::sleep(BETWEEN);
        if read()? != bytes {
            // A process is writing it, so what we saw was not the end of it.
            return Ok(LastWrite::Whole);
        }
    }
    match judged {
        Judged::Whole => Ok(LastWrite::Whole),
        Judged::Torn => Ok(LastWrite::Torn),
        Judged::Damaged => Err(Error::DamagedLog(log)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judged {
    Whole,
    Torn,
    Damaged,
}

fn judge(log: &[u8]) -> Judged {
    let Some((header, frames)) = log.split_at_checked(HEADER) else {
        // Nothing was ever committed to it.
        return if log.is_empty() {
            Judged::Whole
        } else {
            Judged::Torn
        };
    };
    let page = word(header, 8) as usize;
    let order = match word(header, 0) {
        0x377F_0682 => Order::Little,
        0x377F_0683 => Order::Big,
        _ => return of_header(frames),
    };
    let mut sum = checksum(order, (0, 0), &header[..24]);
    let is_size = page.is_power_of_two() && (512..=65_536).contains(&page);
    if sum != (word(header, 24), word(header, 28)) || !is_size {
        return of_header(frames);
    }
    let salt = &header[16..24];
    let mut frames = frames.chunks(FRAME_HEADER + page);
    for frame in frames.by_ref() {
        let before = sum;
        let is_full = frame.len() == FRAME_HEADER + page;
        let is_whole = is_full && &frame[8..16] == salt && {
            sum = checksum(order, sum, &frame[..8]);
            sum = checksum(order, sum, &frame[FRAME_HEADER..]);
            sum == (word(frame, 16), word(frame, 20))
        };
        if is_full && !is_whole && flipped::is_one_bit_off(order, before, frame, salt) {
            return Judged::Damaged;
        }
        if !is_whole {
            return after(frame, frames, salt);
        }
    }
    Judged::Whole
}

/// Of a log whose first frame that is not whole is `wrong`.
fn after(wrong: &[u8], rest: std::slice::Chunks<'_, u8>, salt: &[u8]) -> Judged {
    // Of an earlier round both halves differ, so one that fits is enough: the other one was damaged.
    let of_this_log = |frame: &[u8]| {
        let halves = [(8..12, &salt[..4]), (12..16, &salt[4..])];
        halves
            .into_iter()
            .any(|(at, half)| frame.get(at) == Some(half))
    };
    let is_commit = |frame: &[u8]| frame.len() >= FRAME_HEADER && word(frame, 4) != 0;
    let mut has_commit = is_commit(wrong);
    let mut has_any = of_this_log(wrong);
    for frame in rest.filter(|it| of_this_log(it)) {
        if has_commit {
            return Judged::Damaged;
        }
        has_any = true;
        has_commit = is_commit(frame);
    }
    // What is left of an earlier round of the log has another salt.
    if has_any { Judged::Torn } else { Judged::Whole }
}

/// Of a log whose header is wrong: it is synced before its first commit.
fn of_header(frames: &[u8]) -> Judged {
    if frames.is_empty() {
        Judged::Torn
    } else {
        Judged::Damaged
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

/// A checksum of the log, as far as it is added up.
type Sum = (u32, u32);

fn checksum(order: Order, before: Sum, bytes: &[u8]) -> Sum {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(before, |(first, second), &bytes| {
        let (one, other) = pair(order, bytes);
        let first = first.wrapping_add(one).wrapping_add(second);
        let second = second.wrapping_add(other).wrapping_add(first);
        (first, second)
    })
}

/// The two words of eight bytes.
fn pair(order: Order, [a, b, c, d, e, f, g, h]: [u8; 8]) -> (u32, u32) {
    let of = match order {
        Order::Little => u32::from_le_bytes,
        Order::Big => u32::from_be_bytes,
    };
    (of([a, b, c, d]), of([e, f, g, h]))
}

/// The big-endian word at a position, which must exist.
fn word(bytes: &[u8], at: usize) -> u32 {
    let [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    u32::from_be_bytes([a, b, c, d])
}
