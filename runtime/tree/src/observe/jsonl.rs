//! Writes events as lines of JSON: whatever happens to the file or pipe, the run continues, and what is lost is
//! counted.
//!
//! The writer must keep up with a run, so a line is made in one buffer that is used again and again, and what is JSON already is
//! copied. Benchmark `events`.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::event::{Event, Header, Lost};
use crate::observe::attached::{Attached, HowEnded, Patience};
use crate::observe::{Delivery, Observer, Observers, Progress, Replay};

/// How much is gathered before it is written.
const CHUNK: usize = 64 << 10;
/// How much goes out at once, so that a slow reader is seen to get on.
const PIECE: usize = 16 << 10;

/// Opens what is written to. It is called on the writer's thread, because opening may block too.
pub type Open = Box<dyn FnOnce() -> io::Result<Box<dyn Write + Send>> + Send>;

#[derive(Debug)]
pub struct JsonLines {
    attached: Attached,
    report: Arc<Mutex<Report>>,
}

#[derive(Debug)]
pub struct Written {
    /// How many events are not in the file.
    pub lost: u64,
    /// Why, when it is not that writing was too slow.
    pub error: Option<io::Error>,
    /// Whether the writer still hangs in an operation.
    pub is_stuck: bool,
    /// Whether the last line is there only in part.
    pub is_torn: bool,
    /// How long runs waited for the writing.
    pub waited: Duration,
}

#[derive(Debug, Default)]
struct Report {
    written: u64,
    error: Option<io::Error>,
    is_torn: bool,
}

impl JsonLines {
    /// Starts to write all events, after the header.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        observers: &Observers,
        header: &Header,
        delivery: Delivery,
        open: Open,
    ) -> io::Result<Self> {
        let report = Arc::default();
        let writer = Writer {
            open: Some(open),
            out: None,
            buffer: line(header),
            line_ends: Vec::new(),
            report: Arc::clone(&report),
            progress: Progress::default(),
        };
        // From the first event on, also when it is attached to runs that have begun.
        let attached = observers.attach("gsw-events", Replay::All, delivery, Box::new(writer))?;
        Ok(Self { attached, report })
    }

    /// Waits until everything is written; the observers were closed before.
    #[must_use]
    pub fn finish(self, patience: Patience) -> Written {
        let ended = self.attached.finish(patience);
        let mut report = lock(&self.report);
        Written {
            // Counted from both ends, so what was lost on the way need not be known by place.
            lost: ended.offered.saturating_sub(report.written),
            error: report.error.take(),
            is_stuck: ended.how == HowEnded::Busy,
            is_torn: report.is_torn,
            waited: ended.waited,
        }
    }
}

/// A line that is no event.
fn line(of: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(of).expect("plain records have a form in JSON");
    line.push(b'\n');
    line
}

struct Writer {
    open: Option<Open>,
    /// `None` before the first write and after a failed one.
    out: Option<Box<dyn Write + Send>>,
    buffer: Vec<u8>,
    /// Where in `buffer` the line of each event ends.
    line_ends: Vec<usize>,
    report: Arc<Mutex<Report>>,
    progress: Progress,
}

impl Observer for Writer {
    fn event(&mut self, event: &Arc<Event>) {
        if self.has_failed() {
            return;
        }
        // A value without a form in JSON counts as lost.
        if event.write_line(&mut self.buffer).is_ok() {
            self.line_ends.push(self.buffer.len());
        }
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    fn lost(&mut self, count: u64) {
        if !self.has_failed() {
            self.buffer.extend(line(&Lost::new(count)));
        }
    }

    fn pause(&mut self) {
        self.flush();
    }

    fn end(&mut self) {
        self.flush();
    }

    fn progress(&self) -> Progress {
        self.progress.clone()
    }
}

impl Writer {
    fn has_failed(&self) -> bool {
        self.open.is_none() && self.out.is_none()
    }

    fn flush(&mut self) {
        // Opened at the first write: a pipe without a reader blocks here, and only this thread.
        if let Some(open) = self.open.take() {
            match open() {
                Ok(out) => self.out = Some(out),
                Err(error) => self.fail(error),
            }
        }
        if let Err(error) = self.write_buffer() {
            self.fail(error);
        }
        self.buffer.clear();
        self.line_ends.clear();
    }

    /// Writes piece by piece, so that it is known at every moment how many lines are out.
    fn write_buffer(&mut self) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        let (mut done, mut lines) = (0, 0);
        while done < self.buffer.len() {
            let end = self.buffer.len().min(done + PIECE);
            match out.write(&self.buffer[done..end]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            self.progress.advance();
            let ended = self.line_ends[lines..].partition_point(|&end| end <= done);
            lines += ended;
            let mut report = lock(&self.report);
            report.written += ended as u64;
            // Kept up to date with each piece, because the process may end while this thread hangs in the next write.
            report.is_torn = self.buffer[done - 1] != b'\n';
        }
        out.flush()
    }

    fn fail(&mut self, error: io::Error) {
        self.out = None;
        lock(&self.report).error.get_or_insert(error);
    }
}

fn lock(report: &Mutex<Report>) -> MutexGuard<'_, Report> {
    // A panic between two lines above leaves nothing half done.
    report.lock().unwrap_or_else(PoisonError::into_inner)
}
