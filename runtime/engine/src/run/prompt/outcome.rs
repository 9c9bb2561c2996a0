//! The result of a tool as its model gets it: text, and images and documents beside it.
//!
//! A model reads images only where they are images: as text, one of a megabyte would be half a million tokens of noise. So an
//! `image` or `document`, an optional or a list of these, and the content that a server of the Model Context Protocol gave, go
//! beside the text, which has a note in the place of each.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gsw_abi::types::{Type, TypeId};
use serde_json::Value;

use crate::codec;
use crate::heap::Heap;
use crate::media::{self, Media, MediaKind};
use crate::model::ToolOutcome;
use crate::value::{list, optional, string};

/// A model is not sent more bytes of one result: about a sixth of what the common ones take in all.
const LONGEST_RESULT: usize = 128 * 1024;

/// The text of a result as a model is sent it: of one that is too long the beginning and the end. The node has all of it.
pub(super) fn bounded(outcome: ToolOutcome) -> ToolOutcome {
    let whole = &outcome.content;
    if whole.len() <= LONGEST_RESULT {
        return outcome;
    }
    let head = whole.floor_char_boundary(LONGEST_RESULT / 4 * 3);
    let tail = whole.ceil_char_boundary(whole.len() - LONGEST_RESULT / 4);
    let (left_out, all) = (tail - head, whole.len());
    let note = format!(
        "\n[… {left_out} of {all} bytes are left out here, since the result is too long: ask for a part of it …]\n"
    );
    ToolOutcome {
        content: [&whole[..head], &note, &whole[tail..]].concat(),
        ..outcome
    }
}

/// What a tool gave, as a model is sent it.
#[derive(Default, PartialEq, Debug)]
pub(super) struct Given {
    pub text: String,
    pub media: Vec<Media>,
}

impl Given {
    fn text(text: String) -> Self {
        Self {
            text,
            media: Vec::new(),
        }
    }

    /// Another piece on a line of its own.
    fn say(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn show(&mut self, media: Media) {
        self.say(&media.note());
        self.media.push(media);
    }
}

/// Text goes to a model as it is, images and documents beside their notes, everything else as JSON.
pub(super) fn given(heap: &Heap, ty: TypeId, word: u64) -> Given {
    match heap.types().get(heap.types().base(ty)) {
        Type::String | Type::Literals(_) => Given::text(string::text(word).to_owned()),
        Type::Json => {
            let text = codec::encode(heap, ty, word);
            of_server(&text).unwrap_or_else(|| Given::text(text))
        }
        Type::Media | Type::Optional(_) | Type::List(_) => {
            let mut given = Given::default();
            match show_media(heap, ty, word, &mut given) {
                Ok(()) if !given.media.is_empty() => given,
                // There is nothing to show.
                Ok(()) | Err(NoMedia) => Given::text(codec::encode(heap, ty, word)),
            }
        }
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Secret
        | Type::Error
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Given::text(codec::encode(heap, ty, word)),
    }
}

/// A value of a type that is neither of media, nor an optional, nor a list of these.
struct NoMedia;

fn show_media(heap: &Heap, ty: TypeId, word: u64, given: &mut Given) -> Result<(), NoMedia> {
    let ty = heap.types().base(ty);
    match heap.types().get(ty) {
        Type::Media => {
            if let Some(media) = media::of(word) {
                given.show(media);
            }
            Ok(())
        }
        Type::Optional(_) if word == 0 => Ok(()),
        Type::Optional(of) => show_media(heap, *of, optional::inside(heap, *of, word), given),
        Type::List(of) => {
            let mut words = list::words(word).iter();
            words.try_for_each(|it| show_media(heap, *of, *it, given))
        }
        Type::Unit
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::String
        | Type::Bytes
        | Type::Time
        | Type::Duration
        | Type::Json
        | Type::Secret
        | Type::Error
        | Type::Literals(_)
        | Type::Map { .. }
        | Type::Set { .. }
        | Type::Tuple(_)
        | Type::Record(_)
        | Type::Enum(_)
        | Type::ErrorKind(_)
        | Type::Checked { .. }
        | Type::Closure(_)
        | Type::Function
        | Type::Cell(_)
        | Type::Task(_)
        | Type::Stream(_)
        | Type::Queue(_)
        | Type::Session => Err(NoMedia),
    }
}

/// The content of a server's result, where it holds something to be shown: a list of blocks, as MCP has it.
fn of_server(json: &str) -> Option<Given> {
    // Most results are no such list, and need not be read again.
    if !(json.starts_with('[') && json.contains("\"mimeType\"")) {
        return None;
    }
    let blocks: Vec<Value> = gsw_notation::json::read(json).ok()?;
    let mut given = Given::default();
    for block in &blocks {
        match (block["type"].as_str()?, medium(block)) {
            (_, Some(media)) => given.show(media),
            ("text", None) => given.say(block["text"].as_str()?),
            (_, None) => given.say(&block.to_string()),
        }
    }
    (!given.media.is_empty()).then_some(given)
}

/// The image or document that a block of content is, if models take such.
fn medium(block: &Value) -> Option<Media> {
    let (content, data) = match block["type"].as_str()? {
        "image" => (block, "data"),
        "resource" => (&block["resource"], "blob"),
        _ => return None,
    };
    let media_type = content["mimeType"].as_str()?;
    let kind = match media_type.starts_with("image/") {
        true => MediaKind::Image,
        false => MediaKind::Document,
    };
    let bytes = STANDARD.decode(content[data].as_str()?).ok()?;
    media::from_bytes(kind, &bytes, Some(media_type)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of_server;

    #[test]
    fn content_of_a_server_is_shown_where_models_can_look_at_it() {
        let png = "iVBORw0KGgpyZXN0";
        let image = json!({"type": "image", "mimeType": "image/png", "data": png});
        let text = json!({"type": "text", "text": "Two shots."});
        let pdf = json!({"type": "resource", "resource": {
            "uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "JVBERi0xLjc=",
        }});
        let given = of_server(&json!([text, image, pdf]).to_string()).expect("it holds images");
        assert_eq!(
            given.text,
            "Two shots.\n[image/png, 12 bytes]\n[application/pdf, 8 bytes]"
        );
        assert_eq!(given.media.len(), 2);
    }

    #[test]
    fn everything_else_stays_json() {
        let sound = json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"});
        let broken = json!({"type": "image", "mimeType": "image/png", "data": "not Base64"});
        let other = json!({"type": "image", "mimeType": "image/tiff", "data": "AAAA"});
        let untyped = json!({"mimeType": "image/png", "data": "iVBORw0KGgpyZXN0"});
        for it in [
            json!([sound]),
            json!([broken]),
            json!([other]),
            json!([untyped]),
            json!(["mimeType"]),
        ] {
            assert_eq!(of_server(&it.to_string()), None, "{it}");
        }
    }
}
