//! How well a text parses, for an editor that tries what a half-typed line may become.

use std::ops::Range;
use std::sync::Arc;

use crate::file_reader::ItemText;
use crate::layout::lay_out;
use crate::lexer::lex;

/// The part of `text` that is one item with what is at byte `offset`, as far as tokens tell; where no item is, the whole.
#[must_use]
pub fn item_range(text: &str, offset: usize) -> Range<usize> {
    let layout = lay_out(&lex(text).tokens);
    let mut starts = layout.items.iter();
    let start = |first: usize| layout.tokens[first].span.start as usize;
    let behind = starts.rposition(|it| start(it.range.start) <= offset);
    let Some(index) = behind else {
        return 0..text.len();
    };
    let end = layout.items.get(index + 1);
    let end = end.map_or(text.len(), |it| start(it.range.start));
    start(layout.items[index].range.start)..end
}

/// How many mistakes of syntax are in `text`.
#[must_use]
pub fn mistakes(text: &str) -> usize {
    let text: Arc<str> = Arc::from(text);
    let lexed = Arc::new(lex(&text));
    let layout = lay_out(&lexed.tokens);
    let items = layout.items.iter().map(|it| {
        let parsed = ItemText::new(&text, &lexed, &layout.tokens, it).parse();
        parsed.errors.len() + usize::from(parsed.too_deep.is_some())
    });
    lexed.errors.len() + items.sum::<usize>()
}
