//! A request in the form of the Responses API: a conversation is a list of items.

use gsw_abi::provider::takes;
use gsw_abi::setting::Setting;
use gsw_engine::media::{Media, MediaKind, MediaSource};
use gsw_engine::model::{Content, Message, ModelRequest, Role};
use serde_json::{Map, Value, json};

use crate::providers::media::plain_text;
use crate::providers::openai::{ResponseFormat, schema_name};

/// Up to this many tokens of thinking are a low effort, up to this many a medium one; a guess.
const LOW: u32 = 2_048;
const MEDIUM: u32 = 8_192;

/// The body of the request.
pub(crate) fn body(model: &str, request: &ModelRequest, format: &ResponseFormat) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let items: Vec<Value> = request.messages.iter().flat_map(|it| items(it)).collect();
    body.insert("input".into(), items.into());
    let instructions = match format {
        ResponseFormat::Described(system) => Some(system.clone()),
        ResponseFormat::Text | ResponseFormat::Native { .. } => request.system.clone(),
    };
    if let Some(instructions) = instructions {
        body.insert("instructions".into(), instructions.into());
    }
    let thinking = request.thinking.filter(|it| *it > 0);
    // The provider counts thinking as part of the answer's tokens; to us it is on top of them.
    let most = request.max_tokens.saturating_add(thinking.unwrap_or(0));
    body.insert("max_output_tokens".into(), most.into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if let Some(tokens) = thinking {
        body.insert("reasoning".into(), json!({ "effort": effort(tokens) }));
        // Without it, what the model thought could not be sent back, since nothing is stored.
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    let takes_temperature = takes(&request.model, Setting::Temperature);
    if let (Some(temperature), true) = (request.temperature, takes_temperature) {
        body.insert("temperature".into(), temperature.into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), tools(request));
    }
    if let ResponseFormat::Native { schema, .. } = format {
        let format = json!({
            "type": "json_schema", "name": schema_name(request), "strict": true, "schema": schema
        });
        body.insert("text".into(), json!({ "format": format }));
    }
    // `stop` is never sent: this protocol has none.
    Value::Object(body)
}

fn effort(tokens: u32) -> &'static str {
    if tokens <= LOW {
        "low"
    } else if tokens <= MEDIUM {
        "medium"
    } else {
        "high"
    }
}

fn tools(request: &ModelRequest) -> Value {
    let tool = |it: &gsw_engine::model::ToolDescription| {
        json!({
            "type": "function",
            "name": it.name,
            "description": it.description,
            "parameters": it.input_schema,
            // Strict schemas know no optional parameters, and the arguments are checked anyway.
            "strict": false,
        })
    };
    request.tools.iter().map(tool).collect()
}

/// One message of ours is several items: calls, results and thinking are items of their own.
fn items(message: &Message) -> Vec<Value> {
    let mut items = Vec::new();
    let mut parts: Vec<Value> = Vec::new();
    let say = |parts: &mut Vec<Value>, items: &mut Vec<Value>| {
        if !parts.is_empty() {
            let content = std::mem::take(parts);
            items.push(json!({ "type": "message", "role": message.role, "content": content }));
        }
    };
    for content in &message.content {
        let item = match content {
            Content::Text { text } => {
                parts.push(text_part(message.role, text));
                continue;
            }
            Content::Media { media } => {
                parts.push(media_part(media));
                continue;
            }
            Content::ToolUse {
                id, name, input, ..
            } => json!({
                "type": "function_call", "call_id": id, "name": name, "arguments": input.text()
            }),
            Content::ToolResult {
                id,
                content,
                is_error,
                media,
            } => {
                // This protocol cannot say that a tool failed but in its text.
                let text = if *is_error {
                    format!("Error: {content}")
                } else {
                    content.clone()
                };
                let output = match media.as_slice() {
                    [] => json!(text),
                    media => {
                        let text = text_part(Role::User, &text);
                        std::iter::once(text)
                            .chain(media.iter().map(media_part))
                            .collect()
                    }
                };
                json!({ "type": "function_call_output", "call_id": id, "output": output })
            }
            Content::Opaque { block } => block.clone(),
        };
        say(&mut parts, &mut items);
        items.push(item);
    }
    say(&mut parts, &mut items);
    items
}

fn text_part(role: Role, text: &str) -> Value {
    match role {
        Role::Assistant => json!({ "type": "output_text", "text": text }),
        Role::User | Role::System => json!({ "type": "input_text", "text": text }),
    }
}

fn media_part(media: &Media) -> Value {
    match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Url { url }) => {
            json!({ "type": "input_image", "image_url": url })
        }
        (MediaKind::Image, MediaSource::Inline { media_type, data }) => {
            let url = format!("data:{media_type};base64,{data}");
            json!({ "type": "input_image", "image_url": url })
        }
        (MediaKind::Document, MediaSource::Url { url }) => {
            json!({ "type": "input_file", "file_url": url })
        }
        (MediaKind::Document, MediaSource::Inline { media_type, data })
            if media_type == "text/plain" =>
        {
            json!({ "type": "input_text", "text": plain_text(data) })
        }
        (MediaKind::Document, MediaSource::Inline { media_type, data }) => {
            let content = format!("data:{media_type};base64,{data}");
            json!({ "type": "input_file", "filename": "document.pdf", "file_data": content })
        }
    }
}
