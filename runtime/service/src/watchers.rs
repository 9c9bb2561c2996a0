//! The observers of a program's run: the terminal and the file or pipe of events. None of them can fail it.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use gsw_agents::{DeliveryReport, Environment, Telemetry};
use gsw_trace::Shown;
use gsw_tree::event::Header;
use gsw_tree::observe::attached::{Attached, Patience};
use gsw_tree::observe::jsonl::{JsonLines, Open, Written};
use gsw_tree::observe::{Delivery, Observers};

use crate::arguments::{BuiltinOptions, EventSink, Verbosity};
use crate::say::say;
use crate::terminal::{self, Stage};

/// How long a run waits for its file of events before it reports that; a guess at what a person notices.
const NOTICEABLE: Duration = Duration::from_millis(200);

pub struct Watchers {
    terminal: Option<Attached>,
    verbosity: Verbosity,
    events: Option<Events>,
    telemetry: Option<Telemetry>,
}

/// The events that are written.
struct Events {
    sink: EventSink,
    lines: JsonLines,
    /// Of a file, until there is a run.
    unopened: Option<Unopened>,
}

/// A file of events before there is a run. It may be that of the run which is asked for and which another process carries, and
/// opening it would empty it.
struct Unopened {
    path: String,
    /// Called with how to open it.
    writer: Sender<Open>,
}

/// What standard output holds when the result follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Whole,
    /// A line of events that could not be written to its end.
    Torn,
}

impl Watchers {
    /// Starts those that the options ask for. What cannot be started is reported, and the run continues without it.
    pub fn start(
        observers: &Observers,
        header: &Header,
        options: &BuiltinOptions,
        stage: &Arc<Stage>,
    ) -> Self {
        let events = options.events.clone();
        let events = events.and_then(|sink| Events::start(observers, header, sink));
        let telemetry = Telemetry::start(&Environment::process(), observers, &header.program);
        let telemetry = telemetry.unwrap_or_else(|why| {
            say(&format!("warning: {why}"));
            None
        });
        // Last, because nothing else may write to a terminal that is drawn on.
        let terminal = match options.verbosity {
            Verbosity::Quiet => None,
            Verbosity::Normal => terminal::start(observers, options.events.as_ref(), stage).ok(),
        };
        Self {
            terminal,
            verbosity: options.verbosity,
            events,
            telemetry,
        }
    }

    /// There is a run: its file of events is opened.
    pub fn run_has_begun(&mut self) {
        let unopened = self.events.as_mut().and_then(|it| it.unopened.take());
        if let Some(Unopened { path, writer }) = unopened {
            // No one receives it after writing has ended.
            let _ = writer.send(opened(path));
        }
    }

    /// Closes the observers and ends their output, before the result is printed.
    pub fn end(self, observers: &Observers) {
        observers.close();
        if self.finish() == Output::Torn {
            // If this fails, so does printing the result, which reports it.
            let _ = io::stdout().write_all(b"\n");
        }
    }

    /// Waits until everything has been written, and says what was not; the observers were closed before.
    pub fn finish(self) -> Output {
        if let Some(terminal) = self.terminal {
            let ended = terminal.finish(Patience::USUAL);
            if ended.lost > 0 {
                say(&format!("warning: {} events were not shown", ended.lost));
            }
        }
        if let Some(undelivered) = self.telemetry.map(Telemetry::finish).and_then(undelivered) {
            say(&format!("warning: {undelivered}"));
        }
        let Some(Events {
            sink,
            lines,
            unopened,
        }) = self.events
        else {
            return Output::Whole;
        };
        if let Some(unopened) = unopened {
            // No run has begun, so nothing is missing in its file.
            drop(unopened);
            let _ = lines.finish(Patience::USUAL);
            return Output::Whole;
        }
        let patience = match sink {
            // The result goes the same way, so there is nothing to be gained by leaving early.
            EventSink::Standard => Patience::Unlimited,
            EventSink::File(_) => Patience::USUAL,
        };
        let written = lines.finish(patience);
        if let Some(warning) = warning(&sink, &written) {
            say(&format!("warning: {warning}"));
        }
        if written.waited >= NOTICEABLE && self.verbosity == Verbosity::Normal {
            let waited = written.waited.as_secs_f64();
            say(&format!(
                "note: the run waited {waited:.1} s for its events to be written to {}",
                name(&sink)
            ));
        }
        match sink {
            EventSink::Standard if written.is_torn => Output::Torn,
            EventSink::Standard | EventSink::File(_) => Output::Whole,
        }
    }
}

