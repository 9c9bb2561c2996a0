//! `textDocument/foldingRange`: what can be folded away: what brackets hold, block strings, runs of comments and of imports.

use gsw_source::{Db, File, ItemKind, Span, file_line_index};
use gsw_syntax::{CommentPosition, TokenKind, file_item_ids, item_ast, lex, parse_file};

use crate::brackets::pairs;
use crate::cursor::in_file;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// In the file; it begins on another line than it ends.
    pub span: Span,
    pub kind: FoldKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    Code,
    Comment,
    Imports,
}

#[must_use]
pub fn folding_range(db: &dyn Db, file: File) -> Vec<Fold> {
    let text = file.text(db);
    let index = file_line_index(db, file);
    let line = |offset: u32| index.position(text, offset).line;
    let mut folds = Vec::new();
    let strings = lex(text).tokens.into_iter();
    let strings = strings.filter(|it| it.kind == TokenKind::String);
    let brackets = pairs(text).into_iter().map(|(open, close)| open.to(close));
    for span in brackets.chain(strings.map(|it| it.span)) {
        add(&mut folds, &line, span, FoldKind::Code);
    }
    comments(db, file, &line, &mut folds);
    imports(db, file, &line, &mut folds);
    folds.sort_by_key(|it| it.span);
    folds
}

fn add(folds: &mut Vec<Fold>, line: &dyn Fn(u32) -> u32, span: Span, kind: FoldKind) {
    let starts_alone = folds
        .iter()
        .all(|it| it.kind != kind || line(it.span.start) != line(span.start));
    // Of brackets that open on one line the outermost is folded, which is what an editor can show.
    if line(span.start) < line(span.end) && starts_alone {
        folds.push(Fold { span, kind });
    }
}

fn comments(db: &dyn Db, file: File, line: &dyn Fn(u32) -> u32, folds: &mut Vec<Fold>) {
    let mut run: Option<(Span, gsw_syntax::CommentKind)> = None;
    for comment in &parse_file(db, file).comments {
        if comment.position == CommentPosition::Trailing {
            continue;
        }
        run = match run {
            Some((span, kind))
                if kind == comment.kind && line(comment.span.start) == line(span.end) + 1 =>
            {
                Some((span.to(comment.span), kind))
            }
            _ => {
                if let Some((span, _)) = run {
                    add(folds, line, span, FoldKind::Comment);
                }
                Some((comment.span, comment.kind))
            }
        };
    }
    if let Some((span, _)) = run {
        add(folds, line, span, FoldKind::Comment);
    }
}

fn imports(db: &dyn Db, file: File, line: &dyn Fn(u32) -> u32, folds: &mut Vec<Fold>) {
    let spans = file_item_ids(db, file).iter().filter_map(|&item| {
        let tree = item_ast(db, item)?;
        (item.kind(db) == ItemKind::Import).then(|| in_file(db, item, tree.span))
    });
    if let Some(all) = spans.reduce(Span::to) {
        add(folds, line, all, FoldKind::Imports);
    }
}
