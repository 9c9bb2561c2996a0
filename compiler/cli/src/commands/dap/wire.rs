//! Messages of the protocol: JSON after a header with its length.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

/// A longer message is refused: nothing that an editor asks is.
const LONGEST: usize = 16 << 20;
/// So is a longer line of a head.
const LONGEST_LINE: u64 = 4 << 10;

pub struct Input<R>(BufReader<R>);

impl Input<std::io::Stdin> {
    pub fn standard() -> Self {
        Self(BufReader::new(std::io::stdin()))
    }
}

impl<R: Read> Input<R> {
    /// The next message; `None` at the end of input.
    pub fn message(&mut self) -> Result<Option<Value>, String> {
        let mut length = None;
        loop {
            let mut line = String::new();
            let read = (&mut self.0).take(LONGEST_LINE).read_line(&mut line);
            let read =
                read.map_err(|error| format!("the client's message cannot be read: {error}"))?;
            if read == 0 {
                return match length {
                    None => Ok(None),
                    Some(_) => Err("the client's message is cut off".to_owned()),
                };
            }
            match line.trim_end() {
                "" if length.is_none() => {}
                "" => break,
                line => length = length.or(length_of(line)?),
            }
        }
        let mut bytes = vec![0; length.unwrap_or_default()];
        let read = self.0.read_exact(&mut bytes);
        read.map_err(|_| "the client's message is cut off".to_owned())?;
        // What is no JSON is no request, and answered as such: where the next one begins is known.
        Ok(Some(serde_json::from_slice(&bytes).unwrap_or_default()))
    }
}

/// The length that a line of a head says.
fn length_of(line: &str) -> Result<Option<usize>, String> {
    let Some((name, value)) = line.split_once(':') else {
        return Err(format!("the client does not speak the protocol: {line:?}"));
    };
    if !name.eq_ignore_ascii_case("content-length") {
        return Ok(None);
    }
    let length = value.trim().parse::<usize>().ok();
    let length = length.filter(|it| *it <= LONGEST);
    length
        .map(Some)
        .ok_or_else(|| format!("a message of {} bytes is too long", value.trim()))
}

#[derive(Debug, Default)]
pub struct Output {
    written: AtomicU64,
}

impl Output {
    pub fn event(&self, name: &str, body: Value) {
        self.write(json!({ "type": "event", "event": name, "body": body }));
    }

    pub fn respond(&self, to: &Value, body: Result<Value, String>) {
        let mut message = json!({
            "type": "response",
            "request_seq": to["seq"].as_u64().unwrap_or_default(),
            "command": to["command"].as_str().unwrap_or_default(),
            "success": body.is_ok(),
        });
        match body {
            Ok(Value::Null) => {}
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["body"] = json!({ "error": { "id": 1, "format": why, "showUser": true } });
                message["message"] = json!(why);
            }
        }
        self.write(message);
    }

    fn write(&self, mut message: Value) {
        message["seq"] = json!(self.written.fetch_add(1, Ordering::Relaxed) + 1);
        let text = message.to_string();
        let mut out = std::io::stdout().lock();
        // A client that has gone is noticed where it is read from.
        let _ = write!(out, "Content-Length: {}\r\n\r\n{text}", text.len());
        let _ = out.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::Input;

    fn read(text: &str) -> Result<Option<serde_json::Value>, String> {
        Input(BufReader::new(text.as_bytes())).message()
    }

    #[test]
    fn a_message_is_read_by_its_length() {
        let message = read("Content-Length: 8\r\nX: y\r\n\r\n{\"a\": 1}and more");
        assert_eq!(message, Ok(Some(serde_json::json!({"a": 1}))));
        assert_eq!(read(""), Ok(None));
    }

    #[test]
    fn a_body_that_is_no_json_is_no_request_and_the_next_one_is_read() {
        let text = "Content-Length: 2\r\n\r\n{xContent-Length: 2\r\n\r\n{}";
        let mut input = Input(BufReader::new(text.as_bytes()));
        assert_eq!(input.message(), Ok(Some(serde_json::Value::Null)));
        assert_eq!(input.message(), Ok(Some(serde_json::json!({}))));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for wrong in [
            "hello\r\n\r\n",
            "Content-Length: -1\r\n\r\n",
            "Content-Length: 99999999999\r\n\r\n",
            "Content-Length: 9\r\n\r\n{}",
            "Content-Length: 9\r\n",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