/// The message about spans that a collector did not take.
fn undelivered(delivered: DeliveryReport) -> Option<String> {
    let DeliveryReport {
        collector,
        lost,
        unseen,
        why,
    } = delivered;
    let what = match (lost, unseen) {
        (0, 0) => return None,
        (0, _) => format!("the trace for {collector} lacks {unseen} events"),
        (1, _) => format!("1 span was not delivered to {collector}"),
        (lost, _) => format!("{lost} spans were not delivered to {collector}"),
    };
    Some(format!(
        "{what}: {}",
        why.unwrap_or_else(|| "there were too many at once".into())
    ))
}

fn name(sink: &EventSink) -> String {
    match sink {
        EventSink::Standard => "standard output".to_owned(),
        EventSink::File(path) => format!("`{path}`"),
    }
}

fn warning(sink: &EventSink, written: &Written) -> Option<String> {
    let name = name(sink);
    let what = match written.lost {
        0 => format!("the last event may not have reached {name}"),
        1 => format!("1 event was not written to {name}"),
        lost => format!("{lost} events were not written to {name}"),
    };
    match &written.error {
        Some(error) => Some(format!("{what}: {error}")),
        None if written.is_stuck => Some(format!("{what}: nothing reads what is written to it")),
        None if written.lost > 0 => Some(format!("{what}: writing was too slow")),
        None => None,
    }
}

impl Events {
    /// A file or standard output is asked for in full, while a pipe or a device belongs to a reader that may be slower than the
    /// run.
    fn start(observers: &Observers, header: &Header, sink: EventSink) -> Option<Self> {
        let (delivery, open, unopened): (_, Open, _) = match &sink {
            EventSink::Standard => (Delivery::WHOLE, Box::new(standard_output), None),
            EventSink::File(path) => {
                let delivery = match is_special(path) {
                    true => Delivery::Lossy,
                    false => Delivery::WHOLE,
                };
                let (writer, begun) = channel::<Open>();
                let open = move || match begun.recv() {
                    Ok(open) => open(),
                    Err(_) => Err(io::Error::other("no run has begun")),
                };
                let path = path.clone();
                (delivery, Box::new(open), Some(Unopened { path, writer }))
            }
        };
        match JsonLines::start(observers, header, delivery, open) {
            Ok(lines) => Some(Self {
                sink,
                lines,
                unopened,
            }),
            Err(error) => {
                say(&format!("warning: no events are written: {error}"));
                None
            }
        }
    }
}

/// How a file of events is opened. That of a pipe waits for its reader; anything else is opened here, so that a mistake is reported
/// when the run begins.
fn opened(path: String) -> Open {
    if is_special(&path) {
        return Box::new(move || create(&path).map(boxed));
    }
    let file = create(&path);
    if let Err(error) = &file {
        say(&format!(
            "warning: `{path}` cannot be written: {error}; the run continues without an event file"
        ));
    }
    Box::new(move || file.map(boxed))
}

fn is_special(path: &str) -> bool {
    std::fs::metadata(path).is_ok_and(|it| !it.is_file())
}

/// Events hold what a run has read and written, so a new file is its owner's alone.
fn create(path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn boxed(file: File) -> Box<dyn Write + Send> {
    if file.is_terminal() {
        return Box::new(ToTerminal {
            out: file,
            rest: Vec::new(),
        });
    }
    Box::new(file)
}

/// Lines of JSON on a terminal, which must not obey what they hold.
struct ToTerminal {
    out: File,
    /// The beginning of a character whose end has not come.
    rest: Vec<u8>,
}

impl Write for ToTerminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        self.out.write_all(Shown::json(&text).text().as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Standard output without a buffer, so that it is known what was written.
#[cfg(unix)]
fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    use std::os::fd::AsFd;
    let handle = io::stdout().as_fd().try_clone_to_owned()?;
    Ok(boxed(File::from(handle)))
}

#[cfg(not(unix))]
fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(io::stdout()))
}
