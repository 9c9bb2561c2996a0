//! Lines of standard input, each read only when it is asked for, so that what is not needed stays where it is.

use std::io::{BufRead, Read, stdin};
use std::sync::mpsc::{Sender, channel};

use crate::person::Message;

/// Longer lines are no answers of people.
const LONGEST: u64 = 16 << 20;

/// Reads on a thread of its own, since nothing can end a wait for keys.
#[derive(Default)]
pub struct Reader {
    wanted: Option<Sender<()>>,
    is_waiting: bool,
}

impl Reader {
    /// Asks for a line, unless one is asked for already; it comes as a message.
    pub fn ask(&mut self, messages: &Sender<Message>) {
        if self.is_waiting {
            return;
        }
        if self.wanted.is_none() {
            self.wanted = start(messages.clone());
        }
        let is_asked = self.wanted.as_ref().is_some_and(|it| it.send(()).is_ok());
        if !is_asked {
            let error = std::io::Error::other("standard input cannot be read");
            let _ = messages.send(Message::Line(Err(error)));
        }
        self.is_waiting = true;
    }

    pub fn came(&mut self) {
        self.is_waiting = false;
    }
}

fn start(messages: Sender<Message>) -> Option<Sender<()>> {
    let (wanted, asked) = channel();
    let read = move || {
        let mut at = At::Line;
        while asked.recv().is_ok() {
            if messages.send(Message::Line(line(&mut at))).is_err() {
                return;
            }
        }
    };
    let thread = std::thread::Builder::new().name("gsw-keys".into());
    thread.stack_size(256 << 10).spawn(read).ok()?;
    Some(wanted)
}

/// The position in standard input.
enum At {
    /// At the beginning of a line.
    Line,
    /// In one that was refused: what is left of it is no answer to anything.
    Refused,
}

/// The next line without its end; `None` at the end of the input.
fn line(at: &mut At) -> std::io::Result<Option<String>> {
    let mut input = stdin().lock();
    if let At::Refused = at {
        input.skip_until(b'\n')?;
        *at = At::Line;
    }
    let mut bytes = Vec::new();
    let count = input.take(LONGEST).read_until(b'\n', &mut bytes)?;
    if count == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    } else if count as u64 == LONGEST {
        *at = At::Refused;
        return Err(std::io::Error::other("a line is too long"));
    }
    // What is no text shows as such and fits nothing but a text.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
