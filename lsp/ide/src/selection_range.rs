//! `textDocument/selectionRange`: ever larger pieces of syntax around a place.

use gsw_source::{Db, File, Span};
use gsw_syntax::{item_ast, lex};

use crate::brackets::pairs;
use crate::cursor::{in_file, item_at, node_span, nodes_at};
use crate::scope::blocks;

/// The pieces around the byte at `offset`, the smallest first, the last one the whole file.
#[must_use]
pub fn selection_range(db: &dyn Db, file: File, offset: u32) -> Vec<Span> {
    let text = file.text(db);
    let mut spans = vec![Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX))];
    let tokens = lex(text).tokens;
    if let Some((item, inside)) = item_at(db, file, offset)
        && let Some(tree) = item_ast(db, item)
    {
        spans.push(in_file(db, item, tree.span));
        let around = nodes_at(&tree, inside).into_iter().filter_map(node_span);
        let blocks = blocks(&tree).into_iter().map(|it| it.span);
        let blocks = blocks.filter(|it| it.touches(inside));
        spans.extend(around.chain(blocks).map(|it| in_file(db, item, it)));
    }
    for (open, close) in pairs(text) {
        let inner = Span::new(open.end, close.start);
        if inner.touches(offset) {
            spans.extend([inner, open.to(close)]);
        }
    }
    let beside = tokens.iter().filter(|it| it.span.touches(offset));
    // Between a bracket and a name the name is meant.
    let beside = beside.map(|it| it.span);
    let (words, marks): (Vec<Span>, Vec<Span>) = beside.partition(|it| is_word(text, *it));
    spans.extend(if words.is_empty() { marks } else { words });
    spans.push(Span::new(offset, offset));
    nested(spans)
}

fn is_word(text: &str, span: Span) -> bool {
    let first = text
        .get(span.start as usize..)
        .and_then(|it| it.chars().next());
    first.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | '"'))
}

/// A chain in which each holds the one before it.
fn nested(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by_key(|it| (it.end - it.start, it.start));
    let mut chain: Vec<Span> = Vec::new();
    for span in spans {
        let holds = |it: &Span| span.holds(*it) && *it != span;
        if chain.last().is_none_or(holds) {
            chain.push(span);
        }
    }
    chain
}
