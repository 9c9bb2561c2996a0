//! Reads server-sent events from the bytes of a response as they come.

/// One event; an incomplete last one is never given out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event<'r> {
    /// Its name; empty when it has none.
    pub name: &'r str,
    /// Its data lines, joined by line breaks.
    pub data: &'r str,
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
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    /// The event in `name` and `data` was given out.
    is_given: bool,
    after_carriage_return: bool,
    is_past_first_line: bool,
    read: usize,
}

impl EventReader {
    /// Takes from the next bytes until they complete an event; returns none where they complete no other.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Result<Option<Event<'_>>, StreamError> {
        if std::mem::take(&mut self.is_given) {
            self.begin_event();
        }
        while let Some((&first, rest)) = bytes.split_first() {
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                self.count(1)?;
                *bytes = rest;
                continue;
            }
            let Some(end) = bytes.iter().position(|it| matches!(it, b'\n' | b'\r')) else {
                self.count(bytes.len())?;
                self.admit(bytes)?;
                self.line.extend_from_slice(bytes);
                *bytes = &[];
                break;
            };
            self.count(end + 1)?;
            self.admit(&bytes[..end])?;
            self.after_carriage_return = bytes[end] == b'\r';
            let line = &bytes[..end];
            *bytes = &bytes[end + 1..];
            if self.end_line(line)? {
                self.is_given = true;
                return Ok(Some(Event {
                    name: &self.name,
                    data: &self.data,
                }));
            }
        }
        Ok(None)
    }

    fn count(&mut self, bytes: usize) -> Result<(), StreamError> {
        self.read = self.read.saturating_add(bytes);
        match self.read > LARGEST_STREAM {
            true => Err(StreamError::TooLarge),
            false => Ok(()),
        }
    }

    /// Whether there is room for more of the line.
    fn admit(&self, bytes: &[u8]) -> Result<(), StreamError> {
        match self.line.len() + self.data.len() + bytes.len() > LARGEST_EVENT {
            true => Err(StreamError::TooLarge),
            false => Ok(()),
        }
    }

    /// A line has its end. Whether an event has one with it.
    fn end_line(&mut self, end: &[u8]) -> Result<bool, StreamError> {
        if self.line.is_empty() {
            return self.take_line(end);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(end);
        let is_event = self.take_line(&line);
        line.clear();
        self.line = line;
        is_event
    }

    fn take_line(&mut self, line: &[u8]) -> Result<bool, StreamError> {
        let mut line = std::str::from_utf8(line).map_err(|_| StreamError::NotUtf8)?;
        if !std::mem::replace(&mut self.is_past_first_line, true) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            if !self.has_data {
                self.begin_event();
                return Ok(false);
            }
            return Ok(true);
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
        Ok(false)
    }

    fn begin_event(&mut self) {
        self.name.clear();
        self.data.clear();
        self.has_data = false;
    }
}

#[cfg(test)]
mod tests {
    use super::{EventReader, StreamError};

    /// The names and data of the events that these bytes complete.
    fn feed(
        reader: &mut EventReader,
        mut bytes: &[u8],
    ) -> Result<Vec<(String, String)>, StreamError> {
        let mut events = Vec::new();
        while let Some(event) = reader.next(&mut bytes)? {
            events.push((event.name.to_owned(), event.data.to_owned()));
        }
        Ok(events)
    }

    const STREAM: &str = "\u{feff}event: a\r\ndata: 1\r\n\r\n: comment\ndata:2\rdata:  ü\r\revent: x\n\ndata\n\nid: 7\ndata: cut";

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let expected = [("a", "1"), ("", "2\n ü"), ("", "")];
        let expected = expected.map(|(name, data)| (name.to_owned(), data.to_owned()));
        for size in 1..=STREAM.len() {
            let mut reader = EventReader::default();
            let mut events = Vec::new();
            for chunk in STREAM.as_bytes().chunks(size) {
                events.extend(feed(&mut reader, chunk).expect("a good stream"));
            }
            assert_eq!(events, expected, "in chunks of {size}");
        }
    }

    #[test]
    fn garbage_is_given_up() {
        let mut reader = EventReader::default();
        let garbage = feed(&mut reader, b"data: \xff\xfe\n");
        assert_eq!(garbage, Err(StreamError::NotUtf8));
        let mut reader = EventReader::default();
        let chunk = vec![b'x'; 1 << 20];
        let ends = (0..32).find_map(|_| feed(&mut reader, &chunk).err());
        assert_eq!(ends, Some(StreamError::TooLarge));
    }
}
