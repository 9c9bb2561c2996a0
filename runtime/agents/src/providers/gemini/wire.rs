//! A request in the form of the Gemini API.
//!
//! A signature of thinking belongs to one part of a message and must come back with it. It is kept as a block of its own
//! before that part: one that holds nothing but a `thoughtSignature` joins the part after it.

use gsw_abi::provider::takes;
use gsw_abi::setting::Setting;
use gsw_engine::media::{Media, MediaSource};
use gsw_engine::model::{Content, Message, ModelRequest, Role};
use serde_json::{Map, Value, json};

use crate::providers::call_names::CallNames;
use crate::providers::media::plain_text;
use crate::providers::protocol::SchemaForm;
use crate::providers::schema;

/// The key of a signature.
pub(crate) const SIGNATURE: &str = "thoughtSignature";

/// The body of the request.
pub(crate) fn body(request: &ModelRequest, form: SchemaForm) -> Value {
    let mut body = Map::new();
    body.insert("contents".into(), contents(request).into());
    let system = match (&request.schema, form) {
        (Some(schema), SchemaForm::Described) => {
            Some(schema::described(request.system.as_deref(), schema))
        }
        (None, _) | (_, SchemaForm::Absent | SchemaForm::Native) => request.system.clone(),
    };
    if let Some(system) = system {
        let instruction = json!({ "parts": [{ "text": system }] });
        body.insert("systemInstruction".into(), instruction);
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|it| {
                json!({
                    "name": it.name,
                    "description": it.description,
                    "parametersJsonSchema": it.input_schema,
                })
            })
            .collect();
        body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
    }
    body.insert("generationConfig".into(), configuration(request, form));
    Value::Object(body)
}

fn configuration(request: &ModelRequest, form: SchemaForm) -> Value {
    let mut configuration = Map::new();
    let thinking = request.thinking.filter(|it| *it > 0);
    // The provider counts thinking as part of the answer's tokens; to us it is on top of them.
    let most = request.max_tokens.saturating_add(thinking.unwrap_or(0));
    configuration.insert("maxOutputTokens".into(), most.into());
    let takes_temperature = takes(&request.model, Setting::Temperature);
    if let (Some(temperature), true) = (request.temperature, takes_temperature) {
        configuration.insert("temperature".into(), temperature.into());
    }
    if !request.stop.is_empty() {
        configuration.insert("stopSequences".into(), request.stop.clone().into());
    }
    if let Some(budget) = thinking {
        let thinking = json!({ "thinkingBudget": budget });
        configuration.insert("thinkingConfig".into(), thinking);
    }
    if let (Some(wanted), SchemaForm::Native) = (&request.schema, form) {
        configuration.insert("responseMimeType".into(), "application/json".into());
        configuration.insert("responseJsonSchema".into(), schema::strict(wanted));
    }
    Value::Object(configuration)
}

fn contents(request: &ModelRequest) -> Vec<Value> {
    // A result names its function, and ours know their calls only by id.
    let mut names = CallNames::default();
    let mut contents = Vec::new();
    for message in &request.messages {
        names.add(message);
        let role = match message.role {
            Role::Assistant => "model",
            // In the middle of a conversation there are no instructions here.
            Role::User | Role::System => "user",
        };
        contents.push(json!({ "role": role, "parts": parts(message, &names) }));
    }
    contents
}

fn parts(message: &Message, names: &CallNames<'_>) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut signature = None;
    // The media that tools returned: after all responses, of which there must be one for each call.
    let mut shown = Vec::new();
    for content in &message.content {
        let mut part = match content {
            Content::Opaque { block } if is_signature(block) => {
                signature = Some(block[SIGNATURE].clone());
                continue;
            }
            Content::Opaque { block } => block.clone(),
            Content::Text { text } => json!({ "text": text }),
            Content::Media { media } => media_part(media),
            Content::ToolUse {
                id, name, input, ..
            } => json!({ "functionCall": { "id": id, "name": name, "args": input } }),
            Content::ToolResult {
                id,
                content,
                is_error,
                media,
            } => {
                shown.extend(media.iter().map(media_part));
                let name = names.of(id);
                let key = if *is_error { "error" } else { "output" };
                let response = json!({ key: content });
                json!({ "functionResponse": { "id": id, "name": name, "response": response } })
            }
        };
        if let Some(signature) = signature.take() {
            part[SIGNATURE] = signature;
        }
        parts.push(part);
    }
    parts.append(&mut shown);
    parts.extend(signature.map(|it| json!({ "text": "", SIGNATURE: it })));
    parts
}

fn is_signature(block: &Value) -> bool {
    let block = block.as_object();
    block.is_some_and(|it| it.len() == 1 && it.contains_key(SIGNATURE))
}

fn media_part(media: &Media) -> Value {
    match &media.source {
        MediaSource::Url { url } => json!({ "fileData": { "fileUri": url } }),
        MediaSource::Inline { media_type, data } if media_type == "text/plain" => {
            json!({ "text": plain_text(data) })
        }
        MediaSource::Inline { media_type, data } => {
            json!({ "inlineData": { "mimeType": media_type, "data": data } })
        }
    }
}
