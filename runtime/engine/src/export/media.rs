//! Runtime calls on user texts: images, documents and blocks of data in them.

use gsw_abi::types::{Type, TypeId};
use gsw_notation::issue::Issue;

use crate::data_block;
use crate::export::guard::calls;
use crate::heap::Heap;
use crate::media;
use crate::media::{Media, MediaKind, MediaSource};
use crate::operation::Request;
use crate::run::words;
use crate::value::{error, list, optional, string};

calls! {
    /// `image.bytes(b, type)` and `document.bytes(b, type)`; an empty type leaves it to the content.
    raising media_new(run, kind, bytes, media_type) {
        let claimed = Some(string::text(media_type)).filter(|it| !it.is_empty());
        match media::from_bytes(kind_of(kind), string::bytes(bytes), claimed) {
            Ok(media) => Ok(media::new(&mut run.heap, &media)),
            Err(unfit) => {
                let issue = Issue {
                    path: "$".into(),
                    message: String::new(),
                    expected: unfit.expected,
                    found: unfit.found,
                };
                Err(error::decode(&mut run.heap, &issue))
            }
        }
    }

    /// `image.url(u)` and `document.url(u)`
    waiting media_url(run, kind, url) {
        let url = words::take_string(&mut run.heap, url);
        let media = Box::new(Media { kind: kind_of(kind), source: MediaSource::Url { url } });
        run.perform(Request::MediaUrl { media })
    }

    /// `a + b` where both may hold media.
    text media_join(run, a, b) {
        media::join(&mut run.heap, a, b)
    }

    /// The text that represents, in a user text, a value of type `image`, `document`, an optional or a list of these.
    text media_text(run, ty, word) {
        let empty = string::new(&mut run.heap, "");
        joined(&mut run.heap, TypeId(ty as u32), word, empty)
    }

    /// A block of data in a user text: name, content.
    plain data_block(run, name, content) {
        let block = data_block::of(string::text(name), string::text(content));
        string::new(&mut run.heap, &block)
    }
}

fn joined(heap: &mut Heap, ty: TypeId, word: u64, before: u64) -> u64 {
    let ty = heap.types().base(ty);
    match heap.types().get(ty) {
        Type::Optional(_) if word == 0 => before,
        Type::Optional(of) => {
            let of = *of;
            let inside = optional::inside(heap, of, word);
            joined(heap, of, inside, before)
        }
        Type::List(of) => {
            let of = *of;
            let words = list::words(word).to_vec();
            words
                .into_iter()
                .fold(before, |before, it| joined(heap, of, it, before))
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
        | Type::Media
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
        | Type::Session => media::join(heap, before, word),
    }
}

fn kind_of(word: u64) -> MediaKind {
    match word {
        0 => MediaKind::Image,
        _ => MediaKind::Document,
    }
}
