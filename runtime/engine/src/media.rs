//! Images and documents for models, and texts with such in them.
//!
//! A value of type `image` or `document` is laid out as a string: a [`Template`] whose names are media as JSON. So a user text
//! that contains media is a template as well, and no text can pretend to hold one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gsw_abi::builtin;
use serde::{Deserialize, Serialize};

use crate::heap::Heap;
use crate::secret::{Piece, Template};
use crate::value::{string, type_of};

/// The largest content in bytes: what the largest request of a provider holds.
pub const LARGEST: usize = 32 << 20;

/// What the content of a kind may be: media type, and how its bytes begin.
type Format = (&'static str, fn(&[u8]) -> bool);

const IMAGES: &[Format] = &[
    ("image/png", |it| it.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |it| it.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |it| {
        it.starts_with(b"GIF87a") || it.starts_with(b"GIF89a")
    }),
    ("image/webp", |it| {
        it.starts_with(b"RIFF") && it.get(8..12) == Some(b"WEBP")
    }),
];

const DOCUMENTS: &[Format] = &[
    ("application/pdf", |it| it.starts_with(b"%PDF-")),
    ("text/plain", |it| {
        !it.contains(&0) && std::str::from_utf8(it).is_ok()
    }),
];

/// An image or a document for a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Media {
    pub kind: MediaKind,
    #[serde(flatten)]
    pub source: MediaSource,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    Image,
    /// A PDF or a text.
    Document,
}

/// Where the content of a medium is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MediaSource {
    Inline {
        /// `image/png` and so on.
        media_type: String,
        /// In Base64.
        data: String,
    },
    /// At an address that the provider asks.
    Url {
        /// Absolute.
        url: String,
    },
}

/// Why bytes are no image or document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    pub expected: String,
    pub found: String,
}

/// A user text in pieces: the text, and which medium is at which byte of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UserText {
    /// The text without the media.
    pub text: String,
    /// In order of place.
    pub media: Vec<(usize, Media)>,
}

/// An attachment with this content. Without a media type, it is detected from the content.
///
/// # Errors
/// When models do not take such content.
pub fn from_bytes(kind: MediaKind, bytes: &[u8], media_type: Option<&str>) -> Result<Media, Unfit> {
    let formats = match kind {
        MediaKind::Image => IMAGES,
        MediaKind::Document => DOCUMENTS,
    };
    let names: Vec<&str> = formats.iter().map(|it| it.0).collect();
    let expected = match kind {
        MediaKind::Image => format!("an image ({})", names.join(", ")),
        MediaKind::Document => format!("a document ({})", names.join(", ")),
    };
    let unfit = |found: String| Unfit {
        expected: expected.clone(),
        found,
    };
    if bytes.len() > LARGEST {
        return Err(unfit(format!(
            "{} bytes, which are more than {LARGEST}",
            bytes.len()
        )));
    }
    if bytes.is_empty() {
        return Err(unfit("nothing".into()));
    }
    let media_type = media_type.map(str::to_ascii_lowercase);
    let recognised = formats.iter().find(|it| it.1(bytes)).map(|it| it.0);
    let media_type = match (media_type, recognised) {
        (None, Some(recognised)) => recognised,
        (Some(claimed), Some(recognised)) if claimed == recognised => recognised,
        // A text may be a PDF's source as well as any other.
        (Some(claimed), Some(_)) if claimed == "text/plain" && DOCUMENTS[1].1(bytes) => {
            "text/plain"
        }
        (Some(claimed), _) if !names.contains(&claimed.as_str()) => {
            return Err(unfit(format!("`{claimed}`")));
        }
        (Some(claimed), Some(recognised)) => {
            return Err(Unfit {
                expected: claimed,
                found: recognised.into(),
            });
        }
        (Some(claimed), None) => {
            return Err(Unfit {
                expected: claimed,
                found: "other bytes".into(),
            });
        }
        (None, None) => return Err(unfit("other bytes".into())),
    };
    Ok(Media {
        kind,
        source: MediaSource::Inline {
            media_type: media_type.into(),
            data: STANDARD.encode(bytes),
        },
    })
}

/// The object of a medium.
#[must_use]
pub fn new(heap: &mut Heap, media: &Media) -> u64 {
    let name = serde_json::to_string(media).expect("a medium is texts under texts");
    string::new_of(heap, builtin::MEDIA, Template::named(&name).text())
}

/// The medium that JSON describes, from wherever it came.
#[must_use]
pub fn from_tree(tree: &serde_json::Value) -> Option<Media> {
    let media: Media = serde_json::from_value(tree.clone()).ok()?;
    match &media.source {
        MediaSource::Inline { media_type, data } => {
            let bytes = STANDARD.decode(data).ok()?;
            from_bytes(media.kind, &bytes, Some(media_type)).ok()
        }
        MediaSource::Url { .. } => Some(media),
    }
}

