//! The exchange with a server over pipes: an answer that cannot be read still ends the call that waits for it.
//!
//! The library's own transport passes over what it cannot read, as a server may write words of its own between its messages. Of an
//! answer that leaves a call without an end. So an answer is replaced by the error that it is, and where it is not known whose
//! answer it was, the connection ends, and with it all calls. Each line is read once, here; the library writes.

use std::io;
use std::pin::Pin;
use std::sync::LazyLock;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolResult, ClientJsonRpcMessage, ContentBlock, ErrorData, JsonRpcResponse,
    JsonRpcVersion2_0, MetaObject, RequestId, ResultType, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Empty};
use tokio::net::unix::pipe::{Receiver, Sender};

/// What the error begins with that stands in the place of an answer.
const UNREADABLE: &str = "its answer cannot be read";

/// By which such an error is known, in its data: no server knows it.
static OURS: LazyLock<String> = LazyLock::new(|| {
    let mut bytes = [0; 16];
    // Without random numbers a server that wants to could pass for one whose answer was cut off, and gains nothing.
    let _ = getrandom::fill(&mut bytes);
    gsw_notation::hex::text(bytes)
});

/// Whether this stands in the place of an answer that could not be read.
pub(super) fn is_unreadable(error: &ErrorData) -> bool {
    error.data.as_ref().and_then(Value::as_str) == Some(OURS.as_str())
}

/// The most bytes of a message.
const LARGEST: usize = 16 << 20;

