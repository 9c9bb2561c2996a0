//! `Content`, `Message` and `Folder` of `std/mcp`: what a workflow returns to a client besides data, and what a client has opened.

use gsw_abi::types::{Type, TypeId, TypeTable};
use rmcp::model::{ContentBlock, PromptMessage, ResourceContents, Role};
use serde_json::Value;

/// The variants of `Content`, each with its fields.
const CONTENT: [(&str, &[&str]); 5] = [
    ("Text", &["text"]),
    ("Image", &["data", "media_type"]),
    ("Audio", &["data", "media_type"]),
    ("Resource", &["uri", "text", "media_type"]),
    ("Blob", &["uri", "data", "media_type"]),
];

/// Whether a type is that of content, or of a list of it.
pub(super) fn is_content(types: &TypeTable, ty: TypeId) -> bool {
    is_block(types, ty) || element(types, ty).is_some_and(|it| is_block(types, it))
}

/// Whether a type is a list of messages.
pub(super) fn is_messages(types: &TypeTable, ty: TypeId) -> bool {
    let Some(message) = element(types, ty) else {
        return false;
    };
    let Type::Record(record) = types.get(types.base(message)) else {
        return false;
    };
    match record.fields.as_slice() {
        [role, content] => {
            let named = (&*record.name, &*role.name, &*content.name);
            named == ("Message", "role", "content") && is_block(types, content.ty)
        }
        _ => false,
    }
}

/// Whether a type is a list of folders.
pub(super) fn is_folders(types: &TypeTable, ty: TypeId) -> bool {
    let Some(folder) = element(types, ty) else {
        return false;
    };
    let Type::Record(record) = types.get(types.base(folder)) else {
        return false;
    };
    let fields = record.fields.iter().map(|it| it.wire.as_str());
    record.name == "Folder" && fields.eq(["uri", "name"])
}

fn element(types: &TypeTable, ty: TypeId) -> Option<TypeId> {
    let Type::List(element) = types.get(types.base(ty)) else {
        return None;
    };
    Some(*element)
}

/// A program's own type of this name has other variants, or means the same.
fn is_block(types: &TypeTable, ty: TypeId) -> bool {
    let Type::Enum(found) = types.get(types.base(ty)) else {
        return false;
    };
    let names = |at: usize| found.variants[at].fields.iter().map(|it| it.wire.as_str());
    let fits = |(at, (name, fields)): (usize, &(&str, &[&str]))| {
        found.variants[at].wire == *name && names(at).eq(fields.iter().copied())
    };
    found.name == "Content"
        && found.variants.len() == CONTENT.len()
        && CONTENT.iter().enumerate().all(fits)
}

/// The blocks that a value of content, or of a list of it, is.
pub(super) fn blocks(value: &Value) -> Option<Vec<ContentBlock>> {
    match value.as_array() {
        Some(values) => values.iter().map(block).collect(),
        None => Some(vec![block(value)?]),
    }
}

/// The messages that a value of a list of them is.
pub(super) fn messages(value: &Value) -> Option<Vec<PromptMessage>> {
    let messages = value.as_array()?.iter().map(|it| {
        let role = match it.get("role")?.as_str()? {
            "assistant" => Role::Assistant,
            _ => Role::User,
        };
        Some(PromptMessage::new(role, block(it.get("content")?)?))
    });
    messages.collect()
}

/// What a client reads at an address for a value of content.
pub(super) fn read(value: &Value, uri: &str) -> Option<ResourceContents> {
    let said = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let contents = match said("kind")?.as_str() {
        "Text" => {
            return Some(ResourceContents::text(said("text")?, uri).with_mime_type("text/plain"));
        }
        "Resource" => ResourceContents::text(said("text")?, uri),
        _ => ResourceContents::blob(said("data")?, uri),
    };
    Some(contents.with_mime_type(said("media_type")?))
}

fn block(value: &Value) -> Option<ContentBlock> {
    let said = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    Some(match said("kind")?.as_str() {
        "Text" => ContentBlock::text(said("text")?),
        "Image" => ContentBlock::image(said("data")?, said("media_type")?),
        "Audio" => ContentBlock::audio(said("data")?, said("media_type")?),
        _ => ContentBlock::resource(read(value, &said("uri")?)?),
    })
}