/// `a + b` as a text that may hold media: takes over `a`, borrows `b`.
#[must_use]
pub fn join(heap: &mut Heap, a: u64, b: u64) -> u64 {
    let text = template(a).text().to_owned() + template(b).text();
    heap.release(a);
    string::new_of(heap, builtin::MEDIA, &text)
}

/// The medium that an object is.
#[must_use]
pub fn of(word: u64) -> Option<Media> {
    user_text(word).media.into_iter().next().map(|it| it.1)
}

/// A text in pieces; the word is borrowed.
#[must_use]
pub fn user_text(word: u64) -> UserText {
    let mut whole = UserText::default();
    for piece in template(word).pieces() {
        match piece {
            Piece::Text(text) => whole.text.push_str(&text),
            Piece::Name(name) => {
                // Only `new` writes names, so each is a medium.
                if let Ok(media) = serde_json::from_str(&name) {
                    whole.media.push((whole.text.len(), media));
                }
            }
        }
    }
    whole
}

/// What observers see of a medium.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Outline {
    Inline { media_type: String, bytes: usize },
    Url { url: String },
}

/// What observers see of a medium.
pub(crate) fn outline(media: &Media) -> Outline {
    match &media.source {
        MediaSource::Inline { media_type, data } => Outline::Inline {
            media_type: media_type.clone(),
            bytes: data.trim_end_matches('=').len() * 3 / 4,
        },
        MediaSource::Url { url } => Outline::Url { url: url.clone() },
    }
}

impl Media {
    /// The bytes that its content or address takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        match &self.source {
            MediaSource::Inline { data, .. } => data.len(),
            MediaSource::Url { url } => url.len(),
        }
    }

    /// Its short form in a text for people.
    #[must_use]
    pub fn note(&self) -> String {
        match outline(self) {
            Outline::Inline { media_type, bytes } => format!("[{media_type}, {bytes} bytes]"),
            Outline::Url { url } => format!("[{url}]"),
        }
    }
}

impl UserText {
    /// The text from its second line on, where the first is empty.
    pub(crate) fn without_first_break(mut self) -> Self {
        if self.text.starts_with('\n') {
            self.text.remove(0);
            for (place, _) in &mut self.media {
                *place = place.saturating_sub(1);
            }
        }
        self
    }

    /// Another text after this one.
    pub(crate) fn append(&mut self, separator: &str, other: Self) {
        self.text.push_str(separator);
        let start = self.text.len();
        self.text.push_str(&other.text);
        let media = other.media.into_iter();
        self.media
            .extend(media.map(|(place, it)| (start + place, it)));
    }

    /// With a note in the place of each medium, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut shown = self.text.clone();
        for (place, media) in self.media.iter().rev() {
            shown.insert_str(*place, &media.note());
        }
        shown
    }
}

fn template(word: u64) -> Template {
    if type_of(word) == builtin::MEDIA {
        Template::of(word)
    } else {
        Template::plain(string::text(word))
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, MediaKind, MediaSource, from_bytes};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    fn media_type(kind: MediaKind, bytes: &[u8], claimed: Option<&str>) -> Result<String, String> {
        match from_bytes(kind, bytes, claimed) {
            Ok(media) => match media.source {
                MediaSource::Inline { media_type, .. } => Ok(media_type),
                MediaSource::Url { url } => Err(url),
            },
            Err(unfit) => Err(format!("{} / {}", unfit.expected, unfit.found)),
        }
    }

    #[test]
    fn content_says_what_it_is() {
        let image = |bytes: &[u8]| media_type(MediaKind::Image, bytes, None);
        assert_eq!(image(PNG).as_deref(), Ok("image/png"));
        assert_eq!(image(b"\xff\xd8\xff\xe0").as_deref(), Ok("image/jpeg"));
        assert_eq!(image(b"GIF89a..").as_deref(), Ok("image/gif"));
        assert_eq!(image(b"RIFF\0\0\0\0WEBPVP8 ").as_deref(), Ok("image/webp"));
        assert!(image(b"BM....").is_err() && image(b"").is_err());
        let document = |bytes: &[u8]| media_type(MediaKind::Document, bytes, None);
        assert_eq!(document(b"%PDF-1.7").as_deref(), Ok("application/pdf"));
        assert_eq!(document("plain ä".as_bytes()).as_deref(), Ok("text/plain"));
        assert!(document(b"\0\x01").is_err());
    }

    #[test]
    fn a_claim_must_hold() {
        let png = |claimed: &str| media_type(MediaKind::Image, PNG, Some(claimed));
        assert_eq!(png("IMAGE/PNG").as_deref(), Ok("image/png"));
        assert_eq!(png("image/jpeg"), Err("image/jpeg / image/png".into()));
        assert!(png("image/tiff").is_err_and(|it| it.ends_with("/ `image/tiff`")));
        let text = media_type(MediaKind::Document, b"%PDF-", Some("text/plain"));
        assert_eq!(text.as_deref(), Ok("text/plain"));
        let large = vec![b'a'; LARGEST + 1];
        assert!(media_type(MediaKind::Document, &large, None).is_err());
    }
}
