//! Scripts as data, from JSON or Rust.

use serde::Deserialize;
use serde_json::{Map, Value};

/// What the server does, request by request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Tried in order: the first that is not used up and whose `when` fits is given. When none is left the last one that
    /// fits is given again.
    pub replies: Vec<Reply>,
}

/// One reply and its misbehaviour.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    /// Only for requests whose path or body holds this text.
    pub when: Option<String>,
    /// How often it is given before the next one's turn; 0 is for ever.
    pub times: u32,
    pub status: u16,
    /// Headers besides the ones that the body needs; one of these names replaces it.
    pub headers: Map<String, Value>,
    pub body: Body,
    /// Milliseconds before the first byte.
    pub delay_ms: u64,
    /// Sends the body slowly.
    pub drip: Option<Drip>,
    /// Shuts the connection down after so many bytes of the body.
    pub drop_at: Option<usize>,
    /// After the body, sends nothing more and keeps the connection.
    pub hang: bool,
    /// Closes the connection behind a whole reply.
    pub close: bool,
    /// Does nothing with the request and says so, as only HTTP/2 can; by HTTP/1.1 it makes no difference.
    pub refuse: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            when: None,
            times: 1,
            status: 200,
            headers: Map::new(),
            body: Body::Text(String::new()),
            delay_ms: 0,
            drip: None,
            drop_at: None,
            hang: false,
            close: false,
            refuse: false,
        }
    }
}

/// A body in small pieces.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drip {
    /// Bytes sent at a time.
    pub bytes: usize,
    /// The pause between them, in milliseconds.
    pub ms: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Text(String),
    Json(Value),
    /// A `text/event-stream`.
    Events(Vec<Event>),
    /// Bytes, written in Base64.
    Base64(String),
    /// An event stream, as it goes over the wire.
    Stream(String),
    /// Bytes that are no HTTP at all, instead of a response.
    Raw(String),
    /// This many meaningless bytes, as an event stream.
    Garbage(usize),
    /// A message of Anthropic's protocol: a stream if the request asks for one, otherwise whole.
    Anthropic(Message),
    /// A completion of OpenAI's protocol, likewise.
    Openai(Completion),
    /// A response of OpenAI's Responses API, likewise.
    Responses(Response),
    /// A generation of the Gemini API: a stream if the path asks for one.
    Gemini(Generation),
    /// An answer in the protocol that the request speaks.
    Answer(Answer),
}

/// An event of a stream.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Its name; without one just data.
    #[serde(default)]
    pub event: Option<String>,
    /// Its data; a text is sent as it is.
    pub data: Value,
}

/// An answer of text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The text; a value that is no text is sent as JSON text.
    pub text: Value,
}

/// A message of Anthropic's protocol.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Message {
    pub content: Vec<Value>,
    pub stop_reason: Value,
    /// What comes with a refusal.
    pub stop_details: Value,
    /// Its usage at the end.
    pub usage: Value,
    /// Characters of a delta.
    pub piece: usize,
}

impl Default for Message {
    fn default() -> Self {
        Self {
            content: Vec::new(),
            stop_reason: "end_turn".into(),
            stop_details: Value::Null,
            usage: serde_json::json!({ "input_tokens": 10, "output_tokens": 5 }),
            piece: 7,
        }
    }
}

/// A completion of OpenAI's protocol.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Completion {
    pub content: String,
    /// Calls of tools, each `{id, function: {name, arguments}}`.
    pub tool_calls: Vec<Value>,
    /// What it says instead of an answer.
    pub refusal: Option<String>,
    pub finish_reason: Value,
    pub usage: Value,
    /// Characters of a delta.
    pub piece: usize,
}

impl Default for Completion {
    fn default() -> Self {
        Self {
            content: String::new(),
            tool_calls: Vec::new(),
            refusal: None,
            finish_reason: "stop".into(),
            usage: serde_json::json!({
                "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15
            }),
            piece: 7,
        }
    }
}

/// A response of OpenAI's Responses API.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    pub output: Vec<Value>,
    pub status: String,
    /// Why it is not complete.
    pub incomplete_details: Value,
    pub error: Value,
    pub usage: Value,
    /// Characters of a delta.
    pub piece: usize,
}

impl Default for Response {
    fn default() -> Self {
        Self {
            output: Vec::new(),
            status: "completed".into(),
            incomplete_details: Value::Null,
            error: Value::Null,
            usage: serde_json::json!({
                "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 },
                "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 0 },
                "total_tokens": 15
            }),
            piece: 7,
        }
    }
}

/// A generation of the Gemini API.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Generation {
    /// The parts of its content.
    pub parts: Vec<Value>,
    pub finish_reason: Value,
    /// Its usage at the end.
    pub usage: Value,
    /// Characters of a piece of text.
    pub piece: usize,
}

impl Default for Generation {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            finish_reason: "STOP".into(),
            usage: serde_json::json!({
                "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15
            }),
            piece: 7,
        }
    }
}

impl Script {
    /// One reply for ever.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        Self {
            replies: vec![Reply { times: 0, ..reply }],
        }
    }

    /// These replies in turn.
    #[must_use]
    pub fn in_turn(replies: Vec<Reply>) -> Self {
        Self { replies }
    }
}

impl Reply {
    /// A success with this body.
    #[must_use]
    pub fn of(body: Body) -> Self {
        Self {
            body,
            ..Self::default()
        }
    }

    /// A text in the protocol that the request speaks.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::of(Body::Answer(Answer { text: text.into() }))
    }

    /// An error of Anthropic's protocol.
    #[must_use]
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        let error = serde_json::json!({ "type": kind, "message": message });
        Self {
            status,
            body: Body::Json(serde_json::json!({
                "type": "error", "error": error, "request_id": "req_fake"
            })),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }
}
