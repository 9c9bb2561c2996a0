//! A request in the form of the Messages API.

use gsw_engine::media::{Media, MediaSource};
use gsw_engine::model::{Content, FailureKind, Message, ModelFailure, ModelRequest};
use serde_json::{Map, Value, json};

use super::cache::Marks;
use crate::catalogue::{Catalogue, Thinking};
use crate::providers::media::plain_text;
use crate::providers::protocol::SchemaForm;
use crate::providers::schema;

/// The least number of tokens to think with that the provider takes.
const LEAST_THINKING: u32 = 1024;

/// The body of the request.
pub(crate) fn body(
    model: &str,
    request: &ModelRequest,
    form: SchemaForm,
) -> Result<Value, ModelFailure> {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("max_tokens".into(), request.max_tokens.into());
    body.insert("stream".into(), true.into());
    let messages: Vec<Value> = request.messages.iter().map(|it| message(it)).collect();
    body.insert("messages".into(), messages.into());
    let marks = Marks::of(request);
    if let Some(system) = system(request, form) {
        body.insert("system".into(), marks.system(system));
    }
    if !request.stop.is_empty() {
        body.insert("stop_sequences".into(), request.stop.clone().into());
    }
    add_thinking(&mut body, request)?;
    if !request.tools.is_empty() {
        body.insert("tools".into(), tools(request));
    }
    if let (Some(wanted), SchemaForm::Native) = (&request.schema, form) {
        let format = json!({ "type": "json_schema", "schema": schema::strict(wanted) });
        body.insert("output_config".into(), json!({ "format": format }));
    }
    marks.put(&mut body);
    // `temperature` is never sent: this version of the protocol refuses it.
    Ok(Value::Object(body))
}

fn system(request: &ModelRequest, form: SchemaForm) -> Option<String> {
    match (&request.schema, form) {
        (Some(schema), SchemaForm::Described) => {
            Some(schema::described(request.system.as_deref(), schema))
        }
        (None, _) | (_, SchemaForm::Absent | SchemaForm::Native) => request.system.clone(),
    }
}

fn add_thinking(body: &mut Map<String, Value>, request: &ModelRequest) -> Result<(), ModelFailure> {
    let Some(budget) = request.thinking.filter(|it| *it > 0) else {
        return Ok(());
    };
    let known = Catalogue::built_in().find(&request.model);
    if known.and_then(|it| it.thinking) == Some(Thinking::Adaptive) {
        body.insert("thinking".into(), json!({ "type": "adaptive" }));
        return Ok(());
    }
    if budget < LEAST_THINKING {
        let message = format!(
            "`thinking: {budget}` is less than `{}` takes; the least is {LEAST_THINKING}",
            request.model
        );
        return Err(ModelFailure::new(FailureKind::Provider, message));
    }
    // The provider counts thinking as part of the answer's tokens; to us it is on top of them.
    let most = request.max_tokens.saturating_add(budget);
    body.insert("max_tokens".into(), most.into());
    body.insert(
        "thinking".into(),
        json!({ "type": "enabled", "budget_tokens": budget }),
    );
    Ok(())
}

fn tools(request: &ModelRequest) -> Value {
    let tool = |it: &gsw_engine::model::ToolDescription| {
        json!({
            "name": it.name,
            "description": it.description,
            "input_schema": it.input_schema,
        })
    };
    request.tools.iter().map(tool).collect()
}

fn message(message: &Message) -> Value {
    // The provider may say a text of nothing but blanks, and does not take it back.
    let is_said = |it: &&Content| it.text().is_none_or(|text| !text.trim().is_empty());
    let said: Vec<&Content> = message.content.iter().filter(is_said).collect();
    let content: Vec<Value> = match said.is_empty() {
        true => message.content.iter().map(block).collect(),
        false => said.into_iter().map(block).collect(),
    };
    json!({ "role": message.role, "content": content })
}

fn block(content: &Content) -> Value {
    match content {
        Content::Text { text } => json!({ "type": "text", "text": text }),
        Content::ToolUse {
            id, name, input, ..
        } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
        Content::ToolResult {
            id,
            content,
            is_error,
            media,
        } => {
            let content = match media.as_slice() {
                [] => json!(content),
                media => {
                    let text = json!({ "type": "text", "text": content });
                    let blocks = std::iter::once(text).chain(media.iter().map(media_block));
                    blocks.collect()
                }
            };
            json!({
                "type": "tool_result",
                "tool_use_id": id,
                "content": content,
                "is_error": is_error,
            })
        }
        Content::Opaque { block } => block.clone(),
        Content::Media { media } => media_block(media),
    }
}

fn media_block(media: &Media) -> Value {
    json!({ "type": media.kind, "source": source(&media.source) })
}

fn source(source: &MediaSource) -> Value {
    match source {
        MediaSource::Url { url } => json!({ "type": "url", "url": url }),
        MediaSource::Inline { media_type, data } if media_type == "text/plain" => {
            json!({ "type": "text", "media_type": media_type, "data": plain_text(data) })
        }
        MediaSource::Inline { media_type, data } => {
            json!({ "type": "base64", "media_type": media_type, "data": data })
        }
    }
}

#[cfg(test)]
mod tests {
    use gsw_engine::model::{Content, Message, Role};
    use serde_json::json;

    use super::message;

    #[test]
    fn blank_texts_beside_others_are_not_sent_back() {
        let text = |it: &str| Content::Text { text: it.into() };
        let content = |content: Vec<Content>| {
            let role = Role::Assistant;
            message(&Message { role, content })["content"].clone()
        };
        let said = content(vec![text("\n\n"), text("a"), text("")]);
        assert_eq!(said, json!([{ "type": "text", "text": "a" }]));
        let alone = content(vec![text("")]);
        assert_eq!(alone, json!([{ "type": "text", "text": "" }]));
    }
}
