//! A request in the form of chat completions.

use gsw_abi::provider::takes;
use gsw_abi::setting::Setting;
use gsw_engine::media::{Media, MediaKind, MediaSource};
use gsw_engine::model::{Content, FailureKind, Message, ModelFailure, ModelRequest, Role};
use reqwest::Url;
use serde_json::{Map, Value, json};

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

/// The body of the request.
pub(crate) fn body(
    model: &str,
    request: &ModelRequest,
    format: &ResponseFormat,
    dialect: Dialect,
) -> Result<Value, ModelFailure> {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("messages".into(), messages(request, format)?.into());
    let limit = match dialect {
        Dialect::Original => "max_completion_tokens",
        Dialect::Compatible => "max_tokens",
    };
    body.insert(limit.into(), request.max_tokens.into());
    body.insert("stream".into(), true.into());
    body.insert("stream_options".into(), json!({ "include_usage": true }));
    let takes_temperature = takes(&request.model, Setting::Temperature);
    if let (Some(temperature), true) = (request.temperature, takes_temperature) {
        body.insert("temperature".into(), temperature.into());
    }
    if !request.stop.is_empty() {
        body.insert("stop".into(), request.stop.clone().into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), tools(request));
    }
    if let ResponseFormat::Native { schema, .. } = format {
        let named = json!({ "name": schema_name(request), "strict": true, "schema": schema });
        body.insert(
            "response_format".into(),
            json!({ "type": "json_schema", "json_schema": named }),
        );
    }
    Ok(Value::Object(body))
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

fn tools(request: &ModelRequest) -> Value {
    let tool = |it: &gsw_engine::model::ToolDescription| {
        json!({
            "type": "function",
            "function": {
                "name": it.name,
                "description": it.description,
                "parameters": it.input_schema,
            },
        })
    };
    request.tools.iter().map(tool).collect()
}

fn messages(request: &ModelRequest, format: &ResponseFormat) -> Result<Vec<Value>, ModelFailure> {
    let system = match format {
        ResponseFormat::Described(system) => Some(system.clone()),
        ResponseFormat::Text | ResponseFormat::Native { .. } => request.system.clone(),
    };
    let system = system.map(|it| json!({ "role": "system", "content": it }));
    let mut messages: Vec<Value> = system.into_iter().collect();
    for it in &request.messages {
        messages.extend(message(it)?);
    }
    Ok(messages)
}

/// One message of ours is several of theirs when it holds results of tools.
fn message(message: &Message) -> Result<Vec<Value>, ModelFailure> {
    let mut messages: Vec<Value> = message.content.iter().filter_map(tool_result).collect();
    let text: Vec<&str> = message.content.iter().filter_map(Content::text).collect();
    let calls: Vec<Value> = message.content.iter().filter_map(tool_call).collect();
    let has_media = message.content.iter().any(|it| match it {
        Content::Media { .. } => true,
        Content::ToolResult { media, .. } => !media.is_empty(),
        Content::Text { .. } | Content::ToolUse { .. } | Content::Opaque { .. } => false,
    });
    let text = text.join("\n");
    match message.role {
        Role::User if has_media => {
            let parts: Result<Vec<_>, _> = message.content.iter().flat_map(parts).collect();
            messages.push(json!({ "role": "user", "content": parts? }));
        }
        Role::User if !text.is_empty() || messages.is_empty() => {
            messages.push(json!({ "role": "user", "content": text }));
        }
        Role::User => {}
        Role::System => messages.push(json!({ "role": "system", "content": text })),
        Role::Assistant => {
            let mut said = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                said["tool_calls"] = calls.into();
            }
            messages.push(said);
        }
    }
    Ok(messages)
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

fn tool_call(content: &Content) -> Option<Value> {
    let Content::ToolUse {
        id, name, input, ..
    } = content
    else {
        return None;
    };
    let function = json!({ "name": name, "arguments": input.text() });
    Some(json!({ "id": id, "type": "function", "function": function }))
}

fn tool_result(content: &Content) -> Option<Value> {
    let Content::ToolResult {
        id,
        content,
        is_error,
        media: _,
    } = content
    else {
        return None;
    };
    // This protocol cannot say that a tool failed but in its text.
    let content = if *is_error {
        format!("Error: {content}")
    } else {
        content.clone()
    };
    Some(json!({ "role": "tool", "tool_call_id": id, "content": content }))
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
