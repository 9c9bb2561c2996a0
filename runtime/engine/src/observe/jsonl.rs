//! Writes events as lines of JSON, on a thread of its own.

use std::io::{self, Write};
use std::thread::JoinHandle;

use serde_json::json;

use crate::event::VERSION;
use crate::observe::{Next, Subscription};

/// A writer at work.
#[derive(Debug)]
pub struct JsonLines {
    thread: JoinHandle<io::Result<u64>>,
}

impl JsonLines {
    /// Starts to write what `subscription` gives to `out`. The first line names the version of the form.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(subscription: Subscription, out: Box<dyn Write + Send>) -> io::Result<Self> {
        let thread = std::thread::Builder::new()
            .name("gsw-events".into())
            .spawn(move || write_all(&subscription, out))?;
        Ok(Self { thread })
    }

    /// Waits until everything is written, which is after the observers were closed. Gives the number of events lost.
    ///
    /// # Errors
    /// When writing failed; the run itself never noticed.
    pub fn finish(self) -> io::Result<u64> {
        self.thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the writer of events failed")))
    }
}

fn write_all(subscription: &Subscription, out: Box<dyn Write + Send>) -> io::Result<u64> {
    let mut out = io::BufWriter::new(out);
    writeln!(
        out,
        "{}",
        json!({ "format": "groundswell-events", "version": VERSION })
    )?;
    loop {
        let next = match subscription.next_within(std::time::Duration::from_millis(50)) {
            Next::Nothing => {
                out.flush()?;
                subscription.next()
            }
            next => next,
        };
        match next {
            Next::Event(event) => {
                serde_json::to_writer(&mut out, &*event)?;
                out.write_all(b"\n")?;
            }
            Next::Nothing => {}
            Next::End => break,
        }
    }
    let lost = subscription.lost();
    if lost > 0 {
        writeln!(out, "{}", json!({ "event": "lost", "count": lost }))?;
    }
    out.flush()?;
    Ok(lost)
}
