//! A request in the form of chat completions.

use std::borrow::Cow;

use gsw_abi::provider::takes;
use gsw_abi::setting::Setting;
use gsw_engine::media::{Media, MediaKind, MediaSource};
use gsw_engine::model::{
    Content, FailureKind, Message, ModelFailure, ModelRequest, Role, ToolDescription,
};
use reqwest::Url;
use serde::Serialize;
use serde_json::{Value, json};

use crate::providers::media::plain_text;
use crate::providers::protocol::SchemaForm;
use crate::providers::schema;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// OpenAI itself, whose newer models know only the newer name of the token limit.
    Original,
    /// A compatible server, most of which know only the older name.
    Compatible,
}

impl Dialect {
    /// What the server at this address speaks, by its host: OpenAI itself, and the same service at Azure.
    pub fn of(base: &str) -> Self {
        // Asked for each request: most addresses need not be read.
        let may_be = base.to_ascii_lowercase().contains("openai");
        let url = may_be.then(|| Url::parse(base).ok()).flatten();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let is_original = ["openai.com", "openai.azure.com"].iter().any(|own| {
            host.strip_suffix(own)
                .is_some_and(|it| it.is_empty() || it.ends_with('.'))
        });
        if is_original {
            Self::Original
        } else {
            Self::Compatible
        }
    }
}

/// How the model learns the answer's schema.
#[derive(Clone, Debug)]
pub(crate) enum ResponseFormat {
    Text,
    /// The server holds the model to it.
    Native {
        /// With an object at its root.
        schema: Value,
        /// Whether that object is ours.
        is_wrapped: bool,
    },
    /// This system prompt describes it.
    Described(String),
}

impl ResponseFormat {
    /// The schema of the request in this form.
    pub fn of(request: &ModelRequest, form: SchemaForm) -> Self {
        match (&request.schema, form) {
            (None, _) | (_, SchemaForm::Absent) => Self::Text,
            (Some(wanted), SchemaForm::Native) => {
                let strict = schema::with_all_required(schema::strict(wanted));
                let (schema, is_wrapped) = schema::with_object_root(strict);
                Self::Native { schema, is_wrapped }
            }
            (Some(wanted), SchemaForm::Described) => {
                Self::Described(schema::described(request.system.as_deref(), wanted))
            }
        }
    }

    /// Whether the answer comes inside of an object of ours.
    pub fn is_wrapped(&self) -> bool {
        matches!(
            self,
            Self::Native {
                is_wrapped: true,
                ..
            }
        )
    }
}

/// The body of a request. Borrowed, since all of a conversation goes along with each of its turns.
#[derive(Serialize)]
pub(crate) struct Body<'a> {
    model: &'a str,
    messages: Vec<Said<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "function")]
struct Tool<'a> {
    function: Described<'a>,
}

#[derive(Serialize)]
struct Described<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

/// A message of this protocol.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Said<'a> {
    System {
        content: Cow<'a, str>,
    },
    User {
        content: Asked<'a>,
    },
    Assistant {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: Cow<'a, str>,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
enum Asked<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    ty: &'static str,
    function: Called<'a>,
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    /// JSON, as a text.
    arguments: &'a str,
}

/// The body of the request.
pub(crate) fn body<'a>(
    model: &'a str,
    request: &'a ModelRequest,
    format: &'a ResponseFormat,
    dialect: Dialect,
) -> Result<Body<'a>, ModelFailure> {
    let limit = |of: Dialect| (of == dialect).then_some(request.max_tokens);
    let takes_temperature = takes(&request.model, Setting::Temperature);
    Ok(Body {
        model,
        messages: messages(request, format)?,
        max_completion_tokens: limit(Dialect::Original),
        max_tokens: limit(Dialect::Compatible),
        stream: true,
        stream_options: StreamOptions {
            include_usage: true,
        },
        temperature: request.temperature.filter(|_| takes_temperature),
        stop: &request.stop,
        tools: request.tools.iter().map(tool).collect(),
        response_format: response_format(request, format),
    })
}

fn response_format(request: &ModelRequest, format: &ResponseFormat) -> Option<Value> {
    match format {
        ResponseFormat::Native { schema, .. } => {
            let named = json!({ "name": schema_name(request), "strict": true, "schema": schema });
            Some(json!({ "type": "json_schema", "json_schema": named }))
        }
        ResponseFormat::Text | ResponseFormat::Described(_) => None,
    }
}

/// Names may hold only letters, digits, `_` and `-`, at most 64.
pub(crate) fn schema_name(request: &ModelRequest) -> String {
    let is_fine = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let name: String = request
        .schema_name
        .chars()
        .filter(is_fine)
        .take(64)
        .collect();
    if name.is_empty() {
        "answer".into()
    } else {
        name
    }
}

fn tool(it: &ToolDescription) -> Tool<'_> {
    Tool {
        function: Described {
            name: &it.name,
            description: &it.description,
            parameters: &it.input_schema,
        },
    }
}

