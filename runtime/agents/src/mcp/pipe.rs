//! What a server writes, looked at before it is read: an answer that cannot be read still ends the call that waits for it.
//!
//! The library that speaks the protocol passes over what it cannot read, as a server may write words of its own between its
//! messages. Of an answer that leaves a call without an end. So an answer is replaced by the error that it is, and where it is not
//! known whose answer it was, the connection ends, and with it all calls.

use rmcp::model::ServerJsonRpcMessage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// The most bytes of a message; the library passes over longer ones.
const LARGEST: usize = 16 << 20;

/// The parts of a message that say what it is. Nothing in them is looked into, so no depth is too much.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// What becomes of a line.
#[derive(PartialEq, Eq, Debug)]
enum Checked {
    Passed,
    /// The error that is sent on for it.
    Replaced(Vec<u8>),
    /// Nothing more is read, for this reason.
    Over(&'static str),
}

/// Passes on what a server writes, until it ends; gives why it was ended before, where it was.
pub(super) async fn pass_on(
    from: impl AsyncRead + Unpin,
    mut to: DuplexStream,
) -> Option<&'static str> {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        let most = LARGEST as u64 + 1;
        let read = (&mut from).take(most).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(1..)) {
            return None;
        }
        if line.last() != Some(&b'\n') {
            // Its last words, unless there are more of them than anybody reads.
            line.push(b'\n');
        }
        let written = match checked(&line) {
            Checked::Passed => to.write_all(&line).await,
            Checked::Replaced(error) => to.write_all(&error).await,
            Checked::Over(why) => return Some(why),
        };
        if written.is_err() {
            return None;
        }
    }
}

fn checked(line: &[u8]) -> Checked {
    if line.len() > LARGEST {
        return Checked::Over("a message of it has more than 16 MB");
    }
    let line = line.trim_ascii();
    if !line.starts_with(b"{") {
        return Checked::Passed;
    }
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        let is_message = line.windows(9).any(|it| it == b"\"jsonrpc\"");
        return match is_message {
            true => Checked::Over("a message of it is no JSON"),
            false => Checked::Passed,
        };
    };
    let is_answer = envelope.method.is_none();
    let Some(id) = envelope.id.filter(|id| is_answer && !id.is_null()) else {
        return Checked::Passed;
    };
    let why = match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
        Ok(_) if envelope.result.is_some() && envelope.error.is_some() => {
            "it has both a result and an error".to_owned()
        }
        Ok(_) => return Checked::Passed,
        Err(error) => error.to_string(),
    };
    let message = format!("its answer cannot be read: {why}");
    let error =
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32700, "message": message } });
    Checked::Replaced(format!("{error}\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Checked, LARGEST, checked};

    fn error_of(line: &str) -> String {
        match checked(line.as_bytes()) {
            Checked::Replaced(error) => String::from_utf8(error).expect("it is text"),
            other @ (Checked::Passed | Checked::Over(_)) => panic!("{line:.100}: {other:?}"),
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_an_error_of_its_call() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":[],"structuredContent":{}1{}}}}}"#,
            r#"{"a":"#.repeat(5_000),
            "}".repeat(5_000)
        );
        for line in [
            deep.as_str(),
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
        ] {
            let error = error_of(line);
            assert!(error.contains(r#""id":7"#), "{error}");
            assert!(error.contains("its answer cannot be read"), "{error}");
        }
    }

    #[test]
    fn other_words_are_passed_on() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}]}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/odd"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"odd"}"#,
            "ready",
            "{ words }",
            "",
        ] {
            assert_eq!(checked(line.as_bytes()), Checked::Passed, "{line}");
        }
    }

    #[test]
    fn nothing_more_is_read_where_nobody_knows_whose_answer_it_was() {
        let cut = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"#;
        assert!(matches!(checked(cut.as_bytes()), Checked::Over(_)));
        let long = vec![b'x'; LARGEST + 1];
        assert!(matches!(checked(&long), Checked::Over(_)));
    }
}
