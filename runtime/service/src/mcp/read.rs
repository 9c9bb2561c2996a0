//! What a client has sent as a message, or the error that it gets.
//!
//! The crate of the protocol drops what it cannot read, takes the last of two equal keys, and calls a method unknown whose
//! parameters do not fit; here a client gets an error that says what is wrong.
#![expect(
    deprecated,
    reason = "clients of the older age ask for the log and subscribe"
)]

use gsw_notation::json;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientRequest, CompleteRequest, DiscoverRequest,
    ErrorCode, GetPromptRequest, InitializeRequest, JsonRpcError, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest, PingRequest,
    ProtocolVersion, ReadResourceRequest, RequestId, ServerJsonRpcMessage, SetLevelRequest,
    SubscribeRequest, UnsubscribeRequest,
};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// Why a text is no message.
#[derive(Debug)]
pub(super) struct Refused {
    /// Of the request, where it is known.
    id: Option<RequestId>,
    error: Box<ErrorData>,
    /// What has no id gets an answer only if it cannot be a notification.
    answered: bool,
}

/// The parts of a message by which it is known as one of the protocol.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<IgnoredAny>,
    #[serde(rename = "params")]
    _params: Option<IgnoredAny>,
}

/// An id that is `null` counts as present, and is no id.
fn present<'a, D: serde::Deserializer<'a>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl Refused {
    /// Nothing in it is to be believed.
    fn unreadable(code: ErrorCode, why: String) -> Self {
        Self {
            id: None,
            error: Box::new(ErrorData::new(code, why, None)),
            answered: true,
        }
    }

    /// A line of more bytes than are held.
    pub fn too_long(most: usize) -> Self {
        let why = format!("a message has {most} bytes at most");
        Self::unreadable(ErrorCode::INVALID_REQUEST, why)
    }

    /// One that the crate of the protocol cannot read from a body, though it is a message.
    pub fn too_deep(message: &ClientJsonRpcMessage, most: usize) -> Self {
        let why = too_deep(most);
        match message {
            ClientJsonRpcMessage::Request(request) => Self {
                id: Some(request.id.clone()),
                error: Box::new(ErrorData::invalid_params(why, None)),
                answered: true,
            },
            ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Error(_) => Self::unreadable(ErrorCode::INVALID_REQUEST, why),
        }
    }

    /// The answer, if it is to have one.
    pub fn answer(self) -> Option<ServerJsonRpcMessage> {
        let error = JsonRpcError::new(self.id, *self.error);
        self.answered.then_some(ServerJsonRpcMessage::Error(error))
    }

    /// Whether it is a request that is understood but for its parameters.
    pub fn is_of_a_request(&self) -> bool {
        self.id.is_some()
    }
}

fn too_deep(most: usize) -> String {
    format!("arrays and objects nest {most} levels deep at most here")
}

/// The message in some bytes, whose arrays and objects nest as deep as is taken where it comes from.
pub(super) fn message(bytes: &[u8], deepest: usize) -> Result<ClientJsonRpcMessage, Refused> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let why = format!("it is not UTF-8 from byte {} on", error.valid_up_to());
        Refused::unreadable(ErrorCode::PARSE_ERROR, why)
    })?;
    let value = json::parse(text).map_err(|issue| match json::is_deeper(text, deepest) {
        true => not_taken(text, too_deep(deepest)),
        false => not_taken(text, issue.message),
    })?;
    if value.is_array() {
        let why = "one message at a time: batches are not taken";
        return Err(Refused::unreadable(ErrorCode::INVALID_REQUEST, why.into()));
    }
    let understood = serde_json::from_value::<ClientJsonRpcMessage>(value.clone());
    let is_known = |message: &ClientJsonRpcMessage| match message {
        ClientJsonRpcMessage::Request(request) => {
            !matches!(request.request, ClientRequest::CustomRequest(_))
        }
        ClientJsonRpcMessage::Response(_)
        | ClientJsonRpcMessage::Notification(_)
        | ClientJsonRpcMessage::Error(_) => true,
    };
    if understood.as_ref().is_ok_and(is_known) {
        return understood.map_err(|_| not_a_message(text));
    }
    // A request with parameters that do not fit looks like one of an unknown method, or like none.
    let method = value.get("method").and_then(Value::as_str);
    let method = method.unwrap_or_default().to_owned();
    if !(is_newer(&value) && REMOVED.contains(&&*method))
        && let Some(why) = misfit(&method, value)
    {
        return Err(of(
            text,
            ErrorCode::INVALID_PARAMS,
            format!("`{method}`: {why}"),
        ));
    }
    understood.map_err(|_| not_a_message(text))
}

/// The methods that 2026-07-28 has no more.
const REMOVED: [&str; 5] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
];

/// Whether a message says that it is of the newer age.
fn is_newer(message: &Value) -> bool {
    let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let version = version.as_str();
    version.is_some_and(|it| it >= ProtocolVersion::V_2026_07_28.as_str())
}

fn not_a_message(text: &str) -> Refused {
    let why =
        "it is no message of JSON-RPC 2.0: neither a request, nor a notification, nor an answer";
    of(text, ErrorCode::INVALID_REQUEST, why.into())
}

/// A text that is no JSON, or JSON of ambiguous meaning.
fn not_taken(text: &str, why: String) -> Refused {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Refused::unreadable(ErrorCode::PARSE_ERROR, why);
    }
    of(text, ErrorCode::INVALID_PARAMS, why)
}