fn messages<'a>(
    request: &'a ModelRequest,
    format: &'a ResponseFormat,
) -> Result<Vec<Said<'a>>, ModelFailure> {
    let system = match format {
        ResponseFormat::Described(system) => Some(system),
        ResponseFormat::Text | ResponseFormat::Native { .. } => request.system.as_ref(),
    };
    let system = system.map(|it| Said::System {
        content: Cow::from(it),
    });
    let mut messages: Vec<Said> = system.into_iter().collect();
    for it in &request.messages {
        add(&mut messages, it)?;
    }
    Ok(messages)
}

/// Adds a message of ours, which is several of theirs when it holds results of tools.
fn add<'a>(messages: &mut Vec<Said<'a>>, message: &'a Message) -> Result<(), ModelFailure> {
    let before = messages.len();
    messages.extend(message.content.iter().filter_map(tool_result));
    let has_results = messages.len() > before;
    let has_media = message.content.iter().any(|it| match it {
        Content::Media { .. } => true,
        Content::ToolResult { media, .. } => !media.is_empty(),
        Content::Text { .. } | Content::ToolUse { .. } | Content::Opaque { .. } => false,
    });
    let content = text(&message.content);
    match message.role {
        Role::User if has_media => {
            let parts: Result<Vec<_>, _> = message.content.iter().flat_map(parts).collect();
            let content = Asked::Parts(parts?);
            messages.push(Said::User { content });
        }
        Role::User if !content.is_empty() || !has_results => {
            let content = Asked::Text(content);
            messages.push(Said::User { content });
        }
        Role::User => {}
        Role::System => messages.push(Said::System { content }),
        Role::Assistant => messages.push(Said::Assistant {
            content,
            tool_calls: message.content.iter().filter_map(tool_call).collect(),
        }),
    }
    Ok(())
}

/// The texts of a message, a line each.
fn text(content: &[Content]) -> Cow<'_, str> {
    let mut texts = content.iter().filter_map(Content::text);
    match (texts.next(), texts.next()) {
        (None, _) => Cow::from(""),
        (Some(only), None) => Cow::from(only),
        (Some(first), Some(second)) => {
            let all: Vec<&str> = [first, second].into_iter().chain(texts).collect();
            Cow::from(all.join("\n"))
        }
    }
}

/// A piece of a message that holds more than text.
fn parts(content: &Content) -> Vec<Result<Value, ModelFailure>> {
    let text = |text: &str| Ok(json!({ "type": "text", "text": text }));
    match content {
        Content::Text { text: said } => vec![text(said)],
        Content::Media { media } => vec![media_part(media)],
        // A result is a message of its own, which holds only text: media follow all of them.
        Content::ToolResult { id, media, .. } if !media.is_empty() => {
            let of = text(&format!("What the call `{id}` gave:"));
            std::iter::once(of)
                .chain(media.iter().map(media_part))
                .collect()
        }
        // These are messages and fields of their own.
        Content::ToolUse { .. } | Content::ToolResult { .. } => Vec::new(),
        // The protocol has no blocks of its own.
        Content::Opaque { .. } => Vec::new(),
    }
}

fn media_part(media: &Media) -> Result<Value, ModelFailure> {
    Ok(match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Url { url }) => {
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        (MediaKind::Image, MediaSource::Inline { media_type, data }) => {
            let url = format!("data:{media_type};base64,{data}");
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
        (MediaKind::Document, MediaSource::Inline { media_type, data })
            if media_type == "text/plain" =>
        {
            json!({ "type": "text", "text": plain_text(data) })
        }
        (MediaKind::Document, MediaSource::Inline { media_type, data }) => {
            let content = format!("data:{media_type};base64,{data}");
            json!({ "type": "file", "file": { "filename": "document.pdf", "file_data": content } })
        }
        (MediaKind::Document, MediaSource::Url { url }) => {
            let message = format!(
                "chat completions do not accept a document by URL ({url}); read it and use `document.bytes`"
            );
            return Err(ModelFailure::new(FailureKind::Provider, message));
        }
    })
}

fn tool_call(content: &Content) -> Option<Call<'_>> {
    let Content::ToolUse {
        id, name, input, ..
    } = content
    else {
        return None;
    };
    Some(Call {
        id,
        ty: "function",
        function: Called {
            name,
            arguments: input.text(),
        },
    })
}

fn tool_result(content: &Content) -> Option<Said<'_>> {
    let Content::ToolResult {
        id,
        content,
        is_error,
        media: _,
    } = content
    else {
        return None;
    };
    Some(Said::Tool {
        tool_call_id: id,
        // This protocol cannot say that a tool failed but in its text.
        content: match is_error {
            true => Cow::from(format!("Error: {content}")),
            false => Cow::from(content),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::Dialect;

    #[test]
    fn the_host_says_which_dialect_is_spoken() {
        for base in [
            "https://api.openai.com/v1",
            "https://eu.api.openai.com/v1",
            "https://me.openai.azure.com/openai/v1",
        ] {
            assert_eq!(Dialect::of(base), Dialect::Original, "{base}");
        }
        for base in [
            "http://localhost:8080/v1",
            "https://notopenai.com/v1",
            "https://api.openai.com.example.org/v1",
            "https://example.org/api.openai.com",
            "nonsense",
        ] {
            assert_eq!(Dialect::of(base), Dialect::Compatible, "{base}");
        }
    }
}
