//! The lines of a file of events: those of events, and those that are not events: the first line, and the reports of
//! lost ones.

use std::sync::Arc;

use gsw_notation::calendar::Rfc3339;
use serde::{Deserialize, Serialize};

use crate::event::{Event, VERSION};

impl Event {
    /// Adds the event as a line of JSON, the same as its form by serde. Writing what every event has by hand takes half of the
    /// time.
    ///
    /// # Errors
    /// When something in it has no form in JSON; then nothing was added.
    pub fn write_line(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let start = out.len();
        let written = self.write_object(out);
        match written {
            Ok(()) => out.push(b'\n'),
            Err(_) => out.truncate(start),
        }
        written
    }

    fn write_object(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let Self {
            sequence,
            time,
            run,
            node,
            kind,
        } = self;
        out.extend_from_slice(br#"{"sequence":"#);
        serde_json::to_writer(&mut *out, sequence)?;
        out.extend_from_slice(br#","time":""#);
        out.extend_from_slice(Rfc3339::of(*time).text().as_bytes());
        out.extend_from_slice(br#"","run":"#);
        serde_json::to_writer(&mut *out, &**run)?;
        out.extend_from_slice(br#","node":"#);
        serde_json::to_writer(&mut *out, &node.0)?;
        let brace = out.len();
        serde_json::to_writer(&mut *out, kind)?;
        // Its fields follow in the same object.
        out[brace] = b',';
        Ok(())
    }
}

/// The first line: what the file is, and which program the events are of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Header {
    /// Says that this is the first line of a file of events.
    pub format: Format,
    /// The version of the form; a reader refuses those that it does not know.
    pub version: u32,
    /// The name of the program.
    pub program: Arc<str>,
    /// The sum of its image, 64 hex digits; empty for a program that has none.
    pub image: Arc<str>,
}

/// What a file of events says that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Format {
    /// The lines that follow are events of runs.
    #[serde(rename = "groundswell-events")]
    Events,
}

/// What a line of lost events says that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum LostEvents {
    /// Events that their reader did not get in time.
    #[serde(rename = "lost")]
    Lost,
}

impl Lost {
    #[must_use]
    pub const fn new(count: u64) -> Self {
        Self {
            event: LostEvents::Lost,
            count,
        }
    }
}

impl Header {
    /// The header of events of this program, in the version that this runtime writes.
    #[must_use]
    pub fn new(program: &str, image: &str) -> Self {
        Self {
            format: Format::Events,
            version: VERSION,
            program: program.into(),
            image: image.into(),
        }
    }
}

/// A line that reports events that are missing, because their reader was too slow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Lost {
    /// The events that are missing.
    pub event: LostEvents,
    /// How many events are missing here.
    pub count: u64,
}
