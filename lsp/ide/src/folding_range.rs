//! `textDocument/foldingRange`: what can be folded away: what brackets hold, block strings, runs of comments and of imports.

use std::collections::HashSet;

use gsw_source::{Db, File, ItemKind, LineIndex, Span, file_line_index};
use gsw_syntax::{
    CommentKind, CommentPosition, TokenKind, file_item_ids, item_ast, lex, parse_file,
};

use crate::brackets::pairs;
use crate::cursor::in_file;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// In the file; it begins on another line than it ends.
    pub span: Span,
    pub kind: FoldKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FoldKind {
    Code,
    Comment,
    Imports,
}

#[must_use]
pub fn folding_range(db: &dyn Db, file: File) -> Vec<Fold> {
    let text = file.text(db);
    let mut folds = Folds {
        text,
        index: file_line_index(db, file),
        begun: HashSet::new(),
        found: Vec::new(),
    };
    let strings = lex(text).tokens.into_iter();
    let strings = strings.filter(|it| it.kind == TokenKind::String);
    let brackets = pairs(text).into_iter().map(|(open, close)| open.to(close));
    for span in brackets.chain(strings.map(|it| it.span)) {
        folds.add(span, FoldKind::Code);
    }
    comments(db, file, &mut folds);
    imports(db, file, &mut folds);
    let mut found = folds.found;
    found.sort_by_key(|it| it.span);
    found
}

struct Folds<'a> {
    text: &'a str,
    index: &'a LineIndex,
    /// The lines on which a fold begins.
    begun: HashSet<(FoldKind, u32)>,
    found: Vec<Fold>,
}

impl Folds<'_> {
    fn line(&self, offset: u32) -> u32 {
        self.index.position(self.text, offset).line
    }

    /// Adds what goes over lines. Of brackets that open on one line the outermost is folded, which is what an editor can show.
    fn add(&mut self, span: Span, kind: FoldKind) {
        let first = self.line(span.start);
        if first < self.line(span.end) && self.begun.insert((kind, first)) {
            self.found.push(Fold { span, kind });
        }
    }
}

fn comments(db: &dyn Db, file: File, folds: &mut Folds<'_>) {
    let mut run: Option<(Span, CommentKind)> = None;
    for comment in &parse_file(db, file).comments {
        if comment.position == CommentPosition::Trailing {
            continue;
        }
        let goes_on = run.filter(|(span, kind)| {
            *kind == comment.kind && folds.line(comment.span.start) == folds.line(span.end) + 1
        });
        run = match goes_on {
            Some((span, kind)) => Some((span.to(comment.span), kind)),
            None => {
                if let Some((span, _)) = run {
                    folds.add(span, FoldKind::Comment);
                }
                Some((comment.span, comment.kind))
            }
        };
    }
    if let Some((span, _)) = run {
        folds.add(span, FoldKind::Comment);
    }
}

fn imports(db: &dyn Db, file: File, folds: &mut Folds<'_>) {
    let spans = file_item_ids(db, file).iter().filter_map(|&item| {
        let tree = item_ast(db, item)?;
        (item.kind(db) == ItemKind::Import).then(|| in_file(db, item, tree.span))
    });
    if let Some(all) = spans.reduce(Span::to) {
        folds.add(all, FoldKind::Imports);
    }
}