/// The parts of a message that identify it. Their contents are ignored, so any depth is accepted.
#[derive(Deserialize)]
struct Envelope {
    id: Option<Value>,
    method: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The answer to a call of a tool, with nothing but what such an answer has. Nearly all messages are one, and the library finds that
/// out by trying whichever else it could be: a third of the processor time of a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolAnswer {
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    result: ToolResult,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ToolResult {
    result_type: Option<ResultType>,
    content: Vec<ContentBlock>,
    #[serde(default, deserialize_with = "present")]
    structured_content: Option<Value>,
    is_error: Option<bool>,
    #[serde(rename = "_meta")]
    meta: Option<MetaObject>,
}

/// One line of a server's standard output.
#[derive(Debug)]
enum Line {
    Message(Box<ServerJsonRpcMessage>),
    /// Words between messages, and reports that are not known here.
    Words,
    /// No message, though JSON: it is answered with an error.
    Wrong,
    /// Nothing more is read, for this reason.
    Over(&'static str),
}

/// The pipes to a server.
pub(super) struct Pipes {
    from: BufReader<Receiver>,
    /// As far as the next line is read.
    line: Vec<u8>,
    to: AsyncRwTransport<RoleClient, Empty, Sender>,
    /// What is being said of a wrong message. Nothing more is read before it is said, so that it cannot grow.
    complaint: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
    /// Receives why nothing more is read.
    over: Box<dyn FnMut(&'static str) + Send>,
}

impl Pipes {
    pub fn new(
        from: Receiver,
        to: Sender,
        over: impl FnMut(&'static str) + Send + 'static,
    ) -> Self {
        Self {
            from: BufReader::new(from),
            line: Vec::new(),
            to: AsyncRwTransport::new(tokio::io::empty(), to),
            complaint: None,
            over: Box::new(over),
        }
    }

    /// Reads up to the end of a line; returns whether there is one. What is read stays when this is dropped.
    async fn read_line(&mut self) -> bool {
        let most = (LARGEST + 1).saturating_sub(self.line.len()) as u64;
        let mut rest = (&mut self.from).take(most);
        let read = rest.read_until(b'\n', &mut self.line).await;
        // Its last words may have no end, or more of them come than anybody reads.
        read.is_ok() && !self.line.is_empty()
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.to.send(item)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(complaint) = &mut self.complaint {
                let said = complaint.await;
                self.complaint = None;
                said.ok()?;
            }
            if !self.read_line().await {
                return None;
            }
            let line = read(&self.line);
            self.line.clear();
            match line {
                Line::Message(message) => return Some(*message),
                Line::Words => {}
                Line::Wrong => {
                    let error = ErrorData::invalid_request("Invalid request", None);
                    let error = ClientJsonRpcMessage::error(error, None);
                    self.complaint = Some(Box::pin(self.to.send(error)));
                }
                Line::Over(why) => {
                    (self.over)(why);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.to.close().await
    }
}

fn read(line: &[u8]) -> Line {
    if line.len() > LARGEST {
        return Line::Over("a message of it has more than 16 MB");
    }
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let line = line.trim_ascii();
    if !line.starts_with(b"{") {
        // Batches of messages belong to a revision of the protocol that is not supported.
        let is_list = line.starts_with(b"[") && serde_json::from_slice::<IgnoredAny>(line).is_ok();
        return if is_list { Line::Wrong } else { Line::Words };
    }
    if let Some(message) = tool_answer(line) {
        return Line::Message(Box::new(message));
    }
    match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
        Ok(message) if !may_be_both(&message, line) => Line::Message(Box::new(message)),
        Ok(message) => match serde_json::from_slice(line) {
            Ok(Envelope {
                id: Some(id),
                result: Some(_),
                error: Some(_),
                ..
            }) => unreadable(&id, "it has both a result and an error"),
            Ok(Envelope { .. }) | Err(_) => Line::Message(Box::new(message)),
        },
        Err(error) => unread(line, &error.to_string()),
    }
}

/// The message if it is the answer to a call of a tool and has nothing that the library would have to weigh.
fn tool_answer(line: &[u8]) -> Option<ServerJsonRpcMessage> {
    let ToolAnswer {
        jsonrpc,
        id,
        result,
    } = serde_json::from_slice(line).ok()?;
    let ToolResult {
        result_type,
        content,
        structured_content,
        is_error,
        meta,
    } = result;
    if result_type.as_ref().is_some_and(|it| !it.is_complete()) {
        return None;
    }
    let mut result = CallToolResult::default();
    result.result_type = result_type;
    result.content = content;
    result.structured_content = structured_content;
    result.is_error = is_error;
    result.meta = meta;
    let result = ServerResult::CallToolResult(result);
    let response = JsonRpcResponse {
        jsonrpc,
        id,
        result,
    };
    Some(ServerJsonRpcMessage::Response(response))
}

/// A value that is there: `null` is one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Whether this is an answer that may also be one of the other kind, of which the library keeps but one.
fn may_be_both(message: &ServerJsonRpcMessage, line: &[u8]) -> bool {
    let other = match message {
        ServerJsonRpcMessage::Response(_) => "\"error\"",
        ServerJsonRpcMessage::Error(_) => "\"result\"",
        ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => return false,
    };
    std::str::from_utf8(line).is_ok_and(|it| it.contains(other))
}

/// What cannot be read as a message, for this reason.
fn unread(line: &[u8], why: &str) -> Line {
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        let is_message = line.windows(9).any(|it| it == b"\"jsonrpc\"");
        return match is_message {
            true => Line::Over("a message of it is not JSON"),
            false => Line::Words,
        };
    };
    match (envelope.id, envelope.method) {
        // No call waits for it.
        (None | Some(Value::Null), _) => Line::Words,
        (Some(_), Some(_)) => Line::Wrong,
        (Some(id), None) => unreadable(&id, why),
    }
}

/// The error that an answer is.
fn unreadable(id: &Value, why: &str) -> Line {
    let message = format!("{UNREADABLE}: {why}");
    let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32700, "message": message, "data": *OURS } });
    match serde_json::from_value(error) {
        Ok(error) => Line::Message(Box::new(error)),
        // No question of ours has such an id.
        Err(_) => Line::Wrong,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::ServerJsonRpcMessage;

    use super::{LARGEST, Line, is_unreadable, read, tool_answer};

    fn error_of(line: &str) -> String {
        let read = read(line.as_bytes());
        let Line::Message(message) = read else {
            panic!("{line:.100}: {read:?}");
        };
        assert!(matches!(*message, ServerJsonRpcMessage::Error(_)));
        serde_json::to_string(&message).expect("it is JSON")
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
            let error = serde_json::from_str(&error).expect("it is one");
            assert!(matches!(error, ServerJsonRpcMessage::Error(it) if is_unreadable(&it.error)));
        }
        let said = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"its answer cannot be read: no such page"}}"#;
        let Line::Message(message) = read(said.as_bytes()) else {
            panic!("it is a message");
        };
        assert!(matches!(*message, ServerJsonRpcMessage::Error(it) if !is_unreadable(&it.error)));
    }

    #[test]
    fn messages_are_read() {
        for line in [
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"an \"error\""}]}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"error":null}}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/odd"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"odd"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n",
        ] {
            let read = read(line.as_bytes());
            assert!(matches!(read, Line::Message(_)), "{line}: {read:?}");
        }
    }

    #[test]
    fn the_answer_to_a_call_is_what_the_library_reads() {
        let text = r#""content":[{"type":"text","text":"a"}]"#;
        for (result, is_taken) in [
            (format!("{{{text}}}"), true),
            (
                format!(r#"{{{text},"isError":null,"_meta":{{"a":1}}}}"#),
                true,
            ),
            (format!(r#"{{{text},"structuredContent":null}}"#), true),
            (
                r#"{"content":[],"structuredContent":[1.50,{}],"resultType":"complete"}"#.into(),
                true,
            ),
            (format!(r#"{{{text},"resultType":"task"}}"#), false),
            (format!(r#"{{{text},"action":"accept"}}"#), false),
            (format!("{{{text},{text}}}"), false),
            (r#"{"structuredContent":1}"#.into(), false),
            (r#"{"content":[{"type":"hologram"}]}"#.into(), false),
            (r#"{"content":null}"#.into(), false),
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{result}}}"#);
            let taken = tool_answer(line.as_bytes());
            assert_eq!(taken.is_some(), is_taken, "{line}");
            let theirs: ServerJsonRpcMessage =
                serde_json::from_str(&line).expect("it is a message");
            if let Some(taken) = taken {
                assert_eq!(format!("{taken:?}"), format!("{theirs:?}"));
            }
        }
        let text = text.to_owned();
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{{text}}},"error":{{}}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","result":{{{text}}}}}"#),
            format!(r#"{{"jsonrpc":"1.0","id":7,"result":{{{text}}}}}"#),
            format!(r#"{{"id":7,"result":{{{text}}}}}"#),
        ] {
            assert!(tool_answer(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn other_words_are_passed_over() {
        for line in [
            "ready",
            "{ words }",
            "",
            r#"{"level":"info"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":7}"#,
        ] {
            let read = read(line.as_bytes());
            assert!(matches!(read, Line::Words), "{line}: {read:?}");
        }
    }

    #[test]
    fn what_is_json_and_no_message_is_wrong() {
        for line in [
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            r#"{"jsonrpc":"2.0","id":{},"result":{}}"#,
        ] {
            let read = read(line.as_bytes());
            assert!(matches!(read, Line::Wrong), "{line}: {read:?}");
        }
    }

    #[test]
    fn nothing_more_is_read_where_nobody_knows_whose_answer_it_was() {
        let cut = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"#;
        assert!(matches!(read(cut.as_bytes()), Line::Over(_)));
        let long = vec![b'x'; LARGEST + 1];
        assert!(matches!(read(&long), Line::Over(_)));
    }
}