/// A refusal that names the request, if the text is one; if it is none, no parameters of it can be wrong.
fn of(text: &str, code: ErrorCode, why: String) -> Refused {
    let Ok(envelope) = serde_json::from_str::<Envelope>(text) else {
        return Refused::unreadable(ErrorCode::INVALID_REQUEST, why);
    };
    let id = envelope.id.clone().filter(|_| envelope.method.is_some());
    let id = id.and_then(|it| serde_json::from_value::<RequestId>(it).ok());
    let is_notification = envelope.method.is_some() && envelope.id.is_none();
    let code = match &id {
        Some(_) => code,
        None => ErrorCode::INVALID_REQUEST,
    };
    Refused {
        error: Box::new(ErrorData::new(code, why, None)),
        id,
        answered: !is_notification,
    }
}

/// What is wrong with the parameters of a method that there is; none where there is no such method.
fn misfit(method: &str, message: Value) -> Option<String> {
    match method {
        "initialize" => wrong::<InitializeRequest>(message),
        "tools/call" => wrong::<CallToolRequest>(message),
        "tools/list" => wrong::<ListToolsRequest>(message),
        "prompts/get" => wrong::<GetPromptRequest>(message),
        "prompts/list" => wrong::<ListPromptsRequest>(message),
        "resources/read" => wrong::<ReadResourceRequest>(message),
        "resources/list" => wrong::<ListResourcesRequest>(message),
        "resources/templates/list" => wrong::<ListResourceTemplatesRequest>(message),
        "resources/subscribe" => wrong::<SubscribeRequest>(message),
        "resources/unsubscribe" => wrong::<UnsubscribeRequest>(message),
        "completion/complete" => wrong::<CompleteRequest>(message),
        "logging/setLevel" => wrong::<SetLevelRequest>(message),
        "ping" => wrong::<PingRequest>(message),
        "server/discover" => wrong::<DiscoverRequest>(message),
        _ => None,
    }
}

fn wrong<T: DeserializeOwned>(message: Value) -> Option<String> {
    serde_json::from_value::<T>(message)
        .err()
        .map(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::message as message_of;
    use super::{ClientJsonRpcMessage, Refused, json as notation};

    fn message(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Refused> {
        message_of(bytes, notation::MAX_DEPTH)
    }

    /// The answer to a text: code and id, or that there is none.
    fn refused(text: &[u8]) -> (Value, Value, String) {
        let refused = message(text).expect_err("it is refused");
        let Some(answer) = refused.answer() else {
            return (json!("silence"), Value::Null, String::new());
        };
        let answer = serde_json::to_value(answer).expect("an answer is JSON");
        let why = answer["error"]["message"].as_str().unwrap_or_default();
        (
            answer["error"]["code"].clone(),
            answer["id"].clone(),
            why.to_owned(),
        )
    }

    fn call(params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{params}}}"#)
    }

    #[test]
    fn what_is_no_json_has_no_id() {
        for broken in [
            &b"hello"[..],
            b"{\"jsonrpc\":\"2.0\",\"id\":2,",
            b"\xff",
            b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}",
        ] {
            let (code, id, why) = refused(broken);
            assert_eq!((code, id), (json!(-32700), Value::Null), "{why}");
        }
    }

    #[test]
    fn what_is_no_message_is_no_request() {
        for other in [
            "null",
            "5",
            "{}",
            r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        ] {
            let (code, id, why) = refused(other.as_bytes());
            assert_eq!((code, id), (json!(-32600), Value::Null), "{other}: {why}");
        }
    }

    #[test]
    fn a_request_that_does_not_fit_is_told_why() {
        for (params, part) in [
            (r#"{"name":"a","arguments":{"o":"a","o":"b"}}"#, "twice"),
            (r#"{"name":"a","arguments":{"o":[{"p":1,"p":1}]}}"#, "twice"),
            (r#"{"name":"a","arguments":{"o":"\ud800"}}"#, "expected"),
            (r#"{"name":"a","arguments":[]}"#, "map"),
            ("{}", "`name`"),
            ("[1]", "`tools/call`"),
        ] {
            let (code, id, why) = refused(call(params).as_bytes());
            assert_eq!((code, id), (json!(-32602), json!(2)), "{params}: {why}");
            assert!(why.contains(part), "{params}: {why}");
        }
        let deep = format!(r#"{{"name":"a","arguments":{{"o":{}}}}}"#, nested(600));
        let (code, id, why) = refused(call(&deep).as_bytes());
        assert_eq!((code, id), (json!(-32602), json!(2)), "{why}");
        assert!(why.contains("512 levels"), "{why}");
        // How deep is taken depends on where it comes from.
        let refused_here = message_of(call(&deep).as_bytes(), 127).expect_err("it is refused");
        assert!(refused_here.error.message.contains("127 levels"));
        let (code, _, why) = refused(br#"{"jsonrpc":"2.0","id":2,"method":"initialize"}"#);
        assert_eq!(code, -32602, "{why}");
        assert!(why.contains("`params`"), "{why}");
    }

    #[test]
    fn a_notification_has_no_answer_and_what_is_unknown_is_no_error_here() {
        let (code, ..) = refused(br#"{"jsonrpc":"2.0","method":"x","params":{"a":1,"a":2}}"#);
        assert_eq!(code, "silence");
        for fine in [
            r#"{"jsonrpc":"2.0","id":2,"method":"nope"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#.to_owned(),
            // The newer age has no such method, whose parameters could be wrong.
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":
                {"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
                .to_owned(),
            call(&format!(
                r#"{{"name":"a","arguments":{{"o":{}}}}}"#,
                nested(300)
            )),
        ] {
            assert!(message(fine.as_bytes()).is_ok(), "{fine}");
        }
    }

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }
}
