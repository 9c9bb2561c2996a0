//! The last parse of a file: an item that an edit has left alone is taken from there.
//!
//! The tree of an item depends on its tokens and their text alone, and its spans count from its first byte. So an item whose tokens
//! are the same, in text that is the same up to the edit or from it on, has the same tree. Only items without a mistake are kept:
//! what is said of a mistake may depend on what is around it.

use std::hash::Hasher;
use std::sync::Arc;

use gsw_source::Span;
use rustc_hash::FxHasher;

use crate::parsed_file::FileItem;
use crate::token::Token;

/// A text and those of its items that have no mistake.
#[derive(Debug)]
pub(crate) struct LastParse {
    text: Arc<str>,
    /// In the order of places.
    items: Vec<LastItem>,
}

#[derive(Debug)]
pub(crate) struct LastItem {
    place: ItemPlace,
    item: FileItem,
}

/// Where an item is, and a digest of its tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ItemPlace {
    /// From its docs to its last token, in the file.
    span: Span,
    tokens: u64,
}

impl ItemPlace {
    /// The place of an item that starts, with its docs, at `start`, and has these tokens, of which there is one.
    pub(crate) fn new(start: u32, tokens: &[Token]) -> Self {
        let mut digest = FxHasher::default();
        for token in tokens {
            let is_bracket = token.kind.is_opener() || token.kind.is_closer();
            digest.write_u32(token.span.start - start);
            digest.write_u32(token.span.end - start);
            digest.write_u32(token.kind as u32 | (token.line_start as u32) << 8);
            // That of a literal counts the literals of the file.
            digest.write_u32(if is_bracket { token.value } else { 0 });
        }
        let end = tokens.last().map_or(start, |it| it.span.end);
        Self {
            span: Span::new(start, end),
            tokens: digest.finish(),
        }
    }

    /// Its first byte.
    pub(crate) const fn start(self) -> u32 {
        self.span.start
    }
}

impl LastItem {
    pub(crate) const fn new(place: ItemPlace, item: FileItem) -> Self {
        Self { place, item }
    }
}

impl LastParse {
    pub(crate) const fn new(text: Arc<str>, items: Vec<LastItem>) -> Self {
        Self { text, items }
    }

    /// What of it is in another text as well.
    pub(crate) fn unchanged_in(&self, text: &str) -> Unchanged<'_> {
        let (old, new) = (self.text.as_bytes(), text.as_bytes());
        Unchanged {
            last: self,
            before: same_at_start(old, new),
            after: new.len() - same_at_end(old, new),
            length: new.len(),
        }
    }
}

/// What of an earlier text is still there.
pub(crate) struct Unchanged<'last> {
    last: &'last LastParse,
    /// Up to this byte the texts are the same.
    before: usize,
    /// From this byte of the new text on they are the same up to their ends.
    after: usize,
    /// How many bytes the new text has.
    length: usize,
}

impl<'last> Unchanged<'last> {
    /// The item of the earlier text that is now at this place.
    pub(crate) fn find(&self, place: ItemPlace) -> Option<&'last FileItem> {
        let Span { start, end } = place.span;
        let before = if end as usize <= self.before {
            start as usize
        } else if start as usize >= self.after {
            // Counted from the end, since the edit has moved it.
            self.last.text.len() - (self.length - start as usize)
        } else {
            return None;
        };
        let items = &self.last.items;
        let found = items.binary_search_by_key(&before, |it| it.place.span.start as usize);
        let LastItem { place: known, item } = items.get(found.ok()?)?;
        let length = |it: Span| it.end - it.start;
        let is_same = known.tokens == place.tokens && length(known.span) == length(place.span);
        is_same.then_some(item)
    }
}

/// How many bytes are compared at once.
const BLOCK: usize = 4096;

fn same_at_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks(BLOCK).zip(other.chunks(BLOCK));
    let same = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let same = same.min(one.len()).min(other.len());
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}

fn same_at_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks(BLOCK).zip(other.rchunks(BLOCK));
    let same = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let same = same.min(one.len()).min(other.len());
    let rest = one[..one.len() - same].iter().rev();
    let rest = rest.zip(other[..other.len() - same].iter().rev());
    same + rest.take_while(|(one, other)| one == other).count()
}
