//! Reads server-sent events from the bytes of a response as they come.

/// One event; an incomplete last one is never given out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    /// Its name; empty when it has none.
    pub name: String,
    /// Its data lines, joined by line breaks.
    pub data: String,
}

/// Why a stream cannot be read on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamError {
    /// A line or an event larger than we are ready to hold.
    TooLarge,
    /// Text that is not UTF-8.
    NotUtf8,
}

/// The largest line, event and stream; a guess far above any real answer, so that garbage without end is given up.
const LARGEST_EVENT: usize = 16 << 20;
const LARGEST_STREAM: usize = 256 << 20;

/// A reader in the middle of a stream.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    after_carriage_return: bool,
    is_past_first_line: bool,
    read: usize,
}

impl EventReader {
    /// Takes the next bytes and gives the events that they complete.
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<Vec<Event>, StreamError> {
        self.read = self.read.saturating_add(bytes.len());
        if self.read > LARGEST_STREAM {
            return Err(StreamError::TooLarge);
        }
        let mut events = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                bytes = rest;
                continue;
            }
            let Some(end) = bytes.iter().position(|it| matches!(it, b'\n' | b'\r')) else {
                self.extend_line(bytes)?;
                break;
            };
            self.extend_line(&bytes[..end])?;
            self.after_carriage_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            events.extend(self.end_line()?);
        }
        Ok(events)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), StreamError> {
        if self.line.len() + self.data.len() + bytes.len() > LARGEST_EVENT {
            return Err(StreamError::TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, StreamError> {
        let line = std::mem::take(&mut self.line);
        let mut line = std::str::from_utf8(&line).map_err(|_| StreamError::NotUtf8)?;
        if !std::mem::replace(&mut self.is_past_first_line, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.end_event());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            // Comments, `id`, `retry`, and what later versions add.
            _ => {}
        }
        Ok(None)
    }

    fn end_event(&mut self) -> Option<Event> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        std::mem::take(&mut self.has_data).then_some(Event { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, EventReader, StreamError};

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.into(),
            data: data.into(),
        }
    }

    const STREAM: &str = "\u{feff}event: a\r\ndata: 1\r\n\r\n: comment\ndata:2\rdata:  ü\r\revent: x\n\ndata\n\nid: 7\ndata: cut";

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let expected = vec![event("a", "1"), event("", "2\n ü"), event("", "")];
        for size in 1..=STREAM.len() {
            let mut reader = EventReader::default();
            let mut events = Vec::new();
            for chunk in STREAM.as_bytes().chunks(size) {
                events.extend(reader.feed(chunk).expect("a good stream"));
            }
            assert_eq!(events, expected, "in chunks of {size}");
        }
    }

    #[test]
    fn garbage_is_given_up() {
        let mut reader = EventReader::default();
        assert_eq!(reader.feed(b"data: \xff\xfe\n"), Err(StreamError::NotUtf8));
        let mut reader = EventReader::default();
        let chunk = vec![b'x'; 1 << 20];
        let ends = (0..32).find_map(|_| reader.feed(&chunk).err());
        assert_eq!(ends, Some(StreamError::TooLarge));
    }
}
